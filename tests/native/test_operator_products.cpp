// One operator of each kind: the same as from all applicable operators.

#include <algorithm>
#include <numeric>
#include <set>

#include "base/random.h"
#include "check.h"
#include "state/states.h"

using namespace beeline;

namespace {

constexpr int first_objects = 60, second_objects = 12, third_objects = 100;
constexpr int objects = first_objects + second_objects + third_objects;

struct Factory {
  Random random{3};
  GroundTask task;

  // A variable with a fact and its negation, or a third value.
  int add_fact(const std::vector<int> &args) {
    const int fact = static_cast<int>(task.fact_values.size());
    const int value = task.variables.values();
    task.variables.add(fact % 2 == 0 ? std::vector{fact, -1} : std::vector{fact, -1, -1});
    task.negated_fact.resize(task.variables.values(), -1);
    task.fact_values.push_back(value);
    task.fact_predicates.push_back(0);
    task.fact_args.add_row(args);
    task.initial.push_back(value);
    return value;
  }

  void add_operator(int action, std::vector<int> condition, const std::vector<int> &args) {
    std::sort(condition.begin(), condition.end());
    task.operators.conditions.add_row(condition);
    task.operators.effects.push({-1, 1});
    task.operators.effects.close_row();
    task.operators.costs.push_back(1);
    task.operators.actions.push_back(action);
    task.operators.args.add_row(args);
  }
};

// Any first object together with any pair of others; and some operators that are no product. Facts
// have their numbers in random order.
GroundTask product_task(bool complete) {
  Factory factory;
  struct Wanted {
    std::vector<int> args;
    int value = 0;
  };
  std::vector<Wanted> facts{{{}}};
  for (int a = 0; a < first_objects; ++a)
    facts.push_back({{a}});
  for (int b = 0; b < second_objects; ++b)
    for (int c = 0; c < third_objects; ++c)
      facts.push_back({{first_objects + b, first_objects + second_objects + c}});
  std::vector<std::size_t> order(facts.size());
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[factory.random.below(i)]);
  for (std::size_t place : order)
    facts[place].value = factory.add_fact(facts[place].args);
  const int switched_on = facts[0].value;
  for (int a = 0; a < first_objects; ++a)
    for (std::size_t pair = 1 + first_objects; pair < facts.size(); ++pair) {
      const std::vector<int> &args = facts[pair].args;
      if (complete || a != 7 || pair % 100 != 5)
        factory.add_operator(0, {switched_on, facts[1 + a].value, facts[pair].value},
                             {a, args[0], args[1]});
    }
  for (std::size_t fact = 1; fact < facts.size(); ++fact)
    factory.add_operator(1, {facts[fact].value, facts[fact].value / 2}, facts[fact].args);
  return std::move(factory.task);
}

std::vector<int> first_of_each_kind(const GroundTask &task, const std::vector<int> &operators,
                                    const std::vector<int> &kinds) {
  std::set<std::vector<int>> seen;
  std::vector<int> result;
  for (int op : operators) {
    std::vector<int> look{task.operators.actions[op]};
    for (int object : task.operators.args[op])
      look.push_back(kinds[object]);
    if (seen.insert(look).second)
      result.push_back(op);
  }
  return result;
}

} // namespace

TEST(operators_of_each_kind_are_the_first_ones_of_all) {
  const GroundTask task = product_task(true);
  States states(task);
  CHECK(states.successors.has_products());
  Random random(5);
  for (int round = 0; round < 40; ++round) {
    std::vector<int> values = task.initial;
    for (std::size_t variable = 0; variable < values.size(); ++variable)
      if (random.below(10) < static_cast<std::uint64_t>(round % 10))
        values[variable] = task.variables.offsets[variable + 1] - 1;
    const StateId id = states.registry.insert_values(values.data());
    std::vector<int> kinds;
    for (int object = 0; object < objects; ++object)
      kinds.push_back(static_cast<int>(random.below(round % 4 == 3 ? 50 : round % 4 + 1)) - 2);
    std::vector<int> all, some;
    states.successors.applicable(states.registry[id], all);
    const std::int64_t left_out =
        states.successors.applicable_kinds(states.registry[id], kinds, some);
    const auto earlier = [&](int l, int r) { return comes_earlier(task, l, r); };
    CHECK(std::is_sorted(all.begin(), all.end(), earlier));
    CHECK(std::is_sorted(some.begin(), some.end(), earlier));
    CHECK_EQUAL(left_out, static_cast<std::int64_t>(all.size() - some.size()));
    CHECK(first_of_each_kind(task, some, kinds) == first_of_each_kind(task, all, kinds));
    if (round == 0)
      CHECK(some.size() < all.size() / 10);
  }
}

TEST(an_action_that_lacks_a_combination_is_no_product) {
  const GroundTask task = product_task(false);
  CHECK(!States(task).successors.has_products());
}
