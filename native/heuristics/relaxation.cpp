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
  // This loop is where planners spend their time. Plain pointers tell the compiler that the
  // arrays themselves stay where they are.
  Reached *const reached = reached_.data();
  Progress *const progress = progress_.data();
  const int *const operator_costs = relaxed_.costs.data();
  const std::int64_t *const first_consumer = relaxed_.consumers.starts().data();
  const int *const consumers = relaxed_.consumers.items().data();
  const std::int64_t *const first_effect = relaxed_.effects.starts().data();
  const int *const effects = relaxed_.effects.items().data();
  const char *const is_goal = is_goal_.data();
  CostQueue &queue = queue_;
  const auto reach = [reached, &queue](int proposition, int cost, int supporter) {
    Reached &entry = reached[proposition];
    if (static_cast<unsigned>(entry.cost) > static_cast<unsigned>(cost)) { // -1 is the largest
      entry = {cost, supporter};
      queue.push(cost, proposition);
    }
  };

  queue.clear();
  std::fill(reached_.begin(), reached_.end(), Reached{unreached, no_supporter});
  std::copy(fresh_.begin(), fresh_.end(), progress_.begin());
  for (int op : relaxed_.unconditional)
    for (int effect : relaxed_.effects[op])
      reach(effect, relaxed_.costs[op], op);
  for (int variable = 0; variable < task_.variables.count(); ++variable)
    reach(task_.variables.offsets[variable] + packer.get(state, variable), 0, no_supporter);
  std::size_t open_goals = task_.goal.size();
  while (!queue.empty()) {
    const auto [cost, proposition] = queue.pop();
    if (reached[proposition].cost < cost)
      continue;
    if (is_goal[proposition] && --open_goals == 0)
      return;
    const int *const end = consumers + first_consumer[proposition + 1];
    for (const int *consumer = consumers + first_consumer[proposition]; consumer != end;
         ++consumer) {
      const int op = *consumer;
      const int total = combine(progress[op].cost, operator_costs[op], cost);
      progress[op].cost = total;
      if (--progress[op].conditions == 0) {
        const int *const last = effects + first_effect[op + 1];
        for (const int *effect = effects + first_effect[op]; effect != last; ++effect)
          reach(*effect, total, op);
      }
    }
  }
}

double MaxHeuristic::value(const StatePacker &packer, const Word *state) {
  explore(packer, state, [](int total, int operator_cost, int cost) {
    return std::max(total, operator_cost + cost);
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
  explore(packer, state, [](int total, int, int cost) { return std::min(total + cost, ceiling); });
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

namespace {

// A delete effect shows as a change of a variable whose fact is known to hold before (by a
// condition or a guard), or as a change to "not the fact".
std::vector<int> count_deletes(const GroundTask &task) {
  std::vector<int> result;
  const auto &variable_of = task.variables.variable_of;
  for (std::size_t op = 0; op < task.operators.size(); ++op) {
    int deletes = 0;
    for (const Effect &effect : task.operators.effects[op]) {
      int before = effect.guard;
      for (int value : task.operators.conditions[op])
        if (variable_of[value] == variable_of[effect.value])
          before = value;
      if (before >= 0 ? task.variables.fact_of[before] >= 0 : task.negated_fact[effect.value] >= 0)
        ++deletes;
    }
    result.push_back(deletes);
  }
  return result;
}

} // namespace

FFHeuristic::FFHeuristic(const GroundTask &task)
    : AddHeuristic(task), goal_(task), deletes_(count_deletes(task)),
      proposition_stamp_(relaxed_.propositions, 0), operator_stamp_(task.operators.size(), 0),
      preferred_stamp_(task.operators.size(), 0) {}

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

RelaxedPlanFeatures FFHeuristic::features(const StatePacker &packer, const Word *state) {
  RelaxedPlanFeatures result{static_cast<double>(goal_.unsatisfied(packer, state)),
                             value(packer, state), 0, 0};
  if (result.ff == dead_end) {
    result.ignored_effects = result.mean_ignored_effects = dead_end;
    return result;
  }
  for (int op : plan_)
    result.ignored_effects += deletes_[op];
  if (!plan_.empty())
    result.mean_ignored_effects = result.ignored_effects / static_cast<double>(plan_.size());
  return result;
}

void FFHeuristic::preferred(const StateRegistry &registry, StateId state,
                            std::vector<int> &operators) {
  if (explore_additively(registry.packer(), registry[state]) != dead_end)
    collect(&operators);
}

} // namespace beeline
