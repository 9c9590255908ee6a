// TupleSet: a set of integer tuples of one arity, numbered in order of insertion.
//
// The grounder asks "is this atom known, and which number does it have?" hundreds of millions
// of times. Where all possible tuples fit a small table, the answer is one array access;
// otherwise it is an open-addressing hash table of tuple numbers, and the tuples themselves
// stand in one flat array. Cost: O(arity) per call, 4 bytes per tuple beside its arguments.

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace beeline {

class TupleSet {
public:
  // Tuples have `arity` entries, each in [0, radix).
  TupleSet(int arity, int radix);

  // The tuple's number, and whether it is new.
  std::pair<int, bool> insert(const int *tuple);

  // The tuple's number, or -1.
  int find(const int *tuple) const {
    if (dense_)
      return table_[dense_key(tuple)];
    return table_[slot_of(tuple)];
  }

  const int *operator[](int number) const {
    return tuples_.data() + static_cast<std::size_t>(number) * arity_;
  }

  int size() const { return size_; }
  int arity() const { return arity_; }

private:
  std::size_t dense_key(const int *tuple) const {
    std::size_t key = 0;
    for (int i = 0; i < arity_; ++i)
      key = key * radix_ + static_cast<std::size_t>(tuple[i]);
    return key;
  }
  std::size_t slot_of(const int *tuple) const; // where the tuple is, or the gap where it belongs
  void grow();

  int arity_;
  std::size_t radix_;
  bool dense_;
  int size_ = 0;
  std::vector<int> tuples_;
  std::vector<int> table_; // tuple number, or -1
};

} // namespace beeline
