// Instantiation: from action instances to finite-domain operators.
//
// Static preconditions disappear, an add effect beats a delete effect of the same atom, a
// delete effect becomes "none of those" where nothing else is added to its variable. Operators
// that can never be applied or change nothing are dropped. Order: by name.

#pragma once

#include "base/poll.h"
#include "ground/encoding.h"
#include "ground/exploration.h"
#include "ground/fact_table.h"
#include "ground/inlining.h"

namespace beeline {

// Uses up the instances of all actions.
Operators instantiate_operators(const LiftedProgram &program, Exploration &exploration,
                                const FactTable &facts, Encoding &encoding, AxiomInlining &inlining,
                                Poll &poll);

} // namespace beeline
