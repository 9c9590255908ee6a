// Relation: the atoms of one predicate, with hash indexes for joins.
//
// An atom is known from the moment it is derived, and visible to joins once it is processed.
// Atoms are processed in the order of their derivation, so "visible" is a prefix of the
// numbering and needs no flag per atom.

#pragma once

#include <memory>
#include <vector>

#include "base/tuple_set.h"

namespace beeline {

// The visible atoms that agree on some argument positions, as linked lists in atom order.
class JoinIndex {
public:
  JoinIndex(std::vector<int> positions, int radix)
      : positions_(std::move(positions)), keys_(static_cast<int>(positions_.size()), radix) {}

  const std::vector<int> &positions() const { return positions_; }
  void append(const int *tuple); // of the next atom

  // First atom with these values at the positions, or -1; and the next one after `atom`.
  int first(const int *key) const {
    const int slot = keys_.find(key);
    return slot < 0 ? -1 : first_[slot];
  }
  int next(int atom) const { return next_[atom]; }
  int distinct_keys() const { return keys_.size(); }

private:
  std::vector<int> positions_;
  TupleSet keys_;
  std::vector<int> first_, last_, next_;
  std::vector<int> key_;
};

class Relation {
public:
  Relation(int arity, int radix) : radix_(radix), tuples_(arity, radix) {}

  std::pair<int, bool> derive(const int *tuple) { return tuples_.insert(tuple); }
  void process_next(); // makes the next atom visible

  int known() const { return tuples_.size(); }
  int visible() const { return visible_; }
  int arity() const { return tuples_.arity(); }
  int find(const int *tuple) const { return tuples_.find(tuple); }
  const int *operator[](int atom) const { return tuples_[atom]; }

  // The index over these positions, made on first use.
  const JoinIndex &index(const std::vector<int> &positions);

private:
  int radix_;
  int visible_ = 0;
  TupleSet tuples_;
  std::vector<std::unique_ptr<JoinIndex>> indexes_;
};

} // namespace beeline
