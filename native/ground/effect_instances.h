// The ground effects of a lifted effect: all choices of its own parameters whose condition can
// hold. Exploration and instantiation share it, so they cannot disagree.

#pragma once

#include <vector>

#include "ground/exploration.h"
#include "ground/lifted_program.h"

namespace beeline {

// Which negated literals of a condition are taken to hold. Exploration takes them all, as it does
// in preconditions.
enum class Negated { all_hold, fluent_hold };

// Calls `use()` with binding[parameters...] set to each choice of the effect's parameters.
template <Negated negated, class Use>
void for_each_effect_instance(const LiftedProgram &program, const std::vector<Relation> &relations,
                              const LiftedEffect &effect, std::size_t parameters, int *binding,
                              const Use &use) {
  if (effect.parameter_types.empty() && effect.condition.empty()) {
    use();
    return;
  }
  const auto choose = [&](const auto &self, std::size_t chosen) -> void {
    if (chosen == effect.parameter_types.size()) {
      for (const LiftedLiteral &literal : effect.condition) {
        if (literal.negated &&
            (negated == Negated::all_hold || program.predicates[literal.predicate].fluent))
          continue;
        if ((find_atom(relations[literal.predicate], literal, binding) >= 0) == literal.negated)
          return;
      }
      use();
      return;
    }
    for (int object : program.predicates[effect.parameter_types[chosen]].atoms) {
      binding[parameters + chosen] = object;
      self(self, chosen + 1);
    }
  };
  choose(choose, 0);
}

} // namespace beeline
