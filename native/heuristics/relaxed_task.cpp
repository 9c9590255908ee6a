#include "heuristics/relaxed_task.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>

#include "heuristics/negated_axioms.h"

namespace beeline {

namespace {

// One effect of one operator: the translator's operators split into single effects. Millions of
// operators have several each, so what the task knows of them is not written down again.
struct Achiever {
  int effect;
  int op;
  int own; // row of conditions of its own, or -1: those of the operator
};

class Achievers {
public:
  Achievers(const GroundTask &task, CostType cost_type)
      : task_(task), costs_(costs_of_type(task.operators.costs.list(), cost_type)) {
    list_.reserve(task.operators.effects.count() + task.axioms.size());
    std::vector<int> conditions;
    for (std::size_t op = 0; op < task.operators.size(); ++op)
      for (const Effect &effect : task.operators.effects[op]) {
        if (effect.is_plain()) {
          list_.push_back({effect.value, static_cast<int>(op), -1});
          continue;
        }
        const auto common = task.operators.conditions[op];
        conditions.assign(common.begin(), common.end());
        const auto others = task.operators.condition_of(effect);
        conditions.insert(conditions.end(), others.begin(), others.end());
        if (effect.guard >= 0)
          conditions.push_back(effect.guard);
        std::sort(conditions.begin(), conditions.end());
        add(effect.value, static_cast<int>(op), conditions);
      }
    auto number = static_cast<int>(task.operators.size());
    for (std::size_t axiom = 0; axiom < task.axioms.size(); ++axiom)
      add(task.axioms.values[axiom], number++, task.axioms.conditions[axiom]);
    for (const DefaultRule &rule : default_rules(task))
      add(rule.value, number++, rule.conditions);
  }

  std::size_t size() const { return list_.size(); }
  const Achiever &operator[](std::size_t i) const { return list_[i]; }
  std::span<const int> conditions(std::size_t i) const { // ascending
    const Achiever &achiever = list_[i];
    if (achiever.own < 0)
      return task_.operators.conditions[achiever.op];
    return own_[achiever.own];
  }
  Cost cost(std::size_t i) const {
    const auto op = static_cast<std::size_t>(list_[i].op);
    return op < costs_.size() ? costs_[op] : 0;
  }

private:
  void add(int effect, int op, std::span<const int> conditions) {
    list_.push_back({effect, op, static_cast<int>(own_.size())});
    own_.add_row(conditions);
  }

  const GroundTask &task_;
  std::vector<Cost> costs_; // per operator
  std::vector<Achiever> list_;
  Rows<int> own_;
};

std::strong_ordering compare(std::span<const int> left, std::span<const int> right) {
  return std::lexicographical_compare_three_way(left.begin(), left.end(), right.begin(),
                                                right.end());
}

// Marks achievers that another one makes superfluous: same effect, a subset of the conditions,
// no higher cost (for equal conditions: lower cost, or equal cost and an earlier place).
class DominanceCheck {
public:
  DominanceCheck(const Achievers &achievers, int propositions)
      : achievers_(achievers), propositions_(propositions) {}

  std::vector<char> dominated() {
    std::vector<std::size_t> starts(static_cast<std::size_t>(propositions_) + 1, 0);
    for (std::size_t i = 0; i < achievers_.size(); ++i)
      ++starts[achievers_[i].effect + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<int> by_effect(achievers_.size());
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t i = 0; i < achievers_.size(); ++i)
      by_effect[next[achievers_[i].effect]++] = static_cast<int>(i);
    std::vector<char> result(achievers_.size(), 0);
    for (std::size_t effect = 0; effect + 1 < starts.size(); ++effect)
      check_group({by_effect.data() + starts[effect], starts[effect + 1] - starts[effect]}, result);
    return result;
  }

private:
  // Subsets of more conditions than this are not looked for: there are too many.
  static constexpr std::size_t max_tested_conditions = 5;

  void check_group(std::span<const int> group, std::vector<char> &result) {
    if (group.size() < 2)
      return;
    // Cheapest, then first, achiever for each set of conditions.
    best_.clear();
    std::size_t fewest = SIZE_MAX;
    for (int i : group) {
      best_.push_back({achievers_.conditions(i), i});
      fewest = std::min(fewest, best_.back().conditions.size());
    }
    std::sort(best_.begin(), best_.end(), [&](const Best &left, const Best &right) {
      const auto order = compare(left.conditions, right.conditions);
      if (order != 0)
        return order < 0;
      return std::pair(achievers_.cost(left.achiever), left.achiever) <
             std::pair(achievers_.cost(right.achiever), right.achiever);
    });
    const auto same = [](const Best &left, const Best &right) {
      return compare(left.conditions, right.conditions) == 0;
    };
    for (std::size_t i = 1; i < best_.size(); ++i)
      if (same(best_[i - 1], best_[i]))
        result[best_[i].achiever] = 1;
    best_.erase(std::unique(best_.begin(), best_.end(), same), best_.end());
    for (const auto &[conditions, i] : best_)
      if (conditions.size() > fewest && conditions.size() <= max_tested_conditions &&
          has_cheaper_subset(conditions, achievers_.cost(i)))
        result[i] = 1;
  }

  bool has_cheaper_subset(std::span<const int> conditions, Cost cost) {
    for (unsigned mask = 0; mask + 1 < 1U << conditions.size(); ++mask) {
      subset_.clear();
      for (std::size_t i = 0; i < conditions.size(); ++i)
        if (mask >> i & 1U)
          subset_.push_back(conditions[i]);
      const auto found = std::lower_bound(best_.begin(), best_.end(), subset_,
                                          [](const Best &entry, std::span<const int> key) {
                                            return compare(entry.conditions, key) < 0;
                                          });
      if (found != best_.end() && compare(found->conditions, subset_) == 0 &&
          achievers_.cost(found->achiever) <= cost)
        return true;
    }
    return false;
  }

  struct Best {
    std::span<const int> conditions;
    int achiever;
  };

  const Achievers &achievers_;
  int propositions_;
  std::vector<Best> best_;
  std::vector<int> subset_;
};

} // namespace

RelaxedTask::RelaxedTask(const GroundTask &task, bool drop_dominated, CostType cost_type)
    : propositions(task.variables.values()),
      task_operators(static_cast<int>(task.operators.size())), originals(task_operators) {
  gather_operators(task, drop_dominated, cost_type);
  std::vector<std::int64_t> starts(static_cast<std::size_t>(propositions) + 1, 0);
  for (int condition : conditions.items())
    ++starts[condition + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::int64_t> next(starts.begin(), starts.end() - 1);
  std::vector<int> needed_by(conditions.items().size());
  for (std::size_t op = 0; op < size(); ++op)
    for (int condition : conditions[op])
      needed_by[next[condition]++] = static_cast<int>(op);
  consumers = Rows<int>(std::move(starts), std::move(needed_by));
}

void RelaxedTask::gather_operators(const GroundTask &task, bool drop_dominated,
                                   CostType cost_type) {
  const Achievers achievers(task, cost_type);
  if (achievers.size() > 0)
    originals = std::max(originals, achievers[achievers.size() - 1].op + 1);
  const std::vector<char> dominated = drop_dominated
                                          ? DominanceCheck(achievers, propositions).dominated()
                                          : std::vector<char>(achievers.size(), 0);
  // Neighbouring effects of one operator with the same conditions share a counter.
  const auto for_each_kept = [&](const auto &visit) {
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < achievers.size(); ++i) {
      if (dominated[i])
        continue;
      const auto needed = achievers.conditions(i);
      const bool shares = last && achievers[*last].op == achievers[i].op &&
                          compare(achievers.conditions(*last), needed) == 0;
      visit(i, needed, !shares);
      last = i;
    }
  };
  std::size_t rows = 0, needed_values = 0, kept = 0;
  for_each_kept([&](std::size_t, std::span<const int> needed, bool is_new) {
    rows += is_new ? 1 : 0;
    needed_values += is_new ? needed.size() : 0;
    ++kept;
  });
  conditions.reserve(rows, needed_values);
  effects.reserve(rows, kept);
  costs.reserve(rows);
  original.reserve(rows);
  for_each_kept([&](std::size_t i, std::span<const int> needed, bool is_new) {
    if (is_new) {
      if (!costs.empty())
        effects.close_row();
      conditions.add_row(needed);
      if (needed.empty())
        unconditional.push_back(static_cast<int>(costs.size()));
      costs.push_back(achievers.cost(i));
      original.push_back(achievers[i].op);
    }
    effects.push(achievers[i].effect);
  });
  if (!costs.empty())
    effects.close_row();
}

} // namespace beeline
