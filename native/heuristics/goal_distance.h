// GoalDistance: how many steps each goal is away, looked at on its own.
//
// Atoms that exclude each other, such as the places of one thing, with the operators that lead
// from one to another are a small graph. The value of a state is the sum, over the goals, of the
// number of arcs from the atom that holds to the goal: in sliding tiles Manhattan distance, on a
// map the length of the way. What else an operator needs is ignored, and a step that serves two
// goals counts twice. Tables are made once; then a state costs one addition for each variable. Of
// several sets of atoms that a goal belongs to, the one whose ways differ most is taken.

#pragma once

#include <vector>

#include "state/evaluator.h"

namespace beeline {

class GoalDistanceHeuristic : public StateHeuristic {
public:
  static constexpr HeuristicProperties properties{
      .name = "distance",
      .summary = "sum over the goals of the steps that each is away, all else ignored",
      .work = 0,
      .safe = false,
      .uses_costs = false,
  };

  explicit GoalDistanceHeuristic(const GroundTask &task);

  double value(const StatePacker &packer, const Word *state) override;
  double work() const override;

private:
  std::vector<int> variables_; // that have a value with a distance
  std::vector<int> distances_; // per value, for all goals together, less what none counts
  std::int64_t none_ = 0;      // where no goal's atoms hold
  std::int64_t evaluated_ = 0;
};

} // namespace beeline
