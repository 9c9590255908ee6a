// AxiomEvaluator: the values of derived variables, which those of all others decide.
//
// Stratum by stratum, each axiom keeps a counter of the conditions that do not hold yet (Dowling
// and Gallier, "Linear-time algorithms for testing the satisfiability of propositional Horn
// formulae", 1984; Helmert, "The Fast Downward planning system", JAIR 2006, section 6.1). At the
// end of a layer, what was not derived is false, which is what later layers may ask for. Cost: one
// step for each condition that holds.

#pragma once

#include <algorithm>
#include <vector>

#include "task/ground_task.h"

namespace beeline {

class AxiomEvaluator {
public:
  explicit AxiomEvaluator(const GroundTask &task);

  bool empty() const { return layers_.empty(); }

  // Whether derived values can change with this variable, which is not derived.
  bool reads(int variable) const { return reads_[variable] != 0; }

  // `get(variable)` is the value of a variable that is not derived; `set(value)` is called for
  // each derived variable with its default, and again if it is true.
  template <class Get, class Set>
  void run(const Get &get, const Set &set) {
    if (++stamp_ == 0) { // after four billion states
      std::fill(derived_.begin(), derived_.end(), 0);
      stamp_ = 1;
    }
    remaining_ = counts_;
    queue_.clear();
    for (const std::vector<int> &layer : layers_)
      for (int variable : layer)
        set(default_of(variable));
    for (int axiom : unconditional_)
      fire(axiom, set);
    for (int variable : read_)
      announce(get(variable), set);
    for (const std::vector<int> &layer : layers_) {
      for (std::size_t i = 0; i < queue_.size(); ++i)
        announce(queue_[i], set);
      queue_.clear();
      for (int variable : layer)
        if (derived_[variable] != stamp_)
          announce(default_of(variable), set);
    }
  }

private:
  int default_of(int variable) const { return variables_.offsets[variable + 1] - 1; }

  template <class Set>
  void announce(int value, const Set &set) {
    for (int axiom : consumers_[value])
      if (--remaining_[axiom] == 0)
        fire(axiom, set);
  }

  template <class Set>
  void fire(int axiom, const Set &set) {
    const int value = heads_[axiom];
    unsigned &known = derived_[variables_.variable_of[value]];
    if (known == stamp_)
      return;
    known = stamp_;
    set(value);
    queue_.push_back(value);
  }

  const Variables &variables_;
  std::vector<int> heads_;               // per axiom: the value that it makes true
  std::vector<int> counts_, remaining_;  // per axiom: conditions; those that do not hold yet
  std::vector<int> unconditional_;       // axioms
  Rows<int> consumers_;                  // per value: axioms that need it
  std::vector<int> read_;                // variables that are not derived and occur in axioms
  std::vector<char> reads_;              // per variable: whether it is one of those
  std::vector<std::vector<int>> layers_; // derived variables
  std::vector<unsigned> derived_;        // per variable: when it was derived
  std::vector<int> queue_;
  unsigned stamp_ = 0;
};

} // namespace beeline
