// Split rules: what an action can add, found without listing its instances.
//
// An atom is reachable if one instance of an action that adds it is: it needs one witness, not all.
// So each added atom gets a rule of its own, from which the variables that it does not mention
// are eliminated one by one: the conditions that mention such a variable become the body of a
// smaller rule, whose head is a new atom over their other variables. "Some bread is there" has no
// variables left, and the product of bread, filling and name is never made (Helmert, "Concise
// finite-domain representations for PDDL planning tasks", AIJ 2009, section 6.2: splitting rules).

#pragma once

#include "ground/lifted_program.h"

namespace beeline {

// Whether an action may stay unwritten: no effect has a condition or variables of its own.
bool can_be_split(const LiftedAction &action);

// Appends rules, and predicates for what they derive, to the program. Rules are actions with one
// effect.
void append_split_rules(LiftedProgram &program, std::size_t action);

} // namespace beeline
