// Generalisations: which of many partial states say nothing that a given one does not say, too.
//
// The states lie in a sorted table; an undefined value comes last. A query descends variable by
// variable into the rows that have its value, and into those that leave the variable undefined:
// a trie that is never built, for a few binary searches per level.

#pragma once

#include <cstdint>
#include <vector>

#include "state/partial_states.h"

namespace beeline {

class Generalisations {
public:
  // Numbers of `members` are places in that list.
  Generalisations(const PartialStates &states, const std::vector<StateId> &members);

  // Appends the places of all members whose every value the state has as well.
  void find(const PartialState &state, std::vector<int> &places) const;

private:
  void descend(std::size_t first, std::size_t last, std::size_t depth, const PartialState &state,
               std::vector<int> &places) const;
  std::int32_t at(std::size_t row, std::size_t depth) const { return table_[row * width_ + depth]; }
  bool matches(std::size_t row, std::size_t depth, const PartialState &state) const;

  std::size_t width_;
  std::vector<int> order_; // variables, most telling ones first
  std::vector<std::int32_t> table_;
  std::vector<int> place_of_; // per row
};

} // namespace beeline
