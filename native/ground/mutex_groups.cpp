#include "ground/mutex_groups.h"

#include <algorithm>

namespace beeline {

namespace {

// One invariant's groups, found by the values of its parameters.
class InvariantGroups {
public:
  InvariantGroups(const LiftedInvariant &invariant, int objects)
      : keys_(invariant.parameters, objects), key_(invariant.parameters) {}

  void count_initial_atom(const InvariantPart &part, const int *args) {
    const auto [slot, is_new] = keys_.insert(key_of(part, args));
    if (is_new) {
      weights_.push_back(1);
      groups_.emplace_back();
    } else {
      ++weights_[slot];
    }
  }

  void add_fact(const InvariantPart &part, const int *args, int fact) {
    const int slot = keys_.find(key_of(part, args));
    if (slot >= 0 && weights_[slot] == 1)
      groups_[slot].push_back(fact);
  }

  std::vector<FactGroup> &groups() { return groups_; }

private:
  const int *key_of(const InvariantPart &part, const int *args) {
    for (std::size_t i = 0; i < part.args.size(); ++i)
      if (part.args[i] != InvariantPart::counted)
        key_[part.args[i]] = args[i];
    return key_.data();
  }

  TupleSet keys_;
  std::vector<int> key_;
  std::vector<int> weights_;
  std::vector<FactGroup> groups_;
};

} // namespace

std::vector<FactGroup> instantiate_invariants(const LiftedProgram &program,
                                              const Exploration &exploration,
                                              const FactTable &facts,
                                              const std::vector<LiftedInvariant> &invariants) {
  std::vector<FactGroup> result;
  for (const LiftedInvariant &invariant : invariants) {
    InvariantGroups groups(invariant, program.objects);
    for (const InvariantPart &part : invariant.parts) {
      // The initial atoms come first in their relation, in the same order.
      const Predicate &predicate = program.predicates[part.predicate];
      for (int i = 0; i < predicate.atom_count; ++i)
        groups.count_initial_atom(part, predicate.atoms.data() + i * predicate.arity);
    }
    for (const InvariantPart &part : invariant.parts) {
      const Relation &relation = exploration.relations[part.predicate];
      for (int atom = 0; atom < relation.known(); ++atom)
        groups.add_fact(part, relation[atom], facts.of_atom(part.predicate, atom));
    }
    for (FactGroup &group : groups.groups())
      if (!group.empty()) {
        std::sort(group.begin(), group.end());
        result.push_back(std::move(group));
      }
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::vector<FactGroup> choose_variables(const std::vector<FactGroup> &groups, int facts,
                                        const std::vector<char> &lonely) {
  // Buckets by size; a group that shrank since it was filed moves down when it is met. Within a
  // bucket the group filed last comes first.
  std::vector<int> sizes(groups.size());
  std::size_t largest = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    sizes[g] = static_cast<int>(
        std::count_if(groups[g].begin(), groups[g].end(), [&](int fact) { return !lonely[fact]; }));
    largest = std::max<std::size_t>(largest, sizes[g]);
  }
  std::vector<std::vector<int>> by_size(largest + 1);
  for (std::size_t g = 0; g < groups.size(); ++g)
    by_size[sizes[g]].push_back(static_cast<int>(g));
  const Rows<GroupPlace> places = places_in_groups(groups, facts);

  std::vector<FactGroup> result;
  std::vector<char> covered(facts, 0);
  for (std::size_t size = largest; size > 1; --size)
    while (!by_size[size].empty()) {
      const int candidate = by_size[size].back();
      by_size[size].pop_back();
      if (sizes[candidate] != static_cast<int>(size)) {
        by_size[sizes[candidate]].push_back(candidate);
        continue;
      }
      FactGroup chosen;
      for (int fact : groups[candidate])
        if (!covered[fact] && !lonely[fact])
          chosen.push_back(fact);
      for (int fact : chosen) {
        covered[fact] = 1;
        for (const GroupPlace &place : places[fact])
          --sizes[place.group];
      }
      result.push_back(std::move(chosen));
    }
  for (int fact = 0; fact < facts; ++fact)
    if (!covered[fact])
      result.push_back({fact});
  std::sort(result.begin(), result.end());
  return result;
}

Rows<GroupPlace> places_in_groups(const std::vector<FactGroup> &groups, int facts) {
  std::vector<std::vector<GroupPlace>> places(facts);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t value = 0; value < groups[g].size(); ++value)
      places[groups[g][value]].push_back({static_cast<int>(g), static_cast<int>(value)});
  Rows<GroupPlace> result;
  for (const auto &row : places)
    result.add_row(row);
  return result;
}

} // namespace beeline
