// Strongly connected components of a directed graph, in topological order.
//
// Tarjan's algorithm ("Depth-first search and linear graph algorithms", 1972) with an explicit
// stack. Nodes are visited in their numeric order and successors in the order given; within a
// component, nodes stand in the order of their discovery.

#pragma once

#include <vector>

#include "base/rows.h"

namespace beeline {

std::vector<std::vector<int>> strong_components(const Rows<int> &successors);

} // namespace beeline
