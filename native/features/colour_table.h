// ColourTable: colours by number, exactly.
//
// A colour of round k + 1 is a row: the node's colour of round k, then its neighbours as pairs
// (key, count), where key = neighbour's colour of round k * 16 + position of the edge. For an
// object the neighbours are atoms, by ascending key; for an atom its arguments, by position. With
// neighbour sets instead of multisets all counts are 1. Base colours have no row and come first.
//
// The hash of a row is a sum over its pairs, so that it can be kept up to date when a neighbour
// changes; what the hash finds is compared item by item, so that two rows never share a number.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/hashing.h"
#include "base/rows.h"

namespace beeline {

constexpr int unseen = -2; // colour of a node whose row is not in the table

struct Neighbour {
  std::int32_t key;
  std::int32_t count;

  bool operator==(const Neighbour &) const = default;
};

inline std::int32_t neighbour_key(int colour, int position) { return colour * 16 + position; }

inline std::uint64_t neighbour_hash(std::int32_t key) {
  std::uint64_t x =
      (static_cast<std::uint64_t>(static_cast<std::uint32_t>(key)) + 1) * 0x9e3779b97f4a7c15ULL;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ULL;
  return x ^ x >> 32;
}

class ColourTable {
public:
  ColourTable(int base_colours, int rounds, bool multiset);
  // Throws std::invalid_argument if the rows do not fit together.
  ColourTable(int base_colours, int rounds, bool multiset, const std::vector<std::int64_t> &starts,
              const std::vector<std::int32_t> &items);

  int base_colours() const { return base_colours_; }
  int rounds() const { return rounds_; }
  bool multiset() const { return multiset_; }
  int size() const { return static_cast<int>(rounds_of_.size()); }
  const Rows<std::int32_t> &rows() const { return rows_; }
  const std::vector<int> &rounds_of() const { return rounds_of_; } // per colour

  // The colour of a row, or `unseen`. `sum` is the sum of count * neighbour_hash(key).
  int find(int own, std::span<const Neighbour> neighbours, std::uint64_t sum) const {
    const std::uint64_t hash = row_hash(own, sum);
    for (std::size_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
      const Slot &entry = slots_[slot];
      if (entry.colour < 0)
        return unseen;
      if (entry.hash == static_cast<std::uint32_t>(hash >> 32) &&
          equals(entry.colour, own, neighbours))
        return entry.colour;
    }
  }
  // Throws std::invalid_argument if the nodes of a graph have base colours beyond those here.
  void check_fits(int graph_base_colours) const;
  int find_or_add(int own, std::span<const Neighbour> neighbours, std::uint64_t sum);

private:
  struct Slot {
    std::uint32_t hash; // upper half
    std::int32_t colour;
  };

  static std::uint64_t row_hash(int own, std::uint64_t sum) {
    std::uint64_t x = sum + static_cast<std::uint64_t>(own) * 0xd6e8feb86659fd93ULL;
    x ^= x >> 32;
    x *= 0x94d049bb133111ebULL;
    return x ^ x >> 29;
  }
  bool equals(int colour, int own, std::span<const Neighbour> neighbours) const;
  int add(int own, std::span<const Neighbour> neighbours, std::uint64_t hash);
  void insert(std::uint64_t hash, int colour);
  void grow();

  int base_colours_;
  int rounds_;
  bool multiset_;
  Rows<std::int32_t> rows_;
  std::vector<int> rounds_of_;
  std::vector<std::uint64_t> hashes_; // per row
  std::vector<Slot> slots_;
  std::size_t mask_;
};

} // namespace beeline
