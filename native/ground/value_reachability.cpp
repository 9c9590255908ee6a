#include "ground/value_reachability.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/hashing.h"

namespace beeline {

namespace {

constexpr int any = -1;

// Which arcs between values of one variable have been seen; false negatives only cost time.
class SeenArcs {
public:
  SeenArcs() : recent_(entries, 0) {}

  bool insert(std::uint64_t arc) {
    std::uint64_t &entry = recent_[mix(arc) & (entries - 1)];
    return std::exchange(entry, arc) != arc;
  }

private:
  static constexpr std::size_t entries = std::size_t{1} << 14;
  std::vector<std::uint64_t> recent_;
};

// Arcs between values of one variable, without duplicates.
std::vector<std::uint64_t> arcs_between_values(const Variables &variables,
                                               const Operators &operators,
                                               std::vector<char> &reached, Poll &poll) {
  std::vector<std::uint64_t> arcs;
  SeenArcs seen; // millions of operators share few arcs
  std::size_t compact_at = std::size_t{1} << 20;
  const auto compact = [&] {
    std::sort(arcs.begin(), arcs.end());
    arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
  };
  for (std::size_t op = 0; op < operators.size(); ++op) {
    poll.tick();
    const auto conditions = operators.conditions[op];
    for (const Effect &effect : operators.effects[op]) {
      if (reached[effect.value])
        continue;
      int before = effect.guard;
      for (int value : conditions)
        if (variables.variable_of[value] == variables.variable_of[effect.value])
          before = value;
      const std::uint64_t arc =
          static_cast<std::uint64_t>(before) << 32 | static_cast<std::uint64_t>(effect.value);
      if (before == any)
        reached[effect.value] = 1; // whatever the variable is now
      else if (seen.insert(arc))
        arcs.push_back(arc);
      if (arcs.size() >= compact_at) {
        compact();
        compact_at = std::max(compact_at, 2 * arcs.size());
      }
    }
  }
  compact();
  return arcs;
}

} // namespace

std::vector<char> reachable_values(const Variables &variables, const Operators &operators,
                                   const Axioms &axioms, const std::vector<int> &initial,
                                   const std::vector<int> &given, Poll &poll) {
  std::vector<char> reached(variables.values(), 0);
  for (int value : initial)
    reached[value] = 1;
  for (int value : axioms.values)
    reached[value] = 1;
  for (int value : given)
    reached[value] = 1;
  const std::vector<std::uint64_t> arcs = arcs_between_values(variables, operators, reached, poll);
  std::vector<std::size_t> first_arc(variables.values() + 1, 0);
  for (std::uint64_t arc : arcs)
    ++first_arc[(arc >> 32) + 1];
  for (std::size_t value = 1; value < first_arc.size(); ++value)
    first_arc[value] += first_arc[value - 1];
  std::vector<int> open;
  for (int value = 0; value < variables.values(); ++value)
    if (reached[value])
      open.push_back(value);
  while (!open.empty()) {
    const int value = open.back();
    open.pop_back();
    for (std::size_t i = first_arc[value]; i < first_arc[value + 1]; ++i) {
      const int next = static_cast<int>(arcs[i] & 0xffffffffU);
      if (!reached[next]) {
        reached[next] = 1;
        open.push_back(next);
      }
    }
  }
  return reached;
}

} // namespace beeline
