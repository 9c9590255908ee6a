#include "state/state_space.h"

#include <algorithm>
#include <queue>
#include <stdexcept>

namespace beeline {

StateSpace::StateSpace(const GroundTask &task, std::size_t max_states, Poll &poll)
    : task_(task), registry_(task), successors_(task, registry_.packer()) {
  enumerate(max_states, poll);
  compute_distances(poll);
}

void StateSpace::enumerate(std::size_t max_states, Poll &poll) {
  registry_.insert_values(task_.initial.data());
  std::vector<Word> buffer(registry_.packer().words());
  std::vector<int> applicable;
  first_arc_.push_back(0);
  for (StateId state = 0; state < registry_.size(); ++state) {
    applicable.clear();
    successors_.applicable(registry_[state], applicable);
    for (int op : applicable) {
      poll.tick();
      successors_.apply(op, registry_[state], buffer.data());
      targets_.push_back(registry_.insert(buffer.data()).first);
      operators_.push_back(op);
    }
    if (registry_.size() > max_states)
      throw std::length_error("the state space is too large to enumerate");
    first_arc_.push_back(static_cast<std::int64_t>(targets_.size()));
  }
}

void StateSpace::compute_distances(Poll &poll) {
  const std::size_t states = registry_.size();
  std::vector<std::int64_t> first_incoming(states + 1, 0);
  for (StateId target : targets_)
    ++first_incoming[target + 1];
  for (std::size_t i = 0; i < states; ++i)
    first_incoming[i + 1] += first_incoming[i];
  struct Incoming {
    StateId source;
    Cost cost;
  };
  std::vector<Incoming> incoming(targets_.size());
  std::vector<std::int64_t> next(first_incoming.begin(), first_incoming.end() - 1);
  for (StateId source = 0; source < states; ++source)
    for (std::int64_t arc = first_arc_[source]; arc < first_arc_[source + 1]; ++arc)
      incoming[next[targets_[arc]]++] = {source, task_.operators.costs[operators_[arc]]};

  distances_.assign(states, infinite);
  goals_.assign(states, 0);
  using Entry = std::pair<Cost, StateId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  const StatePacker &packer = registry_.packer();
  for (StateId state = 0; state < states; ++state)
    if (std::all_of(task_.goal.begin(), task_.goal.end(), [&](int value) {
          const int variable = task_.variables.variable_of[value];
          return packer.get(registry_[state], variable) ==
                 value - task_.variables.offsets[variable];
        })) {
      distances_[state] = 0;
      goals_[state] = 1;
      open.emplace(0, state);
    }
  while (!open.empty()) {
    poll.tick();
    const auto [distance, state] = open.top();
    open.pop();
    if (distance > distances_[state])
      continue;
    for (std::int64_t i = first_incoming[state]; i < first_incoming[state + 1]; ++i) {
      const auto [source, cost] = incoming[i];
      const Cost through = sum_of_costs(distance, cost);
      if (distances_[source] == infinite || distances_[source] > through) {
        distances_[source] = through;
        open.emplace(through, source);
      }
    }
  }
}

void StateSpace::ideal_operators(StateId state, std::vector<int> &operators) const {
  const Cost distance = distances_[state];
  if (distance == infinite || goals_[state])
    return;
  for (std::int64_t arc = first_arc_[state]; arc < first_arc_[state + 1]; ++arc) {
    const Cost rest = distances_[targets_[arc]];
    if (rest != infinite && sum_of_costs(rest, task_.operators.costs[operators_[arc]]) == distance)
      operators.push_back(operators_[arc]);
  }
}

std::size_t StateSpace::dead_ends() const {
  return static_cast<std::size_t>(std::count(distances_.begin(), distances_.end(), infinite));
}

Cost StateSpace::largest_distance() const {
  return distances_.empty() ? 0 : *std::max_element(distances_.begin(), distances_.end());
}

} // namespace beeline
