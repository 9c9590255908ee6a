// The perfect heuristic h*: goal distances looked up in an enumerated state space.

#pragma once

#include <stdexcept>

#include "state/evaluator.h"
#include "state/state_space.h"

namespace beeline {

class PerfectHeuristic : public StateHeuristic {
public:
  PerfectHeuristic(const GroundTask &task, std::size_t max_states, Poll &poll)
      : space_(task, max_states, poll) {}

  double value(const StatePacker &, const Word *state) override {
    const StateId id = space_.registry().find(state);
    if (id == no_state)
      throw std::invalid_argument("a state that is not reachable from the initial state");
    const int distance = space_.goal_distances()[id];
    return distance == StateSpace::infinite ? dead_end : distance;
  }

private:
  StateSpace space_;
};

} // namespace beeline
