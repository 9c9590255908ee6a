// Action elimination: the steps that a plan can do without.
//
// A step is taken out together with all later steps that cannot be done any more; if the goal is
// reached all the same, they were useless. The greedy form tries this for every step and takes
// out the dearest such set, until there is none (Balyo, Chrpa and Kilani, "On different strategies
// for eliminating redundant actions from plans", SoCS 2014; Nakhost and Müller, "Action
// elimination and plan neighborhood graph search", ICAPS 2010). Before that, loops are cut, in one
// pass: steps that change one variable and nothing else, and lead it back to a value that it had
// before, while no other step looks at it. Then detours: from a state that already fulfils what a
// later step and its successors need, the plan goes on there.
//
// Quadratic in the number of steps per set. What differs from the given plan is kept as a short
// list of variables, so that a step is mostly one look at its conditions; a trial ends when nothing
// differs any more. Above a limit of work the first set that is found is taken instead of the
// dearest.

#pragma once

#include <cstdint>
#include <vector>

#include "search/plan_trace.h"

namespace beeline {

class ActionElimination {
public:
  // Limits are in simulated steps; in states that are kilobytes long, and with dozens of effects,
  // each counts several times.
  ActionElimination(const PlanWorld &world, std::int64_t greedy_limit, std::int64_t limit);

  // Takes useless steps out of the plan; true if there were any.
  bool eliminate(PlanTrace &trace);

  std::int64_t simulated() const { return simulated_; }

private:
  bool cut_loops(PlanTrace &trace);
  bool cut_detours(PlanTrace &trace);
  // What goes together with the first step; empty if the rest does not reach the goal.
  const std::vector<std::size_t> &removable_with(const PlanTrace &trace, std::size_t first);
  void replay_without(const PlanTrace &trace, std::size_t first); // the same, with axioms
  bool remove_dearest(PlanTrace &trace);
  bool remove_first_found(PlanTrace &trace);
  void drop(PlanTrace &trace, const std::vector<std::size_t> &steps);

  bool differs(int variable) const { return place_[variable] >= 0; }
  // The value in the trial; what is not listed is as in the plan.
  int value(const PlanTrace &trace, std::size_t step, int variable) const;
  void set(int variable, int local, bool different);

  static constexpr std::size_t effects_of_step = 8; // as many effects are as dear as one more step

  const PlanWorld &world_;
  std::int64_t greedy_limit_, limit_;
  std::int64_t each_step_; // in simulated steps
  std::int64_t simulated_ = 0;
  std::vector<int> place_;     // per variable: in the list of those that differ, or -1
  std::vector<int> different_; // variables
  std::vector<int> value_;     // per variable, where it differs
  std::vector<std::size_t> removed_;
  std::vector<std::pair<int, int>> changes_; // variables with their values
  std::vector<int> change_;                  // per variable: in the list of changes, or -1
};

} // namespace beeline
