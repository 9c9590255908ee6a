// The perfect heuristic h*: goal distances looked up in an enumerated state space. Its preferred
// operators are the ideal ones, which begin a cheapest plan.

#pragma once

#include <stdexcept>

#include "state/evaluator.h"
#include "state/state_space.h"

namespace beeline {

class PerfectHeuristic : public StateHeuristic {
public:
  static constexpr HeuristicProperties properties{
      .name = "perfect",
      .summary = "cost of the cheapest plan, from the whole state space if it fits",
      .work = 0,
      .admissible = true,
      .consistent = true,
      .preferred = true,
      .all_operators = false,
  };

  PerfectHeuristic(const GroundTask &task, std::size_t max_states, Poll &poll)
      : StateHeuristic(task, properties), space_(task, max_states, poll) {}

  double value(const StatePacker &, const Word *state) override {
    const Cost distance = space_.goal_distances()[find(state)];
    return distance == StateSpace::infinite ? dead_end : static_cast<double>(distance);
  }

  void preferred(const StateRegistry &registry, StateId state,
                 std::vector<int> &operators) override {
    space_.ideal_operators(find(registry[state]), operators);
  }

private:
  StateId find(const Word *state) const {
    const StateId id = space_.registry().find(state);
    if (id == no_state)
      throw std::invalid_argument("a state that is not reachable from the initial state");
    return id;
  }

  StateSpace space_;
};

} // namespace beeline
