// PlanTrace: a plan with its states, and with what the rest of it needs in each of them.
//
// The need before step j is the goal regressed through the steps from j on: a partial state from
// which these steps lead to the goal, whatever the other variables say. So any way from state i to
// the need before j can stand for the steps from i to j. A step whose effect on a variable depends
// on its value before, or on those of others, asks for the values that they have in the plan.
// For a derived variable that is needed after a step, it asks for all that decide such variables.
// States and needs are packed: testing a need is a masked comparison of words.

#pragma once

#include <span>
#include <vector>

#include "state/packing.h"
#include "state/successors.h"

namespace beeline {

// A partial state, packed: the bits of `mask` must be those of `bits`. Refers to a trace.
struct Need {
  const Word *mask;
  const Word *bits;
  int words;

  bool holds(const Word *state) const { return first_missing(state) == words; }
  bool is_missing(const Word *state, int word) const {
    return ((state[word] ^ bits[word]) & mask[word]) != 0;
  }
  // The first word that is not as it must be, or the number of words.
  int first_missing(const Word *state) const {
    int word = 0;
    while (word < words && !is_missing(state, word))
      ++word;
    return word;
  }
};

// What operators count, those that are written down later included.
class OperatorPrices {
public:
  explicit OperatorPrices(const OperatorCosts &costs) : costs_(costs) {}
  Cost operator[](std::size_t op) const { return costs_[op] * scale_ + more_; }
  void scale_and_add(Cost scale, Cost more) {
    scale_ = scale;
    more_ = more;
  }

private:
  const OperatorCosts &costs_;
  Cost scale_ = 1, more_ = 0;
};

// What all improvements of plans of a task work with. Plans are compared by price: cost first, and
// where steps may be free, number of steps second.
struct PlanWorld {
  PlanWorld(const GroundTask &task, const StatePacker &packer, const SuccessorGenerator &successors,
            std::size_t longest_plan);

  const GroundTask &task;
  const StatePacker &packer;
  const SuccessorGenerator &successors;
  OperatorPrices prices;
  // Variables that are not derived and decide those that are; none without axioms.
  std::vector<int> deciding;

  Cost price(std::span<const int> plan) const;
  Cost cost(std::span<const int> plan) const;
};

class PlanTrace {
public:
  explicit PlanTrace(const PlanWorld &world) : world_(world) {}

  // Replays a plan from the initial state; false, and the trace is useless, if it is none.
  bool replay(std::vector<int> plan);

  const std::vector<int> &plan() const { return plan_; }
  std::size_t steps() const { return plan_.size(); }
  // The state before a step, or after the last one.
  const Word *state(std::size_t step) const { return states_.data() + step * words(); }
  Need need(std::size_t step) const {
    return {masks_.data() + step * words(), bits_.data() + step * words(),
            static_cast<int>(words())};
  }
  // Of the steps from `first` up to but not `last`.
  Cost price(std::size_t first, std::size_t last) const { return before_[last] - before_[first]; }
  Cost price() const { return before_.back(); }

private:
  std::size_t words() const { return static_cast<std::size_t>(world_.packer.words()); }
  void regress(std::size_t step);
  void need_deciding(std::size_t step);
  void require(std::size_t step, int variable, int local);

  const PlanWorld &world_;
  std::vector<int> plan_;
  std::vector<Word> states_, masks_, bits_; // a row per step, and one for the end
  std::vector<Cost> before_;                // price of the steps before
};

} // namespace beeline
