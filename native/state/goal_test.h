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

  // Begins with the goal that was open last: it is likely to be so still.
  bool holds(const StatePacker &packer, const Word *state) const {
    const auto is_open = [&](const Pair &pair) {
      return packer.get(state, pair.variable) != pair.value;
    };
    const auto last = pairs_.begin() + static_cast<std::ptrdiff_t>(last_open_);
    auto open = std::find_if(last, pairs_.end(), is_open);
    if (open == pairs_.end())
      open = std::find_if(pairs_.begin(), last, is_open);
    if (open == last && (pairs_.empty() || !is_open(*last)))
      return true;
    last_open_ = static_cast<std::size_t>(open - pairs_.begin());
    return false;
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
  mutable std::size_t last_open_ = 0;
};

} // namespace beeline
