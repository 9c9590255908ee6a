// RelationalEncoding: the states of a task as tensors over objects, one for each arity.
//
// Source: Dong et al., "Neural Logic Machines", ICLR 2019. The tensor of arity r has a cell for
// each tuple of r objects, and in it a channel for each input predicate of that arity: 1 where the
// atom is true. What never changes in a task (types, static atoms, the goal) is kept as a list, as
// is each fact's place: a state is written by setting a few floats.

#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "relational/kernel.h"

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
                     const std::vector<RelationalAtom> &constants)
      : objects_(objects), channels_(channels) {
    if (objects < 0 || objects > 2000)
      throw std::invalid_argument("too many objects for a relational network");
    for (const RelationalAtom &atom : facts)
      facts_.push_back(atom.channel < 0 ? Place{-1, 0} : place(atom));
    for (const RelationalAtom &atom : constants)
      constants_.push_back(place(atom));
  }

  int objects() const { return objects_; }
  const std::array<int, most_arity + 1> &channels() const { return channels_; }
  std::size_t facts() const { return facts_.size(); }

  // Writes ones into tensors that are all zero.
  void write_constants(const std::array<float *, most_arity + 1> &tensors) const {
    for (const Place &place : constants_)
      tensors[place.arity][place.at] = 1.0F;
  }
  void write_fact(int fact, const std::array<float *, most_arity + 1> &tensors) const {
    const Place &place = facts_[fact];
    if (place.arity >= 0)
      tensors[place.arity][place.at] = 1.0F;
  }

private:
  struct Place {
    int arity; // -1: nowhere
    std::size_t at;
  };

  Place place(const RelationalAtom &atom) const {
    const auto arity = static_cast<int>(atom.objects.size());
    if (arity > most_arity || atom.channel < 0 || atom.channel >= channels_[arity])
      throw std::invalid_argument("an atom without a channel for it");
    std::size_t cell = 0;
    for (int object : atom.objects) {
      if (object < 0 || object >= objects_)
        throw std::invalid_argument("an atom with an unknown object");
      cell = cell * objects_ + object;
    }
    return {arity, cell * blocks_of(channels_[arity]) * lanes + atom.channel};
  }

  int objects_;
  std::array<int, most_arity + 1> channels_;
  std::vector<Place> facts_, constants_;
};

} // namespace beeline
