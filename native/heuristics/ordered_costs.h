// OrderedCosts: context-enhanced costs of variables that do not depend on each other in circles.
//
// Where the variables that a variable needs, those that these need, and so on, form no circle, its
// costs need no common queue: those of what it needs are computed when they are asked for. They are
// kept. Costs of a variable that moves freely never change. Others depend on what paths found in
// the state, which is written down with them: as long as the state is the same in that, so are
// they. A goal is looked for by A*, with the cost of the way that needs nothing else as a lower
// bound: it sees only what may be on its way, so that less has to be the same. In a task with a
// million operators an evaluation looks at a few thousand of them.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heuristics/cost_queue.h"
#include "heuristics/local_nodes.h"

namespace beeline {

class OrderedCosts {
public:
  OrderedCosts(const GroundTask &task, const ValueTransitions &transitions);

  bool handles(int variable) const { return ordered_[variable] != 0; }

  // From here on, all is about this state: a value per variable.
  void look_at(std::span<const int> state);

  struct Way {
    Cost cost = unreached_cost;
    const Transition *first = nullptr;
  };
  // From one value of a variable to another, in the state but for this variable.
  Cost cost(int from, int to) { return cost(from, to, nullptr); }
  const Transition *first_step(int from, int to);
  // From the state to a goal, by its place in the task's goal.
  Way to_goal(std::size_t goal);

  std::int64_t looks() const { return looks_; } // at transitions

private:
  // What a result found in the state.
  struct Reads {
    std::vector<int> values;
    std::vector<std::uint64_t> known; // a bit per variable
    std::int64_t number = 0;          // of the exploration that collects them
  };
  struct Problem {
    explicit Problem(const ValueTransitions &transitions) : nodes(transitions) {}
    int variable = -1;
    int offset = 0; // of its values
    LocalNodes nodes;
    std::vector<int> touched;
    CostQueue<Cost> queue;
    Reads reads;
    std::int64_t checked = -1;                     // for which state
    std::int64_t last_reader = -1, reads_then = 0; // who has its reads already
  };
  struct FreeWays { // per value
    std::vector<Way> to;
  };
  struct Known {
    int start = -1;
    Way way;
    std::vector<int> reads; // values
  };
  struct Goal {
    std::vector<Cost> bounds; // per value
    std::vector<Known> known; // used last first
  };

  Cost cost(int from, int to, Reads *reads);
  const FreeWays &free_ways(int from);
  Problem &problem_of(int from);
  bool still_hold(std::span<const int> values) const;
  void begin(Problem &problem, int from, Cost bound);
  void explore(Problem &problem, int to, const std::vector<Cost> *bounds);
  void expand(Problem &problem, int node, const std::vector<Cost> *bounds);
  int now(Reads &reads, int variable);
  void merge(Problem &from, Reads &reads) const;
  std::vector<Cost> bounds_of(int goal) const;

  static constexpr int deepest = 64;           // variables that depend on each other in a row
  static constexpr std::size_t most_known = 6; // results for a goal

  const GroundTask &task_;
  const ValueTransitions &transitions_;
  std::vector<char> ordered_;                      // per variable
  std::vector<std::unique_ptr<FreeWays>> free_;    // per value
  std::vector<std::unique_ptr<Problem>> problems_; // per value
  std::vector<Goal> goals_;
  Problem to_goal_, alone_;
  std::span<const int> state_;
  std::int64_t states_ = 0, explorations_ = 0, looks_ = 0;
};

} // namespace beeline
