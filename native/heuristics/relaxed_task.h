// RelaxedTask: the task without delete effects, laid out for Dijkstra-like explorations.
//
// Propositions are the task's values. An operator keeps one counter of unsatisfied conditions
// for all its effects: an exploration touches each condition once, not once per effect, which is
// where most of the time goes. Effects that another operator achieves under fewer conditions
// for no more cost are left out (they never matter for h_add or h_max).
//
// Axioms are operators that cost nothing, and so are the rules for what they leave false; their
// numbers follow those of the task's operators.

#pragma once

#include <vector>

#include "base/rows.h"
#include "task/ground_task.h"

namespace beeline {

struct RelaxedTask {
  explicit RelaxedTask(const GroundTask &task, bool drop_dominated = true,
                       CostType cost_type = CostType::plain);

  int propositions = 0;
  Rows<int> conditions;           // per relaxed operator, ascending
  Rows<int> effects;              // per relaxed operator
  Rows<int> consumers;            // per proposition: relaxed operators that need it
  std::vector<Cost> costs;        // per relaxed operator
  std::vector<int> original;      // per relaxed operator: the task's operator, or an axiom
  std::vector<int> unconditional; // relaxed operators without conditions

  int task_operators = 0; // from here on, numbers in `original` are those of axioms
  int originals = 0;      // and there they end

  std::size_t size() const { return costs.size(); }
  bool is_axiom(int op) const { return original[op] >= task_operators; }

private:
  void gather_operators(const GroundTask &task, bool drop_dominated, CostType cost_type);
};

} // namespace beeline
