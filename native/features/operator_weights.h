// OperatorWeights: a linear function of what an operator looks like.
//
// Its features are pairs of a slot and a colour of the slot's node, one for each round, or `absent`
// where there is no node. Weights are integers, as those of states are. The pairs that have a
// weight stand in one open-addressing table: a look-up is one access mostly.

#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/hashing.h"
#include "features/colour_graph.h"

namespace beeline {

class OperatorWeights {
public:
  // Three lists of one length.
  OperatorWeights(std::span<const int> slots, std::span<const int> colours,
                  std::span<const std::int64_t> weights) {
    if (slots.size() != colours.size() || slots.size() != weights.size())
      throw std::invalid_argument("each weight needs a slot and a colour");
    std::size_t size = 16;
    while (size < 2 * slots.size())
      size *= 2;
    entries_.resize(size);
    mask_ = size - 1;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i] < 0 || colours[i] < absent)
        throw std::invalid_argument("a weight is for no slot or no colour");
      Entry &entry = entries_[place(key(slots[i], colours[i]))];
      if (entry.key != empty)
        throw std::invalid_argument("a slot has two weights for a colour");
      entry = {key(slots[i], colours[i]), weights[i]};
    }
  }

  std::int64_t operator()(int slot, int colour) const {
    return entries_[place(key(slot, colour))].weight;
  }

private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};
  struct Entry {
    std::uint64_t key = empty;
    std::int64_t weight = 0;
  };

  static std::uint64_t key(int slot, int colour) {
    return static_cast<std::uint64_t>(slot) << 32 | static_cast<std::uint32_t>(colour - absent);
  }
  std::size_t place(std::uint64_t key) const { // of the key, or of the gap where it belongs
    std::size_t slot = mix(key) & mask_;
    while (entries_[slot].key != empty && entries_[slot].key != key)
      slot = (slot + 1) & mask_;
    return slot;
  }

  std::vector<Entry> entries_;
  std::size_t mask_ = 0;
};

} // namespace beeline
