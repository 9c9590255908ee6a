// The order in which goals can be reached one after the other, around one thing that is free.
//
// See goal_stages.h. A graph of at most a thousand values is looked at once for each goal, or two
// goals, that may come next.

#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "task/ground_task.h"

namespace beeline {

// Mutex groups of each value.
class Exclusions {
public:
  explicit Exclusions(const GroundTask &task) : task_(task), groups_(task.variables.values()) {
    for (std::size_t group = 0; group < task.mutex_groups.size(); ++group)
      for (int value : task.mutex_groups[group])
        groups_[value].push_back(static_cast<int>(group));
  }

  const std::vector<int> &groups(int value) const { return groups_[value]; }
  bool exclude(int left, int right) const {
    if (left == right)
      return false;
    if (task_.variables.variable_of[left] == task_.variables.variable_of[right])
      return true;
    const std::vector<int> &one = groups_[left], &two = groups_[right];
    return std::any_of(one.begin(), one.end(), [&](int group) {
      return std::binary_search(two.begin(), two.end(), group);
    });
  }

private:
  const GroundTask &task_;
  std::vector<std::vector<int>> groups_;
};

// What an operator does to a variable: values, or -1 where it says nothing.
struct Change {
  int from = -1, to = -1;
};

// None if that depends on more than the variable.
std::optional<Change> change_of(const GroundTask &task, int op, int variable);

// The variable without a goal that changes, from a known value, whenever one with a goal does, and
// back with it: what can be undone for both cannot be lost. -1 if there is none.
int free_variable(const GroundTask &task);

// Places in the task's goal, stage by stage; the last stage may be anything.
std::vector<std::vector<std::size_t>> order_of_goals(const GroundTask &task, int variable,
                                                     const Exclusions &exclusions);

} // namespace beeline
