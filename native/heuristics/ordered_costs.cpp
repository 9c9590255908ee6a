#include "heuristics/ordered_costs.h"

#include <algorithm>

#include "base/strong_components.h"

namespace beeline {

OrderedCosts::OrderedCosts(const GroundTask &task, const ValueTransitions &transitions)
    : task_(task), transitions_(transitions), ordered_(task.variables.count(), 0),
      free_(task.variables.values()), problems_(task.variables.values()), goals_(task.goal.size()),
      to_goal_(transitions), alone_(transitions) {
  const auto components = strong_components(transitions.parents());
  std::vector<int> depth(ordered_.size(), 0);
  for (auto it = components.rbegin(); it != components.rend(); ++it) { // what is needed first
    const int variable = it->front();
    bool ordered = it->size() == 1;
    for (int parent : transitions.parents()[variable]) {
      ordered = ordered && handles(parent);
      depth[variable] = std::max(depth[variable], depth[parent] + 1);
    }
    ordered_[variable] = ordered && depth[variable] <= deepest ? 1 : 0;
  }
}

void OrderedCosts::look_at(std::span<const int> state) {
  state_ = state;
  ++states_;
}

bool OrderedCosts::still_hold(std::span<const int> values) const {
  return std::all_of(values.begin(), values.end(), [&](int value) {
    return state_[task_.variables.variable_of[value]] == value;
  });
}

int OrderedCosts::now(Reads &reads, int variable) {
  std::uint64_t &word = reads.known[static_cast<std::size_t>(variable) / 64];
  const std::uint64_t bit = std::uint64_t{1} << (static_cast<unsigned>(variable) % 64);
  if ((word & bit) == 0) {
    word |= bit;
    reads.values.push_back(state_[variable]);
  }
  return state_[variable];
}

void OrderedCosts::merge(Problem &from, Reads &reads) const {
  const auto count = static_cast<std::int64_t>(from.reads.values.size());
  if (from.last_reader == reads.number && from.reads_then == count)
    return;
  from.last_reader = reads.number;
  from.reads_then = count;
  for (int value : from.reads.values) {
    const int variable = task_.variables.variable_of[value];
    std::uint64_t &word = reads.known[static_cast<std::size_t>(variable) / 64];
    const std::uint64_t bit = std::uint64_t{1} << (static_cast<unsigned>(variable) % 64);
    if ((word & bit) == 0) {
      word |= bit;
      reads.values.push_back(value);
    }
  }
}

void OrderedCosts::begin(Problem &problem, int from, Cost bound) {
  const Variables &variables = task_.variables;
  problem.variable = variables.variable_of[from];
  problem.offset = variables.offsets[problem.variable];
  const auto size = static_cast<std::size_t>(variables.domain_size(problem.variable));
  for (int node : problem.touched)
    problem.nodes[node] = {};
  problem.touched.clear();
  if (problem.nodes.size() < size)
    problem.nodes.resize(size);
  for (int value : problem.reads.values) {
    const auto variable = static_cast<std::size_t>(variables.variable_of[value]);
    problem.reads.known[variable / 64] &= ~(std::uint64_t{1} << (variable % 64));
  }
  problem.reads.values.clear();
  problem.reads.known.resize((ordered_.size() + 63) / 64, 0);
  problem.reads.number = ++explorations_;
  problem.last_reader = -1;
  problem.queue.clear();
  const int start = from - problem.offset;
  problem.nodes[start].cost = 0;
  problem.touched.push_back(start);
  if (bound != unreached_cost)
    problem.queue.push(bound, start);
}

// Until the cost of a value is final, or of all if it is negative. Without bounds it can be
// continued.
void OrderedCosts::explore(Problem &problem, int to, const std::vector<Cost> *bounds) {
  LocalNodes &nodes = problem.nodes;
  const int target = to < 0 ? -1 : to - problem.offset;
  while (!problem.queue.empty() && (target < 0 || !nodes[target].closed)) {
    const int node = problem.queue.pop().second;
    if (nodes[node].closed)
      continue;
    nodes.close(node);
    if (bounds == nullptr || node != target)
      expand(problem, node, bounds);
  }
}

void OrderedCosts::expand(Problem &problem, int node, const std::vector<Cost> *bounds) {
  LocalNodes &nodes = problem.nodes;
  const Cost own_cost = nodes[node].cost;
  const int value = problem.offset + node;
  for (const std::span<const Transition> part :
       {transitions_.from(value), transitions_.from_anywhere(problem.variable)}) {
    looks_ += static_cast<std::int64_t>(part.size());
    for (const Transition &transition : part) {
      const int target = transition.target - problem.offset;
      const Cost bound = bounds == nullptr ? 0 : (*bounds)[target];
      Cost total = sum_of_costs(own_cost, transition.cost);
      if (nodes[target].cost <= total || bound == unreached_cost)
        continue;
      const bool useful = transitions_.all_conditions(transition, [&](int needed) {
        const int variable = task_.variables.variable_of[needed];
        int before = nodes.on_path(node, variable);
        if (before < 0)
          before = now(problem.reads, variable);
        if (before != needed)
          total = cost_sum(total, cost(before, needed, &problem.reads));
        return total < nodes[target].cost;
      });
      if (!useful)
        continue;
      LocalNode &reached = nodes[target];
      if (reached.cost == unreached_cost)
        problem.touched.push_back(target);
      reached.cost = total;
      reached.step = &transition;
      reached.parent = node;
      problem.queue.push(sum_of_costs(total, bound), target);
    }
  }
}

const OrderedCosts::FreeWays &OrderedCosts::free_ways(int from) {
  std::unique_ptr<FreeWays> &ways = free_[from];
  if (ways == nullptr) {
    begin(alone_, from, 0);
    explore(alone_, -1, nullptr);
    ways = std::make_unique<FreeWays>();
    ways->to.resize(static_cast<std::size_t>(task_.variables.domain_size(alone_.variable)));
    for (int node : alone_.touched)
      ways->to[node] = {alone_.nodes[node].cost, alone_.nodes.first_step(node)};
  }
  return *ways;
}

OrderedCosts::Problem &OrderedCosts::problem_of(int from) {
  std::unique_ptr<Problem> &problem = problems_[from];
  if (problem == nullptr)
    problem = std::make_unique<Problem>(transitions_);
  if (problem->checked != states_) {
    if (problem->checked < 0 || !still_hold(problem->reads.values))
      begin(*problem, from, 0);
    problem->checked = states_;
  }
  return *problem;
}

Cost OrderedCosts::cost(int from, int to, Reads *reads) {
  const int variable = task_.variables.variable_of[from];
  const int place = to - task_.variables.offsets[variable];
  if (transitions_.parents()[variable].empty())
    return free_ways(from).to[place].cost;
  Problem &problem = problem_of(from);
  explore(problem, to, nullptr);
  if (reads != nullptr)
    merge(problem, *reads);
  return problem.nodes[place].cost;
}

const Transition *OrderedCosts::first_step(int from, int to) {
  const int variable = task_.variables.variable_of[from];
  const int place = to - task_.variables.offsets[variable];
  if (transitions_.parents()[variable].empty())
    return free_ways(from).to[place].first;
  return cost(from, to) == unreached_cost ? nullptr : problem_of(from).nodes.first_step(place);
}

OrderedCosts::Way OrderedCosts::to_goal(std::size_t number) {
  const int to = task_.goal[number], variable = task_.variables.variable_of[to];
  const int from = state_[variable];
  if (transitions_.parents()[variable].empty())
    return free_ways(from).to[to - task_.variables.offsets[variable]];
  Goal &goal = goals_[number];
  const auto found = std::find_if(goal.known.begin(), goal.known.end(), [&](const Known &known) {
    return known.start == from && still_hold(known.reads);
  });
  if (found != goal.known.end()) {
    std::rotate(goal.known.begin(), found, found + 1);
    return goal.known.front().way;
  }
  if (goal.bounds.empty())
    goal.bounds = bounds_of(to);
  const int offset = task_.variables.offsets[variable];
  begin(to_goal_, from, goal.bounds[from - offset]);
  explore(to_goal_, to, &goal.bounds);
  const LocalNode &node = to_goal_.nodes[to - offset];
  if (goal.known.size() < most_known)
    goal.known.emplace_back();
  std::rotate(goal.known.begin(), goal.known.end() - 1, goal.known.end());
  Known &known = goal.known.front();
  known.start = from;
  known.way = {node.cost, to_goal_.nodes.first_step(to - offset)};
  known.reads = to_goal_.reads.values;
  return known.way;
}

// The cost of the way to a goal from each value of its variable, if nothing else were needed.
std::vector<Cost> OrderedCosts::bounds_of(int goal) const {
  struct Arc {
    int from; // -1: anywhere
    Cost cost;
  };
  const int variable = task_.variables.variable_of[goal];
  const int offset = task_.variables.offsets[variable];
  const auto size = static_cast<std::size_t>(task_.variables.domain_size(variable));
  std::vector<std::vector<Arc>> to(size);
  const auto add = [&](std::span<const Transition> part, int from) {
    for (const Transition &each : part)
      to[each.target - offset].push_back({from, each.cost});
  };
  for (int from = 0; from < static_cast<int>(size); ++from)
    add(transitions_.from(offset + from), from);
  add(transitions_.from_anywhere(variable), -1);
  std::vector<Cost> bounds(size, unreached_cost);
  CostQueue<Cost> queue;
  const auto reach = [&](int value, Cost cost) {
    if (cost < bounds[value]) {
      bounds[value] = cost;
      queue.push(cost, value);
    }
  };
  Cost from_anywhere = unreached_cost;
  reach(goal - offset, 0);
  while (!queue.empty()) {
    const auto [cost, value] = queue.pop();
    if (bounds[value] < cost)
      continue;
    for (const Arc &arc : to[value]) {
      const Cost total = sum_of_costs(cost, arc.cost);
      if (arc.from >= 0) {
        reach(arc.from, total);
      } else if (total < from_anywhere) {
        from_anywhere = total;
        for (int from = 0; from < static_cast<int>(size); ++from)
          reach(from, total);
      }
    }
  }
  return bounds;
}

} // namespace beeline
