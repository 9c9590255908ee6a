// UnwrittenArcs: which values operators of unwritten actions lead from and to.
//
// A condition and an effect of an action are matched with two values of a set, by their predicates
// and by the parameters that they share; conditions on these parameters alone must be such that
// they can hold, and whatever else the action asks for is taken to hold. So no operator is looked
// at, and there may be an arc that no operator has. Cost: the pairs of values of a set.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "task/ground_task.h"

namespace beeline {

class UnwrittenArcs {
public:
  explicit UnwrittenArcs(const GroundTask &task) : task_(task) {}

  using Use = std::function<void(int from, int to)>;
  // Calls use(from, to) for two of these values, which exclude each other.
  void for_each(std::span<const int> values, const Use &use);
  // Calls use(-1, to) for values of all these sets to which some effect leads from none in
  // particular.
  void for_each_from_anywhere(const Use &use) const;

private:
  // Whether the atom can be the value's fact, with what is bound; binds its parameters.
  bool match(const SchemaAtom &atom, int value);
  // Whether conditions can hold as far as their parameters are bound.
  bool is_possible(const UnwrittenAction &action) const;
  void add(const UnwrittenAction &action, const SchemaAtom &effect, int number,
           std::span<const int> values, const Use &use);
  void remove(const UnwrittenAction &action, const SchemaAtom &effect, std::span<const int> values,
              const Use &use);

  static constexpr int free = -1;
  const GroundTask &task_;
  std::vector<int> binding_; // per parameter
  // Per value and number of an effect that leads there: whether it does so from another value.
  std::unordered_map<std::uint64_t, bool> sources_;
};

} // namespace beeline
