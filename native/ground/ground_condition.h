// A lifted condition under a binding of its variables, as facts.

#pragma once

#include <vector>

#include "ground/exploration.h"
#include "ground/fact_table.h"

namespace beeline {

// Collects the facts that must be true and those that must be false. False if a static literal
// does not hold: a negated one, since the joins of the exploration saw to the positive ones.
inline bool ground_condition(const LiftedProgram &program, const Exploration &exploration,
                             const FactTable &facts, const std::vector<LiftedLiteral> &condition,
                             const int *binding, std::vector<int> &positive,
                             std::vector<int> &negative) {
  positive.clear();
  negative.clear();
  for (const LiftedLiteral &literal : condition)
    if (program.predicates[literal.predicate].fluent) {
      const int fact = facts.find(literal, binding);
      if (fact >= 0) // an unreachable fact is false for ever
        (literal.negated ? negative : positive).push_back(fact);
    } else if (literal.negated &&
               find_atom(exploration.relations[literal.predicate], literal, binding) >= 0) {
      return false;
    }
  return true;
}

} // namespace beeline
