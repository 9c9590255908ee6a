// SuccessorGenerator: the operators applicable in a state, and the states they lead to.
//
// Source: the decision tree of Helmert, "The Fast Downward planning system", JAIR 2006, section
// 5.3.1. Operators are sorted by their conditions (ties by number) and come out in that order,
// which is Fast Downward's. The tree is one flat array: inner nodes read the packed state
// directly, a state is never unpacked. Where one condition is left that few operators share, the
// tree ends in lists of pairs (value, operator): two integers for an operator, read in a row.
// Applying an operator is a masked write for each word that its effects change; where there are so
// many operators that these writes would fill the memory, one for each effect. Operators of
// unwritten actions come from joins, and are merged in.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rows.h"
#include "state/operator_products.h"
#include "state/packing.h"
#include "state/state_joins.h"
#include "task/axiom_evaluator.h"
#include "task/ground_task.h"

namespace beeline {

class SuccessorGenerator {
public:
  SuccessorGenerator(const GroundTask &task, const StatePacker &packer);

  // Appends the numbers of all applicable operators.
  void applicable(const Word *state, std::vector<int> &operators) const;

  // Whether there are actions for which kinds of objects save time.
  bool has_products() const {
    return !products_.empty() || joins_.has_products(OperatorProducts::many);
  }
  // In the same order, applicable operators of which some are left out that have the same action as
  // one that comes earlier, and arguments of the same kinds. Returns how many are left out.
  std::int64_t applicable_kinds(const Word *state, std::span<const int> kinds,
                                std::vector<int> &operators) const;

  // Writes the successor; `from` and `to` must not overlap.
  void apply(int op, const Word *from, Word *to) const;

  // Gives derived variables the values that follow from the others.
  void derive(Word *state) const;

  // How many parts of the tree, effects with conditions and axioms have been looked at so far: a
  // measure of what successors cost in this task, some nanoseconds each.
  std::int64_t looked_at() const { return looked_at_ + joins_.looked_at(); }

private:
  // Node: count of operators, the operators, count of parts, position of each part.
  // Part: a switch or a list. Switch: word, shift, mask, 0, then a node or -1 per value of the
  // variable; or, where most values lead nowhere: word, shift, mask, count, that many values, that
  // many nodes. List: ~count, that many pairs (value of the task, operator).
  void visit(std::size_t node, const Word *state, std::vector<int> &operators) const;
  void visit_products(const Word *state, std::vector<int> &operators) const;
  void sort_from(std::size_t first, std::vector<int> &operators) const;
  // Appends a tree of the operators that are product actions, or of the others; where it begins.
  std::size_t build_tree(bool of_products) const;
  void build(std::size_t first, std::size_t last, std::size_t depth) const;
  void build_switch(std::size_t first, std::size_t last, std::size_t depth) const;
  bool fits_list(std::size_t first, std::size_t last, std::size_t depth) const;
  void sort(std::size_t first, std::size_t last, std::size_t depth) const;
  std::int32_t end_of_tree() const;

  // A value in a packed state.
  struct Place {
    std::uint32_t word;
    Word mask; // of the variable, in place
    Word bits;
  };
  bool holds(int value, const Word *state) const {
    const Place &place = places_[value];
    return (state[place.word] & place.mask) == place.bits;
  }
  static void write(const Place &place, Word *state) {
    state[place.word] = (state[place.word] & ~place.mask) | place.bits;
  }
  int value_of(int variable, const Word *state) const {
    return task_.variables.offsets[variable] + packer_.get(state, variable);
  }
  void merge_writes();
  void apply_others(int op, const Word *from, Word *to) const;
  void update_derived(int op, const Word *from, Word *to) const;

  const GroundTask &task_;
  const StatePacker &packer_;
  std::vector<Place> places_; // per value
  // Plain effects of an operator, those of a word in one; no rows if there are many operators.
  Rows<Place, std::uint32_t> writes_;
  // Operators sorted by condition; empty while no tree is built.
  mutable std::vector<int> order_, sort_space_;
  mutable std::vector<std::int32_t> tree_;
  mutable OperatorProducts products_; // works in arrays of its own
  // Their operators have a tree of their own, which is built when all of them are asked for.
  mutable std::size_t product_root_ = 0;
  mutable StateJoins joins_;         // likewise: for unwritten actions
  mutable AxiomEvaluator axioms_;    // works in arrays of its own
  mutable std::vector<int> changed_; // variables that axioms read
  mutable std::int64_t looked_at_ = 0;
};

} // namespace beeline
