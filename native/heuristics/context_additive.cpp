#include "heuristics/context_additive.h"

#include <algorithm>

namespace beeline {

ContextAdditiveHeuristic::ContextAdditiveHeuristic(const GroundTask &task, CostType cost_type)
    : StateHeuristic(task, properties), transitions_(task, cost_type), ordered_(task, transitions_),
      entangled_(task, transitions_, ordered_), values_(task.variables.count()),
      wanted_(task.variables.values(), 0) {}

double ContextAdditiveHeuristic::value(const StatePacker &packer, const Word *state) {
  if (last_state_.empty())
    last_state_.resize(static_cast<std::size_t>(packer.words()));
  else if (std::equal(last_state_.begin(), last_state_.end(), state))
    return last_value_;
  std::copy_n(state, last_state_.size(), last_state_.begin());
  ++evaluated_;
  packer.unpack(state, values_.data());
  ordered_.look_at(values_);
  entangled_goals_.clear();
  steps_.clear();
  last_value_ = out_of_reach;
  Cost total = 0;
  for (std::size_t goal = 0; goal < task_.goal.size(); ++goal) {
    const int value = task_.goal[goal], variable = task_.variables.variable_of[value];
    if (values_[variable] == value)
      continue;
    if (!ordered_.handles(variable)) {
      entangled_goals_.push_back(value);
      continue;
    }
    const OrderedCosts::Way way = ordered_.to_goal(goal);
    if (way.cost == unreached_cost)
      return last_value_;
    total = sum_of_costs(total, way.cost);
    steps_.push_back(way.first);
  }
  if (!entangled_goals_.empty())
    total = cost_sum(total, entangled_.explore(values_, entangled_goals_));
  if (total != unreached_cost)
    last_value_ = static_cast<double>(total);
  return last_value_;
}

void ContextAdditiveHeuristic::preferred(const StateRegistry &registry, StateId state,
                                         std::vector<int> &operators) {
  if (value(registry.packer(), registry[state]) == out_of_reach)
    return;
  ++looks_;
  const auto before = static_cast<std::ptrdiff_t>(operators.size());
  for (const Transition *step : steps_)
    prefer(step, operators);
  for (int goal : entangled_goals_)
    prefer(entangled_.first_step(values_[task_.variables.variable_of[goal]], goal), operators);
  std::sort(operators.begin() + before, operators.end());
  operators.erase(std::unique(operators.begin() + before, operators.end()), operators.end());
}

// The operator of a step, or the first steps to what it still needs.
void ContextAdditiveHeuristic::prefer(const Transition *step, std::vector<int> &operators) {
  std::vector<const Transition *> open{step};
  while (!open.empty()) {
    const Transition &next = *open.back();
    open.pop_back();
    bool applicable = transitions_.is_operator(next);
    transitions_.all_conditions(next, [&](int value) {
      const int variable = task_.variables.variable_of[value], from = values_[variable];
      if (from == value)
        return true;
      applicable = false;
      if (wanted_[value] != looks_) {
        wanted_[value] = looks_;
        open.push_back(ordered_.handles(variable) ? ordered_.first_step(from, value)
                                                  : entangled_.first_step(from, value));
      }
      return true;
    });
    if (applicable)
      operators.push_back(next.rule);
  }
}

bool ContextAdditiveHeuristic::is_ordered() const {
  return std::all_of(task_.goal.begin(), task_.goal.end(),
                     [&](int goal) { return ordered_.handles(task_.variables.variable_of[goal]); });
}

double ContextAdditiveHeuristic::work() const {
  constexpr double state = 1.0, look = 0.015; // microseconds
  return static_cast<double>(evaluated_) * state +
         static_cast<double>(ordered_.looks() + entangled_.looks()) * look;
}

} // namespace beeline
