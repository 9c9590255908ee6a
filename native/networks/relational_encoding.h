// RelationalEncoding: the states of a task as tensors over objects, one for each arity.
//
// Source: Dong et al., "Neural Logic Machines", ICLR 2019. The tensor of arity r has a cell for
// each tuple of r objects, and in it a channel for each input predicate of that arity: 1 where the
// atom is true. What never changes in a task (types, static atoms, the goal) is kept as a list.
//
// Objects are interchangeable in a state if the same atoms hold of them. Networks that look at no
// more than three objects at a time and take largest and smallest values over others cannot tell
// three of them from a hundred: only three of each kind are shown. That changes no value, and a
// room with a hundred equal balls costs no more than one with three.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "networks/nlm_kernel.h"

namespace beeline {

inline constexpr int most_arity = 3;

// A channel and the objects of an atom.
struct RelationalAtom {
  int channel;
  std::vector<int> objects;
};

class RelationalEncoding {
public:
  // `channels` are numbers of input predicates by arity. A fact with channel -1 is not shown.
  RelationalEncoding(int objects, std::array<int, most_arity + 1> channels,
                     const std::vector<RelationalAtom> &facts,
                     const std::vector<RelationalAtom> &constants);

  int objects() const { return objects_; }
  const std::array<int, most_arity + 1> &channels() const { return channels_; }
  std::size_t facts() const { return facts_.size(); }

  // Which objects are shown of a state with these facts, at most `copies` of a kind: their places,
  // or -1. Returns how many they are.
  int choose(std::span<const std::int32_t> true_facts, int copies, std::vector<int> &place_of,
             std::vector<int> &scratch) const;

  // Writes ones into tensors over the chosen objects that are all zero.
  void write(std::span<const std::int32_t> true_facts, const std::vector<int> &place_of, int chosen,
             const std::array<float *, most_arity + 1> &tensors) const;

  // Equal for states whose tensors of pairs and triples are equal.
  std::uint64_t key_of_pairs(std::span<const std::int32_t> true_facts,
                             const std::vector<int> &place_of, int chosen) const;

private:
  struct Atom {
    int channel; // -1: not shown
    int arity;
    std::array<int, most_arity> objects;
  };
  // What is known of an object, as a sum over atoms; 128 bits, so that no two sums ever agree by
  // chance.
  struct Mark {
    std::uint64_t first = 0, second = 0;
    auto operator<=>(const Mark &) const = default;
  };

  Atom checked(const RelationalAtom &atom) const;
  static void mark(const Atom &atom, std::vector<Mark> &marks);
  void write(const Atom &atom, const std::vector<int> &place_of, int chosen,
             const std::array<float *, most_arity + 1> &tensors) const;

  int objects_;
  std::array<int, most_arity + 1> channels_;
  std::vector<Atom> facts_, constants_;
  std::vector<Mark> constant_marks_; // per object
};

} // namespace beeline
