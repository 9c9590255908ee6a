// Blind and goal count: heuristics that only look at the goal.

#pragma once

#include <algorithm>

#include "state/evaluator.h"
#include "state/goal_test.h"

namespace beeline {

// 0 in goal states, elsewhere the cheapest operator's cost.
class BlindHeuristic : public StateHeuristic {
public:
  static constexpr HeuristicProperties properties{
      .name = "blind",
      .summary = "0 in goal states, elsewhere the cheapest operator's cost",
      .work = 0,
      .admissible = true,
      .consistent = true,
      .all_operators = false,
  };

  explicit BlindHeuristic(const GroundTask &task)
      : StateHeuristic(task, properties), goal_(task),
        cheapest_(static_cast<double>(task.lowest_cost())) {}

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
  static constexpr HeuristicProperties properties{
      .name = "goalcount",
      .summary = "number of goals that do not hold",
      .work = 0,
      .uses_costs = false,
      .all_operators = false,
  };

  explicit GoalCountHeuristic(const GroundTask &task)
      : StateHeuristic(task, properties), goal_(task) {}

  double value(const StatePacker &packer, const Word *state) override {
    ++evaluated_;
    return goal_.unsatisfied(packer, state);
  }
  double work() const override {
    constexpr double state = 0.05; // microseconds
    return static_cast<double>(evaluated_) * state;
  }

private:
  GoalTest goal_;
  std::int64_t evaluated_ = 0;
};

} // namespace beeline
