// EntangledCosts: context-enhanced costs of variables that depend on each other in circles.
//
// A local problem is one variable with a value that it starts from: cheapest paths to its other
// values, along which the context of other variables changes. What a transition needs is the cost
// of a value in the local problem that starts from the value in the context, and it waits until
// that is final. One queue for all problems makes that well-defined: a problem that is first asked
// for at some priority gets that as its base, which its costs are added to.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heuristics/cost_queue.h"
#include "heuristics/local_nodes.h"
#include "heuristics/ordered_costs.h"

namespace beeline {

class EntangledCosts {
public:
  // Costs of variables without circles come from `ordered`, which must look at the same state.
  EntangledCosts(const GroundTask &task, const ValueTransitions &transitions,
                 OrderedCosts &ordered);

  // The sum of the costs of goals, which do not hold in the state; `unreached_cost` if there is no
  // way to one.
  Cost explore(std::span<const int> state, std::span<const int> goals);
  // The first step from the state to a value whose cost was needed.
  const Transition *first_step(int from, int to) const;

  std::int64_t looks() const { return looks_; } // at transitions

private:
  struct Problem {
    int variable = 0, offset = 0; // and of its values
    int first = 0;                // node
    Cost base = 0;
    std::int64_t state = -1; // that it was set up for
  };
  struct Pending { // a transition whose conditions are not all known
    int source, problem;
    const Transition *step;
    Cost cost; // so far
    int open;  // conditions
  };
  struct Waiting {
    int pending, next;
  };

  int node_of(int from, int to, Cost base);
  void expand(int node);
  void look_at(int node, int problem, const Transition &transition);
  void reach(int node, int problem, const Transition *step, int parent, Cost cost);
  void close(int node);

  const GroundTask &task_;
  const ValueTransitions &transitions_;
  OrderedCosts &ordered_;
  std::span<const int> state_;
  std::int64_t states_ = 0, looks_ = 0;
  std::vector<int> problem_of_value_; // -1: none yet
  std::vector<Problem> problems_;
  std::vector<int> problem_of_node_;
  LocalNodes nodes_;
  std::vector<Pending> pending_;
  std::vector<Waiting> waiting_;
  CostQueue<Cost> queue_;
};

} // namespace beeline
