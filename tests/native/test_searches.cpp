// Open lists by their definition; searches against brute force.

#include <algorithm>

#include "check.h"
#include "heuristics/cost_queue.h"
#include "heuristics/factory.h"
#include "plain_task.h"
#include "search/best_first.h"
#include "state/states.h"

using namespace beeline;
using namespace beeline::testing;

namespace {

SearchResult run(const GroundTask &task, const char *name, SearchConfig config, double alpha) {
  Poll poll;
  const auto heuristic = make_heuristic(name, task, poll);
  config.evaluators = {heuristic.get()};
  config.queues = {{{{alpha, 1, 0, false}}, false}};
  States states(task);
  return search(config, states.registry, states.successors, states.initial);
}

void check_plan(const GroundTask &task, const SearchResult &result) {
  PlainState state = task.initial;
  Cost cost = 0;
  for (int op : result.plan) {
    CHECK(is_applicable(task, op, state));
    state = successor(task, op, state);
    cost += task.operators.costs[op];
  }
  CHECK(is_goal(task, state));
  CHECK_EQUAL(result.cost, cost);
}

// Items lie at places, or one of them is held; what can be done depends on the place alone. Those
// of the first half and of the second belong to places of their own.
GroundTask task_with_items(std::uint64_t seed, int items, int places) {
  Random random(seed);
  GroundTask task;
  const auto add_fact = [&](int predicate, const std::vector<int> &args) {
    const int fact = static_cast<int>(task.fact_values.size());
    task.fact_values.push_back(fact + static_cast<int>(task.initial.size())); // one gap each
    task.fact_predicates.push_back(predicate);
    task.fact_args.add_row(args);
    return fact;
  };
  for (int item = 0; item < items; ++item) { // its places, or none
    std::vector<int> facts;
    for (int place = 0; place < places; ++place)
      facts.push_back(add_fact(0, {item, items + place}));
    facts.push_back(-1);
    task.variables.add(facts);
    task.initial.push_back(task.variables.offsets[item] + static_cast<int>(random.below(places)));
    task.goal.push_back(task.variables.offsets[item] + 2 * item / items);
  }
  std::vector<int> held;
  for (int item = 0; item < items; ++item)
    held.push_back(add_fact(1, {item}));
  held.push_back(-1);
  task.variables.add(held);
  const int hand = task.variables.offsets[items];
  task.initial.push_back(hand + items);
  task.negated_fact.assign(static_cast<std::size_t>(task.variables.values()), -1);
  for (int from = 0; from < places; ++from)
    for (int to = -1; to < places; ++to) { // -1: into the hand
      if (from == to || random.below(3) == 0)
        continue;
      const auto cost = static_cast<Cost>(random.below(4));
      for (int item = 0; item < items; ++item) {
        const int first = task.variables.offsets[item];
        task.operators.conditions.add_row(std::vector<int>{to < 0 ? first + from : first + places,
                                                           to < 0 ? hand + items : hand + item});
        task.operators.effects.add_row(std::vector<Effect>{
            {-1, to < 0 ? first + places : first + to}, {-1, to < 0 ? hand + item : hand + items}});
        task.operators.costs.push_back(cost);
        task.operators.actions.push_back(0);
        task.operators.args.add_row(std::vector<int>{item});
      }
    }
  return task;
}

} // namespace

TEST(open_lists_give_the_smallest_key_and_among_equals_the_oldest_or_youngest) {
  for (const bool integral : {false, true})
    for (const TieOrder order : {TieOrder::fifo, TieOrder::lifo}) {
      const auto list = make_open_list<int>(integral, order, 0);
      Random random(7);
      std::vector<std::pair<Key, int>> expected; // in the order of their arrival
      for (int entry = 0; entry < 3000; ++entry) {
        const Key key{static_cast<double>(random.below(5)), static_cast<double>(random.below(3))};
        list->push(key, entry);
        expected.emplace_back(key, entry);
        if (random.below(3) == 0) {
          const auto smaller = [](const auto &a, const auto &b) { return a.first < b.first; };
          auto best = std::min_element(expected.begin(), expected.end(), smaller);
          if (order == TieOrder::lifo)
            for (auto it = expected.begin(); it != expected.end(); ++it)
              if (it->first == best->first)
                best = it;
          CHECK_EQUAL(list->pop(), best->second);
          expected.erase(best);
        }
        CHECK_EQUAL(list->size(), expected.size());
      }
    }
}

TEST(random_ties_give_every_entry_once) {
  for (const bool integral : {false, true}) {
    const auto list = make_open_list<int>(integral, TieOrder::random, 3);
    std::vector<int> popped;
    for (int entry = 0; entry < 100; ++entry)
      list->push({1}, entry);
    while (!list->empty())
      popped.push_back(list->pop());
    CHECK(!std::is_sorted(popped.begin(), popped.end()));
    std::sort(popped.begin(), popped.end());
    for (int entry = 0; entry < 100; ++entry)
      CHECK_EQUAL(popped[entry], entry);
  }
}

TEST(a_cost_queue_pops_ascending_costs_also_when_they_are_huge) {
  CostQueue<Cost> queue;
  Random random(1);
  std::vector<Cost> costs;
  for (int item = 0; item < 1000; ++item) {
    costs.push_back(item < 500 ? static_cast<Cost>(random.below(50))
                               : static_cast<Cost>(random.next() % cost_limit));
    queue.push(costs.back(), item);
  }
  std::sort(costs.begin(), costs.end());
  for (Cost cost : costs)
    CHECK_EQUAL(queue.pop().first, cost);
  CHECK(queue.empty());
}

TEST(searches_find_valid_plans_exactly_where_there_are_any) {
  const std::vector<RandomTaskOptions> kinds{
      {}, {.operators = 20, .costs = {1, 2'147'483'647, 3'000'000'000}}, {.derived = 4}};
  const std::vector<std::pair<bool, bool>> ways{{false, false}, {true, false}, {false, true}};
  for (const RandomTaskOptions &kind : kinds)
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
      const GroundTask task = random_task(seed, kind);
      const Cost cheapest = goal_distances(task).at(task.initial);
      for (const char *name : {"blind", "goalcount", "max", "add", "ff", "lmcut", "perfect"}) {
        for (const auto &[deferred, beam] : ways)
          for (const bool early : {false, true}) {
            SearchConfig config;
            config.deferred = deferred;
            config.beam = beam;
            config.goal_at_generation = early;
            const SearchResult result = run(task, name, config, 0);
            CHECK_EQUAL(result.status == SearchStatus::solved, cheapest != no_plan);
            CHECK(result.status == SearchStatus::solved ||
                  result.status == SearchStatus::unsolvable);
            if (cheapest != no_plan)
              check_plan(task, result);
          }
      }
      for (const char *name : {"blind", "max", "lmcut", "perfect"}) {
        SearchConfig config;
        config.reopen = true;
        const SearchResult result = run(task, name, config, 1);
        CHECK_EQUAL(result.status == SearchStatus::solved, cheapest != no_plan);
        if (cheapest != no_plan)
          CHECK_EQUAL(result.cost, cheapest);
        if (cheapest != no_plan && cheapest > 0) { // nothing lies below the cheapest plan
          config.bound = cheapest;
          CHECK(run(task, name, config, 1).status != SearchStatus::solved);
        }
      }
    }
}

TEST(searches_by_symmetry_find_plans_of_the_same_cost_and_look_at_fewer_states) {
  int fewer = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const GroundTask task = task_with_items(seed, 4, 3);
    const Cost cheapest = goal_distances(task).at(task.initial);
    for (const char *name : {"blind", "lmcut"}) {
      SearchConfig config;
      config.reopen = true;
      const SearchResult plain = run(task, name, config, 1);
      config.symmetry = true;
      const SearchResult result = run(task, name, config, 1);
      CHECK_EQUAL(result.status == SearchStatus::solved, cheapest != no_plan);
      if (cheapest != no_plan) {
        CHECK_EQUAL(result.cost, cheapest);
        check_plan(task, result);
      }
      fewer += result.states < plain.states ? 1 : 0;
    }
  }
  CHECK(fewer > 50);
}

TEST(plans_beyond_the_cost_limit_are_not_looked_for_and_that_is_said) {
  GroundTask task; // a counter with three dear steps
  task.variables.add({0, 1, 2, 3});
  task.initial = {0};
  task.goal = {3};
  task.negated_fact.assign(4, -1);
  for (int step = 0; step < 3; ++step) {
    task.operators.conditions.push(step);
    task.operators.conditions.close_row();
    task.operators.effects.push({-1, step + 1});
    task.operators.effects.close_row();
    task.operators.costs.push_back(cost_limit / 2);
    task.operators.actions.push_back(0);
    task.operators.args.close_row();
  }
  for (const char *name : {"blind", "max", "add", "ff", "lmcut", "perfect"})
    for (const bool deferred : {false, true}) {
      SearchConfig config;
      config.deferred = deferred;
      CHECK(run(task, name, config, 0).status == SearchStatus::incomplete);
    }
  task.operators.costs = OperatorCosts(std::vector<Cost>(3, cost_limit / 4));
  for (const char *name : {"blind", "max", "add", "ff", "lmcut", "perfect"})
    CHECK_EQUAL(run(task, name, {}, 1).cost, cost_limit / 4 * 3);
}
