// Landmarks and their orders against brute force, and costs that are repaired against fresh ones.

#include <algorithm>
#include <set>

#include "check.h"
#include "heuristics/factory.h"
#include "heuristics/landmark_count.h"
#include "heuristics/relaxation.h"
#include "plain_task.h"
#include "state/states.h"

using namespace beeline;
using namespace beeline::testing;

namespace {

bool holds(const GroundTask &task, const Landmark &landmark, const PlainState &state) {
  return std::any_of(landmark.values.begin(), landmark.values.end(),
                     [&](int value) { return state[task.variables.variable_of[value]] == value; });
}

// Walks from the initial state through states in which `avoided` does not hold; calls
// see(before, after) for every step out of them.
template <class See>
void walk_without(const GroundTask &task, const Landmark &avoided, const See &see) {
  if (holds(task, avoided, task.initial))
    return;
  std::set<PlainState> seen{task.initial};
  std::vector<PlainState> open{task.initial};
  while (!open.empty()) {
    const PlainState state = open.back();
    open.pop_back();
    for (std::size_t op = 0; op < task.operators.size(); ++op) {
      if (!is_applicable(task, static_cast<int>(op), state))
        continue;
      const PlainState next = successor(task, static_cast<int>(op), state);
      see(state, next);
      if (!holds(task, avoided, next) && seen.insert(next).second)
        open.push_back(next);
    }
  }
}

template <class Use>
void for_each_graph(const Use &use, int derived = 0) {
  int landmarks = 0, disjunctive = 0, orders[3] = {};
  for (int operators : {8, 16, 24})
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      const GroundTask task = random_task(seed, {.variables = derived > 0 ? 4 : 5,
                                                 .operators = operators,
                                                 .guards = seed % 2 == 0,
                                                 .derived = derived});
      if (goal_distances(task).at(task.initial) == no_plan)
        continue;
      Poll poll;
      const auto graph = find_ordered_landmarks(task, poll);
      for (const Landmark &landmark : graph->landmarks) {
        ++landmarks;
        disjunctive += landmark.is_disjunctive() ? 1 : 0;
      }
      for (const auto &[pair, order] : graph->orders)
        ++orders[static_cast<int>(order)];
      use(task, *graph);
    }
  CHECK(landmarks > 500);
  if (derived > 0)
    return;
  CHECK(disjunctive > 10);
  for (int count : orders)
    CHECK(count > 50);
}

} // namespace

TEST(no_plan_avoids_a_landmark) {
  for (int derived : {0, 3})
    for_each_graph(
        [](const GroundTask &task, const LandmarkGraph &graph) {
          for (const Landmark &landmark : graph.landmarks) {
            CHECK_EQUAL(landmark.holds_initially, holds(task, landmark, task.initial));
            bool avoided = !holds(task, landmark, task.initial) && is_goal(task, task.initial);
            walk_without(task, landmark, [&](const PlainState &, const PlainState &next) {
              avoided = avoided || (!holds(task, landmark, next) && is_goal(task, next));
            });
            CHECK(!avoided);
          }
        },
        derived);
}

TEST(what_is_ordered_naturally_comes_in_that_order) {
  for_each_graph([](const GroundTask &task, const LandmarkGraph &graph) {
    for (const auto &[pair, order] : graph.orders) {
      const Landmark &before = graph.landmarks[pair.first];
      const Landmark &after = graph.landmarks[pair.second];
      if (order == LandmarkOrder::reasonable)
        continue;
      bool violated = !before.holds_initially && after.holds_initially;
      walk_without(task, before, [&](const PlainState &, const PlainState &next) {
        violated = violated || holds(task, after, next);
      });
      CHECK(!violated);
    }
  });
}

TEST(what_is_ordered_greedily_holds_just_before) {
  for_each_graph([](const GroundTask &task, const LandmarkGraph &graph) {
    for (const auto &[pair, order] : graph.orders) {
      const Landmark &before = graph.landmarks[pair.first];
      const Landmark &after = graph.landmarks[pair.second];
      if (order != LandmarkOrder::greedy)
        continue;
      bool violated = false;
      walk_without(task, after, [&](const PlainState &state, const PlainState &next) {
        violated = violated || (holds(task, after, next) && !holds(task, before, state));
      });
      CHECK(!violated);
    }
  });
}

TEST(first_achievers_are_all_that_can_be_first) {
  for_each_graph([](const GroundTask &task, const LandmarkGraph &graph) {
    for (const Landmark &landmark : graph.landmarks)
      walk_without(task, landmark, [&](const PlainState &state, const PlainState &next) {
        if (!holds(task, landmark, next))
          return;
        bool known = false; // some operator that leads from one state to the other
        for (int op : landmark.first_achievers)
          known = known || (is_applicable(task, op, state) && successor(task, op, state) == next);
        CHECK(known);
      });
  });
}

TEST(along_a_path_past_landmarks_do_not_count_and_future_ones_do) {
  for_each_graph([](const GroundTask &task, const LandmarkGraph &graph) {
    Poll poll;
    const auto heuristic = make_heuristic("landmarks", task, poll, CostType::one);
    States states(task);
    Random random(7);
    PlainState state = task.initial;
    StateId id = states.initial;
    std::vector<char> reached;
    for (const Landmark &landmark : graph.landmarks)
      reached.push_back(holds(task, landmark, state) ? 1 : 0);
    for (int step = 0; step < 20 && !is_goal(task, state); ++step) {
      double value = 0;
      heuristic->evaluate(states.registry, {&id, 1}, {&value, 1});
      double missing = 0; // what no step has reached yet is still to come
      for (std::size_t i = 0; i < reached.size(); ++i)
        missing += reached[i] == 0 ? 1 : 0;
      CHECK(value >= missing);
      std::vector<int> applicable;
      for (std::size_t op = 0; op < task.operators.size(); ++op)
        if (is_applicable(task, static_cast<int>(op), state))
          applicable.push_back(static_cast<int>(op));
      if (applicable.empty())
        break;
      state = successor(task, applicable[random.below(applicable.size())], state);
      const StateId next = states.registry.insert_values(state.data());
      if (next == id)
        continue;
      if (next < id) // seen before: its status is that of several paths
        break;
      heuristic->arrive(states.registry, id, next);
      id = next;
      for (std::size_t i = 0; i < reached.size(); ++i)
        reached[i] = reached[i] != 0 || holds(task, graph.landmarks[i], state) ? 1 : 0;
    }
  });
}

TEST(repaired_costs_and_supporters_are_those_of_a_fresh_exploration) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const GroundTask task =
        random_task(seed, {.variables = 5, .operators = 30, .costs = {1, 1, 2, 3}});
    const RelaxedTask relaxed(task);
    CHECK(RepairedCosts::can_handle(relaxed));
    const Rows<int> achievers = RepairedCosts::achievers_in(relaxed);
    RepairedCosts repaired(task, relaxed, achievers);
    States states(task);
    for (const auto &[state, distance] : goal_distances(task)) {
      const StateId id = states.registry.insert_values(state.data());
      CHECK(repaired.explore(states.registry.packer(), states.registry[id]));
      CHECK_EQUAL(repaired.distance(states.registry.packer(), states.registry[id]), 0);
      RepairedCosts fresh(task, relaxed, achievers);
      CHECK(fresh.explore(states.registry.packer(), states.registry[id]));
      const std::vector<Cost> costs = relaxed_costs(task, state, Joined::sum);
      for (int value = 0; value < task.variables.values(); ++value) {
        CHECK_EQUAL(Cost{repaired.cost(value)}, costs[value]);
        CHECK_EQUAL(repaired.supporter(value), fresh.supporter(value));
      }
    }
  }
}
