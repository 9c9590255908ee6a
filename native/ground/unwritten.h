// Actions that stay unwritten, seen from the grounder: which values they can bring about, which
// variables matter for them, and their schemas over the values of the finished task.
//
// Nothing here looks at an instance. Two literals of an action are matched by the parameters that
// they share, whatever else the action asks for: so there may be a value, or a variable, that a
// task with all operators would do without. Operators and plans are the same.

#pragma once

#include <memory>
#include <vector>

#include "ground/causal_graph.h"
#include "ground/encoding.h"
#include "ground/exploration.h"
#include "ground/fact_table.h"
#include "task/unwritten_actions.h"

namespace beeline {

class UnwrittenGrounding {
public:
  UnwrittenGrounding(const LiftedProgram &program, const Exploration &exploration,
                     const FactTable &facts, const Encoding &encoding);

  bool empty() const { return actions_.empty(); }

  // Values that these actions may give to their variables.
  std::vector<int> reached_values() const;

  // Arcs of the causal graph, from what is asked for to what is changed. Each node behind the
  // variables is for all literals that share some arguments. `variable_of`: per value of the
  // encoding, or -1 if it has no variable any more.
  CausalArcs causal_arcs(const std::vector<int> &variable_of, int variables) const;

  // `value_of`: per value of the encoding, that of the task, or as in ValueRenaming.
  std::shared_ptr<const UnwrittenActions> schemas(const std::vector<int> &value_of) const;

private:
  struct Fact {
    const int *args;
    int value; // of the encoding
  };
  // Calls use(fact) for the facts that a literal of an action may denote.
  template <class Use>
  void for_each_fact(const LiftedAction &action, const LiftedLiteral &literal,
                     const Use &use) const;
  bool fits(const LiftedAction &action, const LiftedLiteral &literal, const int *args) const;

  const LiftedProgram &program_;
  const Exploration &exploration_;
  const FactTable &facts_;
  const Encoding &encoding_;
  std::vector<int> actions_;
  mutable std::vector<int> binding_; // while a literal is looked at
};

} // namespace beeline
