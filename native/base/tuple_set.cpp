#include "base/tuple_set.h"

#include <algorithm>

#include "base/hashing.h"

namespace beeline {

namespace {
// 4 MB per table at the most: small beside the operators of a task that has so many tuples.
constexpr std::size_t max_dense_entries = std::size_t{1} << 20;
constexpr std::size_t first_hash_entries = 64;
} // namespace

TupleSet::TupleSet(int arity, int radix)
    : arity_(arity), radix_(static_cast<std::size_t>(std::max(radix, 1))), dense_(true) {
  std::size_t entries = 1;
  for (int i = 0; i < arity && dense_; ++i) {
    entries *= radix_;
    dense_ = entries <= max_dense_entries;
  }
  table_.assign(dense_ ? entries : first_hash_entries, -1);
}

std::size_t TupleSet::slot_of(const int *tuple) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash_ints(tuple, arity_) & mask;
  while (table_[slot] >= 0 && !std::equal(tuple, tuple + arity_, (*this)[table_[slot]]))
    slot = (slot + 1) & mask;
  return slot;
}

std::pair<int, bool> TupleSet::insert(const int *tuple) {
  if (!dense_ && static_cast<std::size_t>(size_) * 2 >= table_.size())
    grow();
  int &entry = table_[dense_ ? dense_key(tuple) : slot_of(tuple)];
  if (entry >= 0)
    return {entry, false};
  entry = size_;
  tuples_.insert(tuples_.end(), tuple, tuple + arity_);
  return {size_++, true};
}

void TupleSet::grow() {
  table_.assign(table_.size() * 4, -1);
  for (int number = 0; number < size_; ++number)
    table_[slot_of((*this)[number])] = number;
}

} // namespace beeline
