// PartialStates: states in which variables may be undefined, each once, under a small number.
//
// A variable of d values becomes one of d + 1, the last of which means "undefined"; packing and
// hashing are then those of ordinary states.

#pragma once

#include <memory>
#include <vector>

#include "state/registry.h"

namespace beeline {

// One local value per variable, counted from 0; `undefined` elsewhere.
using PartialState = std::vector<int>;
inline constexpr int undefined = -1;

class PartialStates {
public:
  explicit PartialStates(const GroundTask &task);

  const GroundTask &task() const { return task_; }
  int variables() const { return task_.variables.count(); }
  std::size_t size() const { return registry_.size(); }

  // The state's number and whether it is new.
  std::pair<StateId, bool> insert(const PartialState &state);
  void read(StateId id, PartialState &state) const;

  // The goal, and the state in which nothing is defined.
  PartialState goal() const;
  PartialState nothing() const { return PartialState(variables(), undefined); }

private:
  const GroundTask &task_;
  std::unique_ptr<GroundTask> extended_; // only its variables are filled in
  StateRegistry registry_;
  std::vector<Word> buffer_;
  std::vector<int> values_;
};

} // namespace beeline
