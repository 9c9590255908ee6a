// ColourScore: a linear function of colour counts as a heuristic.
//
// score = (sum over nodes and rounds of the colour's weight + extra weight * other heuristic)
// / 2^shift, with integer weights. Values only rank states: they may be negative. The optional
// other heuristic (h_FF in practice) is evaluated in the same batch; where it proves a dead end,
// so does the score.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "features/full_colouring.h"
#include "features/incremental_colouring.h"
#include "state/evaluator.h"

namespace beeline {

struct ColourScoreOptions {
  int shift = 0;
  std::int64_t extra_weight = 0; // 0: the other heuristic is not evaluated
  bool incremental = true;
  int new_colours = 1 << 18; // beyond those of the table, to tell objects apart
};

class ColourScore : public Evaluator {
public:
  // `extra` may be null; it, the graph and the task must outlive the score.
  ColourScore(const ColourGraph &graph, const ColourTable &table,
              const std::vector<std::int64_t> &weights, Evaluator *extra,
              const ColourScoreOptions &options);

  void evaluate(const StateRegistry &registry, std::span<const StateId> states,
                std::span<double> values) override;
  const GroundTask *task() const override { return &graph_.task(); }
  bool likes_batches() const override { return false; }
  bool proves_dead_ends() const override { return extra_ != nullptr && extra_->proves_dead_ends(); }
  double work() const override;
  void approach(const StateRegistry &registry, StateId parent) override;
  // Operators look alike if they are of one action and their arguments have the same colours.
  bool classify(std::span<const int> operators, std::span<std::uint64_t> classes) override;
  bool kinds(std::vector<int> &objects) override;

private:
  std::int64_t full_score(const StatePacker &packer, const Word *state);
  double extra_term(const StateRegistry &registry, StateId state);

  const ColourGraph &graph_;
  ColourTable table_;
  std::vector<std::int64_t> weights_;
  Evaluator *extra_;
  ColourScoreOptions options_;
  FullColouring full_;
  std::unique_ptr<IncrementalColouring> incremental_;
  std::int64_t evaluated_ = 0, classified_ = 0;
  bool approached_ = false; // at least once: states are looked at from there
};

} // namespace beeline
