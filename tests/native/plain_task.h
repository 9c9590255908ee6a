// Random ground tasks, and their state spaces by the plainest means: states are vectors of value
// numbers in a map, nothing is packed, and distances are relaxed until nothing changes.

#pragma once

#include <map>
#include <vector>

#include "base/random.h"
#include "task/ground_task.h"

namespace beeline::testing {

using PlainState = std::vector<int>; // a value of the task per variable

struct RandomTaskOptions {
  int variables = 4;
  int largest_domain = 4;
  int operators = 12;
  std::vector<Cost> costs{0, 1, 1, 2, 7}; // drawn from
  bool guards = true;                     // and conditions, on some effects
  int derived = 0;                        // further variables, which axioms decide
};

GroundTask random_task(std::uint64_t seed, const RandomTaskOptions &options = {});

// The state with the values that axioms give to derived variables.
PlainState derived_from(const GroundTask &task, PlainState state);

bool is_applicable(const GroundTask &task, int op, const PlainState &state);
PlainState successor(const GroundTask &task, int op, const PlainState &state);
bool is_goal(const GroundTask &task, const PlainState &state);

constexpr Cost no_plan = -1;

// All reachable states with the cost of a cheapest plan from each, `no_plan` for dead ends.
std::map<PlainState, Cost> goal_distances(const GroundTask &task);

// Costs of all values in the task without delete effects, `no_plan` where there are none; several
// conditions cost their maximum, or their sum.
enum class Joined { maximum, sum };
std::vector<Cost> relaxed_costs(const GroundTask &task, const PlainState &state, Joined joined);

} // namespace beeline::testing
