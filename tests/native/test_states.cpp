// Packing, registry and successor generator against plain vectors of values.

#include <algorithm>
#include <set>

#include "check.h"
#include "plain_task.h"
#include "state/state_space.h"
#include "state/states.h"

using namespace beeline;
using namespace beeline::testing;

namespace {

constexpr std::uint64_t seeds = 200;

PlainState values_of(const StateRegistry &registry, StateId id) {
  PlainState result(registry.task().variables.count());
  registry.packer().unpack(registry[id], result.data());
  return result;
}

} // namespace

TEST(a_registered_state_unpacks_to_its_values_and_is_found_again) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const GroundTask task = random_task(seed, {.variables = 9, .largest_domain = 40});
    States states(task);
    for (const auto &[state, distance] : goal_distances(random_task(seed))) {
      PlainState wide = task.initial; // values that occur, in a task of the larger shape
      for (std::size_t v = 0; v < state.size(); ++v)
        wide[v] = task.variables.offsets[v] + state[v] % task.variables.domain_size(v);
      const StateId id = states.registry.insert_values(wide.data());
      CHECK(values_of(states.registry, id) == wide);
      CHECK_EQUAL(states.registry.insert_values(wide.data()), id);
      CHECK_EQUAL(states.registry.find(states.registry[id]), id);
    }
  }
}

TEST(a_registry_of_many_states_grows_without_losing_any) {
  GroundTask task;
  task.variables.add(std::vector<int>(200'000, -1));
  task.initial = {0};
  StateRegistry registry(task);
  for (int value = 0; value < 200'000; ++value)
    CHECK_EQUAL(registry.insert_values(&value), static_cast<StateId>(value));
  CHECK_EQUAL(registry.size(), std::size_t{200'000});
  for (int value = 0; value < 200'000; value += 997)
    CHECK_EQUAL(registry.insert_values(&value), static_cast<StateId>(value));
}

TEST(successors_are_those_of_applicable_operators) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const GroundTask task = random_task(seed, {.derived = seed % 2 == 0 ? 0 : 5});
    States states(task);
    std::vector<Word> buffer(states.registry.packer().words());
    for (const auto &[state, distance] : goal_distances(task)) {
      const StateId id = states.registry.insert_values(state.data());
      std::vector<int> found;
      states.successors.applicable(states.registry[id], found);
      std::set<int> expected;
      for (int op = 0; op < static_cast<int>(task.operators.size()); ++op)
        if (is_applicable(task, op, state))
          expected.insert(op);
      CHECK(std::set<int>(found.begin(), found.end()) == expected);
      CHECK_EQUAL(found.size(), expected.size());
      CHECK(std::is_sorted(found.begin(), found.end(), [&](int left, int right) {
        const auto l = task.operators.conditions[left], r = task.operators.conditions[right];
        return std::lexicographical_compare(l.begin(), l.end(), r.begin(), r.end()) ||
               (std::equal(l.begin(), l.end(), r.begin(), r.end()) && left < right);
      }));
      for (int op : found) {
        states.successors.apply(op, states.registry[id], buffer.data());
        const StateId next = states.registry.insert(buffer.data()).first;
        CHECK(values_of(states.registry, next) == successor(task, op, state));
      }
    }
  }
}

TEST(a_state_space_has_all_reachable_states_and_their_distances) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const RandomTaskOptions large{.costs = {0, 1, 3'000'000'000, Cost{1} << 40}};
    const GroundTask task = random_task(seed, seed % 2 == 0 ? RandomTaskOptions{} : large);
    Poll poll;
    const StateSpace space(task, 1'000'000, poll);
    const auto expected = goal_distances(task);
    CHECK_EQUAL(space.registry().size(), expected.size());
    for (StateId id = 0; id < space.registry().size(); ++id)
      CHECK_EQUAL(space.goal_distances()[id], expected.at(values_of(space.registry(), id)));
  }
}
