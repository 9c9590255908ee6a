// What IncrementalColouring does where objects are folded.

#include <algorithm>

#include "features/incremental_colouring.h"

namespace beeline {

void IncrementalColouring::fold(const StatePacker &packer, const Word *state) {
  std::vector<int> bases(static_cast<std::size_t>(graph_.atoms()), absent);
  for_each_atom(packer, state, [&](int atom, int base) {
    if (const int object = folding_.object_of(atom); object >= 0)
      folding_.change_look(object, atom, bases[atom], base);
    bases[atom] = base;
  });
  folding_.begin();
}

// From now on until it is hidden, the object stands for itself alone.
void IncrementalColouring::single_out(int object) {
  const auto [from, to] = folding_.stand_alone(object);
  alone_.push_back(object);
  note(Undo::Kind::alone, object, 0);
  if (from == to)
    return;
  const auto copy_colours = [this](int source, int target) {
    std::copy_n(&colour(source, 0), stride_, &colour(target, 0));
  };
  copy_colours(from, to);
  for (int round = 0; round < kept_; ++round)
    neighbourhood(to, round) = neighbourhood(from, round);
  for (const Incidence &incidence : incident_[to]) {
    copy_colours(node_of(atom_like(incidence.atom, from)), node_of(incidence.atom));
    link(incidence.atom, Ends::others);
  }
}

// Another object stands for this one from now on.
void IncrementalColouring::hide(int object) {
  for (const Incidence &incidence : incident_[object])
    unlink(incidence.atom, Ends::others);
}

int IncrementalColouring::atom_like(int atom, int object) const {
  const auto look = [this](int each) {
    return folding_.look(each, colours_[static_cast<std::size_t>(node_of(each)) * stride_]);
  };
  const std::uint64_t wanted = look(atom);
  return std::find_if(incident_[object].begin(), incident_[object].end(),
                      [&](const Incidence &incidence) { return look(incidence.atom) == wanted; })
      ->atom;
}

int IncrementalColouring::folded_stand_in(int node) const {
  if (node < graph_.objects())
    return folding_.leader(node);
  const int atom = node - graph_.objects();
  if (copies_of(node) > 0 || colours_[static_cast<std::size_t>(node) * stride_] == absent)
    return node;
  return node_of(atom_like(atom, folding_.leader(folding_.object_of(atom))));
}

} // namespace beeline
