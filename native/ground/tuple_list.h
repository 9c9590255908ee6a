// TupleList: many integer tuples of one arity, to be sorted.
//
// Instances of actions come by the million. A tuple is one 64-bit word where its entries fit, which
// they do unless there are very many parameters: the first entry in the highest bits, so that
// words sort as tuples do, and that by radix. Longer tuples are stored as they are.

#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace beeline {

class TupleList {
public:
  // Entries lie in [0, radix).
  TupleList(int arity, int radix)
      : arity_(arity), bits_(std::bit_width(static_cast<unsigned>(radix > 1 ? radix - 1 : 1))),
        radix_(radix), packed_(arity * bits_ <= 64) {}

  void append(const int *tuple) {
    ++size_;
    if (!packed_) {
      entries_.insert(entries_.end(), tuple, tuple + arity_);
      return;
    }
    std::uint64_t word = 0;
    for (int i = 0; i < arity_; ++i)
      word = word << bits_ | static_cast<std::uint64_t>(tuple[i]);
    words_.push_back(word);
  }

  void get(std::size_t number, int *tuple) const {
    if (!packed_) {
      for (int i = 0; i < arity_; ++i)
        tuple[i] = entries_[number * static_cast<std::size_t>(arity_) + i];
      return;
    }
    std::uint64_t word = words_[number];
    for (int i = arity_ - 1; i >= 0; --i, word >>= bits_)
      tuple[i] = static_cast<int>(word & ((std::uint64_t{1} << bits_) - 1));
  }

  std::size_t size() const { return size_; }
  void sort();

private:
  void sort_words();

  int arity_;
  int bits_; // of an entry
  int radix_;
  bool packed_;
  std::size_t size_ = 0;
  std::vector<std::uint64_t> words_;
  std::vector<int> entries_;
};

} // namespace beeline
