#include "heuristics/goal_order.h"

#include <array>
#include <cstdint>
#include <set>
#include <utility>

namespace beeline {

std::optional<Change> change_of(const GroundTask &task, int op, int variable) {
  const std::vector<int> &of = task.variables.variable_of;
  Change change;
  for (int value : task.operators.conditions[op])
    if (of[value] == variable)
      change.from = value;
  for (const Effect &effect : task.operators.effects[op])
    if (of[effect.value] == variable) {
      if (effect.guard >= 0 || change.to >= 0)
        return std::nullopt; // depends on more than the projection shows
      change.to = effect.value;
    }
  return change;
}

namespace {

// Whether each change of a variable with a goal, and of this one with it, has its reverse.
bool can_be_undone(const GroundTask &task, const std::vector<bool> &aimed, int variable) {
  std::set<std::array<int, 4>> changes;
  for (int op = 0; op < static_cast<int>(task.operators.size()); ++op)
    for (const Effect &effect : task.operators.effects[op]) {
      const int other = task.variables.variable_of[effect.value];
      if (!aimed[other])
        continue;
      const auto goal = change_of(task, op, other), own = change_of(task, op, variable);
      if (!goal || !own || goal->from < 0)
        return false;
      changes.insert({goal->from, goal->to, own->from, own->to});
    }
  return std::all_of(changes.begin(), changes.end(), [&](const std::array<int, 4> &change) {
    return changes.contains({change[1], change[0], change[3], change[2]});
  });
}

} // namespace

int free_variable(const GroundTask &task) {
  const Variables &all = task.variables;
  std::vector<bool> aimed(static_cast<std::size_t>(all.count()), false);
  for (int goal : task.goal)
    aimed[all.variable_of[goal]] = true;
  std::vector<int> candidates;
  bool first = true;
  for (int op = 0; op < static_cast<int>(task.operators.size()); ++op) {
    const auto effects = task.operators.effects[op];
    const auto is_aimed = [&](const Effect &effect) {
      return static_cast<bool>(aimed[all.variable_of[effect.value]]);
    };
    if (std::none_of(effects.begin(), effects.end(), is_aimed))
      continue;
    if (first)
      for (const Effect &effect : effects)
        if (!is_aimed(effect))
          candidates.push_back(all.variable_of[effect.value]);
    first = false;
    std::erase_if(candidates, [&](int variable) {
      const auto change = change_of(task, op, variable);
      return !change || change->from < 0 || change->to < 0;
    });
    if (candidates.empty())
      return -1;
  }
  const auto fits = std::find_if(candidates.begin(), candidates.end(), [&](int variable) {
    return can_be_undone(task, aimed, variable);
  });
  return fits == candidates.end() ? -1 : *fits;
}

namespace {

// The values of the free variable, counted from 0, and the ways between them.
class FreeGraph {
public:
  FreeGraph(const GroundTask &task, int variable)
      : beside_(static_cast<std::size_t>(task.variables.domain_size(variable))),
        gone_(beside_.size(), false) {
    std::set<std::pair<int, int>> known;
    const int offset = task.variables.offsets[variable];
    for (int op = 0; op < static_cast<int>(task.operators.size()); ++op)
      if (const auto change = change_of(task, op, variable);
          change && change->from >= 0 && change->to >= 0 && change->from != change->to) {
        const int from = change->from - offset, to = change->to - offset;
        if (known.emplace(std::min(from, to), std::max(from, to)).second) {
          beside_[from].push_back(to);
          beside_[to].push_back(from);
        }
      }
  }

  int size() const { return static_cast<int>(beside_.size()); }
  void take(const std::vector<int> &values, bool gone) {
    for (int value : values)
      gone_[value] = gone;
  }
  bool are_beside(int left, int right) const {
    return std::find(beside_[left].begin(), beside_[left].end(), right) != beside_[left].end();
  }

  // The sum of the steps from everywhere, breadth first.
  std::int64_t remoteness(int value) const {
    std::vector<int> steps(beside_.size(), -1), queue{value};
    steps[value] = 0;
    std::int64_t sum = 0;
    for (std::size_t next = 0; next < queue.size(); ++next) {
      sum += steps[queue[next]];
      for (int other : beside_[queue[next]])
        if (steps[other] < 0) {
          steps[other] = steps[queue[next]] + 1;
          queue.push_back(other);
        }
    }
    return sum;
  }

  // Whether what is left, four values or more, stays connected without any one of them
  // (Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Computing, 1972).
  bool is_robust() {
    const auto left = std::count(gone_.begin(), gone_.end(), false);
    if (left < 4)
      return false;
    number_.assign(beside_.size(), -1);
    low_.assign(beside_.size(), 0);
    numbered_ = 0;
    const auto root =
        static_cast<int>(std::find(gone_.begin(), gone_.end(), false) - gone_.begin());
    return visit(root, -1) && numbered_ == left;
  }

private:
  bool visit(int value, int parent) {
    number_[value] = low_[value] = numbered_++;
    int children = 0;
    for (int other : beside_[value]) {
      if (gone_[other] || other == parent)
        continue;
      if (number_[other] < 0) {
        ++children;
        if (!visit(other, value) || (parent >= 0 ? low_[other] >= number_[value] : children > 1))
          return false;
        low_[value] = std::min(low_[value], low_[other]);
      } else {
        low_[value] = std::min(low_[value], number_[other]);
      }
    }
    return true;
  }

  std::vector<std::vector<int>> beside_;
  std::vector<bool> gone_;
  std::vector<int> number_, low_;
  std::int64_t numbered_ = 0;
};

} // namespace

std::vector<std::vector<std::size_t>> order_of_goals(const GroundTask &task, int variable,
                                                     const Exclusions &exclusions) {
  FreeGraph graph(task, variable);
  const std::size_t count = task.goal.size();
  std::vector<std::vector<int>> blocks(count); // values of the free variable
  std::vector<std::int64_t> remoteness(count, 0);
  for (std::size_t i = 0; i < count; ++i)
    for (int value = 0; value < graph.size(); ++value)
      if (exclusions.exclude(task.goal[i], task.variables.offsets[variable] + value)) {
        blocks[i].push_back(value);
        remoteness[i] += graph.remoteness(value);
      }
  std::vector<std::size_t> left(count);
  for (std::size_t i = 0; i < count; ++i)
    left[i] = i;
  std::stable_sort(left.begin(), left.end(), [&](std::size_t one, std::size_t two) {
    return remoteness[one] > remoteness[two];
  });
  const auto can_go = [&](const std::vector<std::size_t> &goals) {
    for (std::size_t goal : goals)
      graph.take(blocks[goal], true);
    const bool fine = graph.is_robust();
    for (std::size_t goal : goals)
      graph.take(blocks[goal], false);
    return fine;
  };
  // The first in the order that can go with another one beside it, or alone.
  const auto next_stage = [&]() -> std::vector<std::size_t> {
    for (std::size_t i = 0; i < left.size(); ++i)
      for (std::size_t j = i + 1; j < left.size(); ++j)
        if (blocks[left[i]].size() == 1 && blocks[left[j]].size() == 1 &&
            graph.are_beside(blocks[left[i]][0], blocks[left[j]][0]) && can_go({left[i], left[j]}))
          return {left[i], left[j]};
    for (std::size_t goal : left)
      if (can_go({goal}))
        return {goal};
    return left;
  };
  std::vector<std::vector<std::size_t>> stages;
  while (!left.empty()) {
    stages.push_back(next_stage());
    for (std::size_t goal : stages.back()) {
      graph.take(blocks[goal], true);
      std::erase(left, goal);
    }
  }
  return stages;
}

} // namespace beeline
