#include "heuristics/lmcut.h"

#include <algorithm>

namespace beeline {

LMCutHeuristic::LMCutHeuristic(const GroundTask &task) : task_(task) {
  const RelaxedTask relaxed(task, false);
  start_ = relaxed.propositions;
  goal_ = start_ + 1;
  const int propositions = goal_ + 1;
  const int always[] = {start_};
  for (std::size_t op = 0; op < relaxed.size(); ++op) {
    // Every operator needs a condition, so that it can have a supporter.
    conditions_.add_row(relaxed.conditions[op].empty() ? std::span<const int>(always)
                                                       : relaxed.conditions[op]);
    effects_.add_row(relaxed.effects[op]);
    base_costs_.push_back(relaxed.costs[op]);
  }
  conditions_.add_row(task.goal.empty() ? std::span<const int>(always) : task.goal);
  effects_.add_row({&goal_, 1});
  base_costs_.push_back(0);

  std::vector<std::vector<int>> consumers(propositions), achievers(propositions);
  for (std::size_t op = 0; op < base_costs_.size(); ++op) {
    for (int condition : conditions_[op])
      consumers[condition].push_back(static_cast<int>(op));
    for (int effect : effects_[op])
      achievers[effect].push_back(static_cast<int>(op));
  }
  for (int proposition = 0; proposition < propositions; ++proposition) {
    consumers_.add_row(consumers[proposition]);
    achievers_.add_row(achievers[proposition]);
  }
  nodes_.resize(base_costs_.size());
  cost_.resize(propositions);
  zone_.assign(propositions, Zone::none);
}

template <class Visit>
void LMCutHeuristic::for_each_start(const StatePacker &packer, const Word *state,
                                    const Visit &visit) const {
  for (int variable = 0; variable < task_.variables.count(); ++variable)
    visit(task_.variables.offsets[variable] + packer.get(state, variable));
  visit(start_);
}

double LMCutHeuristic::value(const StatePacker &packer, const Word *state) {
  explore(packer, state);
  if (cost_[goal_] == unreached)
    return dead_end;
  int total = 0;
  while (cost_[goal_] != 0) {
    mark_goal_zone();
    find_cut(packer, state);
    int cheapest = nodes_[cut_.front()].cost;
    for (int op : cut_)
      cheapest = std::min(cheapest, nodes_[op].cost);
    for (int op : cut_)
      nodes_[op].cost -= cheapest;
    total += cheapest;
    for (int proposition : marked_)
      zone_[proposition] = Zone::none;
    marked_.clear();
    repair(cut_);
  }
  return total;
}

void LMCutHeuristic::explore(const StatePacker &packer, const Word *state) {
  queue_.clear();
  std::fill(cost_.begin(), cost_.end(), unreached);
  for (std::size_t op = 0; op < nodes_.size(); ++op)
    nodes_[op] = {base_costs_[op], static_cast<int>(conditions_[op].size()), -1, 0};
  for_each_start(packer, state, [&](int proposition) { reach(proposition, 0); });
  while (!queue_.empty()) {
    const auto [cost, proposition] = queue_.pop();
    if (cost_[proposition] < cost)
      continue;
    for (int op : consumers_[proposition]) {
      Node &node = nodes_[op];
      if (--node.unsatisfied == 0) { // the last condition to be reached is the dearest
        node.supporter = proposition;
        node.support_cost = cost;
        for (int effect : effects_[op])
          reach(effect, cost + node.cost);
      }
    }
  }
}

// After the costs of the cut's operators fell.
void LMCutHeuristic::repair(const std::vector<int> &cut) {
  queue_.clear();
  for (int op : cut)
    for (int effect : effects_[op])
      reach(effect, nodes_[op].support_cost + nodes_[op].cost);
  while (!queue_.empty()) {
    const auto [cost, proposition] = queue_.pop();
    if (cost_[proposition] < cost)
      continue;
    for (int op : consumers_[proposition]) {
      Node &node = nodes_[op];
      if (node.supporter != proposition || node.support_cost <= cost)
        continue;
      const int before = node.support_cost;
      choose_supporter(op);
      if (node.support_cost != before)
        for (int effect : effects_[op])
          reach(effect, node.support_cost + node.cost);
    }
  }
}

void LMCutHeuristic::choose_supporter(int op) {
  Node &node = nodes_[op];
  for (int condition : conditions_[op])
    if (cost_[condition] > cost_[node.supporter])
      node.supporter = condition;
  node.support_cost = cost_[node.supporter];
}

// Propositions from which free operators lead to the goal along supporters.
void LMCutHeuristic::mark_goal_zone() {
  open_.assign(1, goal_);
  zone_[goal_] = Zone::goal;
  marked_.push_back(goal_);
  while (!open_.empty()) {
    const int proposition = open_.back();
    open_.pop_back();
    for (int op : achievers_[proposition]) {
      const Node &node = nodes_[op];
      if (node.cost == 0 && node.unsatisfied == 0 && zone_[node.supporter] != Zone::goal) {
        zone_[node.supporter] = Zone::goal;
        marked_.push_back(node.supporter);
        open_.push_back(node.supporter);
      }
    }
  }
}

// Operators that enter the goal zone from what the state reaches outside it.
void LMCutHeuristic::find_cut(const StatePacker &packer, const Word *state) {
  cut_.clear();
  open_.clear();
  const auto enter = [&](int proposition) {
    if (zone_[proposition] == Zone::none) {
      zone_[proposition] = Zone::before;
      marked_.push_back(proposition);
      open_.push_back(proposition);
    }
  };
  for_each_start(packer, state, enter);
  while (!open_.empty()) {
    const int proposition = open_.back();
    open_.pop_back();
    for (int op : consumers_[proposition]) {
      if (nodes_[op].supporter != proposition)
        continue;
      const auto effects = effects_[op];
      if (std::any_of(effects.begin(), effects.end(),
                      [&](int effect) { return zone_[effect] == Zone::goal; })) {
        cut_.push_back(op);
        continue;
      }
      for (int effect : effects)
        enter(effect);
    }
  }
}

} // namespace beeline
