#include "features/colour_table.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace beeline {

namespace {
constexpr int max_colours = 1 << 27; // keys have four bits more

int checked(int base_colours, int rounds) {
  if (base_colours < 1 || base_colours > max_colours || rounds < 0)
    throw std::invalid_argument("a colour table has a wrong number of base colours or rounds");
  return base_colours;
}

} // namespace

ColourTable::ColourTable(int base_colours, int rounds, bool multiset)
    : base_colours_(checked(base_colours, rounds)), rounds_(rounds), multiset_(multiset),
      rounds_of_(static_cast<std::size_t>(base_colours), 0), slots_(256, Slot{0, -1}), mask_(255) {}

void ColourTable::check_fits(int graph_base_colours) const {
  if (graph_base_colours > base_colours_)
    throw std::invalid_argument("the task has base colours that the colour table lacks");
}

ColourTable::ColourTable(int base_colours, int rounds, bool multiset,
                         const std::vector<std::int64_t> &starts,
                         const std::vector<std::int32_t> &items)
    : ColourTable(base_colours, rounds, multiset) {
  if (starts.empty() || starts.front() != 0 ||
      starts.back() != static_cast<std::int64_t>(items.size()))
    throw std::invalid_argument("the rows of the colour table do not fit its items");
  std::vector<Neighbour> neighbours;
  for (std::size_t row = 0; row + 1 < starts.size(); ++row) {
    const std::int64_t first = starts[row], last = starts[row + 1];
    if (first < 0 || last > static_cast<std::int64_t>(items.size()) || last <= first ||
        (last - first) % 2 == 0)
      throw std::invalid_argument("a row of the colour table has a wrong length");
    const int own = items[first];
    if (own < 0 || own >= size() || rounds_of_[own] >= rounds_)
      throw std::invalid_argument("a row of the colour table has a wrong colour");
    neighbours.clear();
    std::uint64_t sum = 0;
    for (std::int64_t i = first + 1; i < last; i += 2) {
      const Neighbour neighbour{items[i], items[i + 1]};
      const int colour = neighbour.key / 16;
      if (neighbour.key < 0 || colour >= size() || rounds_of_[colour] != rounds_of_[own] ||
          neighbour.count < 1 || (!multiset_ && neighbour.count != 1))
        throw std::invalid_argument("a row of the colour table has a wrong neighbour");
      neighbours.push_back(neighbour);
      sum += static_cast<std::uint64_t>(neighbour.count) * neighbour_hash(neighbour.key);
    }
    if (find(own, neighbours, sum) != unseen)
      throw std::invalid_argument("a row of the colour table stands there twice");
    find_or_add(own, neighbours, sum);
  }
}

bool ColourTable::equals(int colour, int own, std::span<const Neighbour> neighbours) const {
  const auto row = rows_[static_cast<std::size_t>(colour - base_colours_)];
  if (row.size() != 1 + 2 * neighbours.size() || row[0] != own)
    return false;
  const std::int32_t *items = row.data() + 1;
  static_assert(sizeof(Neighbour) == 2 * sizeof(std::int32_t));
  if (multiset_) // pairs lie in the row as they lie here
    return neighbours.empty() ||
           std::memcmp(items, neighbours.data(), neighbours.size_bytes()) == 0;
  for (const Neighbour &neighbour : neighbours) {
    // In a set, counts of equal neighbours are kept by the caller and say nothing.
    if (items[0] != neighbour.key)
      return false;
    items += 2;
  }
  return true;
}

int ColourTable::find_or_add(int own, std::span<const Neighbour> neighbours, std::uint64_t sum) {
  const int known = find(own, neighbours, sum);
  return known != unseen ? known : add(own, neighbours, row_hash(own, sum));
}

int ColourTable::add(int own, std::span<const Neighbour> neighbours, std::uint64_t hash) {
  if (size() >= max_colours)
    throw std::length_error("too many colours");
  const int colour = size();
  rows_.push(own);
  for (const Neighbour &neighbour : neighbours) {
    rows_.push(neighbour.key);
    rows_.push(multiset_ ? neighbour.count : 1);
  }
  rows_.close_row();
  rounds_of_.push_back(rounds_of_[own] + 1);
  hashes_.push_back(hash);
  if (hashes_.size() * 2 > slots_.size())
    grow();
  else
    insert(hash, colour);
  return colour;
}

void ColourTable::insert(std::uint64_t hash, int colour) {
  std::size_t slot = hash & mask_;
  while (slots_[slot].colour >= 0)
    slot = (slot + 1) & mask_;
  slots_[slot] = {static_cast<std::uint32_t>(hash >> 32), colour};
}

void ColourTable::grow() {
  slots_.assign(slots_.size() * 4, Slot{0, -1});
  mask_ = slots_.size() - 1;
  for (std::size_t row = 0; row < hashes_.size(); ++row)
    insert(hashes_[row], base_colours_ + static_cast<int>(row));
}

} // namespace beeline
