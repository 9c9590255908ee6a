// Improvements of random plans of random tasks, against brute force.

#include <optional>
#include <set>

#include "check.h"
#include "plain_task.h"
#include "search/plan_improvement.h"
#include "state/states.h"

using namespace beeline;
using namespace beeline::testing;

namespace {

std::optional<PlainState> end_of(const GroundTask &task, const std::vector<int> &plan,
                                 PlainState state) {
  for (int op : plan) {
    if (!is_applicable(task, op, state))
      return std::nullopt;
    state = successor(task, op, state);
  }
  return state;
}

bool is_plan(const GroundTask &task, const std::vector<int> &plan) {
  const auto end = end_of(task, plan, task.initial);
  return end && is_goal(task, *end);
}

// The longest way to a goal state on a random walk.
std::optional<std::vector<int>> random_plan(const GroundTask &task, std::uint64_t seed) {
  Random random(seed);
  PlainState state = task.initial;
  std::vector<int> steps, applicable;
  std::optional<std::vector<int>> plan;
  while (true) {
    if (is_goal(task, state))
      plan = steps;
    applicable.clear();
    for (int op = 0; op < static_cast<int>(task.operators.size()); ++op)
      if (is_applicable(task, op, state))
        applicable.push_back(op);
    if (applicable.empty() || steps.size() == 50)
      return plan;
    steps.push_back(applicable[random.below(applicable.size())]);
    state = successor(task, steps.back(), state);
  }
}

template <class Check>
void for_each_plan(Check &&check) {
  int plans = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const GroundTask task = random_task(seed, {.derived = seed % 3 == 0 ? 3 : 0});
    const auto plan = random_plan(task, seed);
    if (!plan)
      continue;
    ++plans;
    States states(task);
    const PlanWorld world(task, states.registry.packer(), states.successors, plan->size());
    check(world, *plan);
  }
  CHECK(plans > 50);
}

} // namespace

TEST(the_need_before_a_step_is_enough_for_the_rest_of_the_plan) {
  for_each_plan([](const PlanWorld &world, const std::vector<int> &plan) {
    PlanTrace trace(world);
    CHECK(trace.replay(plan));
    std::vector<Word> packed(static_cast<std::size_t>(world.packer.words()));
    for (const auto &[state, distance] : goal_distances(world.task)) {
      world.packer.pack(state.data(), packed.data());
      for (std::size_t step = 0; step <= plan.size(); ++step)
        if (trace.need(step).holds(packed.data())) {
          const std::vector<int> rest(plan.begin() + static_cast<std::ptrdiff_t>(step), plan.end());
          const auto end = end_of(world.task, rest, state);
          CHECK(end && is_goal(world.task, *end));
        }
    }
    for (std::size_t step = 0; step <= plan.size(); ++step)
      CHECK(trace.need(step).holds(trace.state(step)));
  });
}

TEST(after_elimination_no_step_can_be_left_out) {
  for_each_plan([](const PlanWorld &world, const std::vector<int> &plan) {
    PlanTrace trace(world);
    trace.replay(plan);
    for (const std::int64_t greedy : {0, 1'000'000}) {
      ActionElimination(world, greedy, 1'000'000).eliminate(trace);
      CHECK(is_plan(world.task, trace.plan()));
      CHECK(world.cost(trace.plan()) <= world.cost(plan));
      for (std::size_t step = 0; step < trace.steps(); ++step) {
        std::vector<int> shorter = trace.plan();
        shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(step));
        CHECK(!is_plan(world.task, shorter));
      }
    }
  });
}

TEST(other_orders_of_a_plan_end_in_the_same_state) {
  for_each_plan([](const PlanWorld &world, const std::vector<int> &plan) {
    const PlanOrder order(world, plan);
    for (const auto &other :
         {order.chained(), order.early_by_object(plan.size()), order.late_by_object(plan.size())}) {
      CHECK(end_of(world.task, other, world.task.initial) ==
            end_of(world.task, plan, world.task.initial));
      CHECK(std::multiset<int>(other.begin(), other.end()) ==
            std::multiset<int>(plan.begin(), plan.end()));
    }
  });
}

TEST(sums_of_distances_are_lower_bounds_and_windows_searched_to_the_end_are_optimal) {
  for_each_plan([](const PlanWorld &world, const std::vector<int> &plan) {
    PlanTrace trace(world);
    trace.replay(plan);
    WindowSearch windows(world);
    WorkBudget budget;
    const auto distances = goal_distances(world.task);
    PlainState state = world.task.initial;
    for (std::size_t step = 0; step < plan.size(); ++step) {
      const auto outcome = windows.search(trace.state(step), trace.need(plan.size()),
                                          trace.price(step, plan.size()), 1'000'000, {}, budget);
      CHECK(outcome.exhausted);
      const Cost rest =
          outcome.way ? world.cost(*outcome.way)
                      : world.cost({plan.begin() + static_cast<std::ptrdiff_t>(step), plan.end()});
      CHECK_EQUAL(rest, distances.at(state));
      state = successor(world.task, plan[step], state);
    }
  });
}

TEST(the_whole_neighbourhood_holds_an_optimal_plan) {
  for_each_plan([](const PlanWorld &world, const std::vector<int> &plan) {
    PlanTrace trace(world);
    trace.replay(plan);
    Neighbourhood neighbourhood(world);
    WorkBudget budget;
    const auto cheaper = neighbourhood.cheaper(trace, 1'000'000, budget);
    CHECK(neighbourhood.complete());
    CHECK(!cheaper || is_plan(world.task, *cheaper));
    CHECK_EQUAL(world.cost(cheaper ? *cheaper : plan),
                goal_distances(world.task).at(world.task.initial));
  });
}

TEST(an_improver_ends_with_an_optimal_plan_in_one_turn_or_in_many) {
  for_each_plan([](const PlanWorld &world, const std::vector<int> &plan) {
    constexpr double no_limit = std::numeric_limits<double>::infinity();
    std::vector<int> last;
    for (const std::int64_t turn : {100, 1'000'000'000}) {
      PlanImprover improver(world, plan);
      for (int turns = 0; !improver.finished() && turns < 100'000; ++turns)
        improver.advance(turn, no_limit, std::size_t{0} - 1, nullptr, false);
      CHECK(improver.optimal());
      CHECK(is_plan(world.task, improver.plan()));
      CHECK_EQUAL(improver.cost(), goal_distances(world.task).at(world.task.initial));
      CHECK(last.empty() || last == improver.plan());
      last = improver.plan();
    }
  });
}
