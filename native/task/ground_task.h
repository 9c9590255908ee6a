// GroundTask: the planning task that every later room works on.
//
// Finite-domain variables with operators over their values. A *value* is a number for a
// (variable, value) pair: variable v owns the values offsets[v] .. offsets[v + 1] - 1, so one
// integer names a pair and arrays over values need no second index. Most values are atoms; the
// last value of a variable may say "none of the others" or "not the atom".

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/rows.h"
#include "task/operators.h"
#include "task/unwritten_actions.h"

namespace beeline {

// The sum of two costs; from `cost_limit` on all are alike.
inline Cost sum_of_costs(Cost left, Cost right) { return std::min(left + right, cost_limit); }

// What heuristics take for the cost of an operator: what it costs, 1, or its cost plus 1 (unless
// all costs are 1 anyway). Greedy searches go straighter to the goal with the latter two.
enum class CostType { plain, one, plusone };

inline std::vector<Cost> costs_of_type(std::vector<Cost> costs, CostType type) {
  const bool all_one = std::all_of(costs.begin(), costs.end(), [](Cost cost) { return cost == 1; });
  if (type != CostType::plain && !all_one)
    for (Cost &cost : costs)
      cost = type == CostType::one ? 1 : sum_of_costs(cost, 1);
  return costs;
}

struct Variables {
  std::vector<int> offsets{0};  // per variable, and the end
  std::vector<int> variable_of; // per value
  std::vector<int> fact_of;     // per value: its atom's number, or -1

  int count() const { return static_cast<int>(offsets.size()) - 1; }
  int values() const { return offsets.back(); }
  int domain_size(int variable) const { return offsets[variable + 1] - offsets[variable]; }

  // Appends a variable whose values are these facts.
  void add(const std::vector<int> &facts) {
    for (int fact : facts) {
      variable_of.push_back(count());
      fact_of.push_back(fact);
    }
    offsets.push_back(static_cast<int>(fact_of.size()));
  }
};

// Rules that make values of derived variables true wherever their conditions hold. No operator
// changes such a variable; in every state, it has its last value unless a rule says otherwise.
struct Axioms {
  Rows<int> conditions;    // values, ascending
  std::vector<int> values; // per axiom: what it makes true
  std::vector<int> layers; // per variable: -1 if it is not derived; empty if none is

  std::size_t size() const { return values.size(); }
  bool empty() const { return layers.empty(); } // no variable is derived
  bool is_derived(int variable) const { return !layers.empty() && layers[variable] >= 0; }
};

enum class Solvability {
  open,           // nothing speaks against a plan
  goal_static,    // a goal literal is false and can never become true
  goal_unreached, // not even reachable without delete effects
  goal_mutex,     // two goal literals exclude each other
};

struct GroundTask {
  Solvability solvability = Solvability::open;
  Variables variables;
  std::vector<int> negated_fact; // per value: the atom it negates, or -1
  std::vector<int> fact_values;  // per fact: the value that makes it true
  std::vector<int> fact_predicates;
  Rows<int> fact_args;
  std::vector<int> initial; // per variable: a value; derived ones have theirs
  std::vector<int> goal;    // values, ascending
  // All operators, or all but those of unwritten actions, behind which stand those of the latter
  // that somebody has met: `write_operator` adds them, also to a task that nothing else changes.
  mutable Operators operators;
  std::shared_ptr<const UnwrittenActions> unwritten; // null: every operator is written down
  mutable WrittenOperators written;
  Axioms axioms;
  Rows<int> mutex_groups;  // values of more than one variable, at most one of them true
  int reachable_facts = 0; // before anything was found to be constant or irrelevant
  std::int64_t reachable_instances = 0;

  // Those that were written down from the start.
  std::size_t listed_operators() const { return unwritten ? written.first() : operators.size(); }
  // How many operators there are; those of unwritten actions are counted as far as they can be
  // reached without delete effects.
  double operator_count() const {
    return static_cast<double>(listed_operators()) + (unwritten ? unwritten->instances() : 0);
  }
  Cost lowest_cost() const {
    if (operators.size() == 0)
      return unwritten ? unwritten->lowest_cost() : 0;
    const Cost listed = operators.costs.lowest();
    return unwritten ? std::min(listed, unwritten->lowest_cost()) : listed;
  }

  Cost highest_cost() const {
    const Cost listed = operators.size() == 0 ? 0 : operators.costs.highest();
    return unwritten ? std::max(listed, unwritten->highest_cost()) : listed;
  }

  // Throws std::invalid_argument if operators are missing that `who` would have to look at.
  void require_operators(const char *who) const {
    if (unwritten)
      throw std::invalid_argument(std::string(who) +
                                  " looks at all operators, and this task has too many to write "
                                  "them down");
  }
};

// The number of an operator of an unwritten action, which is written down if it was not; -1 if it
// is not applicable in the state or has no effect. `value_now` as in `OperatorDraft::make`.
template <class ValueNow>
int write_operator(const GroundTask &task, int schema, const int *binding, OperatorDraft &draft,
                   const ValueNow &value_now) {
  const UnwrittenAction &action = task.unwritten->actions[schema];
  if (!draft.make(*task.unwritten, task.variables, action, binding, value_now))
    return -1;
  int op = task.written.find(schema, binding, task.operators, draft.conditions());
  if (op < 0) {
    op = static_cast<int>(task.operators.size());
    draft.append_to(task.operators, action, binding);
    task.written.add(schema, binding, op);
  }
  return op;
}

} // namespace beeline
