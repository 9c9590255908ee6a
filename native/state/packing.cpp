#include "state/packing.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace beeline {

StatePacker::StatePacker(const Variables &variables)
    : slots_(variables.count()), offsets_(variables.offsets) {
  const auto bits = [&](int variable) {
    return std::bit_width(static_cast<unsigned>(variables.domain_size(variable) - 1));
  };
  std::vector<int> order(variables.count());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int left, int right) { return bits(left) > bits(right); });
  constexpr int word_bits = 32;
  std::vector<int> used{0};
  std::size_t first_open = 0; // words before it are full
  for (int variable : order) {
    std::size_t word = first_open;
    while (word < used.size() && used[word] + bits(variable) > word_bits)
      ++word;
    if (word == used.size())
      used.push_back(0);
    const Word mask = bits(variable) >= word_bits ? ~Word{0} : (Word{1} << bits(variable)) - 1;
    slots_[variable] = {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(used[word]),
                        mask};
    used[word] += bits(variable);
    while (first_open < used.size() && used[first_open] == word_bits)
      ++first_open;
  }
  words_ = static_cast<int>(used.size());
}

void StatePacker::pack(const int *values, Word *state) const {
  std::fill_n(state, words_, 0);
  for (std::size_t variable = 0; variable < slots_.size(); ++variable)
    state[slots_[variable].word] |= static_cast<Word>(values[variable] - offsets_[variable])
                                    << slots_[variable].shift;
}

void StatePacker::unpack(const Word *state, int *values) const {
  for (std::size_t variable = 0; variable < slots_.size(); ++variable)
    values[variable] = offsets_[variable] + get(state, static_cast<int>(variable));
}

} // namespace beeline
