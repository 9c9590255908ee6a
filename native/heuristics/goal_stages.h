// GoalStagesHeuristic: goals in stages, the next one exactly, and those before it left alone.
//
// Where every operator that brings a goal nearer moves one and the same thing without a goal, the
// free one, such as the empty place of sliding tiles, and every such move can be undone, goals can
// be reached one after the other for as long as the free thing finds its way around those that are
// reached. The graph of its values,
// without those that reached goals exclude, must stay connected, whatever single value is left
// out: so one or two goals at a time are taken away, those first whose values are farthest from all
// others, until nothing can be taken; what is left is the last stage. In tiles that is how people
// do it: along the sides, the two in a corner together.
//
// The value of a state is the number of steps that the first stage takes whose goals do not all
// hold, in the projection on these goals and the free thing, reached goals never touched; and for
// each stage after it the size of its table, which no way is longer than. In tiles the projection
// loses nothing: the way that it shows can be gone, and a greedy search expands the states of its
// plan alone. Values are no lower bounds. Where there is no free thing, or a stage is too large,
// the distances of goals take its place.
//
// Source: Korf, "Planning as search: a quantitative approach", Artificial Intelligence, 1987
// (serializable subgoals); Culberson and Schaeffer, "Pattern databases", Computational
// Intelligence, 1998. A table is made, by a breadth-first search, when the first state reaches its
// stage: large tasks begin at once, and stop in time. Then a state costs one look for each goal.

#pragma once

#include <cstdint>
#include <vector>

#include "heuristics/goal_distance.h"
#include "heuristics/goal_order.h"

namespace beeline {

// Goals that are reached together.
struct GoalStage {
  std::vector<int> variables;           // of the goals, then the free one
  std::vector<int> goals;               // values of the former, counted from 0 in their variables
  std::vector<bool> kept, blocked;      // variables of goals before it; values that exclude these
  std::vector<std::vector<int>> places; // per variable and value: its place in the table, or -1
  std::vector<std::size_t> sizes;       // places per variable
  std::vector<std::uint16_t> steps;     // the first variable's place changes slowest; made late
  std::int64_t beyond = 0, after = 0;   // where there is no way, and for the stages after it
};

class GoalStagesHeuristic : public GoalDistanceHeuristic {
public:
  static constexpr HeuristicProperties properties{
      .name = "stages",
      .summary = "steps to the next goals, reached ones left alone, in an order that allows it",
      .work = 0,
      .safe = false,
      .uses_costs = false,
  };

  explicit GoalStagesHeuristic(const GroundTask &task);

  double value(const StatePacker &packer, const Word *state) override;
  double work() const override;

private:
  Exclusions exclusions_;
  std::vector<GoalStage> stages_; // goals that none of them has come last
  std::int64_t entries_ = 0;      // of all tables that are made
};

} // namespace beeline
