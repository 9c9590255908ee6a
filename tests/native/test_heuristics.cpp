// Heuristics of all reachable states of random tasks against brute force, with costs from 0 to the
// largest there are.

#include <algorithm>

#include "check.h"
#include "heuristics/factory.h"
#include "heuristics/relaxation.h"
#include "plain_task.h"
#include "state/states.h"

using namespace beeline;
using namespace beeline::testing;

namespace {

const std::vector<RandomTaskOptions> kinds{
    {},
    {.operators = 30, .costs = {1}},
    {.operators = 20, .costs = {0}},
    {.operators = 20, .costs = {1, 2'147'483'647, 2'147'483'648}},
    {.operators = 25, .costs = {0, 5, Cost{1} << 40, cost_limit - 1}},
};

// Calls use(task, states, state, number in the registry, cost of a cheapest plan).
template <class Use>
void for_each_state(const Use &use, bool guards = true, int derived = 0) {
  for (RandomTaskOptions kind : kinds) {
    kind.guards = guards;
    kind.derived = derived;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const GroundTask task = random_task(seed, kind);
      States states(task);
      use.begin(task);
      for (const auto &[state, distance] : goal_distances(task))
        use.check(states, state, states.registry.insert_values(state.data()), distance);
    }
  }
}

double value_of(Evaluator &heuristic, const States &states, StateId id) {
  double value = 0;
  heuristic.evaluate(states.registry, {&id, 1}, {&value, 1});
  return value;
}

// From `cost_limit` on, all costs are alike.
double as_value(Cost cost) {
  return cost == no_plan ? dead_end : static_cast<double>(std::min(cost, cost_limit));
}

struct Named {
  const char *name;
  const GroundTask *task = nullptr;
  std::unique_ptr<Evaluator> heuristic;

  explicit Named(const char *chosen) : name(chosen) {}
  void begin(const GroundTask &next) {
    task = &next;
    Poll poll;
    heuristic = make_heuristic(name, next, poll);
  }
};

struct Exact {
  mutable Named named;
  Joined joined;
  void begin(const GroundTask &task) const { named.begin(task); }
  void check(const States &states, const PlainState &state, StateId id, Cost) const {
    const std::vector<Cost> costs = relaxed_costs(*named.task, state, joined);
    Cost expected = 0;
    for (int value : named.task->goal) {
      if (costs[value] == no_plan) {
        expected = no_plan;
        break;
      }
      expected = joined == Joined::sum ? sum_of_costs(expected, costs[value])
                                       : std::max(expected, costs[value]);
    }
    CHECK_EQUAL(value_of(*named.heuristic, states, id), as_value(expected));
  }
};

struct Admissible {
  mutable Named named;
  bool perfect = false;
  void begin(const GroundTask &task) const { named.begin(task); }
  void check(const States &states, const PlainState &, StateId id, Cost distance) const {
    const double value = value_of(*named.heuristic, states, id);
    CHECK(value <= as_value(distance));
    if (perfect)
      CHECK_EQUAL(value, as_value(distance));
  }
};

struct RelaxedPlans {
  mutable const GroundTask *task = nullptr;
  mutable std::unique_ptr<FFHeuristic> heuristic;
  void begin(const GroundTask &next) const {
    task = &next;
    heuristic = std::make_unique<FFHeuristic>(next);
  }
  void check(const States &states, const PlainState &state, StateId id, Cost) const {
    const std::vector<Cost> costs = relaxed_costs(*task, state, Joined::maximum);
    const bool reachable = std::all_of(task->goal.begin(), task->goal.end(),
                                       [&](int value) { return costs[value] != no_plan; });
    std::vector<int> plan;
    const Word *packed = states.registry[id];
    CHECK_EQUAL(heuristic->relaxed_plan(states.registry.packer(), packed, plan), reachable);
    if (!reachable)
      return;
    Cost cost = 0;
    GroundTask relaxed = *task; // with the operators of the plan alone
    relaxed.operators = {};
    relaxed.operators.effect_conditions = task->operators.effect_conditions;
    for (int op : plan) {
      cost = sum_of_costs(cost, task->operators.costs[op]);
      relaxed.operators.conditions.add_row(task->operators.conditions[op]);
      relaxed.operators.effects.add_row(task->operators.effects[op]);
      relaxed.operators.costs.push_back(0);
    }
    CHECK_EQUAL(value_of(*heuristic, states, id), as_value(cost));
    const std::vector<Cost> reached = relaxed_costs(relaxed, state, Joined::maximum);
    CHECK(std::all_of(task->goal.begin(), task->goal.end(),
                      [&](int value) { return reached[value] == 0; }));
  }
};

} // namespace

TEST(h_max_is_the_dearest_goal) { for_each_state(Exact{Named("max"), Joined::maximum}); }
TEST(h_add_is_the_sum_over_goals) { for_each_state(Exact{Named("add"), Joined::sum}); }
TEST(h_max_is_admissible) { for_each_state(Admissible{Named("max")}); }
TEST(lm_cut_is_admissible) { for_each_state(Admissible{Named("lmcut")}); }
TEST(h_max_is_admissible_with_axioms) { for_each_state(Admissible{Named("max")}, true, 4); }
TEST(lm_cut_is_admissible_with_axioms) { for_each_state(Admissible{Named("lmcut")}, true, 4); }
TEST(perfect_is_the_cost_of_a_cheapest_plan_with_axioms) {
  for_each_state(Admissible{Named("perfect"), true}, true, 4);
}
TEST(blind_is_admissible) { for_each_state(Admissible{Named("blind")}); }
TEST(perfect_is_the_cost_of_a_cheapest_plan) { for_each_state(Admissible{Named("perfect"), true}); }
TEST(a_relaxed_plan_reaches_the_goal_and_costs_what_h_ff_says) { for_each_state(RelaxedPlans{}); }

// With guards it need not be: parts of one operator share their cost.
TEST(lm_cut_is_at_least_h_max_where_no_effect_has_a_guard) {
  struct Above {
    mutable Named cut{"lmcut"}, maximum{"max"};
    void begin(const GroundTask &task) const {
      cut.begin(task);
      maximum.begin(task);
    }
    void check(const States &states, const PlainState &, StateId id, Cost) const {
      CHECK(value_of(*cut.heuristic, states, id) >= value_of(*maximum.heuristic, states, id));
    }
  };
  for_each_state(Above{}, false);
}

TEST(h_add_of_a_doubling_chain_ends_at_the_limit) {
  // Two propositions of each step need both of the step before: 2^n beyond all bounds.
  GroundTask task;
  constexpr int steps = 80;
  for (int variable = 0; variable < 2 * steps; ++variable) {
    task.variables.add({2 * variable, 2 * variable + 1});
    task.initial.push_back(2 * variable);
  }
  task.negated_fact.assign(task.variables.values(), -1);
  for (int step = 0; step < steps; ++step)
    for (int side = 0; side < 2; ++side) {
      if (step > 0)
        for (int before = 0; before < 2; ++before)
          task.operators.conditions.push(4 * (step - 1) + 2 * before + 1);
      task.operators.conditions.close_row();
      task.operators.effects.push({-1, 4 * step + 2 * side + 1});
      task.operators.effects.close_row();
      task.operators.costs.push_back(1);
      task.operators.actions.push_back(0);
      task.operators.args.close_row();
    }
  task.goal = {4 * (steps - 1) + 1};
  States states(task);
  Poll poll;
  CHECK_EQUAL(value_of(*make_heuristic("add", task, poll), states, states.initial),
              static_cast<double>(cost_limit));
  // The relaxed plan itself is short, and cut values count each operator once.
  const double plan = 2 * steps - 1;
  CHECK_EQUAL(value_of(*make_heuristic("ff", task, poll), states, states.initial), plan);
  CHECK_EQUAL(value_of(*make_heuristic("max", task, poll), states, states.initial), steps);
  CHECK(value_of(*make_heuristic("lmcut", task, poll), states, states.initial) <= plan);
}
