#include "heuristics/entangled_costs.h"

#include <algorithm>

namespace beeline {

EntangledCosts::EntangledCosts(const GroundTask &task, const ValueTransitions &transitions,
                               OrderedCosts &ordered)
    : task_(task), transitions_(transitions), ordered_(ordered),
      problem_of_value_(task.variables.values(), -1), nodes_(transitions) {}

Cost EntangledCosts::explore(std::span<const int> state, std::span<const int> goals) {
  state_ = state;
  ++states_;
  pending_.clear();
  waiting_.clear();
  queue_.clear();
  std::vector<int> open;
  for (int goal : goals)
    open.push_back(node_of(state[task_.variables.variable_of[goal]], goal, 0));
  Cost total = 0;
  for (int goal : open) {
    while (!nodes_[goal].closed) {
      if (queue_.empty())
        return unreached_cost;
      const int node = queue_.pop().second;
      if (nodes_[node].closed)
        continue;
      close(node);
      expand(node);
    }
    total = sum_of_costs(total, nodes_[goal].cost);
  }
  return total;
}

const Transition *EntangledCosts::first_step(int from, int to) const {
  const Problem &problem = problems_[problem_of_value_[from]];
  return nodes_.first_step(problem.first + to - problem.offset);
}

// The node of a value in the local problem that starts from another, which is set up if need be.
int EntangledCosts::node_of(int from, int to, Cost base) {
  int &number = problem_of_value_[from];
  if (number < 0) {
    number = static_cast<int>(problems_.size());
    const int variable = task_.variables.variable_of[from];
    problems_.push_back(
        {variable, task_.variables.offsets[variable], static_cast<int>(nodes_.size())});
    nodes_.resize(nodes_.size() + static_cast<std::size_t>(task_.variables.domain_size(variable)));
    problem_of_node_.resize(nodes_.size(), number);
  }
  Problem &problem = problems_[number];
  if (problem.state != states_) {
    problem.state = states_;
    problem.base = base;
    const int size = task_.variables.domain_size(problem.variable);
    for (int node = problem.first; node < problem.first + size; ++node)
      nodes_[node] = {};
    reach(problem.first + from - problem.offset, number, nullptr, -1, 0);
  }
  return problem.first + to - problem.offset;
}

void EntangledCosts::reach(int number, int problem, const Transition *step, int parent, Cost cost) {
  LocalNode &node = nodes_[number];
  if (node.closed || node.cost <= cost)
    return;
  node.cost = cost;
  node.step = step;
  node.parent = parent;
  queue_.push(sum_of_costs(problems_[problem].base, cost), number);
}

void EntangledCosts::close(int number) {
  nodes_.close(number);
  const Cost cost = nodes_[number].cost;
  for (int each = nodes_[number].waiting; each >= 0; each = waiting_[each].next) {
    Pending &pending = pending_[waiting_[each].pending];
    pending.cost = sum_of_costs(pending.cost, cost);
    if (--pending.open == 0) {
      const Problem &problem = problems_[pending.problem];
      reach(problem.first + pending.step->target - problem.offset, pending.problem, pending.step,
            pending.source, pending.cost);
    }
  }
}

void EntangledCosts::expand(int node) {
  const int number = problem_of_node_[node];
  const Problem problem = problems_[number]; // others may join it
  const int value = problem.offset + node - problem.first;
  for (const std::span<const Transition> part :
       {transitions_.from(value), transitions_.from_anywhere(problem.variable)}) {
    looks_ += static_cast<std::int64_t>(part.size());
    for (const Transition &transition : part)
      look_at(node, number, transition);
  }
}

void EntangledCosts::look_at(int node, int number, const Transition &transition) {
  const int target = problems_[number].first + transition.target - problems_[number].offset;
  const Cost priority = sum_of_costs(problems_[number].base, nodes_[node].cost);
  Cost total = sum_of_costs(nodes_[node].cost, transition.cost);
  if (nodes_[target].cost <= total)
    return;
  int pending = -1;
  const bool useful = transitions_.all_conditions(transition, [&](int needed) {
    const int variable = task_.variables.variable_of[needed];
    int before = nodes_.on_path(node, variable);
    if (before < 0)
      before = state_[variable];
    if (before == needed)
      return true;
    if (ordered_.handles(variable)) {
      total = cost_sum(total, ordered_.cost(before, needed));
    } else if (const int other = node_of(before, needed, priority); nodes_[other].closed) {
      total = sum_of_costs(total, nodes_[other].cost);
    } else {
      if (pending < 0) {
        pending = static_cast<int>(pending_.size());
        pending_.push_back({node, number, &transition, 0, 0});
      }
      ++pending_[pending].open;
      waiting_.push_back({pending, nodes_[other].waiting});
      nodes_[other].waiting = static_cast<int>(waiting_.size()) - 1;
    }
    return total < nodes_[target].cost;
  });
  if (pending >= 0) {
    pending_[pending].cost = total;
    if (!useful)
      pending_[pending].open = 0; // from here on it is counted down below 0, and never fires
  } else if (useful) {
    reach(target, number, &transition, node, total);
  }
}

} // namespace beeline
