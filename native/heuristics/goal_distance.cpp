#include "heuristics/goal_distance.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "heuristics/unwritten_arcs.h"

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
    for (std::size_t op = 0; op < task.listed_operators(); ++op)
      for (const Effect &effect : task.operators.effects[op])
        if (!families_of_[effect.value].empty())
          add(task.operators.conditions[op], effect);
    UnwrittenArcs unwritten(task);
    for (const Family &family : families)
      unwritten.for_each(family.values, [this](int from, int to) { add(from, to); });
    unwritten.for_each_from_anywhere([this](int, int to) { from_anywhere_[to] = true; });
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

GoalDistanceHeuristic::GoalDistanceHeuristic(const GroundTask &task, const HeuristicProperties &own)
    : StateHeuristic(task, own), distances_(task.variables.values(), 0) {
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

namespace {

constexpr std::size_t most_excess = std::size_t{1} << 25; // entries of all tables
constexpr std::size_t most_looks = std::size_t{1} << 30;  // at arcs while they are made
constexpr int far = 1 << 20;

// The graph of one variable alone, values counted from 0.
struct Moves {
  std::vector<std::vector<int>> sources; // per value
  std::vector<bool> from_anywhere;
  std::vector<std::vector<int>> groups; // of values that exclude each other, sorted; per value
};

class AllMoves {
public:
  explicit AllMoves(const GroundTask &task) : task_(task), groups_(task.variables.values()) {
    for (std::size_t group = 0; group < task.mutex_groups.size(); ++group)
      for (int value : task.mutex_groups[group])
        groups_[value].push_back(static_cast<int>(group));
  }

  std::vector<Moves> of(const std::vector<int> &variables) const {
    const Variables &all = task_.variables;
    std::vector<int> places(static_cast<std::size_t>(all.count()), -1);
    std::vector<Moves> moves(variables.size());
    for (std::size_t i = 0; i < variables.size(); ++i) {
      places[variables[i]] = static_cast<int>(i);
      const auto size = static_cast<std::size_t>(all.domain_size(variables[i]));
      moves[i].sources.resize(size);
      moves[i].from_anywhere.resize(size);
      const auto first = groups_.begin() + all.offsets[variables[i]];
      moves[i].groups.assign(first, first + static_cast<std::ptrdiff_t>(size));
    }
    for (std::size_t op = 0; op < task_.operators.size(); ++op)
      for (const Effect &effect : task_.operators.effects[op])
        if (const int variable = all.variable_of[effect.value]; places[variable] >= 0)
          add(moves[places[variable]], variable, effect, task_.operators.conditions[op]);
    for (Moves &each : moves)
      for (std::vector<int> &sources : each.sources) {
        std::sort(sources.begin(), sources.end());
        sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
      }
    return moves;
  }

private:
  void add(Moves &moves, int variable, const Effect &effect,
           std::span<const int> conditions) const {
    const int offset = task_.variables.offsets[variable], to = effect.value - offset;
    if (effect.guard >= 0) {
      moves.sources[to].push_back(effect.guard - offset);
      return;
    }
    for (int value : conditions)
      if (task_.variables.variable_of[value] == variable) {
        moves.sources[to].push_back(value - offset);
        return;
      }
    moves.from_anywhere[to] = true;
  }

  const GroundTask &task_;
  std::vector<std::vector<int>> groups_; // per value
};

bool exclude_each_other(const std::vector<int> &left, const std::vector<int> &right) {
  auto i = left.begin(), j = right.begin();
  while (i != left.end() && j != right.end()) {
    if (*i == *j)
      return true;
    ++(*i < *j ? i : j);
  }
  return false;
}

// Calls with each value from which one step leads to `value`.
template <class Reach>
void for_each_source(const Moves &moves, int value, const Reach &reach) {
  for (int from : moves.sources[value])
    reach(from);
  if (moves.from_anywhere[value])
    for (int from = 0; from < static_cast<int>(moves.sources.size()); ++from)
      reach(from);
}

std::size_t count_arcs(const Moves &moves) {
  std::size_t count = 0;
  for (std::size_t value = 0; value < moves.sources.size(); ++value)
    count += moves.from_anywhere[value] ? moves.sources.size() : moves.sources[value].size();
  return count;
}

std::vector<int> steps_alone(const Moves &moves, int goal) {
  std::vector<int> steps(moves.sources.size(), far), queue{goal};
  steps[goal] = 0;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const int value = queue[next];
    for_each_source(moves, value, [&](int from) {
      if (steps[from] == far) {
        steps[from] = steps[value] + 1;
        queue.push_back(from);
      }
    });
  }
  return steps;
}

// Steps to both goals, per pair of values, row by row; `far` where there is no way.
std::vector<int> steps_together(const Moves &first, int first_goal, const Moves &second,
                                int second_goal) {
  const auto columns = static_cast<int>(second.sources.size());
  std::vector<int> steps(first.sources.size() * second.sources.size(), far), queue;
  const auto reach = [&](int row, int column, int distance) {
    int &known = steps[static_cast<std::size_t>(row) * columns + column];
    if (known == far && !exclude_each_other(first.groups[row], second.groups[column])) {
      known = distance;
      queue.push_back(row * columns + column);
    }
  };
  reach(first_goal, second_goal, 0);
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const int row = queue[next] / columns, column = queue[next] % columns;
    const int distance = steps[queue[next]] + 1;
    for_each_source(first, row, [&](int from) { reach(from, column, distance); });
    for_each_source(second, column, [&](int from) { reach(row, from, distance); });
  }
  return steps;
}

} // namespace

GoalPairHeuristic::GoalPairHeuristic(const GroundTask &task)
    : GoalDistanceHeuristic(task, properties) {
  const Variables &variables = task.variables;
  std::vector<int> goals; // counted from 0 in their variables
  for (int goal : task.goal) {
    goal_variables_.push_back(variables.variable_of[goal]);
    goals.push_back(goal - variables.offsets[goal_variables_.back()]);
  }
  now_.resize(goal_variables_.size());
  const std::vector<Moves> moves = AllMoves(task).of(goal_variables_);
  std::vector<std::vector<int>> alone;
  std::vector<std::size_t> arcs;
  for (std::size_t i = 0; i < goals.size(); ++i) {
    alone.push_back(steps_alone(moves[i], goals[i]));
    arcs.push_back(count_arcs(moves[i]));
  }
  const auto meet = [](const Moves &left, const Moves &right) {
    return std::any_of(left.groups.begin(), left.groups.end(), [&](const auto &one) {
      return std::any_of(right.groups.begin(), right.groups.end(),
                         [&](const auto &other) { return exclude_each_other(one, other); });
    });
  };
  for (std::size_t i = 0; i < goals.size(); ++i)
    for (std::size_t j = i + 1; j < goals.size(); ++j) {
      const std::size_t size = alone[i].size() * alone[j].size();
      const std::size_t more = arcs[i] * alone[j].size() + arcs[j] * alone[i].size();
      if (goal_variables_[i] == goal_variables_[j] || excess_.size() + size > most_excess ||
          looks_ + more > most_looks || !meet(moves[i], moves[j]))
        continue;
      looks_ += more;
      const std::vector<int> together = steps_together(moves[i], goals[i], moves[j], goals[j]);
      std::vector<std::uint8_t> table(size, 0);
      for (std::size_t place = 0; place < size; ++place) {
        const int apart = alone[i][place / alone[j].size()] + alone[j][place % alone[j].size()];
        if (together[place] < far)
          table[place] = static_cast<std::uint8_t>(std::min(255, together[place] - apart));
      }
      if (std::any_of(table.begin(), table.end(), [](std::uint8_t each) { return each > 0; })) {
        pairs_.push_back({static_cast<int>(i), static_cast<int>(j), excess_.size()});
        excess_.insert(excess_.end(), table.begin(), table.end());
      }
    }
}

double GoalPairHeuristic::value(const StatePacker &packer, const Word *state) {
  for (std::size_t i = 0; i < now_.size(); ++i)
    now_[i] = packer.get(state, goal_variables_[i]);
  std::int64_t sum = 0;
  for (const Pair &pair : pairs_) {
    const int columns = task_.variables.domain_size(goal_variables_[pair.second]);
    sum += excess_[pair.table + static_cast<std::size_t>(now_[pair.first]) * columns +
                   now_[pair.second]];
  }
  return GoalDistanceHeuristic::value(packer, state) + static_cast<double>(sum);
}

double GoalPairHeuristic::work() const {
  constexpr double look = 0.002, arc = 0.0006; // microseconds
  return GoalDistanceHeuristic::work() + arc * static_cast<double>(looks_) +
         look * static_cast<double>(evaluated_) * static_cast<double>(pairs_.size());
}

} // namespace beeline
