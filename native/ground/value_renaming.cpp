#include "ground/value_renaming.h"

#include <algorithm>
#include <utility>

namespace beeline {

ValueRenaming ValueRenaming::keep_values(const Variables &variables, const std::vector<char> &kept,
                                         Variables &renamed) {
  ValueRenaming result;
  result.new_value.assign(variables.values(), never);
  std::vector<int> facts;
  for (int variable = 0; variable < variables.count(); ++variable) {
    facts.clear();
    for (int value = variables.offsets[variable]; value < variables.offsets[variable + 1]; ++value)
      if (kept[value]) {
        result.new_value[value] = renamed.values() + static_cast<int>(facts.size());
        facts.push_back(variables.fact_of[value]);
      }
    if (facts.size() > 1)
      renamed.add(facts);
    else
      for (int value = variables.offsets[variable]; value < variables.offsets[variable + 1];
           ++value)
        if (kept[value])
          result.new_value[value] = always;
  }
  return result;
}

ValueRenaming ValueRenaming::keep_variables(const Variables &variables,
                                            const std::vector<int> &kept, Variables &renamed) {
  ValueRenaming result;
  result.new_value.assign(variables.values(), always);
  for (int variable : kept) {
    const int first = variables.offsets[variable];
    const int last = variables.offsets[variable + 1];
    for (int value = first; value < last; ++value)
      result.new_value[value] = renamed.values() + value - first;
    renamed.add({variables.fact_of.begin() + first, variables.fact_of.begin() + last});
  }
  return result;
}

bool ValueRenaming::apply_to_condition(std::span<const int> values,
                                       std::vector<int> &renamed) const {
  renamed.clear();
  for (int value : values) {
    if (new_value[value] == never)
      return false;
    if (new_value[value] != always)
      renamed.push_back(new_value[value]);
  }
  if (!std::is_sorted(renamed.begin(), renamed.end()))
    std::sort(renamed.begin(), renamed.end());
  return true;
}

void ValueRenaming::apply(Operators &operators, Poll &poll) const {
  bool changes_nothing = true;
  for (std::size_t value = 0; value < new_value.size(); ++value)
    changes_nothing = changes_nothing && new_value[value] == static_cast<int>(value);
  if (changes_nothing)
    return;
  const Rows<int> effect_conditions = std::exchange(operators.effect_conditions, {});
  std::vector<int> condition, effect_condition;
  std::vector<Effect> effects;
  OperatorRows::Rewriter conditions(operators.conditions), args(operators.args);
  EffectRows::Rewriter all_effects(operators.effects);
  std::size_t kept = 0;
  constexpr std::size_t few = 16;
  for (std::size_t op = 0; op < operators.size(); ++op) {
    poll.tick();
    const bool possible = apply_to_condition(conditions.read(), condition);
    const auto old_effects = all_effects.read();
    const auto objects = args.read();
    if (!possible)
      continue;
    effects.clear();
    for (const Effect &effect : old_effects) {
      const int guard = effect.guard < 0 ? always : new_value[effect.guard];
      const int value = new_value[effect.value];
      if (value < 0 || guard == never)
        continue;
      int row = -1;
      if (effect.condition >= 0) {
        if (!apply_to_condition(effect_conditions[effect.condition], effect_condition))
          continue;
        if (!effect_condition.empty()) {
          row = static_cast<int>(operators.effect_conditions.size());
          operators.effect_conditions.add_row(effect_condition);
        }
      }
      effects.push_back({guard, value, row});
    }
    if (effects.empty())
      continue;
    // Rows of conditions keep their order, which is that of their values.
    const auto earlier = [](const Effect &left, const Effect &right) {
      return std::pair(left.value, left.guard) < std::pair(right.value, right.guard);
    };
    if (effects.size() > few)
      std::stable_sort(effects.begin(), effects.end(), earlier);
    else
      for (auto next = effects.begin(); next != effects.end(); ++next) // by insertion
        std::rotate(std::upper_bound(effects.begin(), next, *next, earlier), next, next + 1);
    conditions.write(condition);
    all_effects.write(effects);
    args.write(objects);
    operators.costs.set(kept, operators.costs[op]);
    operators.actions[kept] = operators.actions[op];
    ++kept;
  }
  conditions.finish();
  all_effects.finish();
  args.finish();
  operators.costs.resize(kept);
  operators.actions.resize(kept);
}

Axioms ValueRenaming::apply(const Axioms &axioms) const {
  Axioms result;
  std::vector<int> condition;
  for (std::size_t axiom = 0; axiom < axioms.size(); ++axiom)
    if (new_value[axioms.values[axiom]] >= 0 &&
        apply_to_condition(axioms.conditions[axiom], condition)) {
      result.conditions.add_row(condition);
      result.values.push_back(new_value[axioms.values[axiom]]);
    }
  return result;
}

Rows<int> ValueRenaming::apply_to_mutex_groups(const Rows<int> &groups) const {
  Rows<int> result;
  std::vector<int> kept;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    kept.clear();
    for (int value : groups[group])
      if (new_value[value] >= 0)
        kept.push_back(new_value[value]);
    std::sort(kept.begin(), kept.end());
    if (kept.size() > 1)
      result.add_row(kept);
  }
  return result;
}

} // namespace beeline
