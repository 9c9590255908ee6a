#include "heuristics/relaxation.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace beeline {

namespace {
// Sums of sums can grow beyond all bounds; costs this large are as good as infinite, but the
// goal is still reachable.
constexpr int ceiling = 100'000'000;
} // namespace

RelaxationHeuristic::RelaxationHeuristic(const GroundTask &task)
    : task_(task), relaxed_(task), is_goal_(relaxed_.propositions, 0),
      reached_(relaxed_.propositions) {
  for (int value : task.goal)
    is_goal_[value] = 1;
  for (std::size_t op = 0; op < relaxed_.size(); ++op)
    fresh_.push_back({relaxed_.costs[op], static_cast<int>(relaxed_.conditions[op].size())});
  progress_ = fresh_;
}

template <class Combine>
void RelaxationHeuristic::explore(const StatePacker &packer, const Word *state,
                                  const Combine &combine) {
  queue_.clear();
  std::fill(reached_.begin(), reached_.end(), Reached{unreached, no_supporter});
  std::copy(fresh_.begin(), fresh_.end(), progress_.begin());
  for (int op : relaxed_.unconditional)
    for (int effect : relaxed_.effects[op])
      reach(effect, relaxed_.costs[op], op);
  for (int variable = 0; variable < task_.variables.count(); ++variable)
    reach(task_.variables.offsets[variable] + packer.get(state, variable), 0, no_supporter);
  std::size_t open_goals = task_.goal.size();
  while (!queue_.empty()) {
    const auto [cost, proposition] = queue_.pop();
    if (reached_[proposition].cost < cost)
      continue;
    if (is_goal_[proposition] && --open_goals == 0)
      return;
    for (int op : relaxed_.consumers[proposition]) {
      Progress &progress = progress_[op];
      combine(progress.cost, relaxed_.costs[op], cost);
      if (--progress.conditions == 0)
        for (int effect : relaxed_.effects[op])
          reach(effect, progress.cost, op);
    }
  }
}

double MaxHeuristic::value(const StatePacker &packer, const Word *state) {
  explore(packer, state, [](int &total, int operator_cost, int cost) {
    total = std::max(total, operator_cost + cost);
  });
  int result = 0;
  for (int value : task_.goal) {
    if (reached_[value].cost == unreached)
      return dead_end;
    result = std::max(result, reached_[value].cost);
  }
  return result;
}

double AddHeuristic::explore_additively(const StatePacker &packer, const Word *state) {
  explore(packer, state,
          [](int &total, int, int cost) { total = std::min(total + cost, ceiling); });
  std::int64_t result = 0;
  for (int value : task_.goal) {
    if (reached_[value].cost == unreached)
      return dead_end;
    result += reached_[value].cost;
  }
  return static_cast<double>(result);
}

double AddHeuristic::value(const StatePacker &packer, const Word *state) {
  return explore_additively(packer, state);
}

FFHeuristic::FFHeuristic(const GroundTask &task)
    : AddHeuristic(task), proposition_stamp_(relaxed_.propositions, 0),
      operator_stamp_(task.operators.size(), 0), preferred_stamp_(task.operators.size(), 0) {}

// Backwards from the goal, each proposition once.
void FFHeuristic::collect(std::vector<int> *preferred) {
  ++stamp_;
  plan_.clear();
  stack_.assign(task_.goal.begin(), task_.goal.end());
  while (!stack_.empty()) {
    const int proposition = stack_.back();
    stack_.pop_back();
    if (proposition_stamp_[proposition] == stamp_)
      continue;
    proposition_stamp_[proposition] = stamp_;
    const int supporter = reached_[proposition].supporter;
    if (supporter == no_supporter)
      continue;
    bool applicable = true;
    for (int condition : relaxed_.conditions[supporter]) {
      stack_.push_back(condition);
      applicable = applicable && reached_[condition].supporter == no_supporter;
    }
    const int op = relaxed_.original[supporter];
    if (operator_stamp_[op] != stamp_) {
      operator_stamp_[op] = stamp_;
      plan_.push_back(op);
    }
    if (preferred != nullptr && applicable && preferred_stamp_[op] != stamp_) {
      preferred_stamp_[op] = stamp_;
      preferred->push_back(op);
    }
  }
}

bool FFHeuristic::relaxed_plan(const StatePacker &packer, const Word *state,
                               std::vector<int> &operators) {
  if (explore_additively(packer, state) == dead_end)
    return false;
  collect(nullptr);
  operators = plan_;
  return true;
}

double FFHeuristic::value(const StatePacker &packer, const Word *state) {
  if (explore_additively(packer, state) == dead_end)
    return dead_end;
  collect(nullptr);
  double cost = 0;
  for (int op : plan_)
    cost += task_.operators.costs[op];
  return cost;
}

void FFHeuristic::preferred(const StateRegistry &registry, StateId state,
                            std::vector<int> &operators) {
  if (explore_additively(registry.packer(), registry[state]) != dead_end)
    collect(&operators);
}

} // namespace beeline
