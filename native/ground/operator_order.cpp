#include "ground/operator_order.h"

#include <algorithm>
#include <numeric>

namespace beeline {

namespace {

// Conditions on variables that the operator leaves alone, then its changes as (variable,
// precondition or -1, value, conditions of the effect in ascending order).
struct Body {
  std::vector<int> prevail;
  std::vector<std::vector<int>> changes;

  auto operator<=>(const Body &) const = default;
};

Body body_of(const Variables &variables, const Operators &operators, std::size_t index) {
  Body body;
  const auto &variable_of = variables.variable_of;
  const auto effects = operators.effects[index];
  const auto conditions = operators.conditions[index];
  for (int value : conditions)
    if (std::none_of(effects.begin(), effects.end(), [&](const Effect &effect) {
          return variable_of[effect.value] == variable_of[value];
        }))
      body.prevail.push_back(value);
  for (const Effect &effect : effects) {
    int before = -1;
    for (int value : conditions)
      if (variable_of[value] == variable_of[effect.value])
        before = value;
    std::vector<int> change{variable_of[effect.value], before, effect.value};
    if (effect.guard >= 0)
      change.push_back(effect.guard);
    const auto others = operators.condition_of(effect);
    change.insert(change.end(), others.begin(), others.end());
    std::sort(change.begin() + 3, change.end());
    body.changes.push_back(std::move(change));
  }
  std::sort(body.changes.begin(), body.changes.end());
  return body;
}

} // namespace

Operators in_name_order(const LiftedProgram &program, const Variables &variables,
                        Operators operators) {
  const auto name = [&](int index) { return program.actions[operators.actions[index]].name; };
  const auto args_less = [&](int left, int right) {
    const auto l = operators.args[left], r = operators.args[right];
    return std::lexicographical_compare(l.begin(), l.end(), r.begin(), r.end());
  };
  // Strictly increasing arguments (one action of each name, no hidden parameters, nothing
  // multiplied out) are in order already.
  bool changed = false;
  for (int op = 1; op < static_cast<int>(operators.size()) && !changed; ++op)
    changed = name(op - 1) == name(op) && !args_less(op - 1, op);
  if (!changed)
    return operators;
  std::vector<int> order(operators.size());
  std::iota(order.begin(), order.end(), 0);
  for (auto first = order.begin(); first != order.end();) {
    const auto last =
        std::find_if(first, order.end(), [&](int index) { return name(index) != name(*first); });
    if (std::adjacent_find(first, last, [&](int l, int r) { return !args_less(l, r); }) != last) {
      std::stable_sort(first, last, args_less);
      for (auto same = first; same != last;) {
        const auto end =
            std::find_if(same, last, [&](int index) { return args_less(*same, index); });
        if (end - same > 1)
          std::stable_sort(same, end, [&](int left, int right) {
            return body_of(variables, operators, left) < body_of(variables, operators, right);
          });
        same = end;
      }
    }
    first = last;
  }
  Operators result;
  result.effect_conditions = std::move(operators.effect_conditions); // effects name their rows
  for (int index : order) {
    result.conditions.add_row(operators.conditions[index]);
    result.effects.add_row(operators.effects[index]);
    result.args.add_row(operators.args[index]);
    result.costs.push_back(operators.costs[index]);
    result.actions.push_back(operators.actions[index]);
  }
  return result;
}

} // namespace beeline
