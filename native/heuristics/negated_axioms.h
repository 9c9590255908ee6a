// Rules for what axioms leave false: the defaults of derived variables, for relaxed tasks.
//
// Without delete effects nothing ever makes a derived fact false, and a condition "not derived"
// would seem out of reach. Where it holds in a state, some condition of each axiom does not, so
// the ways to break one condition of each are rules for the default (as in Fast Downward, "default
// value axioms"). These rules follow from what holds, so heuristics stay admissible with them.
// Facts that depend on each other in a circle, and facts with too many ways, are false for free.

#pragma once

#include <vector>

#include "task/ground_task.h"

namespace beeline {

struct DefaultRule {
  std::vector<int> conditions; // values, ascending
  int value;                   // the default of a derived variable
};

// For all defaults that something asks for.
std::vector<DefaultRule> default_rules(const GroundTask &task);

} // namespace beeline
