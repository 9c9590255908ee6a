// Novelty: how much of a state is new among states that other evaluators take for equally good.
//
// 1 if some value was in no state before for which the evaluators in front of this one had the same
// values, 2 if that holds for some pair of values, 3 otherwise. A queue ordered by novelty leads
// out of plateaus: states that show something new come first. Width 1 leaves pairs out. Width 0 is
// about the evaluators alone: 1 for the first state with their values, 3 for all others, which are
// likely to be the same but for names.
//
// What was seen is a bit in a table of fixed size, at the place of a hash: where two things share
// a bit, one passes for known. Only pairs with a value that the last operator has changed are
// looked at: the others were in its parent.
//
// Source: Lipovetzky and Geffner, "Best-first width search", AAAI 2017.

#pragma once

#include <vector>

#include "state/evaluator.h"

namespace beeline {

class Novelty : public Evaluator {
public:
  Novelty(const GroundTask &task, int width);

  void evaluate(const StateRegistry &registry, std::span<const StateId> states,
                std::span<double> values) override;
  void follow(std::span<const double> earlier, std::size_t width, std::size_t stride) override;
  void arrive(const StateRegistry &registry, StateId parent, StateId state) override;
  bool looks_at_paths() const override { return true; }
  const GroundTask *task() const override { return &task_; }
  bool integral() const override { return true; }
  bool likes_batches() const override { return false; }
  double work() const override {
    constexpr double look = 0.003; // microseconds
    return static_cast<double>(looks_) * look;
  }

private:
  // Whether this is seen for the first time; then it is no longer.
  bool is_new(std::uint64_t thing);
  int value(const StateRegistry &registry, StateId state, std::uint64_t height);

  const GroundTask &task_;
  int width_;
  std::vector<std::uint64_t> seen_;    // bits
  std::vector<std::uint64_t> heights_; // of the states that come next: what was said of them
  std::vector<int> now_, before_;      // per variable
  std::vector<int> changed_;           // variables
  StateId parent_ = no_state;
  std::int64_t looks_ = 0;
};

} // namespace beeline
