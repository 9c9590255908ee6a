#include "features/full_colouring.h"

#include <algorithm>

namespace beeline {

FullColouring::FullColouring(const ColourGraph &graph)
    : graph_(graph), first_(graph.objects() + 1), fill_(graph.objects()) {}

void FullColouring::find_nodes(const StatePacker &packer, const Word *state) {
  const GroundTask &task = graph_.task();
  const Variables &variables = task.variables;
  atoms_.clear();
  base_.clear();
  for (int variable = 0; variable < variables.count(); ++variable) {
    const int fact = variables.fact_of[variables.offsets[variable] + packer.get(state, variable)];
    if (fact >= 0 && graph_.colour_if_true(fact) != absent) {
      atoms_.push_back(fact);
      base_.push_back(graph_.colour_if_true(fact));
    }
  }
  for (int fact : graph_.goal_facts()) {
    const int value = task.fact_values[fact];
    const int variable = variables.variable_of[value];
    if (variables.offsets[variable] + packer.get(state, variable) != value) {
      atoms_.push_back(fact);
      base_.push_back(graph_.colour_if_false(fact));
    }
  }
  const auto holds = [&](int fact) {
    const int value = task.fact_values[fact];
    const int variable = variables.variable_of[value];
    return variables.offsets[variable] + packer.get(state, variable) == value;
  };
  const std::size_t facts = atoms_.size();
  for (std::size_t i = 0; i < facts; ++i)
    for (int atom : graph_.chains_with(atoms_[i])) {
      const Chain &chain = graph_.chain(atom);
      if (chain.first == atoms_[i] && holds(chain.first) &&
          (chain.second < 0 || holds(chain.second))) {
        atoms_.push_back(atom);
        base_.push_back(graph_.chain_colour());
      }
    }
  for (int atom = graph_.facts(); atom < graph_.chains_from(); ++atom) {
    atoms_.push_back(atom);
    base_.push_back(graph_.constant_colour(atom));
  }
  std::fill(first_.begin(), first_.end(), 0);
  for (int atom : atoms_)
    for (int object : graph_.args(atom))
      ++first_[object + 1];
  for (int object = 0; object < graph_.objects(); ++object)
    first_[object + 1] += first_[object];
  keys_.resize(static_cast<std::size_t>(first_.back()));
}

const std::vector<int> &FullColouring::compute(const StatePacker &packer, const Word *state,
                                               ColourTable &table, bool collect) {
  find_nodes(packer, state);
  const int objects = graph_.objects();
  nodes_ = static_cast<std::size_t>(objects) + atoms_.size();
  colours_.assign(graph_.object_colours().begin(), graph_.object_colours().end());
  colours_.insert(colours_.end(), base_.begin(), base_.end());
  for (int round = 0; round < table.rounds(); ++round) {
    old_.assign(colours_.end() - static_cast<std::ptrdiff_t>(nodes_), colours_.end());
    std::copy(first_.begin(), first_.end() - 1, fill_.begin());
    for (std::size_t place = 0; place < atoms_.size(); ++place) {
      const int colour = old_[objects + place];
      int position = 0;
      for (int object : graph_.args(atoms_[place]))
        keys_[fill_[object]++] = colour == unseen ? unseen : neighbour_key(colour, position++);
    }
    for (int object = 0; object < objects; ++object)
      colours_.push_back(object_colour(table, collect, object));
    for (std::size_t place = 0; place < atoms_.size(); ++place)
      colours_.push_back(atom_colour(table, collect, place));
  }
  return colours_;
}

std::vector<int> FullColouring::by_node() const {
  const std::size_t objects = static_cast<std::size_t>(graph_.objects());
  const std::size_t stride = colours_.size() / std::max<std::size_t>(1, nodes_);
  std::vector<int> result((objects + static_cast<std::size_t>(graph_.atoms())) * stride, absent);
  for (std::size_t place = 0; place < nodes_; ++place) {
    const std::size_t node = place < objects ? place : objects + atoms_[place - objects];
    for (std::size_t round = 0; round < stride; ++round)
      result[node * stride + round] = colours_[round * nodes_ + place];
  }
  return result;
}

std::vector<std::vector<Neighbour>> FullColouring::around() const {
  const std::size_t objects = static_cast<std::size_t>(graph_.objects());
  const std::size_t stride = colours_.size() / std::max<std::size_t>(1, nodes_);
  std::vector<std::vector<Neighbour>> result(objects * stride);
  for (std::size_t place = objects; place < nodes_; ++place)
    for (std::size_t round = 0; round < stride; ++round) {
      const int colour = colours_[round * nodes_ + place];
      int position = 0;
      for (int object : graph_.args(atoms_[place - objects]))
        if (colour != unseen)
          result[object * stride + round].push_back({neighbour_key(colour, position++), 1});
    }
  for (std::vector<Neighbour> &items : result) {
    std::sort(items.begin(), items.end(),
              [](const Neighbour &left, const Neighbour &right) { return left.key < right.key; });
    items.erase(std::unique(items.begin(), items.end()), items.end());
  }
  return result;
}

int FullColouring::object_colour(ColourTable &table, bool collect, int object) {
  const int own = old_[object];
  if (own == unseen)
    return unseen;
  const auto first = keys_.begin() + first_[object], last = keys_.begin() + first_[object + 1];
  std::sort(first, last);
  if (first != last && *first == unseen)
    return unseen;
  neighbours_.clear();
  std::uint64_t sum = 0;
  for (auto key = first; key != last;) {
    const auto next = std::find_if(key, last, [&](std::int32_t other) { return other != *key; });
    const int count = table.multiset() ? static_cast<int>(next - key) : 1;
    neighbours_.push_back({*key, count});
    sum += static_cast<std::uint64_t>(count) * neighbour_hash(*key);
    key = next;
  }
  return collect ? table.find_or_add(own, neighbours_, sum) : table.find(own, neighbours_, sum);
}

int FullColouring::atom_colour(ColourTable &table, bool collect, std::size_t place) {
  const int own = old_[graph_.objects() + place];
  if (own == unseen)
    return unseen;
  neighbours_.clear();
  std::uint64_t sum = 0;
  int position = 0;
  for (int object : graph_.args(atoms_[place])) {
    const int colour = old_[object];
    if (colour == unseen)
      return unseen;
    const std::int32_t key = neighbour_key(colour, position++);
    neighbours_.push_back({key, 1});
    sum += neighbour_hash(key);
  }
  return collect ? table.find_or_add(own, neighbours_, sum) : table.find(own, neighbours_, sum);
}

} // namespace beeline
