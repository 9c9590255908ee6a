#include "state/registry.h"

#include <atomic>
#include <cstring>
#include <stdexcept>

namespace beeline {

namespace {
constexpr std::uint64_t empty = ~std::uint64_t{0};
constexpr std::size_t first_entries = 1024;
std::atomic<std::uint64_t> registries{0};
} // namespace

StateRegistry::StateRegistry(const GroundTask &task)
    : task_(task), serial_(++registries), packer_(task.variables), states_(packer_.words()),
      table_(first_entries, empty), buffer_(packer_.words()) {}

// Two words per multiplication; the high half of a 64 x 64 product mixes both ways.
std::uint32_t StateRegistry::hash(const Word *state) const {
  const int words = packer_.words();
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  const auto absorb = [&hash](std::uint64_t chunk) {
    const auto product = static_cast<unsigned __int128>(hash ^ chunk) * 0xe7037ed1a0b428dbULL;
    hash = static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  int i = 0;
  for (; i + 2 <= words; i += 2)
    absorb(state[i] | static_cast<std::uint64_t>(state[i + 1]) << 32);
  if (i < words)
    absorb(state[i] | std::uint64_t{1} << 40);
  absorb(0x8ebc6af09c88c6e3ULL);
  return static_cast<std::uint32_t>(hash >> 32);
}

std::size_t StateRegistry::slot_of(const Word *state, std::uint32_t hash) const {
  const std::size_t mask = table_.size() - 1;
  const std::size_t bytes = static_cast<std::size_t>(packer_.words()) * sizeof(Word);
  std::size_t slot = hash & mask;
  while (table_[slot] != empty) {
    if (table_[slot] >> 32 == hash &&
        std::memcmp(states_[table_[slot] & 0xffffffffU], state, bytes) == 0)
      break;
    slot = (slot + 1) & mask;
  }
  return slot;
}

std::pair<StateId, bool> StateRegistry::insert(const Word *state) {
  const std::uint32_t code = hash(state);
  std::size_t slot = slot_of(state, code);
  if (table_[slot] != empty)
    return {static_cast<StateId>(table_[slot]), false};
  const std::size_t id = states_.size();
  if (id >= no_state)
    throw std::length_error("more states than a registry can number");
  std::memcpy(states_.append(), state, static_cast<std::size_t>(packer_.words()) * sizeof(Word));
  table_[slot] = static_cast<std::uint64_t>(code) << 32 | id;
  if (states_.size() * 3 > table_.size() * 2)
    grow();
  return {static_cast<StateId>(id), true};
}

StateId StateRegistry::find(const Word *state) const {
  const std::uint64_t entry = table_[slot_of(state, hash(state))];
  return entry == empty ? no_state : static_cast<StateId>(entry);
}

StateId StateRegistry::insert_values(const int *values) {
  packer_.pack(values, buffer_.data());
  return insert(buffer_.data()).first;
}

void StateRegistry::clear() {
  states_.clear();
  table_.assign(first_entries, empty);
}

void StateRegistry::grow() {
  std::vector<std::uint64_t> old(table_.size() * 2, empty);
  old.swap(table_);
  const std::size_t mask = table_.size() - 1;
  for (std::uint64_t entry : old)
    if (entry != empty) {
      std::size_t slot = (entry >> 32) & mask;
      while (table_[slot] != empty)
        slot = (slot + 1) & mask;
      table_[slot] = entry;
    }
}

} // namespace beeline
