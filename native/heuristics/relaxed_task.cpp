#include "heuristics/relaxed_task.h"

#include <algorithm>
#include <cstdint>

#include "heuristics/negated_axioms.h"

namespace beeline {

namespace {

// One effect of one operator: the translator's operators split into single effects.
struct Achiever {
  std::vector<int> conditions; // ascending
  int effect;
  Cost cost;
  int op;
};

std::vector<Achiever> split_operators(const GroundTask &task, const std::vector<Cost> &costs) {
  std::vector<Achiever> result;
  for (std::size_t op = 0; op < task.operators.size(); ++op) {
    const auto conditions = task.operators.conditions[op];
    for (const Effect &effect : task.operators.effects[op]) {
      Achiever achiever{
          {conditions.begin(), conditions.end()}, effect.value, costs[op], static_cast<int>(op)};
      const auto others = task.operators.condition_of(effect);
      achiever.conditions.insert(achiever.conditions.end(), others.begin(), others.end());
      if (effect.guard >= 0)
        achiever.conditions.push_back(effect.guard);
      std::sort(achiever.conditions.begin(), achiever.conditions.end());
      result.push_back(std::move(achiever));
    }
  }
  auto number = static_cast<int>(task.operators.size());
  for (std::size_t axiom = 0; axiom < task.axioms.size(); ++axiom) {
    const auto conditions = task.axioms.conditions[axiom];
    result.push_back(
        {{conditions.begin(), conditions.end()}, task.axioms.values[axiom], 0, number++});
  }
  for (DefaultRule &rule : default_rules(task))
    result.push_back({std::move(rule.conditions), rule.value, 0, number++});
  return result;
}

// Marks achievers that another one makes superfluous: same effect, a subset of the conditions,
// no higher cost (for equal conditions: lower cost, or equal cost and an earlier place).
class DominanceCheck {
public:
  DominanceCheck(const std::vector<Achiever> &achievers, int propositions)
      : achievers_(achievers), by_effect_(propositions) {
    for (std::size_t i = 0; i < achievers.size(); ++i)
      by_effect_[achievers[i].effect].push_back(static_cast<int>(i));
  }

  std::vector<char> dominated() {
    std::vector<char> result(achievers_.size(), 0);
    for (const std::vector<int> &group : by_effect_)
      check_group(group, result);
    return result;
  }

private:
  // Subsets of more conditions than this are not looked for: there are too many.
  static constexpr std::size_t max_tested_conditions = 5;

  void check_group(const std::vector<int> &group, std::vector<char> &result) {
    if (group.size() < 2)
      return;
    // Cheapest, then first, achiever for each set of conditions.
    best_.clear();
    std::size_t fewest = SIZE_MAX;
    for (int i : group) {
      fewest = std::min(fewest, achievers_[i].conditions.size());
      best_.emplace_back(&achievers_[i].conditions, i);
    }
    std::sort(best_.begin(), best_.end(), [&](const auto &left, const auto &right) {
      if (*left.first != *right.first)
        return *left.first < *right.first;
      return std::pair(achievers_[left.second].cost, left.second) <
             std::pair(achievers_[right.second].cost, right.second);
    });
    const auto same = [](const auto &left, const auto &right) {
      return *left.first == *right.first;
    };
    for (std::size_t i = 1; i < best_.size(); ++i)
      if (same(best_[i - 1], best_[i]))
        result[best_[i].second] = 1;
    best_.erase(std::unique(best_.begin(), best_.end(), same), best_.end());
    for (const auto &[conditions, i] : best_)
      if (conditions->size() > fewest && conditions->size() <= max_tested_conditions &&
          has_cheaper_subset(*conditions, achievers_[i].cost))
        result[i] = 1;
  }

  bool has_cheaper_subset(const std::vector<int> &conditions, Cost cost) {
    for (unsigned mask = 0; mask + 1 < 1U << conditions.size(); ++mask) {
      subset_.clear();
      for (std::size_t i = 0; i < conditions.size(); ++i)
        if (mask >> i & 1U)
          subset_.push_back(conditions[i]);
      const auto found = std::lower_bound(
          best_.begin(), best_.end(), subset_,
          [](const auto &entry, const std::vector<int> &key) { return *entry.first < key; });
      if (found != best_.end() && *found->first == subset_ &&
          achievers_[found->second].cost <= cost)
        return true;
    }
    return false;
  }

  const std::vector<Achiever> &achievers_;
  std::vector<std::vector<int>> by_effect_;
  std::vector<std::pair<const std::vector<int> *, int>> best_;
  std::vector<int> subset_;
};

} // namespace

RelaxedTask::RelaxedTask(const GroundTask &task, bool drop_dominated, CostType cost_type)
    : propositions(task.variables.values()),
      task_operators(static_cast<int>(task.operators.size())), originals(task_operators) {
  const std::vector<Achiever> achievers =
      split_operators(task, costs_of_type(task.operators.costs.list(), cost_type));
  if (!achievers.empty())
    originals = std::max(originals, achievers.back().op + 1);
  const std::vector<char> dominated = drop_dominated
                                          ? DominanceCheck(achievers, propositions).dominated()
                                          : std::vector<char>(achievers.size(), 0);
  // Neighbouring effects of one operator with the same conditions share a counter.
  const Achiever *open = nullptr;
  for (std::size_t i = 0; i < achievers.size(); ++i) {
    if (dominated[i])
      continue;
    const Achiever &achiever = achievers[i];
    if (open == nullptr || open->op != achiever.op || open->conditions != achiever.conditions) {
      if (open != nullptr)
        effects.close_row();
      open = &achiever;
      conditions.add_row(achiever.conditions);
      costs.push_back(achiever.cost);
      original.push_back(achiever.op);
      if (achiever.conditions.empty())
        unconditional.push_back(static_cast<int>(costs.size()) - 1);
    }
    effects.push(achiever.effect);
  }
  if (open != nullptr)
    effects.close_row();

  std::vector<std::vector<int>> needed_by(propositions);
  for (std::size_t op = 0; op < size(); ++op)
    for (int condition : conditions[op])
      needed_by[condition].push_back(static_cast<int>(op));
  for (const auto &row : needed_by)
    consumers.add_row(row);
}

} // namespace beeline
