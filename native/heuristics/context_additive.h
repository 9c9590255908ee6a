// ContextAdditive: the context-enhanced additive heuristic.
//
// Helmert and Geffner, "Unifying the causal graph and additive heuristics" (ICAPS 2008). Like
// h_add, the value is the sum of what goals cost, each on its own, and a transition of a variable
// costs what its operator does and what its conditions cost. But conditions are not reached from
// the state: they are reached from the values that the path to the transition has left, its
// context. To unload a package in another place, the truck has to drive there from where the
// package was loaded, and not from where it is now. Only the context of one cheapest path is kept
// for each value, and which of equally cheap ones that is follows from the order of operators:
// values of other implementations differ by that.
//
// Where a goal is out of reach in these contexts there may be another way: that is no dead end, but
// the highest value of all, so that such states come last.
//
// Preferred are the first transitions of the paths to goals, where these can be applied; where they
// cannot, the same for their conditions.

#pragma once

#include <cstdint>
#include <vector>

#include "heuristics/entangled_costs.h"
#include "heuristics/ordered_costs.h"
#include "state/evaluator.h"

namespace beeline {

class ContextAdditiveHeuristic : public StateHeuristic {
public:
  static constexpr HeuristicProperties properties{
      .name = "cea",
      .summary = "sum of the costs of the goals, conditions in the context of paths (h_cea)",
      .work = 1,
      .preferred = true,
      .any_costs = true,
  };

  static constexpr double out_of_reach = static_cast<double>(cost_limit);

  explicit ContextAdditiveHeuristic(const GroundTask &task, CostType cost_type = CostType::plain);

  double value(const StatePacker &packer, const Word *state) override;
  void preferred(const StateRegistry &registry, StateId state,
                 std::vector<int> &operators) override;
  double work() const override;

  // Whether no goal depends on variables that depend on each other in circles: then values are
  // cheap also in large tasks.
  bool is_ordered() const;

private:
  void prefer(const Transition *step, std::vector<int> &operators);

  ValueTransitions transitions_;
  OrderedCosts ordered_;
  EntangledCosts entangled_;
  std::vector<Word> last_state_;
  double last_value_ = 0;
  std::int64_t evaluated_ = 0;
  std::vector<int> values_;               // of the state, per variable
  std::vector<int> entangled_goals_;      // that do not hold
  std::vector<const Transition *> steps_; // the first ones to the ordered goals
  std::vector<std::int64_t> wanted_;      // per value: when it was looked at last
  std::int64_t looks_ = 0;
};

} // namespace beeline
