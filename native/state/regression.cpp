#include "state/regression.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

namespace beeline {

namespace {

constexpr std::size_t most_cases = 1U << 12; // of one operator

} // namespace

Regression::Regression(const GroundTask &task)
    : mutexes_(task), offsets_(task.variables.offsets), achievers_(task.variables.values()) {
  if (!task.axioms.empty())
    throw std::invalid_argument("it has derived predicates (axioms)");
  task.require_operators("regression");
  for (std::size_t op = 0; op < task.operators.size(); ++op)
    add_cases(task, static_cast<int>(op));
  stamps_.assign(operators_.size(), 0);
}

// An effect with a guard, "if v is a then v becomes b", is one case in which v is a, and one for
// each other value, in which it stays. Effects with conditions on other variables as well are a
// case for each combination of their values.
void Regression::add_cases(const GroundTask &task, int op) {
  std::map<int, int> conditions;
  for (int value : task.operators.conditions[op]) {
    const int variable = task.variables.variable_of[value];
    conditions[variable] = value - offsets_[variable];
  }
  struct Case {
    std::map<int, int> conditions, effects;
  };
  std::vector<Case> cases{{conditions, {}}};
  std::map<int, std::vector<Effect>> by_variable;
  for (const Effect &effect : task.operators.effects[op])
    by_variable[task.variables.variable_of[effect.value]].push_back(effect);
  const auto refuse_many = [](std::size_t count) {
    if (count > most_cases)
      throw std::length_error("an operator has too many conditional effects for regression");
  };
  for (const auto &[variable, effects] : by_variable) {
    std::set<int> decisive{variable}; // their values before tell the value after
    for (const Effect &effect : effects)
      for (int value : task.operators.condition_of(effect))
        decisive.insert(task.variables.variable_of[value]);
    std::vector<Case> next;
    for (const Case &each : cases) {
      if (effects.size() == 1 && effects[0].guard < 0 && effects[0].condition < 0) {
        next.push_back(each);
        next.back().effects[variable] = effects[0].value - offsets_[variable];
        continue;
      }
      std::vector<Case> decided{each};
      for (int other : decisive) {
        std::vector<Case> finer;
        for (const Case &open : decided)
          for (int value = 0; value < task.variables.domain_size(other); ++value) {
            const auto known = open.conditions.find(other);
            if (known != open.conditions.end() && known->second != value)
              continue;
            finer.push_back(open);
            finer.back().conditions[other] = value;
          }
        refuse_many(finer.size() + next.size());
        decided = std::move(finer);
      }
      const auto holds = [&](const Case &one, int value) {
        const int other = task.variables.variable_of[value];
        return one.conditions.at(other) == value - offsets_[other];
      };
      for (Case &one : decided) {
        for (const Effect &effect : effects) {
          const auto others = task.operators.condition_of(effect);
          if ((effect.guard < 0 || holds(one, effect.guard)) &&
              std::all_of(others.begin(), others.end(),
                          [&](int value) { return holds(one, value); }))
            one.effects[variable] = effect.value - offsets_[variable];
        }
        next.push_back(std::move(one));
      }
    }
    refuse_many(next.size());
    cases = std::move(next);
  }
  for (const Case &each : cases) {
    const auto number = static_cast<int>(operators_.size());
    operators_.push_back(op);
    for (const auto &[variable, value] : each.conditions) {
      conditions_.push({variable, value});
      if (!each.effects.contains(variable))
        required_.push({variable, value});
    }
    for (const auto &[variable, value] : each.effects) {
      effects_.push({variable, value});
      required_.push({variable, value});
      achievers_[offsets_[variable] + value].push_back(number);
    }
    conditions_.close_row();
    effects_.close_row();
    required_.close_row();
  }
}

bool Regression::consistent(int number, const PartialState &state) const {
  for (const Assignment &each : required_[number])
    if (state[each.variable] != undefined && state[each.variable] != each.value)
      return false;
  return true;
}

void Regression::applicable(const PartialState &state, std::vector<int> &cases) {
  cases.clear();
  ++stamp_;
  for (std::size_t variable = 0; variable < state.size(); ++variable) {
    if (state[variable] == undefined)
      continue;
    for (int number : achievers_[offsets_[variable] + state[variable]])
      if (stamps_[number] != stamp_) {
        stamps_[number] = stamp_;
        if (consistent(number, state))
          cases.push_back(number);
      }
  }
  std::sort(cases.begin(), cases.end());
}

bool Regression::regress(int number, const PartialState &state, PartialState &predecessor) {
  predecessor = state;
  for (const Assignment &each : effects_[number])
    predecessor[each.variable] = undefined;
  for (const Assignment &each : conditions_[number])
    predecessor[each.variable] = each.value;
  return !mutexes_.violated_by(predecessor);
}

int Regression::depth_limit(const GroundTask &task) {
  task.require_operators("regression");
  const std::size_t operators = task.operators.size();
  const std::size_t effects = task.operators.effects.count();
  if (effects == 0)
    return 0;
  const double mean = static_cast<double>(effects) / static_cast<double>(operators);
  return static_cast<int>(std::ceil(static_cast<double>(task.fact_values.size()) / mean));
}

} // namespace beeline
