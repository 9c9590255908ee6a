#include "ground/tuple_list.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ground/fact_table.h"

namespace beeline {

void TupleList::sort() {
  if (packed_) {
    sort_words();
    return;
  }
  std::vector<int> sorted;
  sorted.reserve(entries_.size());
  for (int number : sorted_order(entries_.data(), static_cast<int>(size_), arity_, radix_)) {
    const auto first = entries_.begin() + number * std::int64_t{arity_};
    sorted.insert(sorted.end(), first, first + arity_);
  }
  entries_ = std::move(sorted);
}

// By digits from the lowest to the highest, each time stable.
void TupleList::sort_words() {
  constexpr int digit_bits = 11;
  constexpr std::size_t digits = std::size_t{1} << digit_bits;
  if (std::is_sorted(words_.begin(), words_.end()))
    return;
  if (words_.size() < 4 * digits) {
    std::sort(words_.begin(), words_.end());
    return;
  }
  std::vector<std::uint64_t> next(words_.size());
  for (int shift = 0; shift < arity_ * bits_; shift += digit_bits) {
    std::array<std::size_t, digits> place{};
    const auto digit = [shift](std::uint64_t word) { return word >> shift & (digits - 1); };
    for (std::uint64_t word : words_)
      ++place[digit(word)];
    std::size_t sum = 0;
    for (std::size_t &entry : place)
      sum += std::exchange(entry, sum);
    for (std::uint64_t word : words_)
      next[place[digit(word)]++] = word;
    words_.swap(next);
  }
}

} // namespace beeline
