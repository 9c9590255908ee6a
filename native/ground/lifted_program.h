// LiftedProgram: a normalised PDDL task as plain numbers, the grounder's only input.
//
// Objects and predicates are numbered in the order of their names, so that comparing numbers
// is comparing names, and every order that users see (facts in a variable, operators) is the
// alphabetical one. Preconditions and conditions of effects are conjunctions of
// literals.

#pragma once

#include <vector>

#include "task/ground_task.h"

namespace beeline {

// An argument is a variable (its position in the action's parameter list, then in the
// effect's) or a constant, stored as ~object.
struct LiftedLiteral {
  int predicate = 0;
  std::vector<int> args;
  bool negated = false;
};

struct LiftedEffect {
  std::vector<int> parameter_types; // further variables, for "forall" effects
  std::vector<LiftedLiteral> condition;
  LiftedLiteral literal;
};

struct LiftedAction {
  int name = 0;                     // rank of the action's name; several actions may share one
  int external = 0;                 // how many parameters belong to the operator's name
  std::vector<int> parameter_types; // unary static predicates
  std::vector<LiftedLiteral> precondition;
  std::vector<LiftedEffect> effects;
  Cost cost = 1;
  int cost_function = -1; // a predicate with values that gives the cost, or -1
  std::vector<int> cost_args;
};

struct Predicate {
  int arity = 0;
  bool fluent = false;
  int atom_count = 0;       // initially true
  std::vector<int> atoms;   // flat
  std::vector<Cost> values; // for cost functions: one per atom
};

struct LiftedProgram {
  int objects = 0;
  std::vector<Predicate> predicates;
  std::vector<LiftedAction> actions;
  // Without names and costs; the only effect is the derived atom, whose predicate is in no effect
  // of an action.
  std::vector<LiftedAction> axioms;
  std::vector<LiftedLiteral> goal; // no variables
};

// Lifted invariant: the atoms of its parts with the same parameters are mutually exclusive.
// Arguments of a part are parameter numbers, or `counted`.
struct InvariantPart {
  static constexpr int counted = -1;
  int predicate = 0;
  std::vector<int> args;
};

struct LiftedInvariant {
  int parameters = 0;
  std::vector<InvariantPart> parts;
};

} // namespace beeline
