// StatePacker: finite-domain states in as few 32-bit words as they fit.
//
// A variable takes the bits its domain needs and never straddles two words, so reading one is
// a load, a shift and a mask. Variables are placed by first fit, widest first.

#pragma once

#include <cstdint>
#include <vector>

#include "task/ground_task.h"

namespace beeline {

using Word = std::uint32_t;

class StatePacker {
public:
  struct Slot {
    std::uint32_t word;
    std::uint32_t shift;
    Word mask; // of the shifted-down bits
  };

  explicit StatePacker(const Variables &variables);

  int words() const { return words_; } // per state; at least one
  const Slot &slot(int variable) const { return slots_[variable]; }

  // The variable's value, counted from 0 within the variable.
  int get(const Word *state, int variable) const {
    const Slot &slot = slots_[variable];
    return static_cast<int>(state[slot.word] >> slot.shift & slot.mask);
  }

  // From and to one value number per variable (see GroundTask).
  void pack(const int *values, Word *state) const;
  void unpack(const Word *state, int *values) const;

private:
  int words_ = 1;
  std::vector<Slot> slots_;
  std::vector<int> offsets_;
};

} // namespace beeline
