// FactTable: the reachable fluent atoms, numbered in alphabetical order.
//
// Later phases sort facts all the time (mutex groups, variables, operators); with numbers in
// the order of (predicate name, argument names), each of these sorts compares integers.

#pragma once

#include <vector>

#include "base/rows.h"
#include "ground/exploration.h"

namespace beeline {

class FactTable {
public:
  FactTable(const LiftedProgram &program, const Exploration &exploration);

  int size() const { return static_cast<int>(predicates_.size()); }
  int predicate(int fact) const { return predicates_[fact]; }
  std::span<const int> args(int fact) const { return args_[static_cast<std::size_t>(fact)]; }

  // The fact that a literal of a fluent predicate denotes, or -1 if it is not reachable.
  int find(const LiftedLiteral &literal, const int *binding) const;

  // The number of an atom of a fluent relation.
  int of_atom(int predicate, int atom) const { return rank_[predicate][atom]; }

private:
  const std::vector<Relation> &relations_;
  std::vector<int> predicates_;
  Rows<int> args_;
  std::vector<std::vector<int>> rank_; // per fluent predicate, per atom
};

// Sorts `count` integer tuples of one arity, stored flat, each entry in [0, radix); returns
// the order.
std::vector<int> sorted_order(const int *tuples, int count, int arity, int radix);

} // namespace beeline
