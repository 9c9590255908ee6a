// Blind and goal count: heuristics that only look at the goal.

#pragma once

#include <algorithm>

#include "state/evaluator.h"

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

// 0 in goal states, elsewhere the cheapest operator's cost.
class BlindHeuristic : public StateHeuristic {
public:
  explicit BlindHeuristic(const GroundTask &task)
      : StateHeuristic(task), goal_(task),
        cheapest_(task.operators.size() == 0
                      ? 0.0
                      : static_cast<double>(*std::min_element(task.operators.costs.begin(),
                                                              task.operators.costs.end()))) {}

  double value(const StatePacker &packer, const Word *state) override {
    return goal_.holds(packer, state) ? 0 : cheapest_;
  }

private:
  GoalTest goal_;
  double cheapest_;
};

// The number of goal values that do not hold. Costs play no part.
class GoalCountHeuristic : public StateHeuristic {
public:
  explicit GoalCountHeuristic(const GroundTask &task) : StateHeuristic(task), goal_(task) {}

  double value(const StatePacker &packer, const Word *state) override {
    return goal_.unsatisfied(packer, state);
  }

private:
  GoalTest goal_;
};

} // namespace beeline
