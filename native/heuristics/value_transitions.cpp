#include "heuristics/value_transitions.h"

#include <algorithm>
#include <numeric>

#include "heuristics/negated_axioms.h"

namespace beeline {

namespace {
constexpr int anywhere = -1, nowhere = -2;
}

ValueTransitions::ValueTransitions(const GroundTask &task, CostType cost_type)
    : task_(task), costs_(costs_of_type(task.operators.costs.list(), cost_type)),
      from_(task.variables.values()), anywhere_(task.variables.count()) {
  for (std::size_t axiom = 0; axiom < task.axioms.size(); ++axiom) {
    rule_conditions_.add_row(task.axioms.conditions[axiom]);
    rule_values_.push_back(task.axioms.values[axiom]);
  }
  for (const DefaultRule &rule : default_rules(task)) {
    rule_conditions_.add_row(rule.conditions);
    rule_values_.push_back(rule.value);
  }
  const Rows<Change> all = changes();
  const auto count = static_cast<std::size_t>(task.variables.count());
  std::vector<char> needed(count, 0);
  std::vector<int> queue, last_user(count, -1);
  std::vector<std::vector<int>> parents(count);
  const auto need = [&](int variable) {
    if (needed[variable] == 0) {
      needed[variable] = 1;
      queue.push_back(variable);
    }
  };
  for (int goal : task.goal)
    need(task.variables.variable_of[goal]);
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const int variable = queue[next];
    const std::size_t first = items_.size();
    add_variable(variable, all[variable]);
    for (std::size_t i = first; i < items_.size(); ++i)
      all_conditions(items_[i], [&](int value) {
        const int other = task.variables.variable_of[value];
        if (last_user[other] != variable) {
          last_user[other] = variable;
          parents[variable].push_back(other);
          need(other);
        }
        return true;
      });
  }
  for (const std::vector<int> &each : parents)
    parents_.add_row(each);
  costs_ = {};
  rule_conditions_ = {};
}

Rows<ValueTransitions::Change> ValueTransitions::changes() const {
  const std::vector<int> &variable_of = task_.variables.variable_of;
  const auto operators = static_cast<int>(task_.operators.size());
  const auto for_each = [&](const auto &use) {
    for (int op = 0; op < operators; ++op) {
      int place = 0;
      for (const Effect &effect : task_.operators.effects[op])
        use(variable_of[effect.value], Change{op, place++});
    }
    for (std::size_t rule = 0; rule < rule_values_.size(); ++rule)
      use(variable_of[rule_values_[rule]], Change{operators + static_cast<int>(rule), 0});
  };
  std::vector<std::int64_t> starts(static_cast<std::size_t>(task_.variables.count()) + 1, 0);
  for_each([&](int variable, const Change &) { ++starts[variable + 1]; });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::int64_t> next(starts.begin(), starts.end() - 1);
  std::vector<Change> found(static_cast<std::size_t>(starts.back()));
  for_each([&](int variable, const Change &change) { found[next[variable]++] = change; });
  return {std::move(starts), std::move(found)};
}

// By source, those from anywhere last; within a source in the order of rules.
void ValueTransitions::add_variable(int variable, std::span<const Change> changes) {
  const std::size_t begin = items_.size();
  sources_.clear();
  for (const Change &change : changes)
    if (const int source = add(variable, change); source != nowhere)
      sources_.push_back(source);
  const int offset = task_.variables.offsets[variable];
  const auto size = static_cast<std::size_t>(task_.variables.domain_size(variable));
  const auto place = [&](int source) {
    return source == anywhere ? size : static_cast<std::size_t>(source - offset);
  };
  std::vector<std::size_t> starts(size + 2, 0);
  for (int source : sources_)
    ++starts[place(source) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  for (std::size_t i = 0; i < size; ++i)
    from_[offset + static_cast<int>(i)] = {begin + starts[i], begin + starts[i + 1]};
  anywhere_[variable] = {begin + starts[size], begin + starts[size + 1]};
  std::vector<Transition> sorted(sources_.size());
  for (std::size_t i = 0; i < sources_.size(); ++i)
    sorted[starts[place(sources_[i])]++] = items_[begin + i];
  std::copy(sorted.begin(), sorted.end(), items_.begin() + static_cast<std::ptrdiff_t>(begin));
}

int ValueTransitions::add(int variable, const Change &change) {
  const std::vector<int> &variable_of = task_.variables.variable_of;
  const std::size_t operators = task_.operators.size();
  const auto rule = static_cast<std::size_t>(change.rule);
  const bool is_operator = rule < operators;
  const Effect effect = is_operator
                            ? task_.operators.effects[rule][static_cast<std::size_t>(change.effect)]
                            : Effect{-1, rule_values_[rule - operators], -1};
  const std::span<const int> plain =
      is_operator ? task_.operators.conditions[rule] : rule_conditions_[rule - operators];
  const std::span<const int> more = task_.operators.condition_of(effect);
  int source = effect.guard >= 0 ? effect.guard : anywhere;
  conditions_.clear();
  for (const std::span<const int> part : {plain, more})
    for (int value : part) {
      if (variable_of[value] != variable)
        conditions_.push_back(value);
      else if (source != anywhere && source != value)
        return nowhere;
      else
        source = value;
    }
  if (source == effect.value)
    return nowhere;
  int others = conditions_.empty() ? Transition::none : conditions_.front();
  if (conditions_.size() > 1) {
    others = Transition::of_operator;
    if (!is_operator || !more.empty()) {
      others = Transition::listed - static_cast<int>(rows_.size());
      rows_.add_row(conditions_);
    }
  }
  const bool alone = !is_operator || task_.operators.effects[rule].size() == 1;
  const Cost cost = is_operator ? costs_[rule] : 0;
  items_.push_back({cost, effect.value, change.rule, others, alone ? 1 : 0});
  return source;
}

int ValueTransitions::sets(const Transition &transition, int variable) const {
  const std::vector<int> &variable_of = task_.variables.variable_of;
  if (transition.alone == 0)
    for (const Effect &effect : task_.operators.effects[transition.rule]) {
      if (variable_of[effect.value] != variable)
        continue;
      // Conditional ones count if what they need is what the transition needs.
      const auto is_needed = [&](int value) {
        return !all_conditions(transition, [&](int other) { return other != value; });
      };
      const std::span<const int> needed = task_.operators.condition_of(effect);
      if ((effect.guard < 0 || is_needed(effect.guard)) &&
          std::all_of(needed.begin(), needed.end(), is_needed))
        return effect.value;
    }
  int found = -1;
  all_conditions(transition, [&](int value) {
    if (variable_of[value] == variable)
      found = value;
    return found < 0;
  });
  return found;
}

} // namespace beeline
