// ColourGraph: the states of one task as graphs with coloured nodes.
//
// Source: the instance learning graph of Chen, Thiébaux and Trevizan, "Return to tradition:
// learning reliable heuristics with classical machine learning", ICAPS 2024. Nodes are the
// objects, the atoms that are true, and the goal atoms; an edge joins an atom and each of its
// arguments, labelled with the position. Atoms are coloured by predicate and by their part in
// the goal. Only which facts are true changes between states; all else is prepared here once.
//
// Refinement does not see circles: it knows that a truck with a parcel is where some parcel should
// be, and not whether it is this one. A chain says so. It is a node for a goal about two objects,
// where a third one is related to both, as (in parcel truck) and (at truck place) are for the goal
// (at parcel place). It is there while both atoms are true.

#pragma once

#include <cstdint>
#include <span>
#include <utility>
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

struct Chain {
  int first;  // a fact
  int second; // a fact, or -1 if that atom never changes
};

class ColourGraph {
public:
  // `object_colours`: colour per object, below `object_kinds`. `predicates`: the domain's
  // predicate for each of the task's, or -1 to leave its atoms out. `constant_atoms` hold in
  // every state and are no facts of the task. The task must outlive the graph.
  ColourGraph(const GroundTask &task, std::vector<int> object_colours, int object_kinds,
              const std::vector<int> &predicates, const std::vector<LiftedAtom> &constant_atoms,
              const std::vector<LiftedAtom> &goal, const std::vector<LiftedAtom> &negative_goal);

  // Adds chains for goals about these pairs of objects, as atoms of a predicate with the three
  // objects in order. To be called once, before the graph is used.
  void add_chains(const std::vector<std::pair<int, int>> &goals, int predicate);

  const GroundTask &task() const { return task_; }
  int objects() const { return static_cast<int>(object_colours_.size()); }
  const std::vector<int> &object_colours() const { return object_colours_; }

  // Atoms: the task's facts under their numbers, then those that never change, then chains.
  int atoms() const { return static_cast<int>(args_.size()); }
  int facts() const { return static_cast<int>(if_true_.size()); }
  std::span<const int> args(int atom) const { return args_[atom]; }
  int colour_if_true(int fact) const { return if_true_[fact]; }
  int colour_if_false(int fact) const { return if_false_[fact]; }
  int constant_colour(int atom) const { return constant_colours_[atom - facts()]; }
  // The domain's predicate of an atom before chains; -1 if it is never a node.
  int predicate_of(int atom) const {
    const int colour = atom < facts() ? colour_if_true(atom) : constant_colour(atom);
    return colour == absent ? -1 : (colour - object_kinds_) / atom_statuses;
  }
  int chains_from() const { return facts() + static_cast<int>(constant_colours_.size()); }
  int chain_colour() const { return chain_colour_; }
  // The chains that a fact is part of, as first or second; none if there are no chains at all.
  std::span<const int> chains_with(int fact) const {
    return chains_.empty() ? std::span<const int>{} : chains_with_[fact];
  }
  const Chain &chain(int atom) const { return chains_[atom - chains_from()]; }
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
  std::vector<Chain> chains_;
  Rows<int> chains_with_; // per fact: atoms
  int chain_colour_ = absent;
  int object_kinds_;
  int base_colours_ = 0;
};

} // namespace beeline
