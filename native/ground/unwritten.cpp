#include "ground/unwritten.h"

#include <algorithm>
#include <map>

#include "ground/join_plan.h"
#include "ground/value_renaming.h"

namespace beeline {

namespace {

// The parameters that two literals share, and their places in both.
struct SharedPlaces {
  SharedPlaces(const LiftedLiteral &left, const LiftedLiteral &right) {
    for (std::size_t i = 0; i < left.args.size(); ++i) {
      const auto place = std::find(right.args.begin(), right.args.end(), left.args[i]);
      if (left.args[i] < 0 || place == right.args.end())
        continue;
      in_left.push_back(static_cast<int>(i));
      in_right.push_back(static_cast<int>(place - right.args.begin()));
    }
  }

  static std::vector<int> key(const std::vector<int> &places, const int *args) {
    std::vector<int> result;
    for (int place : places)
      result.push_back(args[place]);
    return result;
  }

  std::vector<int> in_left, in_right;
};

} // namespace

UnwrittenGrounding::UnwrittenGrounding(const LiftedProgram &program, const Exploration &exploration,
                                       const FactTable &facts, const Encoding &encoding)
    : program_(program), exploration_(exploration), facts_(facts), encoding_(encoding) {
  for (int action = 0; action < static_cast<int>(program.actions.size()); ++action)
    if (exploration.unwritten[action] != 0)
      actions_.push_back(action);
}

bool UnwrittenGrounding::fits(const LiftedAction &action, const LiftedLiteral &literal,
                              const int *args) const {
  for (std::size_t i = 0; i < literal.args.size(); ++i) {
    const int arg = literal.args[i];
    if (arg < 0 ? args[i] != ~arg
                : exploration_.relations[action.parameter_types[arg]].find(args + i) < 0)
      return false;
    for (std::size_t j = 0; j < i; ++j)
      if (literal.args[j] == arg && args[j] != args[i])
        return false;
  }
  // Conditions that are about its parameters alone must be such that they can hold.
  binding_.assign(action.parameter_types.size(), -1);
  for (std::size_t i = 0; i < literal.args.size(); ++i)
    if (literal.args[i] >= 0)
      binding_[literal.args[i]] = args[i];
  return std::all_of(
      action.precondition.begin(), action.precondition.end(), [&](const LiftedLiteral &other) {
        return other.negated ||
               std::any_of(other.args.begin(), other.args.end(),
                           [&](int arg) { return arg >= 0 && binding_[arg] < 0; }) ||
               find_atom(exploration_.relations[other.predicate], other, binding_.data()) >= 0;
      });
}

template <class Use>
void UnwrittenGrounding::for_each_fact(const LiftedAction &action, const LiftedLiteral &literal,
                                       const Use &use) const {
  const Relation &relation = exploration_.relations[literal.predicate];
  for (int atom = 0; atom < relation.known(); ++atom)
    if (fits(action, literal, relation[atom]))
      use(Fact{relation[atom], encoding_.value_of(facts_.of_atom(literal.predicate, atom))});
}

std::vector<int> UnwrittenGrounding::reached_values() const {
  constexpr int several = -1;
  const std::vector<int> &variable_of = encoding_.variables().variable_of;
  std::vector<int> result;
  for (int index : actions_) {
    const LiftedAction &action = program_.actions[index];
    for (const LiftedEffect &effect : action.effects) {
      if (!effect.literal.negated) {
        for_each_fact(action, effect.literal,
                      [&](const Fact &fact) { result.push_back(fact.value); });
        continue;
      }
      // A deleted fact leaves "none of those" unless, whatever the other parameters are, a fact of
      // the same variable is added.
      std::vector<char> replaced;
      for (const LiftedEffect &other : action.effects) {
        if (other.literal.negated)
          continue;
        const SharedPlaces shared(effect.literal, other.literal);
        std::map<std::vector<int>, int> added; // the only variable that is added to
        for_each_fact(action, other.literal, [&](const Fact &fact) {
          const int variable = variable_of[fact.value];
          const auto [entry, is_new] =
              added.try_emplace(SharedPlaces::key(shared.in_right, fact.args), variable);
          if (!is_new && entry->second != variable)
            entry->second = several;
        });
        std::size_t number = 0;
        for_each_fact(action, effect.literal, [&](const Fact &fact) {
          replaced.resize(std::max(replaced.size(), ++number), 0);
          const auto entry = added.find(SharedPlaces::key(shared.in_left, fact.args));
          if (entry != added.end() && entry->second == variable_of[fact.value])
            replaced[number - 1] = 1;
        });
      }
      std::size_t number = 0;
      for_each_fact(action, effect.literal, [&](const Fact &fact) {
        if (number >= replaced.size() || replaced[number] == 0)
          result.push_back(encoding_.last_value(variable_of[fact.value]));
        ++number;
      });
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

CausalArcs UnwrittenGrounding::causal_arcs(const std::vector<int> &variable_of,
                                           int variables) const {
  CausalArcs result{variables, {}};
  for (int index : actions_) {
    const LiftedAction &action = program_.actions[index];
    for (const LiftedLiteral &condition : action.precondition) {
      if (!program_.predicates[condition.predicate].fluent)
        continue;
      for (const LiftedEffect &effect : action.effects) {
        const SharedPlaces shared(condition, effect.literal);
        std::map<std::vector<int>, int> nodes;
        for_each_fact(action, effect.literal, [&](const Fact &fact) {
          if (variable_of[fact.value] < 0)
            return;
          const auto [node, is_new] =
              nodes.try_emplace(SharedPlaces::key(shared.in_right, fact.args), result.nodes);
          result.nodes += static_cast<int>(is_new);
          result.arcs.emplace_back(node->second, variable_of[fact.value]);
        });
        for_each_fact(action, condition, [&](const Fact &fact) {
          const auto node = nodes.find(SharedPlaces::key(shared.in_left, fact.args));
          if (variable_of[fact.value] >= 0 && node != nodes.end())
            result.arcs.emplace_back(variable_of[fact.value], node->second);
        });
      }
    }
  }
  std::sort(result.arcs.begin(), result.arcs.end());
  result.arcs.erase(std::unique(result.arcs.begin(), result.arcs.end()), result.arcs.end());
  return result;
}

std::shared_ptr<const UnwrittenActions>
UnwrittenGrounding::schemas(const std::vector<int> &value_of) const {
  auto result = std::make_shared<UnwrittenActions>();
  result->objects = program_.objects;
  for (const Predicate &predicate : program_.predicates)
    result->tables.emplace_back(predicate.arity, program_.objects);
  std::vector<char> used(program_.predicates.size(), 0);
  const auto atom = [&](const LiftedLiteral &literal) {
    used[literal.predicate] = 1;
    return SchemaAtom{literal.predicate, literal.args};
  };
  for (const LiftedAction &action : program_.actions)
    result->name_ranks.push_back(action.name);
  for (int index : actions_) {
    const LiftedAction &action = program_.actions[index];
    UnwrittenAction schema;
    schema.action = index;
    schema.parameters = static_cast<int>(action.parameter_types.size());
    schema.named = action.external;
    schema.instances = exploration_.instance_counts[index];
    for (const LiftedLiteral &literal : positive_conditions(program_, action))
      schema.positive.push_back(atom(literal));
    for (const LiftedLiteral &literal : action.precondition)
      if (literal.negated)
        schema.negative.push_back(atom(literal));
    for (const LiftedEffect &effect : action.effects)
      (effect.literal.negated ? schema.deleted : schema.added).push_back(atom(effect.literal));
    schema.cost = action.cost;
    if (action.cost_function >= 0)
      schema.cost_atom = {action.cost_function, action.cost_args};
    result->actions.push_back(std::move(schema));
  }
  for (std::size_t p = 0; p < used.size(); ++p) {
    if (used[p] == 0)
      continue;
    const Relation &relation = exploration_.relations[p];
    AtomTable &table = result->tables[p];
    for (int number = 0; number < relation.known(); ++number) {
      if (program_.predicates[p].fluent) {
        const int value = value_of[encoding_.value_of(facts_.of_atom(static_cast<int>(p), number))];
        if (value == ValueRenaming::never)
          continue;
        table.values.push_back(value == ValueRenaming::always ? AtomTable::always : value);
      }
      table.tuples.insert(relation[number]);
    }
    table.costs = program_.predicates[p].values;
  }
  return result;
}

} // namespace beeline
