#include "state/generalisations.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace beeline {

namespace {

constexpr std::int32_t nowhere = std::numeric_limits<std::int32_t>::max(); // undefined, sorted last
constexpr std::size_t few = 6; // rows that are looked at one by one

} // namespace

Generalisations::Generalisations(const PartialStates &states, const std::vector<StateId> &members)
    : width_(states.variables()), order_(states.variables()), place_of_(members.size()) {
  std::vector<std::int32_t> rows(members.size() * width_);
  PartialState state;
  std::vector<std::vector<std::size_t>> tallies(width_);
  for (std::size_t variable = 0; variable < width_; ++variable)
    tallies[variable].assign(states.task().variables.domain_size(static_cast<int>(variable)) + 1,
                             0);
  for (std::size_t i = 0; i < members.size(); ++i) {
    states.read(members[i], state);
    for (std::size_t variable = 0; variable < width_; ++variable) {
      const int value = state[variable];
      rows[i * width_ + variable] = value == undefined ? nowhere : value;
      ++tallies[variable][value == undefined ? tallies[variable].size() - 1 : value];
    }
  }
  // The expected share of rows that survive a level: those of the query's value, and undefined
  // ones.
  std::vector<double> survivors(width_);
  for (std::size_t variable = 0; variable < width_; ++variable) {
    const double all = std::max<double>(1.0, static_cast<double>(members.size()));
    double sum = static_cast<double>(tallies[variable].back()) / all;
    for (std::size_t value = 0; value + 1 < tallies[variable].size(); ++value) {
      const double share = static_cast<double>(tallies[variable][value]) / all;
      sum += share * share;
    }
    survivors[variable] = sum;
  }
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(),
                   [&](int a, int b) { return survivors[a] < survivors[b]; });
  std::iota(place_of_.begin(), place_of_.end(), 0);
  std::sort(place_of_.begin(), place_of_.end(), [&](int a, int b) {
    const std::int32_t *first = rows.data() + a * width_, *second = rows.data() + b * width_;
    for (int variable : order_)
      if (first[variable] != second[variable])
        return first[variable] < second[variable];
    return a < b;
  });
  table_.resize(rows.size());
  for (std::size_t row = 0; row < place_of_.size(); ++row)
    for (std::size_t depth = 0; depth < width_; ++depth)
      table_[row * width_ + depth] = rows[place_of_[row] * width_ + order_[depth]];
}

void Generalisations::find(const PartialState &state, std::vector<int> &places) const {
  descend(0, place_of_.size(), 0, state, places);
}

bool Generalisations::matches(std::size_t row, std::size_t depth, const PartialState &state) const {
  for (; depth < width_; ++depth) {
    const std::int32_t value = at(row, depth);
    if (value != nowhere && value != state[order_[depth]])
      return false;
  }
  return true;
}

void Generalisations::descend(std::size_t first, std::size_t last, std::size_t depth,
                              const PartialState &state, std::vector<int> &places) const {
  while (first < last) {
    if (last - first <= few || depth == width_) {
      for (std::size_t row = first; row < last; ++row)
        if (matches(row, depth, state))
          places.push_back(place_of_[row]);
      return;
    }
    // Within the range, rows are sorted by this variable.
    auto bound = [&](std::int32_t value) { // the first row with at least this value
      std::size_t low = first, high = last;
      while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (at(middle, depth) < value)
          low = middle + 1;
        else
          high = middle;
      }
      return low;
    };
    const std::size_t free = bound(nowhere);
    const int value = state[order_[depth]];
    if (value != undefined && free > first) {
      const std::size_t from = bound(value), to = bound(value + 1);
      if (from < to)
        descend(from, std::min(to, free), depth + 1, state, places);
    }
    first = free;
    ++depth;
  }
}

} // namespace beeline
