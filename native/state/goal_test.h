// GoalTest: whether a packed state satisfies the goal, and how much of it is missing.

#pragma once

#include <algorithm>
#include <vector>

#include "state/packing.h"

namespace beeline {

// The goal's values as (variable, local value), for quick tests on packed states.
class GoalTest {
public:
  explicit GoalTest(const GroundTask &task) {
    for (int value : task.goal) {
      const int variable = task.variables.variable_of[value];
      pairs_.push_back({variable, value - task.variables.offsets[variable]});
    }
  }

  bool holds(const StatePacker &packer, const Word *state) const {
    return std::all_of(pairs_.begin(), pairs_.end(), [&](const Pair &pair) {
      return packer.get(state, pair.variable) == pair.value;
    });
  }

  int unsatisfied(const StatePacker &packer, const Word *state) const {
    return static_cast<int>(std::count_if(pairs_.begin(), pairs_.end(), [&](const Pair &pair) {
      return packer.get(state, pair.variable) != pair.value;
    }));
  }

private:
  struct Pair {
    int variable;
    int value;
  };
  std::vector<Pair> pairs_;
};

} // namespace beeline
