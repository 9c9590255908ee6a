#include "heuristics/novelty.h"

#include <bit>
#include <stdexcept>

#include "base/hashing.h"

namespace beeline {

namespace {
constexpr int bits_of_table = 22; // 512 KB
}

Novelty::Novelty(const GroundTask &task, int width)
    : task_(task), width_(width), seen_(std::size_t{1} << (bits_of_table - 6)),
      now_(task.variables.count()), before_(task.variables.count()) {
  if (width < 0 || width > 2)
    throw std::invalid_argument("the width of novelty lies outside 0 to 2");
}

void Novelty::follow(std::span<const double> earlier, std::size_t width, std::size_t stride) {
  heights_.clear();
  for (std::size_t row = 0; row < earlier.size(); row += stride) {
    std::uint64_t height = 0;
    for (std::size_t i = 0; i < width; ++i)
      height = mix(height ^ std::bit_cast<std::uint64_t>(earlier[row + i]));
    heights_.push_back(height);
  }
}

void Novelty::arrive(const StateRegistry &, StateId parent, StateId) { parent_ = parent; }

bool Novelty::is_new(std::uint64_t thing) {
  ++looks_;
  const std::uint64_t place = mix(thing) >> (64 - bits_of_table);
  const std::uint64_t bit = std::uint64_t{1} << (place % 64);
  std::uint64_t &word = seen_[place / 64];
  const bool fresh = (word & bit) == 0;
  word |= bit;
  return fresh;
}

int Novelty::value(const StateRegistry &registry, StateId state, std::uint64_t height) {
  if (width_ == 0)
    return is_new(height) ? 1 : 3;
  const int variables = task_.variables.count();
  registry.packer().unpack(registry[state], now_.data());
  bool new_value = false, new_pair = false;
  for (int value : now_)
    new_value = is_new(height + static_cast<std::uint64_t>(value)) || new_value;
  if (width_ == 2) {
    changed_.clear();
    if (parent_ != no_state)
      registry.packer().unpack(registry[parent_], before_.data());
    for (int variable = 0; variable < variables; ++variable)
      if (parent_ == no_state || now_[variable] != before_[variable])
        changed_.push_back(variable);
    for (int variable : changed_)
      for (int other = 0; other < variables; ++other) {
        const auto [low, high] = std::minmax(now_[variable], now_[other]);
        const auto pair =
            (static_cast<std::uint64_t>(low) + 1) << 32 | static_cast<std::uint32_t>(high);
        if (low != high)
          new_pair = is_new(height + pair) || new_pair;
      }
  }
  return new_value ? 1 : new_pair ? 2 : 3;
}

void Novelty::evaluate(const StateRegistry &registry, std::span<const StateId> states,
                       std::span<double> values) {
  for (std::size_t i = 0; i < states.size(); ++i)
    values[i] = value(registry, states[i], i < heights_.size() ? heights_[i] : 0);
  heights_.clear();
}

} // namespace beeline
