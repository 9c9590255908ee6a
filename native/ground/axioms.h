// Axioms: from their lifted form to rules over finite-domain variables, and to layers.
//
// As in Fast Downward's translator: axioms that a stronger one makes superfluous go, and so do
// derived facts that no operator, no goal and no other derived fact that stays asks for. A derived
// fact is a variable of its own with two values; the last one, "not the fact", is its default.

#pragma once

#include <map>

#include "base/poll.h"
#include "ground/encoding.h"
#include "ground/exploration.h"
#include "ground/fact_table.h"

namespace beeline {

// The predicates that are heads of axioms.
std::vector<char> derived_predicates(const LiftedProgram &program);

// Facts that must be true, and, as complements, facts that must be false; ascending.
using AxiomBody = std::vector<int>;
using AxiomBodies = std::map<int, std::vector<AxiomBody>>; // per derived fact, short ones first

AxiomBodies axiom_bodies(const LiftedProgram &program, const Exploration &exploration,
                         const FactTable &facts, Poll &poll);

// Keeps the bodies of which no other is a part, short ones first. What many bodies share is not
// looked for: that would take too long.
void drop_superfluous(std::vector<AxiomBody> &bodies);

// Without layers; those that operators and goal ask for.
Axioms instantiate_axioms(const AxiomBodies &bodies, const FactTable &facts, Encoding &encoding,
                          const Operators &operators, const std::vector<int> &goal, Poll &poll);

// Per variable: the layer of a derived one, -1 for others; empty if none is derived. A layer is
// the smallest one behind all that is negated in the axioms of its variables.
std::vector<int> axiom_layers(const Variables &variables, const Axioms &axioms,
                              const std::vector<char> &derived);

} // namespace beeline
