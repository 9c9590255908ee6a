// Evaluator: what every search sees of a heuristic.
//
// Searches hand over batches of states: all new successors of an expansion at once. For a
// native heuristic that is a loop, for a neural one it is the point. Values are used as they
// are, without rounding; infinity says that no plan starts in the state.

#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "state/registry.h"

namespace beeline {

constexpr double dead_end = std::numeric_limits<double>::infinity();

class Evaluator {
public:
  virtual ~Evaluator() = default;

  virtual void evaluate(const StateRegistry &registry, std::span<const StateId> states,
                        std::span<double> values) = 0;

  // The task whose states it understands; null if it takes any.
  virtual const GroundTask *task() const { return nullptr; }

  // Whether a batch costs less than its states one by one.
  virtual bool likes_batches() const { return true; }

  // What its values have cost so far, in microseconds of a usual machine: counted, not timed, so
  // that equal searches cost the same. 0 if it does not count.
  virtual double work() const { return 0; }

  // Whether infinity is a proof, and not just an opinion.
  virtual bool proves_dead_ends() const { return false; }

  // Whether all values are integers, which lets a queue be an array of buckets.
  virtual bool integral() const { return false; }

  // Says that the states of the next batches are successors of this state.
  virtual void approach(const StateRegistry &, StateId) {}

  // Says that an operator leads from one state to another; only for evaluators whose values
  // depend on how a state was reached.
  virtual void arrive(const StateRegistry &, StateId /*parent*/, StateId /*state*/) {}
  virtual bool looks_at_paths() const { return false; }

  // Says what the evaluators in front of this one think of the states of the next batch: `width`
  // values for each, in rows that begin `stride` apart; only for evaluators that want to know.
  virtual void follow(std::span<const double> /*earlier*/, std::size_t /*width*/,
                      std::size_t /*stride*/) {}

  // Gives operators that look alike in the state approached last the same number; false if the
  // evaluator cannot tell.
  virtual bool classify(std::span<const int>, std::span<std::uint64_t>) { return false; }

  // What operators look like to `classify` follows from their action and the kinds of their
  // arguments, a number per object; false if it does not, or if the evaluator cannot tell.
  virtual bool kinds(std::vector<int> &) { return false; }

  // Objects that are the same but for their names in the state approached last. `leaders` gets one
  // of each class; the span tells which objects are in classes. It is empty if there are none.
  virtual std::span<const char> folded(std::vector<int> & /*leaders*/) { return {}; }

  // Appends the operators that look promising in the state. Only for evaluators that have any.
  virtual void preferred(const StateRegistry &, StateId, std::vector<int> &) {}
  virtual bool has_preferred() const { return false; }
  // Whether it is proven, by looking for these, that no plan starts in the state asked about last.
  virtual bool met_dead_end() const { return false; }

  // Other evaluators with preferred operators do not name them, but rank those that they are
  // given, which are applicable in the state: the highest ones are preferred.
  virtual void rank(const StateRegistry &, StateId, std::span<const int> /*operators*/,
                    std::span<double> /*ranks*/) {}
  virtual bool ranks_operators() const { return false; }
};

// Appends the operators with the highest rank.
inline void append_highest(std::span<const int> operators, std::span<const double> ranks,
                           std::vector<int> &highest) {
  const double best = ranks.empty() ? 0 : *std::max_element(ranks.begin(), ranks.end());
  for (std::size_t i = 0; i < operators.size(); ++i)
    if (ranks[i] == best)
      highest.push_back(operators[i]);
}

// What a heuristic promises in every task, said once: beside its code.
struct HeuristicProperties {
  const char *name = "";
  const char *summary = "";
  double work = 0;           // of one evaluation, in explorations of the relaxed task
  bool admissible = false;   // never above the cost of a cheapest plan
  bool consistent = false;   // falls by no more than the cost of an operator that is applied
  bool safe = true;          // infinity is a proof that no plan starts in the state
  bool integral = true;      // all values are integers
  bool preferred = false;    // has preferred operators
  bool uses_costs = true;    // looks at the costs of operators
  bool any_costs = false;    // can take them all for 1, or one more than they are
  bool all_operators = true; // looks at all of them, which must be written down
};

// A heuristic that looks at one state at a time. The properties must outlive it.
class StateHeuristic : public Evaluator {
public:
  StateHeuristic(const GroundTask &task, const HeuristicProperties &properties)
      : task_(task), properties_(properties) {}

  virtual double value(const StatePacker &packer, const Word *state) = 0;

  void evaluate(const StateRegistry &registry, std::span<const StateId> states,
                std::span<double> values) override {
    for (std::size_t i = 0; i < states.size(); ++i)
      values[i] = value(registry.packer(), registry[states[i]]);
  }
  const GroundTask *task() const override { return &task_; }
  bool proves_dead_ends() const override { return properties_.safe; }
  bool integral() const override { return properties_.integral; }
  bool has_preferred() const override { return properties_.preferred; }
  bool likes_batches() const override { return false; }

protected:
  const GroundTask &task_;

private:
  const HeuristicProperties &properties_;
};

} // namespace beeline
