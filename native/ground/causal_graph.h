// Causal graph: which variables matter for changing which others.
//
// An arc u -> v counts how often a condition on u guards a change of v. It tells which
// variables can influence the goal at all, and gives the variables an order with few arcs
// against it (Helmert, "The Fast Downward planning system", JAIR 2006, section 5; weights and
// ties as in Fast Downward's translator).

#pragma once

#include <utility>
#include <vector>

#include "base/poll.h"
#include "task/ground_task.h"

namespace beeline {

// More arcs than operators and axioms tell of, over the variables and further nodes behind them.
struct CausalArcs {
  int nodes = 0;
  std::vector<std::pair<int, int>> arcs;
};

// The variables that influence the goal, in order.
std::vector<int> relevant_variables_in_order(const Variables &variables, const Operators &operators,
                                             const Axioms &axioms, const CausalArcs &more,
                                             const std::vector<int> &goal, Poll &poll);

} // namespace beeline
