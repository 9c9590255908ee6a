// ColourScore: a linear function of colour counts as a heuristic.
//
// score = (sum over nodes and rounds of the colour's weight + extra weight * other heuristic)
// / 2^shift, with integer weights. Values only rank states: they may be negative. The optional
// other heuristic (h_FF in practice) is evaluated in the same batch; where it proves a dead end,
// so does the score.

#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "features/full_colouring.h"
#include "features/incremental_colouring.h"
#include "state/evaluator.h"

namespace beeline {

struct ColourScoreOptions {
  int shift = 0;
  std::int64_t extra_weight = 0; // 0: the other heuristic is not evaluated
  bool incremental = true;
  // Siblings whose nodes have the same colours share the other heuristic's value.
  bool share_extra = false;
  int new_colours = 1 << 18; // beyond those of the table, to tell states apart
};

class ColourScore : public Evaluator {
public:
  // `extra` may be null; it, the graph and the task must outlive the score.
  ColourScore(const ColourGraph &graph, const ColourTable &table,
              const std::vector<std::int64_t> &weights, Evaluator *extra,
              const ColourScoreOptions &options);

  void evaluate(const StateRegistry &registry, std::span<const StateId> states,
                std::span<double> values) override;
  bool likes_batches() const override { return false; }
  void approach(const StateRegistry &registry, StateId parent) override;
  std::span<const std::uint64_t> signatures() const override { return signatures_; }

private:
  std::int64_t full_score(const StatePacker &packer, const Word *state);
  double extra_term(const StateRegistry &registry, StateId state, std::uint64_t signature);

  const ColourGraph &graph_;
  ColourTable table_;
  std::vector<std::int64_t> weights_;
  Evaluator *extra_;
  ColourScoreOptions options_;
  FullColouring full_;
  std::unique_ptr<IncrementalColouring> incremental_;
  bool approached_ = false;               // at least once: states are looked at from there
  std::vector<std::uint64_t> signatures_; // since the last approach; empty if not incremental
  std::unordered_map<std::uint64_t, double> shared_; // since then, by signature
};

} // namespace beeline
