// IncrementalColouring: the colours of a state, kept up to date while the state changes.
//
// A successor differs from its parent in a few atoms, and a change spreads one edge per round:
// only nodes that it reaches get new colours, and the score changes by the difference of their
// weights. Of objects that are the same but for their names, one stands for all (ObjectFolding):
// its nodes count as often. Each object keeps the multiset of its neighbours' colours per round
// with its hash, so that a changed neighbour costs one update instead of a sort of all neighbours.
// Weights are integers: a score that is kept up to date equals one that is computed from scratch,
// to the bit.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/colour_graph.h"
#include "features/colour_table.h"
#include "features/object_folding.h"
#include "state/packing.h"

namespace beeline {

class IncrementalColouring {
public:
  // Colours that are not in the table are added to it, up to `max_colours` in all, so that
  // objects can be told apart by colours that have no weight.
  // With `keeps_last`, objects know the colours of the atoms around them in the last round, too.
  // Objects are folded if there are at least `fewest_folded` and few classes, always if it is 0.
  IncrementalColouring(const ColourGraph &graph, ColourTable table,
                       std::vector<std::int64_t> weights, int max_colours, bool keeps_last = false,
                       int fewest_folded = ObjectFolding::fewest);

  // Go to a state and stay there.
  void move_to(const StatePacker &packer, const Word *state);

  std::int64_t score() const { return score_; }
  // The score of another state; the current one stays.
  std::int64_t look_at(const StatePacker &packer, const Word *state);
  // Colours and neighbours looked at so far.
  std::int64_t work() const { return work_; }
  // The colour of an object in the last round.
  int last_colour(int object) const { return colours_of(object)[rounds_]; }
  // The colours of a node in all rounds: of an object, or of an atom behind all objects.
  std::span<const int> colours_of(int node) const {
    return {colours_.data() + static_cast<std::size_t>(stand_in(node)) * stride_,
            static_cast<std::size_t>(stride_)};
  }
  // The atoms around an object in a round, as in the rows of the table.
  std::span<const Neighbour> around(int object, int round) const {
    return neighbourhoods_[static_cast<std::size_t>(stand_in(object)) * kept_ + round].items;
  }
  // Which objects stand for others.
  const ObjectFolding &folding() const { return folding_; }

private:
  struct Neighbourhood {
    std::vector<Neighbour> items; // ascending keys, counts of atoms
    std::uint64_t sum = 0;
    int unseen_count = 0;
  };
  struct Incidence {
    std::int32_t atom;
    std::int32_t slot; // of the argument, in atom_slots_
  };
  struct Undo {
    enum class Kind : std::uint8_t { colour, linked, unlinked, alone };
    Kind kind;
    std::int32_t where; // node * stride + round, or atom, or object
    std::int32_t what;  // old colour
  };
  // A neighbourhood as it was before the state that is looked at changed it. Whole lists are
  // kept, since a dense graph changes many items of the same list.
  struct Saved {
    std::int32_t where = 0; // object * kept + round
    Neighbourhood before;
  };

  int node_of(int atom) const { return graph_.objects() + atom; }
  int &colour(int node, int round) {
    return colours_[static_cast<std::size_t>(node) * stride_ + round];
  }
  Neighbourhood &neighbourhood(int object, int round) {
    return neighbourhoods_[static_cast<std::size_t>(object) * kept_ + round];
  }
  // How often a node counts: as often as the object that it has been folded with.
  int copies_of(int node) const {
    if (folding_.empty())
      return 1;
    const int object = node < graph_.objects() ? node : folding_.object_of(node - graph_.objects());
    return object < 0 ? 1 : folding_.copies(object);
  }
  // A node with the same colours that is kept up to date.
  int stand_in(int node) const { return folding_.empty() ? node : folded_stand_in(node); }
  int folded_stand_in(int node) const;
  // The atom of an object that looks like this one of another object.
  int atom_like(int atom, int object) const;

  void start(const StatePacker &packer, const Word *state);
  void change_state(const StatePacker &packer, const Word *state);
  // Calls use(atom, base colour) for all that are nodes; open goals twice if they are reached.
  template <class Use>
  void for_each_atom(const StatePacker &packer, const Word *state, const Use &use) const;
  void fold(const StatePacker &packer, const Word *state);
  void change_atom(int atom, int base);
  void place_atom(int atom, int base);
  void change_chains(const StatePacker &packer, const Word *state);
  void refine();
  void undo();

  void set_colour(int node, int round, int colour);
  int new_object_colour(int object, int round);
  int new_atom_colour(int atom, int round);
  int look_up(int own, std::span<const Neighbour> neighbours, std::uint64_t sum);

  void single_out(int object);
  void hide(int object);

  enum class Ends : std::uint8_t { all, own, others }; // own: of the object that is folded
  bool is_meant(Ends ends, int object) const {
    return ends == Ends::all || (ends == Ends::own) == folding_.is_foldable(object);
  }
  void link(int atom, Ends ends);
  void unlink(int atom, Ends ends);
  void replace_neighbour(int atom, int round, int old_colour, int new_colour);
  void add_neighbour(int object, int round, int colour, int position, int copies);
  void remove_neighbour(int object, int round, int colour, int position, int copies);
  Neighbourhood &to_change(int object, int round);

  void touch(int node, int round); // to be looked at in this round
  void note(typename Undo::Kind kind, std::int32_t where, std::int32_t what) {
    if (logging_)
      log_.push_back({kind, where, what});
  }

  const ColourGraph &graph_;
  ColourTable table_;
  std::vector<std::int64_t> weights_;
  int max_colours_;
  int rounds_;
  int stride_; // rounds + 1
  int kept_;   // rounds of neighbourhoods

  ObjectFolding folding_;
  std::vector<int> alone_; // objects that were singled out and are to join others

  bool started_ = false;
  std::vector<Word> state_;
  std::vector<int> variables_in_; // variables by word; word w has those from first_in_[w] on
  std::vector<int> first_in_;

  std::vector<int> colours_;                     // node * stride + round
  std::vector<Neighbourhood> neighbourhoods_;    // object * kept + round
  std::vector<std::vector<Incidence>> incident_; // per object: atoms that are nodes
  std::vector<std::int32_t> first_slot_;         // per atom: of its arguments
  std::vector<std::int32_t> place_;              // per slot: place in incident_

  std::vector<int> changed_facts_;        // that are part of chains
  std::vector<std::vector<int>> touched_; // per round: nodes
  std::vector<unsigned> stamps_;          // node * stride + round
  unsigned stamp_ = 0;
  std::vector<Neighbour> row_;

  std::int64_t score_ = 0;
  std::int64_t work_ = 0;
  bool logging_ = false;
  std::vector<Undo> log_;
  std::vector<Saved> saved_; // the first `saved_count_` count; the others lend their memory
  std::size_t saved_count_ = 0;
  std::vector<unsigned> saved_stamps_; // object * kept + round
};

template <class Use>
void IncrementalColouring::for_each_atom(const StatePacker &packer, const Word *state,
                                         const Use &use) const {
  for (int fact : graph_.goal_facts())
    use(fact, graph_.colour_if_false(fact));
  const Variables &domains = graph_.task().variables;
  for (int variable = 0; variable < domains.count(); ++variable) {
    const int fact = domains.fact_of[domains.offsets[variable] + packer.get(state, variable)];
    if (fact >= 0 && graph_.colour_if_true(fact) != absent)
      use(fact, graph_.colour_if_true(fact));
  }
  for (int atom = graph_.facts(); atom < graph_.chains_from(); ++atom)
    use(atom, graph_.constant_colour(atom));
}

} // namespace beeline
