// Mutex groups: sets of facts of which at most one is true at a time.
//
// Lifted invariants become groups where the initial state has exactly one atom in them; a
// greedy cover of the facts by the largest groups gives the finite-domain variables. Both
// follow Fast Downward's translator to the letter, ties included, so that variables agree.

#pragma once

#include <vector>

#include "ground/fact_table.h"
#include "ground/lifted_program.h"

namespace beeline {

using FactGroup = std::vector<int>; // facts, ascending

// The groups with weight one in the initial state, sorted.
std::vector<FactGroup> instantiate_invariants(const LiftedProgram &program,
                                              const Exploration &exploration,
                                              const FactTable &facts,
                                              const std::vector<LiftedInvariant> &invariants);

// Disjoint groups that contain every fact: the largest first, then single facts. Facts in
// `lonely` (negative goals) get a group of their own. Sorted.
std::vector<FactGroup> choose_variables(const std::vector<FactGroup> &groups, int facts,
                                        const std::vector<char> &lonely);

// Where each fact stands in a list of groups: (group, position) pairs.
struct GroupPlace {
  int group;
  int value;
};
Rows<GroupPlace> places_in_groups(const std::vector<FactGroup> &groups, int facts);

} // namespace beeline
