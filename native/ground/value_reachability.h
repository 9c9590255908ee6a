// Value reachability: which values each variable can take, looked at on its own.
//
// Relaxed reachability knows nothing of mutex groups; operators that violate them are gone by
// now, so some values have become unreachable. One graph per variable, an arc for each change
// that an operator makes; what the initial value does not reach is removed (Helmert, AIJ 2009,
// section 7; Fast Downward's translator does the same single pass).

#pragma once

#include <vector>

#include "base/poll.h"
#include "task/ground_task.h"

namespace beeline {

// Per value: whether it can be reached. `given` are values that can be, besides initial ones.
std::vector<char> reachable_values(const Variables &variables, const Operators &operators,
                                   const Axioms &axioms, const std::vector<int> &initial,
                                   const std::vector<int> &given, Poll &poll);

} // namespace beeline
