// ColourScore: a linear function of colour counts as a heuristic.
//
// score = (sum over nodes and rounds of the colour's weight + extra weight * other heuristic)
// / 2^shift, with integer weights. Values only rank states: they may be negative. The optional
// other heuristic (h_FF in practice) is evaluated in the same batch; where it proves a dead end,
// so does the score.
//
// With weights of operators, it also ranks what can be done in a state, by the colours that the
// arguments and atoms of operators have there: nothing is refined for them, and no successor is
// made.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "features/full_colouring.h"
#include "features/incremental_colouring.h"
#include "features/operator_nodes.h"
#include "features/operator_weights.h"
#include "state/evaluator.h"

namespace beeline {

struct ColourScoreOptions {
  int shift = 0;
  std::int64_t extra_weight = 0; // 0: the other heuristic is not evaluated
  bool incremental = true;
  int new_colours = 1 << 18;             // beyond those of the table, to tell objects apart
  int fold_from = ObjectFolding::fewest; // objects; 0: always
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
  std::span<const char> folded(std::vector<int> &leaders) override;

  // From now on it ranks operators: by the sum of these weights / 2^shift, in steps of `margin`
  // below the highest, if that is above 0.
  void rank_operators(const std::vector<OperatorSlot> &slots, OperatorWeights weights, int shift,
                      double margin);
  bool ranks_operators() const override { return ranking_ != nullptr; }
  // Those that it ranks highest, or those of the other heuristic.
  bool has_preferred() const override {
    return ranks_operators() || (extra_ != nullptr && extra_->has_preferred());
  }
  void preferred(const StateRegistry &registry, StateId state,
                 std::vector<int> &operators) override {
    if (extra_ != nullptr)
      extra_->preferred(registry, state, operators);
  }
  void rank(const StateRegistry &registry, StateId state, std::span<const int> operators,
            std::span<double> ranks) override;

private:
  struct OperatorRanking {
    OperatorNodes nodes;
    OperatorWeights weights;
    int shift;
    double margin;
    // What the objects of slots weigh in the state that is looked at: by slot, then by object. Many
    // operators share them.
    struct Known {
      std::uint64_t look = 0;
      std::int64_t weight = 0;
    };
    std::vector<Known> known;
    std::uint64_t looks = 0;
  };

  // The weight of a slot: `state.colours_of(node)` are the colours of a node in all rounds, the
  // first `absent` if it is none, and `state.around(object, round)` the atoms around an object.
  template <class State>
  std::int64_t slot_weight(const State &state, const OperatorWeights &weights, int slot, int node,
                           bool is_around);
  template <class State>
  void rank_in(const State &state, OperatorRanking &ranking, std::span<const int> operators,
               std::span<double> ranks);
  std::int64_t full_score(const StatePacker &packer, const Word *state);
  double extra_term(const StateRegistry &registry, StateId state);

  const ColourGraph &graph_;
  ColourTable table_;
  std::vector<std::int64_t> weights_;
  Evaluator *extra_;
  ColourScoreOptions options_;
  FullColouring full_;
  std::unique_ptr<IncrementalColouring> incremental_;
  std::unique_ptr<OperatorRanking> ranking_; // null: operators are not ranked
  std::int64_t evaluated_ = 0, classified_ = 0, looked_up_ = 0;
  bool approached_ = false; // at least once: states are looked at from there
};

} // namespace beeline
