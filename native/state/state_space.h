// StateSpace: every state reachable from the initial one, with goal distances.
//
// Forward enumeration in breadth-first order; the arcs are stored, so the perfect heuristic is
// one backward pass (Dijkstra's algorithm on the reversed arcs).

#pragma once

#include <cstdint>
#include <vector>

#include "base/poll.h"
#include "state/registry.h"
#include "state/successors.h"

namespace beeline {

class StateSpace {
public:
  // Throws std::length_error beyond `max_states`.
  StateSpace(const GroundTask &task, std::size_t max_states, Poll &poll);
  StateSpace(const StateSpace &) = delete; // the generator refers to the registry

  static constexpr Cost infinite = -1; // goal distance of a dead end

  const StateRegistry &registry() const { return registry_; }
  std::size_t arcs() const { return targets_.size(); }
  const std::vector<Cost> &goal_distances() const { return distances_; } // per state
  std::size_t dead_ends() const;
  Cost largest_distance() const; // d*, over states that reach the goal

  // Appends the operators that begin a cheapest plan, in the order of successors; none in goal
  // states and dead ends. With equal costs these are the ideal preferred operators of the
  // literature: those that lead closest to the goal.
  void ideal_operators(StateId state, std::vector<int> &operators) const;

private:
  void enumerate(std::size_t max_states, Poll &poll);
  void compute_distances(Poll &poll);

  const GroundTask &task_;
  StateRegistry registry_;
  SuccessorGenerator successors_;
  std::vector<std::int64_t> first_arc_; // per state, and the end
  std::vector<StateId> targets_;
  std::vector<int> operators_;
  std::vector<Cost> distances_;
  std::vector<char> goals_; // per state
};

} // namespace beeline
