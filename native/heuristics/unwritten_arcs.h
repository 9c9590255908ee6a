// UnwrittenArcs: which values operators of unwritten actions lead from and to.
//
// A condition and an effect of an action are matched with two values of a set, by their predicates
// and by the parameters that they share; static conditions on these parameters must hold, whatever
// else the action asks for is taken to hold. So no operator is looked at, and there may be an arc
// that no operator has, where conditions that change would exclude it. Cost: the pairs of values
// of a set.

#pragma once

#include <functional>
#include <span>
#include <vector>

#include "task/ground_task.h"

namespace beeline {

class UnwrittenArcs {
public:
  explicit UnwrittenArcs(const GroundTask &task) : task_(task) {}

  // Calls use(from, to) for two of these values, which exclude each other, and use(-1, to) if an
  // effect leads there from none of them in particular.
  void for_each(std::span<const int> values, const std::function<void(int, int)> &use);

private:
  // Whether the atom can be the value's fact, with what is bound; binds its parameters.
  bool match(const SchemaAtom &atom, int value);
  // Whether static conditions hold as far as their parameters are bound.
  bool is_possible(const UnwrittenAction &action) const;
  void add(const UnwrittenAction &action, const SchemaAtom &effect, std::span<const int> values,
           const std::function<void(int, int)> &use);
  void remove(const UnwrittenAction &action, const SchemaAtom &effect, std::span<const int> values,
              const std::function<void(int, int)> &use);

  static constexpr int free = -1;
  const GroundTask &task_;
  std::vector<int> binding_; // per parameter
};

} // namespace beeline
