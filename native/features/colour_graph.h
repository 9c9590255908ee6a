// ColourGraph: the states of one task as graphs with coloured nodes.
//
// Source: the instance learning graph of Chen, Thiébaux and Trevizan, "Return to tradition:
// learning reliable heuristics with classical machine learning", ICAPS 2024. Nodes are the
// objects, the atoms that are true, and the goal atoms; an edge joins an atom and each of its
// arguments, labelled with the position. Atoms are coloured by predicate and by their part in
// the goal. Only which facts are true changes between states; all else is prepared here once.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rows.h"
#include "task/ground_task.h"

namespace beeline {

constexpr int absent = -1; // colour of an atom that is no node

enum class AtomStatus { plain, goal_reached, goal_open, must_vanish, gone };
constexpr int atom_statuses = 5;
constexpr int max_arity = 16; // positions are packed into four bits

struct LiftedAtom {
  int predicate; // of the domain
  std::vector<int> args;
};

class ColourGraph {
public:
  // `object_colours`: colour per object, below `object_kinds`. `predicates`: the domain's
  // predicate for each of the task's, or -1 to leave its atoms out. `constant_atoms` hold in
  // every state and are no facts of the task. The task must outlive the graph.
  ColourGraph(const GroundTask &task, std::vector<int> object_colours, int object_kinds,
              const std::vector<int> &predicates, const std::vector<LiftedAtom> &constant_atoms,
              const std::vector<LiftedAtom> &goal, const std::vector<LiftedAtom> &negative_goal);

  const GroundTask &task() const { return task_; }
  int objects() const { return static_cast<int>(object_colours_.size()); }
  const std::vector<int> &object_colours() const { return object_colours_; }

  // Atoms: the task's facts under their numbers, then those that never change.
  int atoms() const { return static_cast<int>(args_.size()); }
  int facts() const { return static_cast<int>(if_true_.size()); }
  std::span<const int> args(int atom) const { return args_[atom]; }
  int colour_if_true(int fact) const { return if_true_[fact]; }
  int colour_if_false(int fact) const { return if_false_[fact]; }
  int constant_colour(int atom) const { return constant_colours_[atom - facts()]; }
  // Facts that are nodes even where they are false.
  const std::vector<int> &goal_facts() const { return goal_facts_; }
  // Base colours that occur lie below this number.
  int base_colours() const { return base_colours_; }

private:
  const GroundTask &task_;
  std::vector<int> object_colours_;
  Rows<int> args_;
  std::vector<int> if_true_, if_false_; // per fact
  std::vector<int> constant_colours_;
  std::vector<int> goal_facts_;
  int base_colours_ = 0;
};

} // namespace beeline
