#include "heuristics/negated_axioms.h"

#include <algorithm>

#include "base/strong_components.h"

namespace beeline {

namespace {

using Condition = std::vector<int>;

class Negation {
public:
  explicit Negation(const GroundTask &task)
      : task_(task), variables_(task.variables), axioms_of_(task.variables.count()),
        circular_(task.variables.count(), 0) {
    std::vector<std::vector<int>> used_by(variables_.count());
    for (std::size_t axiom = 0; axiom < task.axioms.size(); ++axiom) {
      const int head = variables_.variable_of[task.axioms.values[axiom]];
      axioms_of_[head].push_back(axiom);
      for (int value : task.axioms.conditions[axiom])
        if (task.axioms.is_derived(variables_.variable_of[value]))
          used_by[variables_.variable_of[value]].push_back(head);
    }
    Rows<int> successors;
    for (const auto &row : used_by)
      successors.add_row(row);
    for (const auto &component : strong_components(successors))
      if (component.size() > 1)
        for (int variable : component)
          circular_[variable] = 1;
  }

  std::vector<DefaultRule> run() {
    asked_.assign(variables_.values(), 0);
    ask_for(task_.goal);
    ask_for(task_.operators.conditions.items());
    ask_for(task_.operators.effect_conditions.items());
    ask_for(task_.axioms.conditions.items());
    std::vector<DefaultRule> result;
    while (!open_.empty()) {
      const int value = open_.back();
      open_.pop_back();
      for (Condition &condition : ways(variables_.variable_of[value])) {
        ask_for(condition);
        result.push_back({std::move(condition), value});
      }
    }
    return result;
  }

private:
  static constexpr std::size_t most_ways = 50;

  void ask_for(const std::vector<int> &values) {
    for (int value : values) {
      const int variable = variables_.variable_of[value];
      if (asked_[value] == 0 && task_.axioms.is_derived(variable) &&
          value == variables_.offsets[variable + 1] - 1) {
        asked_[value] = 1;
        open_.push_back(value);
      }
    }
  }

  // The ways to break all axioms of a derived variable; one without conditions if that is not
  // worked out.
  std::vector<Condition> ways(int variable) const {
    const std::vector<Condition> free(1);
    if (circular_[variable] != 0)
      return free;
    std::vector<Condition> found(1);
    for (std::size_t axiom : axioms_of_[variable]) {
      std::vector<Condition> next;
      for (const Condition &known : found)
        for (int value : task_.axioms.conditions[axiom])
          break_condition(known, value, next);
      keep_smallest(next);
      if (next.size() > most_ways)
        return free;
      found = std::move(next);
    }
    return found;
  }

  // Appends what is known together with each other value of the variable of `value`.
  void break_condition(const Condition &known, int value, std::vector<Condition> &next) const {
    const int variable = variables_.variable_of[value];
    const auto same = std::find_if(known.begin(), known.end(), [&](int other) {
      return variables_.variable_of[other] == variable;
    });
    if (same != known.end()) {
      if (*same != value)
        next.push_back(known);
      return;
    }
    for (int other = variables_.offsets[variable]; other < variables_.offsets[variable + 1];
         ++other)
      if (other != value) {
        next.push_back(known);
        next.back().insert(std::lower_bound(next.back().begin(), next.back().end(), other), other);
      }
  }

  static void keep_smallest(std::vector<Condition> &conditions) {
    if (conditions.size() > most_ways * most_ways)
      return; // too many, whatever is kept
    std::sort(conditions.begin(), conditions.end(), [](const auto &left, const auto &right) {
      return std::pair(left.size(), left) < std::pair(right.size(), right);
    });
    std::vector<Condition> kept;
    for (Condition &condition : conditions)
      if (std::none_of(kept.begin(), kept.end(), [&](const Condition &less) {
            return std::includes(condition.begin(), condition.end(), less.begin(), less.end());
          }))
        kept.push_back(std::move(condition));
    conditions = std::move(kept);
  }

  const GroundTask &task_;
  const Variables &variables_;
  std::vector<std::vector<std::size_t>> axioms_of_; // per variable
  std::vector<char> circular_;                      // per variable
  std::vector<char> asked_;                         // per value
  std::vector<int> open_;                           // values
};

} // namespace

std::vector<DefaultRule> default_rules(const GroundTask &task) {
  return task.axioms.empty() ? std::vector<DefaultRule>() : Negation(task).run();
}

} // namespace beeline
