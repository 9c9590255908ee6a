// Exploration: everything that is reachable when nothing is ever deleted.
//
// Computes the atoms and action instances reachable from the initial state if delete effects
// and negative preconditions are ignored (relaxed reachability; Helmert, "Concise
// finite-domain representations for PDDL planning tasks", AIJ 2009, section 6). Semi-naive:
// each instance is found exactly once, by the youngest of its atoms, so instances need no
// duplicate check. Cost: proportional to the partial matches that the join plans visit.
//
// An axiom is an action here. An effect that waits for fluent atoms is a rule of its own: if an
// instance of the action is reachable and the condition of the effect is, then its atom is.
//
// Actions that may have more instances than fit are looked at through split rules first, which
// find what they add. Then their instances are counted, and listed only if they do fit.
//
// The result is that of Fast Downward's translator with two exceptions, where it is smaller:
// the types of variables in universal effects count here, and so do repeated variables in all
// joins.

#pragma once

#include <vector>

#include "base/poll.h"
#include "ground/join_plan.h"
#include "ground/lifted_program.h"
#include "ground/relation.h"
#include "ground/tuple_list.h"

namespace beeline {

struct Exploration {
  std::vector<Relation> relations; // per predicate; fluent ones hold the reachable atoms
  // Per action, and behind them per axiom: parameter tuples.
  std::vector<TupleList> instances;
  std::vector<double> instance_counts; // stay when the instances have been used
  std::vector<char> unwritten;         // per action: whether its instances are not listed
  // Per action: equal[p * parameters + q] for p < q if some instance has equal parameters there.
  std::vector<std::vector<char>> equal_parameters;
  bool goal_reachable = false;
};

// If the actions have more than `most` instances, those with a large share are not listed, unless
// their effects have conditions or the task has axioms.
Exploration explore(const LiftedProgram &program, double most, Poll &poll);

// The number of the atom that a literal denotes under a binding of its variables, or -1.
int find_atom(const Relation &relation, const LiftedLiteral &literal, const int *binding);

} // namespace beeline
