// StateRegistry: every state once, under a small number.
//
// States are packed words in segmented storage; the hash table holds only (hash, id) pairs, so
// growing it reads no state and a look-up touches a state's memory only when 32 bits of hash
// agree. Per state: its words, plus 8 bytes divided by the table's load.

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/segmented.h"
#include "state/packing.h"

namespace beeline {

using StateId = std::uint32_t;
constexpr StateId no_state = ~StateId{0};

class StateRegistry {
public:
  explicit StateRegistry(const GroundTask &task);

  // The state's number and whether it is new.
  std::pair<StateId, bool> insert(const Word *state);
  // The state's number, or `no_state`.
  StateId find(const Word *state) const;

  const Word *operator[](StateId id) const { return states_[id]; }
  std::size_t size() const { return states_.size(); }
  const StatePacker &packer() const { return packer_; }
  const GroundTask &task() const { return task_; }
  // Tells registries apart, also when one takes another's place in memory.
  std::uint64_t serial() const { return serial_; }

  // Insert a state given as one value number per variable.
  StateId insert_values(const int *values);

  // Forgets all states.
  void clear();

  std::size_t bytes() const { return states_.bytes() + table_.capacity() * sizeof(std::uint64_t); }

private:
  std::uint32_t hash(const Word *state) const;
  std::size_t slot_of(const Word *state, std::uint32_t hash) const;
  void grow();

  const GroundTask &task_;
  std::uint64_t serial_;
  StatePacker packer_;
  SegmentedArray<Word> states_;
  std::vector<std::uint64_t> table_; // hash << 32 | id, or `empty`
  std::vector<Word> buffer_;
};

} // namespace beeline
