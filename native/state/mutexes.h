// Mutexes: which values of different variables cannot hold together.

#pragma once

#include <algorithm>
#include <vector>

#include "state/partial_states.h"

namespace beeline {

class Mutexes {
public:
  explicit Mutexes(const GroundTask &task)
      : offsets_(task.variables.offsets), groups_of_(task.variables.values()),
        stamps_(task.mutex_groups.size(), 0) {
    for (std::size_t group = 0; group < task.mutex_groups.size(); ++group)
      for (int value : task.mutex_groups[group])
        groups_of_[value].push_back(static_cast<int>(group));
  }

  // Whether two values of the state exclude each other.
  bool violated_by(const PartialState &state) {
    begin();
    for (std::size_t variable = 0; variable < state.size(); ++variable)
      if (state[variable] != undefined && !add(static_cast<int>(variable), state[variable]))
        return true;
    return false;
  }

  // A set that grows value by value.
  void begin() { ++stamp_; }
  bool fits(int variable, int value) const {
    const std::vector<int> &groups = groups_of_[offsets_[variable] + value];
    return std::none_of(groups.begin(), groups.end(),
                        [&](int group) { return stamps_[group] == stamp_; });
  }
  bool add(int variable, int value) { // false: it does not fit
    if (!fits(variable, value))
      return false;
    for (int group : groups_of_[offsets_[variable] + value])
      stamps_[group] = stamp_;
    return true;
  }

private:
  const std::vector<int> &offsets_;
  std::vector<std::vector<int>> groups_of_; // per value
  std::vector<unsigned> stamps_;            // per group: the set that has a value of it
  unsigned stamp_ = 0;
};

} // namespace beeline
