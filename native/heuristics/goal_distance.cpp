#include "heuristics/goal_distance.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace beeline {

namespace {

// Values that exclude each other, at least one of them a goal.
struct Family {
  std::vector<int> values;
  std::vector<int> goals; // as they stand in the task's goal
};

std::vector<Family> families_of_goals(const GroundTask &task) {
  std::vector<Family> families;
  const Variables &variables = task.variables;
  for (int goal : task.goal) {
    const int variable = variables.variable_of[goal];
    std::vector<int> values(static_cast<std::size_t>(variables.domain_size(variable)));
    std::iota(values.begin(), values.end(), variables.offsets[variable]);
    families.push_back({std::move(values), {goal}});
  }
  for (std::size_t group = 0; group < task.mutex_groups.size(); ++group) {
    Family family;
    for (int value : task.mutex_groups[group]) {
      family.values.push_back(value);
      if (std::binary_search(task.goal.begin(), task.goal.end(), value))
        family.goals.push_back(value);
    }
    if (!family.goals.empty())
      families.push_back(std::move(family));
  }
  return families;
}

// Which values operators lead from and to, both of one family.
class Arcs {
public:
  Arcs(const GroundTask &task, const std::vector<Family> &families)
      : families_of_(task.variables.values()), sources_(task.variables.values()),
        from_anywhere_(task.variables.values(), false) {
    for (std::size_t number = 0; number < families.size(); ++number)
      for (int value : families[number].values)
        families_of_[value].push_back(static_cast<int>(number));
    for (std::size_t op = 0; op < task.operators.size(); ++op)
      for (const Effect &effect : task.operators.effects[op])
        if (!families_of_[effect.value].empty())
          add(task.operators.conditions[op], effect);
  }

  bool is_member(int value, int family) const {
    const std::vector<int> &all = families_of_[value];
    return std::find(all.begin(), all.end(), family) != all.end();
  }
  const std::vector<int> &sources(int value) const { return sources_[value]; }
  bool from_anywhere(int value) const { return from_anywhere_[value]; }

private:
  void add(std::span<const int> conditions, const Effect &effect) {
    bool found = effect.guard >= 0;
    if (found)
      add(effect.guard, effect.value);
    for (int value : conditions)
      if (value != effect.value &&
          std::any_of(families_of_[value].begin(), families_of_[value].end(),
                      [&](int family) { return is_member(effect.value, family); })) {
        add(value, effect.value);
        found = true;
      }
    if (!found)
      from_anywhere_[effect.value] = true;
  }
  void add(int from, int to) {
    const auto key = (static_cast<std::uint64_t>(from) << 32) | static_cast<std::uint32_t>(to);
    if (known_.insert(key).second)
      sources_[to].push_back(from);
  }

  std::vector<std::vector<int>> families_of_; // per value
  std::vector<std::vector<int>> sources_;     // per value
  std::vector<bool> from_anywhere_;
  std::unordered_set<std::uint64_t> known_;
};

// Steps from each value of a family to a goal, breadth first; one more than the longest way if
// there is none.
std::vector<int> steps_to(int goal, const std::vector<int> &values, int family, const Arcs &arcs) {
  std::unordered_map<int, int> steps{{goal, 0}};
  std::vector<int> queue{goal};
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const int value = queue[next];
    const int one_more = steps[value] + 1;
    const auto reach = [&](int from) {
      if (steps.emplace(from, one_more).second)
        queue.push_back(from);
    };
    for (int from : arcs.sources(value))
      if (arcs.is_member(from, family))
        reach(from);
    if (arcs.from_anywhere(value))
      std::for_each(values.begin(), values.end(), reach);
  }
  const int beyond = steps[queue.back()] + 1;
  std::vector<int> result;
  result.reserve(values.size());
  for (int value : values) {
    const auto found = steps.find(value);
    result.push_back(found == steps.end() ? beyond : found->second);
  }
  return result;
}

struct Table {
  const std::vector<int> *values = nullptr;
  std::vector<int> steps;
  double variance = -1;
};

double variance_of(const std::vector<int> &numbers) {
  double sum = 0, squares = 0;
  for (int number : numbers) {
    sum += number;
    squares += static_cast<double>(number) * number;
  }
  const auto count = static_cast<double>(numbers.size());
  return squares / count - sum / count * (sum / count);
}

} // namespace

GoalDistanceHeuristic::GoalDistanceHeuristic(const GroundTask &task)
    : StateHeuristic(task, properties), distances_(task.variables.values(), 0) {
  const std::vector<Family> families = families_of_goals(task);
  const Arcs arcs(task, families);
  std::unordered_map<int, Table> best; // per goal
  for (std::size_t number = 0; number < families.size(); ++number)
    for (int goal : families[number].goals) {
      const std::vector<int> &values = families[number].values;
      std::vector<int> steps = steps_to(goal, values, static_cast<int>(number), arcs);
      const double variance = variance_of(steps);
      if (variance > best[goal].variance)
        best[goal] = {&values, std::move(steps), variance};
    }
  for (int goal : task.goal) {
    const Table &table = best[goal];
    // Where none of the values holds, the goal counts as far away as any of them.
    const int longest = *std::max_element(table.steps.begin(), table.steps.end());
    none_ += longest;
    for (std::size_t i = 0; i < table.steps.size(); ++i)
      distances_[(*table.values)[i]] += table.steps[i] - longest;
  }
  const Variables &variables = task.variables;
  for (int variable = 0; variable < variables.count(); ++variable) {
    const auto first = distances_.begin() + variables.offsets[variable];
    const auto last = distances_.begin() + variables.offsets[variable + 1];
    if (std::any_of(first, last, [](int distance) { return distance != 0; }))
      variables_.push_back(variable);
  }
}

double GoalDistanceHeuristic::value(const StatePacker &packer, const Word *state) {
  ++evaluated_;
  std::int64_t sum = none_;
  for (int variable : variables_)
    sum += distances_[task_.variables.offsets[variable] + packer.get(state, variable)];
  return static_cast<double>(sum);
}

double GoalDistanceHeuristic::work() const {
  constexpr double state = 0.05, look = 0.003; // microseconds
  return static_cast<double>(evaluated_) * (state + look * static_cast<double>(variables_.size()));
}

} // namespace beeline
