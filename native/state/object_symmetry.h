// ObjectSymmetry: of all states that differ in nothing but the names of objects that can be
// exchanged, one.
//
// Sources: Pochter, Zohar and Rosenschein, "Exploiting problem symmetries in state-based planners",
// AAAI 2011; Domshlak, Katz and Shleyfman, "Symmetry breaking: satisficing planning and landmark
// heuristics", ICAPS 2013, which calls a search of such states orbit space search.
//
// What variables say about an object of a class is one number. States whose classes have the same
// numbers have plans of the same cost, and sorting numbers makes them equal. Where atoms mention
// objects of two classes, sorting one may disturb the other: then not all states that could be are
// made equal, but none that should not.

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "state/object_classes.h"
#include "state/packing.h"

namespace beeline {

class ObjectSymmetry {
public:
  // Per class and place in it: the place of the object whose part it plays.
  using Renaming = std::vector<std::vector<int>>;

  ObjectSymmetry(const GroundTask &task, const StatePacker &packer)
      : packer_(packer), classes_(object_classes(task)) {}

  bool empty() const { return classes_.empty(); }

  Renaming identity() const;
  // Sorts the numbers of each class. `renaming`, if there is one, is followed by what was done.
  void sort(Word *state, Renaming *renaming = nullptr);
  void rename_back(Word *state, const Renaming &renaming);

private:
  std::uint64_t number(const ObjectClass &each, std::size_t object, const Word *state) const;
  void write(const ObjectClass &each, std::size_t object, std::uint64_t number, Word *state) const;
  void set(Word *state, int variable, int value) const {
    const StatePacker::Slot &slot = packer_.slot(variable);
    state[slot.word] =
        (state[slot.word] & ~(slot.mask << slot.shift)) | (static_cast<Word>(value) << slot.shift);
  }

  const StatePacker &packer_;
  std::vector<ObjectClass> classes_;
  std::vector<std::pair<std::uint64_t, int>> numbers_; // of one class, while a state is sorted
};

} // namespace beeline
