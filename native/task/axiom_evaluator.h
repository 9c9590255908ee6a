// AxiomEvaluator: the values of derived variables, which those of all others decide.
//
// `run` knows nothing. Stratum by stratum, each axiom keeps a counter of the conditions that do not
// hold yet (Dowling and Gallier, "Linear-time algorithms for testing the satisfiability of
// propositional Horn formulae", 1984; Helmert, "The Fast Downward planning system", JAIR 2006,
// section 6.1). At the end of a layer, what was not derived is false, which is what later layers
// may ask for. Cost: one step for each condition that holds.
//
// `update` knows the values of a state that differs in a few variables, and looks only at what
// these bring about (Gupta, Mumick and Subrahmanian, "Maintaining views incrementally", SIGMOD
// 1993). In each layer, whatever some axiom may owe to a lost value becomes false, and so does what
// follows from that; then what has another reason becomes true again, together with what is new.
// Cost: one step for each axiom in which one of these values occurs.

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "task/ground_task.h"

namespace beeline {

class AxiomEvaluator {
public:
  explicit AxiomEvaluator(const GroundTask &task);

  bool empty() const { return layers_.empty(); }

  // Whether derived values can change with this variable, which is not derived.
  bool reads(int variable) const { return reads_[variable] != 0; }

  // `was(variable)` is a value of the state before, `is(variable)` of the new one, where `set` can
  // change it: derived variables come with their values of before. The `changed` variables are
  // others. Returns how many axioms were looked at.
  template <class Was, class Is, class Set>
  std::int64_t update(std::span<const int> changed, const Was &was, const Is &is, const Set &set) {
    std::int64_t looked_at = 0;
    const auto holds = [&](const auto &state, int axiom) {
      ++looked_at;
      const auto conditions = axioms_.conditions[axiom];
      return std::all_of(conditions.begin(), conditions.end(),
                         [&](int value) { return state(variables_.variable_of[value]) == value; });
    };
    const auto tell = [&](std::vector<std::vector<int>> &waiting, int value, int layer, bool own) {
      looked_at += static_cast<std::int64_t>(consumers_[value].size());
      for (int axiom : consumers_[value])
        if (own ? layer_of_[axiom] == layer : layer_of_[axiom] > layer)
          waiting[layer_of_[axiom]].push_back(axiom);
    };
    for (int variable : changed) {
      tell(lost_, was(variable), -1, false);
      tell(gained_, is(variable), -1, false);
    }
    for (int layer = 0; layer < static_cast<int>(layers_.size()); ++layer) {
      std::vector<int> &lost = lost_[layer], &gained = gained_[layer];
      doubted_.clear();
      made_.clear();
      for (std::size_t i = 0; i < lost.size(); ++i) {
        const int value = heads_[lost[i]], variable = variables_.variable_of[value];
        if (is(variable) != value || !holds(was, lost[i]))
          continue;
        set(default_of(variable));
        doubted_.push_back(value);
        tell(lost_, value, layer, true);
      }
      for (int value : doubted_)
        for (int axiom : makers_[value])
          if (holds(is, axiom)) {
            set(value);
            tell(gained_, value, layer, true);
            break;
          }
      for (std::size_t i = 0; i < gained.size(); ++i) {
        const int value = heads_[gained[i]];
        if (is(variables_.variable_of[value]) == value || !holds(is, gained[i]))
          continue;
        set(value);
        made_.push_back(value);
        tell(gained_, value, layer, true);
      }
      for (int value : doubted_)
        if (const int variable = variables_.variable_of[value]; is(variable) != value) {
          tell(lost_, value, layer, false);
          tell(gained_, default_of(variable), layer, false);
        }
      for (int value : made_)
        if (const int variable = variables_.variable_of[value]; was(variable) != value) {
          tell(gained_, value, layer, false);
          tell(lost_, default_of(variable), layer, false);
        }
      lost.clear();
      gained.clear();
    }
    return looked_at;
  }

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
  const Axioms &axioms_;
  std::vector<int> heads_;               // per axiom: the value that it makes true
  std::vector<int> counts_, remaining_;  // per axiom: conditions; those that do not hold yet
  std::vector<int> unconditional_;       // axioms
  Rows<int> consumers_, makers_;         // per value: axioms that need it, that make it true
  std::vector<int> layer_of_;            // per axiom
  std::vector<int> read_;                // variables that are not derived and occur in axioms
  std::vector<char> reads_;              // per variable: whether it is one of those
  std::vector<std::vector<int>> layers_; // derived variables
  std::vector<unsigned> derived_;        // per variable: when it was derived
  std::vector<int> queue_;
  std::vector<std::vector<int>> lost_, gained_; // per layer: axioms with a lost or a new condition
  std::vector<int> doubted_, made_;             // values
  unsigned stamp_ = 0;
};

} // namespace beeline
