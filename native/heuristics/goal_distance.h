// GoalDistance: how many steps each goal is away, looked at on its own.
//
// Atoms that exclude each other, such as the places of one thing, with the operators that lead
// from one to another are a small graph. The value of a state is the sum, over the goals, of the
// number of arcs from the atom that holds to the goal: in sliding tiles Manhattan distance, on a
// map the length of the way. What else an operator needs is ignored, and a step that serves two
// goals counts twice. Tables are made once; then a state costs one addition for each variable. Of
// several sets of atoms that a goal belongs to, the one whose ways differ most is taken.

#pragma once

#include <cstdint>
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
      .all_operators = false,
  };

  explicit GoalDistanceHeuristic(const GroundTask &task)
      : GoalDistanceHeuristic(task, properties) {}

  double value(const StatePacker &packer, const Word *state) override;
  double work() const override;

protected:
  GoalDistanceHeuristic(const GroundTask &task, const HeuristicProperties &own);

  std::int64_t farthest() const { return none_; } // no value is greater

private:
  std::vector<int> variables_; // that have a value with a distance
  std::vector<int> distances_; // per value, for all goals together, less what none counts
  std::int64_t none_ = 0;      // where no goal's atoms hold

protected:
  std::int64_t evaluated_ = 0;
};

// GoalPairHeuristic: GoalDistance, and how much further away goals are two by two.
//
// Two variables with goals, of which some values exclude each other: on the graph of their pairs of
// values, without those that cannot be, the way to both goals may be longer than the two ways
// together. In sliding tiles these are linear conflicts (Hansson, Mayer and Yung, "Criticizing
// solutions to relaxed models yields powerful admissible heuristics", Information Sciences, 1992).
// The value is the sum over all pairs, so that a goal in the way of several counts several times:
// no lower bound, but sharper. Conditions on other variables are ignored. Tables are made once, a
// breadth-first search for each pair, until they are large or take a second; a state costs one look
// for each pair.

class GoalPairHeuristic : public GoalDistanceHeuristic {
public:
  static constexpr HeuristicProperties properties{
      .name = "pairs",
      .summary = "distance, and how much further away goals are that are in each other's way",
      .work = 0,
      .safe = false,
      .uses_costs = false,
  };

  explicit GoalPairHeuristic(const GroundTask &task);

  double value(const StatePacker &packer, const Word *state) override;
  double work() const override;

private:
  struct Pair {
    int first, second; // places in goal_variables_
    std::size_t table; // where its part of `excess_` begins, row by row
  };

  std::vector<int> goal_variables_;
  std::vector<int> now_; // their values in a state
  std::vector<Pair> pairs_;
  std::vector<std::uint8_t> excess_;
  std::size_t looks_ = 0; // at arcs, for all tables
};

} // namespace beeline
