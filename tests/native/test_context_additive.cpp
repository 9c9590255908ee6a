// The context-enhanced additive heuristic against its definition, in all reachable states of random
// tasks. Costs are drawn from so many numbers that no two paths cost the same: contexts are unique.

#include <algorithm>
#include <limits>

#include "check.h"
#include "heuristics/context_additive.h"
#include "plain_task.h"
#include "state/states.h"

using namespace beeline;
using namespace beeline::testing;

namespace {

constexpr Cost out_of_reach = std::numeric_limits<Cost>::max();

// A cost with the values of all variables at the end of the path.
struct Reached {
  Cost cost = out_of_reach;
  PlainState context;
  bool operator==(const Reached &) const = default;
};

// Per start and value of one variable. Each round follows from the one before, until nothing
// changes: what costs less is right earlier, as every operator costs something.
class Definition {
public:
  explicit Definition(const GroundTask &task) : task_(task), variables_(task.variables) {}

  double value(const PlainState &state) const {
    const int values = variables_.values();
    std::vector<std::vector<Reached>> table(values, std::vector<Reached>(values));
    for (int start = 0; start < values; ++start) {
      table[start][start] = {0, state};
      table[start][start].context[variables_.variable_of[start]] = start;
    }
    for (auto next = table;; table = next) {
      for (int start = 0; start < values; ++start)
        for (int value = 0; value < values; ++value)
          if (value != start)
            next[start][value] = best(table, start, value);
      if (next == table)
        break;
    }
    Cost sum = 0;
    for (int goal : task_.goal) {
      const Cost cost = table[state[variables_.variable_of[goal]]][goal].cost;
      if (cost == out_of_reach)
        return ContextAdditiveHeuristic::out_of_reach;
      sum += cost;
    }
    return static_cast<double>(sum);
  }

private:
  using Table = std::vector<std::vector<Reached>>;

  Reached best(const Table &table, int start, int value) const {
    Reached result;
    for (std::size_t op = 0; op < task_.operators.size(); ++op)
      for (const Effect &effect : task_.operators.effects[op])
        if (effect.value == value)
          for (int source = 0; source < variables_.values(); ++source)
            if (source != value &&
                variables_.variable_of[source] == variables_.variable_of[value] &&
                table[start][source].cost != out_of_reach)
              improve(result, table, start, source, op, effect);
    return result;
  }

  void improve(Reached &result, const Table &table, int start, int source, std::size_t op,
               const Effect &effect) const {
    const int variable = variables_.variable_of[effect.value];
    std::vector<int> needed(task_.operators.conditions[op].begin(),
                            task_.operators.conditions[op].end());
    const auto more = task_.operators.condition_of(effect);
    needed.insert(needed.end(), more.begin(), more.end());
    if (effect.guard >= 0)
      needed.push_back(effect.guard);
    Reached found = table[start][source];
    std::vector<int> others;
    found.cost += task_.operators.costs[op];
    for (int value : needed) {
      const int other = variables_.variable_of[value];
      if (other == variable && value != source)
        return;
      if (other == variable)
        continue;
      const Cost cost = table[table[start][source].context[other]][value].cost;
      if (cost == out_of_reach)
        return;
      found.cost += cost;
      found.context[other] = value;
      others.push_back(value);
    }
    if (found.cost >= result.cost)
      return;
    const auto is_needed = [&](int value) {
      return std::find(others.begin(), others.end(), value) != others.end();
    };
    for (const Effect &side : task_.operators.effects[op]) {
      const auto conditions = task_.operators.condition_of(side);
      if (variables_.variable_of[side.value] != variable &&
          (side.guard < 0 || is_needed(side.guard)) &&
          std::all_of(conditions.begin(), conditions.end(), is_needed))
        found.context[variables_.variable_of[side.value]] = side.value;
    }
    found.context[variable] = effect.value;
    result = found;
  }

  const GroundTask &task_;
  const Variables &variables_;
};

GroundTask task_with_costs(std::uint64_t seed, const RandomTaskOptions &kind) {
  GroundTask task = random_task(seed, kind);
  Random random(seed);
  for (std::size_t op = 0; op < task.operators.size(); ++op)
    task.operators.costs.set(op, 1 + static_cast<Cost>(random.below(1 << 30)));
  return task;
}

// One effect for each operator, and conditions on this variable and those before it alone.
GroundTask without_circles(GroundTask task) {
  const Operators all = task.operators;
  task.operators.conditions = {};
  task.operators.effects = {};
  for (std::size_t op = 0; op < all.size(); ++op) {
    if (!all.effects[op].empty()) {
      const Effect effect{-1, all.effects[op][0].value, -1};
      const int variable = task.variables.variable_of[effect.value];
      for (int value : all.conditions[op])
        if (task.variables.variable_of[value] <= variable)
          task.operators.conditions.push(value);
      task.operators.effects.push(effect);
    }
    task.operators.conditions.close_row();
    task.operators.effects.close_row();
  }
  return task;
}

double value_of(ContextAdditiveHeuristic &heuristic, const States &states, StateId id) {
  double value = 0;
  heuristic.evaluate(states.registry, {&id, 1}, {&value, 1});
  return value;
}

// Values, and that preferred operators are applicable, and there if the goal can be reached.
void check_all_states(const GroundTask &task, bool ordered) {
  const Definition definition(task);
  ContextAdditiveHeuristic heuristic(task);
  if (ordered)
    CHECK(heuristic.is_ordered());
  States states(task);
  for (const auto &[state, distance] : goal_distances(task)) {
    const StateId id = states.registry.insert_values(state.data());
    const double value = value_of(heuristic, states, id);
    CHECK_EQUAL(value, definition.value(state));
    std::vector<int> operators;
    heuristic.preferred(states.registry, id, operators);
    CHECK_EQUAL(operators.empty(), value == 0 || value == ContextAdditiveHeuristic::out_of_reach);
    const PlainState &here = state;
    CHECK(std::all_of(operators.begin(), operators.end(),
                      [&](int op) { return is_applicable(task, op, here); }));
  }
}

const std::vector<RandomTaskOptions> kinds{
    {.operators = 12, .guards = false},
    {.operators = 25, .guards = false},
    {.operators = 20},
};

} // namespace

TEST(h_cea_is_as_defined_where_variables_need_each_other) {
  for (const RandomTaskOptions &kind : kinds)
    for (std::uint64_t seed = 0; seed < 60; ++seed)
      check_all_states(task_with_costs(seed, kind), false);
}

TEST(h_cea_is_as_defined_where_variables_stand_in_order) {
  for (const RandomTaskOptions &kind : kinds)
    for (std::uint64_t seed = 0; seed < 60; ++seed)
      check_all_states(without_circles(task_with_costs(seed, kind)), true);
}
