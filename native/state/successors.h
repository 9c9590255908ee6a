// SuccessorGenerator: the operators applicable in a state, and the states they lead to.
//
// Source: the decision tree of Helmert, "The Fast Downward planning system", JAIR 2006, section
// 5.3.1. Operators are sorted by their conditions (ties by number) and come out in that order,
// which is Fast Downward's. The tree is one flat array: inner nodes read the packed state
// directly, a state is never unpacked. Applying an operator is a few masked word writes.

#pragma once

#include <cstdint>
#include <vector>

#include "base/rows.h"
#include "state/packing.h"
#include "task/axiom_evaluator.h"
#include "task/ground_task.h"

namespace beeline {

class SuccessorGenerator {
public:
  SuccessorGenerator(const GroundTask &task, const StatePacker &packer);

  // Appends the numbers of all applicable operators.
  void applicable(const Word *state, std::vector<int> &operators) const {
    visit(0, state, operators);
  }

  // Writes the successor; `from` and `to` must not overlap.
  void apply(int op, const Word *from, Word *to) const;

  // Gives derived variables the values that follow from the others.
  void derive(Word *state) const;

private:
  // Node: count of operators, the operators, count of switches, position of each switch.
  // Switch: word, shift, mask, 0, then a node or -1 per value of the variable; or, where most
  // values lead nowhere: word, shift, mask, count, that many values, that many nodes.
  void visit(std::size_t node, const Word *state, std::vector<int> &operators) const;
  void build(std::size_t first, std::size_t last, std::size_t depth);
  std::size_t build_switch(std::size_t first, std::size_t last, std::size_t depth);

  struct Write {
    std::uint32_t word;
    Word keep; // bits that stay
    Word set;
  };
  struct GuardedWrite {
    std::uint32_t word;
    Word mask;  // of the variable, in place
    Word guard; // bits it must have before
    Word set;
  };

  // All tests must succeed in the state before.
  struct Test {
    std::uint32_t word;
    Word mask;
    Word bits;
  };
  struct ConditionalWrite {
    std::uint32_t first_test, last_test;
    std::uint32_t word;
    Word mask; // of the variable, in place
    Word set;
  };
  void apply_dependent(int op, const Word *from, Word *to) const;

  const GroundTask &task_;
  const StatePacker &packer_;
  std::vector<int> order_; // operators sorted by condition
  std::vector<std::int32_t> tree_;
  Rows<Write> writes_;
  Rows<GuardedWrite> guarded_;
  Rows<ConditionalWrite> conditional_;
  std::vector<Test> tests_;
  mutable AxiomEvaluator axioms_; // works in arrays of its own
  bool any_dependent_ = false;    // on more than the operator: guards, conditions or axioms
};

} // namespace beeline
