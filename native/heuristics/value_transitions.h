// ValueTransitions: what leads from one value of a variable to another, for the variables that
// goals need.
//
// Every effect of an operator is a transition of its variable, and so is every axiom and every rule
// for what axioms leave false (which cost nothing). Its conditions on other variables are mostly
// one, which stands in the transition itself; several are looked up where the task has them.
// Effects whose variable has no condition lead to their value from anywhere, and are not written
// down for each value. Built in one pass over the effects, and only for variables that the goals
// depend on, in 24 bytes for each.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/rows.h"
#include "task/ground_task.h"

namespace beeline {

struct Transition {
  Cost cost;
  int target; // a value
  int rule;   // an operator, or an axiom or another rule behind them
  int others; // the condition on another variable, or one of the following
  int alone;  // whether its rule has no other effect

  static constexpr int none = -1, of_operator = -2, listed = -3; // and below: a row of its own
};

class ValueTransitions {
public:
  ValueTransitions(const GroundTask &task, CostType cost_type);

  // Those that need a value, and those of a variable that need none of it.
  std::span<const Transition> from(int value) const { return in(from_[value]); }
  std::span<const Transition> from_anywhere(int variable) const { return in(anywhere_[variable]); }
  bool is_operator(const Transition &transition) const {
    return static_cast<std::size_t>(transition.rule) < task_.operators.size();
  }

  // Other variables that some transition of a variable has a condition on; per variable.
  const Rows<int> &parents() const { return parents_; }

  // Calls with every condition on another variable than the transition's own, as long as `use`
  // returns true; returns whether it always did.
  template <class Use>
  bool all_conditions(const Transition &transition, const Use &use) const {
    if (transition.others >= 0)
      return use(transition.others);
    if (transition.others == Transition::none)
      return true;
    const bool own_row = transition.others <= Transition::listed;
    const int variable = task_.variables.variable_of[transition.target];
    for (int value : own_row ? rows_[Transition::listed - transition.others]
                             : std::span<const int>(task_.operators.conditions[transition.rule]))
      if (task_.variables.variable_of[value] != variable && !use(value))
        return false;
    return true;
  }

  // What a variable other than its own has after the transition, whatever it had before: a value,
  // or -1 if the transition does not say.
  int sets(const Transition &transition, int variable) const;
  // Whether it says that of any variable.
  static bool sets_any(const Transition &transition) {
    return transition.others != Transition::none || transition.alone == 0;
  }

  std::size_t size() const { return items_.size(); }

private:
  struct Range {
    std::size_t first = 0, last = 0;
  };
  struct Change { // of a variable
    int rule, effect;
  };

  std::span<const Transition> in(const Range &range) const {
    return {items_.data() + range.first, range.last - range.first};
  }
  Rows<Change> changes() const; // per variable
  void add_variable(int variable, std::span<const Change> changes);
  // Puts a transition into `items_`; its source is a value, -1 for anywhere, or -2 if there is
  // none.
  int add(int variable, const Change &change);

  const GroundTask &task_;
  std::vector<Cost> costs_;   // of operators, while it is built
  Rows<int> rule_conditions_; // of rules that are no operators
  std::vector<int> rule_values_;
  Rows<int> rows_; // of conditions that the task does not have in this form
  std::vector<Transition> items_;
  std::vector<Range> from_;     // per value
  std::vector<Range> anywhere_; // per variable
  Rows<int> parents_;
  std::vector<int> sources_, conditions_; // of the variable, of the rule in hand
};

} // namespace beeline
