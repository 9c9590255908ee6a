// UnwrittenActions: actions with more operators than fit, kept as schemas.
//
// A thousand slices of bread, a thousand fillings and a thousand names are a billion operators, of
// which a plan needs a thousand. Such an action stays what it is in PDDL: atoms over parameters,
// with a table for each predicate that tells the value of an atom. One of its operators is written
// down when somebody is about to apply it; it gets the next number and is like all others from
// then on, for searches, scores and plans. Finding those that are applicable in a state is the work
// of `state/state_joins.h`.
//
// Operators are the same as if all had been written down: static conditions are gone, an atom that
// is added beats one that is deleted, a negative condition is the value that its variable has in
// the state. Cost: a look-up for each atom, and some 100 bytes for an operator that was met.

#pragma once

#include <cstdint>
#include <vector>

#include "base/tuple_set.h"
#include "task/operators.h"

namespace beeline {

struct Variables;

// An argument is a parameter of the action or a constant, stored as ~object.
struct SchemaAtom {
  int predicate = 0;
  std::vector<int> args;
};

struct UnwrittenAction {
  int action = 0;     // index of the lifted action
  int parameters = 0; // of which the first `named` are in the names of operators
  int named = 0;
  double instances = 0;             // reachable without delete effects
  std::vector<SchemaAtom> positive; // conditions, types among them
  std::vector<SchemaAtom> negative;
  std::vector<SchemaAtom> added, deleted;
  Cost cost = 0;
  SchemaAtom cost_atom{-1, {}}; // of a function that gives the cost, if there is a predicate
};

// The atoms of a predicate that can be true.
struct AtomTable {
  AtomTable(int arity, int objects) : tuples(arity, objects) {}

  static constexpr int always = -1; // true in every state
  int value(int atom) const { return values.empty() ? always : values[atom]; }

  TupleSet tuples;
  std::vector<int> values; // per atom: of the task, or `always`; empty: static
  std::vector<Cost> costs; // per atom, of a function
};

struct UnwrittenActions {
  int objects = 0;
  std::vector<AtomTable> tables; // per predicate; those that no schema mentions are empty
  std::vector<UnwrittenAction> actions;
  std::vector<int> name_ranks; // per lifted action

  double instances() const {
    double sum = 0;
    for (const UnwrittenAction &action : actions)
      sum += action.instances;
    return sum;
  }
  Cost lowest_cost() const;
  Cost highest_cost() const;

  // The atom's number in its table, or -1 if it can never be true.
  int find(const SchemaAtom &atom, const int *binding) const;
};

// Which operators of unwritten actions have been written down, by their parameters.
class WrittenOperators {
public:
  WrittenOperators() = default;
  WrittenOperators(const UnwrittenActions &unwritten, std::size_t first);

  // Operators from this number on are of unwritten actions.
  std::size_t first() const { return first_; }

  // The operator with these parameters and conditions, or -1.
  int find(int schema, const int *binding, const Operators &operators,
           const std::vector<int> &conditions) const;
  void add(int schema, const int *binding, int op);

private:
  struct Known {
    Known(int parameters, int objects) : bindings(parameters, objects) {}
    TupleSet bindings;
    std::vector<int> last; // per binding: the operator that was added last
  };
  std::size_t first_ = 0;
  std::vector<Known> known_;  // per schema
  std::vector<int> previous_; // per operator from `first_` on: another one with its parameters
};

// What an operator of an unwritten action needs and does.
class OperatorDraft {
public:
  // `value_now(value)` is the value that the variable of a value has in the state; false if the
  // operator is not applicable there or has no effect.
  template <class ValueNow>
  bool make(const UnwrittenActions &unwritten, const Variables &variables,
            const UnwrittenAction &action, const int *binding, const ValueNow &value_now) {
    if (!add_positive(unwritten, action, binding))
      return false;
    for (const SchemaAtom &literal : action.negative) {
      const int atom = unwritten.find(literal, binding);
      if (atom < 0)
        continue;
      const int value = unwritten.tables[literal.predicate].value(atom);
      if (value == AtomTable::always || value_now(value) == value)
        return false;
      conditions_.push_back(value_now(value));
    }
    return complete(unwritten, variables, action, binding);
  }

  const std::vector<int> &conditions() const { return conditions_; }
  void append_to(Operators &operators, const UnwrittenAction &action, const int *binding) const;

private:
  bool add_positive(const UnwrittenActions &unwritten, const UnwrittenAction &action,
                    const int *binding);
  bool complete(const UnwrittenActions &unwritten, const Variables &variables,
                const UnwrittenAction &action, const int *binding);
  void add_effect(const Variables &variables, Effect effect);

  std::vector<int> conditions_, added_, deleted_;
  std::vector<Effect> effects_;
  Cost cost_ = 0;
};

} // namespace beeline
