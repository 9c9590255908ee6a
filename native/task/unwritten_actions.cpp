#include "task/unwritten_actions.h"

#include <algorithm>
#include <array>

#include "task/ground_task.h"

namespace beeline {

namespace {

template <class Choose>
Cost extreme_cost(const UnwrittenActions &unwritten, const Choose &choose) {
  Cost result = 0;
  bool any = false;
  const auto consider = [&](Cost cost) {
    result = any ? choose(result, cost) : cost;
    any = true;
  };
  for (const UnwrittenAction &action : unwritten.actions)
    if (action.cost_atom.predicate < 0)
      consider(action.cost);
    else
      for (Cost cost : unwritten.tables[action.cost_atom.predicate].costs)
        consider(cost);
  return result;
}

} // namespace

Cost UnwrittenActions::lowest_cost() const {
  return extreme_cost(*this, [](Cost left, Cost right) { return std::min(left, right); });
}

Cost UnwrittenActions::highest_cost() const {
  return extreme_cost(*this, [](Cost left, Cost right) { return std::max(left, right); });
}

int UnwrittenActions::find(const SchemaAtom &atom, const int *binding) const {
  constexpr std::size_t usual_arity = 16; // wider atoms take the slow way
  std::array<int, usual_arity> tuple;     // NOLINT(cppcoreguidelines-pro-type-member-init)
  std::vector<int> wide;
  int *args = tuple.data();
  if (atom.args.size() > usual_arity) {
    wide.resize(atom.args.size());
    args = wide.data();
  }
  for (std::size_t i = 0; i < atom.args.size(); ++i)
    args[i] = atom.args[i] >= 0 ? binding[atom.args[i]] : ~atom.args[i];
  return tables[atom.predicate].tuples.find(args);
}

WrittenOperators::WrittenOperators(const UnwrittenActions &unwritten, std::size_t first)
    : first_(first) {
  for (const UnwrittenAction &action : unwritten.actions)
    known_.emplace_back(action.parameters, unwritten.objects);
}

int WrittenOperators::find(int schema, const int *binding, const Operators &operators,
                           const std::vector<int> &conditions) const {
  const Known &known = known_[schema];
  const int number = known.bindings.find(binding);
  if (number < 0)
    return -1;
  for (int op = known.last[number]; op >= 0; op = previous_[op - first_]) {
    const auto needed = operators.conditions[op];
    if (std::equal(needed.begin(), needed.end(), conditions.begin(), conditions.end()))
      return op;
  }
  return -1;
}

void WrittenOperators::add(int schema, const int *binding, int op) {
  Known &known = known_[schema];
  const auto [number, is_new] = known.bindings.insert(binding);
  if (is_new)
    known.last.push_back(-1);
  previous_.push_back(known.last[number]);
  known.last[number] = op;
}

bool OperatorDraft::add_positive(const UnwrittenActions &unwritten, const UnwrittenAction &action,
                                 const int *binding) {
  conditions_.clear();
  for (const SchemaAtom &literal : action.positive) {
    const int atom = unwritten.find(literal, binding);
    if (atom < 0)
      return false;
    const int value = unwritten.tables[literal.predicate].value(atom);
    if (value != AtomTable::always)
      conditions_.push_back(value);
  }
  return true;
}

// As `Instantiator::add_operator` of the grounder does it, over the values of the task.
bool OperatorDraft::complete(const UnwrittenActions &unwritten, const Variables &variables,
                             const UnwrittenAction &action, const int *binding) {
  std::sort(conditions_.begin(), conditions_.end());
  conditions_.erase(std::unique(conditions_.begin(), conditions_.end()), conditions_.end());
  const auto collect = [&](const std::vector<SchemaAtom> &literals, std::vector<int> &values) {
    values.clear();
    for (const SchemaAtom &literal : literals) {
      const int atom = unwritten.find(literal, binding);
      if (atom >= 0 && unwritten.tables[literal.predicate].value(atom) != AtomTable::always)
        values.push_back(unwritten.tables[literal.predicate].value(atom));
    }
  };
  collect(action.added, added_);
  collect(action.deleted, deleted_);
  effects_.clear();
  for (int value : added_)
    add_effect(variables, {-1, value});
  for (int value : deleted_) {
    const int variable = variables.variable_of[value];
    const int none = variables.offsets[variable + 1] - 1;
    const bool replaced = std::any_of(added_.begin(), added_.end(), [&](int other) {
      return variables.variable_of[other] == variable;
    });
    if (!replaced && variables.fact_of[none] < 0)
      add_effect(variables, {variables.domain_size(variable) == 2 ? -1 : value, none});
  }
  std::sort(effects_.begin(), effects_.end(), [](const Effect &left, const Effect &right) {
    return std::pair(left.value, left.guard) < std::pair(right.value, right.guard);
  });
  effects_.erase(std::unique(effects_.begin(), effects_.end()), effects_.end());
  cost_ = action.cost;
  if (action.cost_atom.predicate >= 0)
    cost_ = unwritten.tables[action.cost_atom.predicate]
                .costs[unwritten.find(action.cost_atom, binding)];
  return !effects_.empty();
}

void OperatorDraft::add_effect(const Variables &variables, Effect effect) {
  for (int value : conditions_)
    if (variables.variable_of[value] == variables.variable_of[effect.value]) {
      if (value == effect.value || (effect.guard >= 0 && effect.guard != value))
        return; // changes nothing
      effect.guard = -1;
    }
  effects_.push_back(effect);
}

void OperatorDraft::append_to(Operators &operators, const UnwrittenAction &action,
                              const int *binding) const {
  operators.conditions.add_row(conditions_);
  operators.effects.add_row(effects_);
  operators.costs.push_back(cost_);
  operators.actions.push_back(action.action);
  operators.args.add_row({binding, static_cast<std::size_t>(action.named)});
}

} // namespace beeline
