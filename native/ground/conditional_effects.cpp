#include "ground/conditional_effects.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace beeline {

namespace {

constexpr std::size_t most_cases = std::size_t{1} << 16;

void insert_sorted(std::vector<int> &items, int item) {
  const auto place = std::lower_bound(items.begin(), items.end(), item);
  if (place == items.end() || *place != item)
    items.insert(place, item);
}

bool contains(const std::vector<int> &items, int item) {
  return std::binary_search(items.begin(), items.end(), item);
}

// Both conditions together; none if they ask for different values of a variable.
std::optional<std::vector<int>> both(const Variables &variables, const std::vector<int> &left,
                                     const std::vector<int> &right) {
  std::vector<int> result = left;
  for (int value : right)
    insert_sorted(result, value);
  for (std::size_t i = 1; i < result.size(); ++i)
    if (variables.variable_of[result[i - 1]] == variables.variable_of[result[i]])
      return std::nullopt;
  return result;
}

} // namespace

void ConditionalEffects::compile(const std::vector<ConditionalFact> &added,
                                 const std::vector<ConditionalFact> &deleted) {
  effects_.clear();
  const Variables &variables = encoding_.variables();
  const auto variable_of = [&](const ConditionalFact &effect) {
    return variables.variable_of[encoding_.value_of(effect.fact)];
  };
  std::map<int, std::vector<const ConditionalFact *>> additions; // per variable
  for (const ConditionalFact &effect : added) {
    const std::vector<Condition> ways = conditions(effect);
    if (ways.empty())
      continue;
    auto &known = effects_[variable_of(effect)][encoding_.value_of(effect.fact)];
    known.insert(known.end(), ways.begin(), ways.end());
    additions[variable_of(effect)].push_back(&effect);
  }
  std::map<int, std::vector<const ConditionalFact *>> deletions;
  for (const ConditionalFact &effect : deleted)
    if (std::find(added.begin(), added.end(), effect) == added.end())
      deletions[variable_of(effect)].push_back(&effect);
  for (const auto &[variable, effects] : deletions) {
    const std::vector<Condition> unless = nothing_added(additions[variable]);
    for (const ConditionalFact *effect : effects) {
      const Condition guard{encoding_.value_of(effect->fact)};
      const std::vector<Condition> ways = conditions(*effect);
      for (const Condition &way : ways)
        if (const auto guarded = both(variables, way, guard))
          for (const Condition &other : unless)
            if (auto condition = both(variables, *guarded, other))
              effects_[variable][encoding_.last_value(variable)].push_back(std::move(*condition));
    }
  }
}

// The ways in which no addition takes place. Literals of the additions are negated one addition
// after another.
std::vector<ConditionalEffects::Condition>
ConditionalEffects::nothing_added(const std::vector<const ConditionalFact *> &added) {
  struct Literals {
    Condition positive, negative; // facts, ascending
    auto operator<=>(const Literals &) const = default;
  };
  std::vector<Literals> cases(1);
  for (const ConditionalFact *effect : added) {
    std::vector<Literals> next;
    const auto falsify = [&](const Literals &known, int fact, bool positive) {
      Literals more = known;
      insert_sorted(positive ? more.positive : more.negative, fact);
      if (!encoding_.conditions(more.positive, more.negative).empty())
        next.push_back(std::move(more));
    };
    for (const Literals &known : cases) {
      const bool is_false = std::any_of(effect->positive.begin(), effect->positive.end(),
                                        [&](int fact) { return contains(known.negative, fact); }) ||
                            std::any_of(effect->negative.begin(), effect->negative.end(),
                                        [&](int fact) { return contains(known.positive, fact); });
      if (is_false) {
        next.push_back(known);
        continue;
      }
      for (int fact : effect->positive)
        falsify(known, fact, false);
      for (int fact : effect->negative)
        falsify(known, fact, true);
    }
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    if (next.size() > most_cases)
      throw std::length_error("an action has too many conditional effects on one variable");
    cases = std::move(next);
  }
  std::vector<Condition> result;
  for (const Literals &known : cases) {
    const auto &ways = encoding_.conditions(known.positive, known.negative);
    result.insert(result.end(), ways.begin(), ways.end());
  }
  return result;
}

bool ConditionalEffects::add_row(const std::vector<int> &condition, Operators &operators) const {
  const Variables &variables = encoding_.variables();
  std::vector<Change> changes;
  for (const auto &[variable, by_value] : effects_) {
    // In a binary variable, an effect to one value needs no guard if there is none to the other.
    const bool alone = by_value.size() == 1 && variables.domain_size(variable) == 2;
    for (const auto &[value, conditions] : by_value)
      collect_changes(condition, value, conditions, alone, changes);
  }
  for (const Change &change : changes) {
    Effect effect{-1, change.value};
    Condition others;
    for (int value : change.condition)
      if (variables.variable_of[value] == variables.variable_of[change.value])
        effect.guard = value;
      else
        others.push_back(value);
    if (!others.empty()) {
      effect.condition = static_cast<int>(operators.effect_conditions.size());
      operators.effect_conditions.add_row(others);
    }
    operators.effects.push(effect);
  }
  if (!changes.empty())
    operators.effects.close_row();
  return !changes.empty();
}

// The changes to one value, without what the operator's own condition says already.
void ConditionalEffects::collect_changes(const std::vector<int> &condition, int value,
                                         const std::vector<Condition> &conditions, bool alone,
                                         std::vector<Change> &changes) const {
  const std::vector<int> &variable_of = encoding_.variables().variable_of;
  if (contains(condition, value))
    return; // changes nothing
  std::vector<Condition> ways = conditions;
  if (alone) {
    for (Condition &way : ways)
      std::erase_if(way, [&](int other) {
        return other != value && variable_of[other] == variable_of[value];
      });
    if (std::any_of(ways.begin(), ways.end(), [](const Condition &way) { return way.empty(); }))
      ways.assign(1, {}); // always
  }
  std::erase_if(ways,
                [&](const Condition &way) { return !both(encoding_.variables(), way, condition); });
  for (Condition &way : ways)
    std::erase_if(way, [&](int other) { return contains(condition, other); });
  std::sort(ways.begin(), ways.end());
  ways.erase(std::unique(ways.begin(), ways.end()), ways.end());
  // By guard first: the order of all effects.
  std::stable_sort(ways.begin(), ways.end(), [&](const Condition &left, const Condition &right) {
    const auto guard = [&](const Condition &each) {
      const auto own = std::find_if(each.begin(), each.end(), [&](int other) {
        return variable_of[other] == variable_of[value];
      });
      return own == each.end() ? -1 : *own;
    };
    return guard(left) < guard(right);
  });
  for (Condition &way : ways)
    changes.push_back({value, std::move(way)});
}

} // namespace beeline
