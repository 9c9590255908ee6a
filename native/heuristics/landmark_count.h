// LandmarkCountHeuristic: what the landmarks that are still to be reached cost at least, each
// taken by itself.
//
// Which landmarks those are depends on the path: a landmark is *past* if every known path to the
// state has reached it, and *future* if it has to be reached (once more): it is not past; or it
// does not hold, but is a goal or needed in the step before a landmark that is not past; or a
// landmark that comes reasonably before it is not past. Both are bits per state, which every
// transition that the search tells of updates. A state that no known path leads to is taken for
// the start of one: what holds in it is past, nothing else.
//
// Sources: Richter and Westphal, "The LAMA planner", JAIR 2010; Büchner, Keller, Eriksson and
// Helmert, "Landmarks progression in heuristic search", ICAPS 2023.

#pragma once

#include <memory>
#include <vector>

#include "base/rows.h"
#include "base/segmented.h"
#include "heuristics/landmark_graph.h"
#include "state/evaluator.h"
#include "state/goal_test.h"

namespace beeline {

class LandmarkCountHeuristic : public Evaluator {
public:
  static constexpr HeuristicProperties properties{
      .name = "landmarks",
      .summary = "landmarks that are still to be reached, as in LAMA; depends on the path",
      .work = 0.2,
      .preferred = true,
      .any_costs = true,
  };

  LandmarkCountHeuristic(const GroundTask &task, std::shared_ptr<const LandmarkGraph> graph,
                         CostType cost_type);
  LandmarkCountHeuristic(const LandmarkCountHeuristic &) = delete; // its records cannot be copied
  LandmarkCountHeuristic &operator=(const LandmarkCountHeuristic &) = delete;

  void evaluate(const StateRegistry &registry, std::span<const StateId> states,
                std::span<double> values) override;
  // Operators that reach a future landmark.
  void preferred(const StateRegistry &registry, StateId state,
                 std::vector<int> &operators) override;
  void arrive(const StateRegistry &registry, StateId parent, StateId state) override;
  bool looks_at_paths() const override { return true; }

  const GroundTask *task() const override { return &task_; }
  double work() const override {
    constexpr double look = 0.003; // microseconds
    return static_cast<double>(looks_) * look;
  }
  bool proves_dead_ends() const override { return properties.safe; }
  bool integral() const override { return properties.integral; }
  bool has_preferred() const override { return properties.preferred; }
  bool likes_batches() const override { return false; }

  const std::shared_ptr<const LandmarkGraph> &graph() const { return graph_; }

private:
  using Bits = std::uint64_t;
  // Bits of one word that belong together, so that a look is at many landmarks at once.
  struct Holding { // that hold because of a value
    std::size_t word;
    Bits bits;
  };
  struct Again { // needed again while another one is not past
    std::size_t word;
    Bits greedy;     // unless they hold
    Bits reasonable; // in any case
  };

  static bool test(const Bits *bits, int landmark) {
    return (bits[landmark / 64] >> (landmark % 64) & 1) != 0;
  }
  static void set(Bits *bits, int landmark) { bits[landmark / 64] |= bit(landmark); }
  static Bits bit(int landmark) { return Bits{1} << (landmark % 64); }

  // Per state: past, future, and a word that says whether a path is known.
  Bits *status(const StateRegistry &registry, StateId state);
  void find_holding(const StateRegistry &registry, StateId state);
  void begin(Bits *status);
  void require_again(Bits *past, Bits *future) const;
  double value(const StateRegistry &registry, StateId state);

  const GroundTask &task_;
  std::shared_ptr<const LandmarkGraph> graph_;
  GoalTest goal_;
  std::size_t words_;
  std::vector<Bits> is_goal_, holding_;
  std::vector<int> variables_;              // whose values are landmarks
  Rows<Holding> holding_with_;              // per value of the task
  Rows<Again> again_;                       // per landmark that is not past
  StateId held_ = no_state;                 // the state that `holding_` is about
  std::int64_t looks_at_once_ = 1;          // at values and orders, for a state
  std::vector<double> first_costs_, costs_; // per landmark; infinite without achievers
  std::uint64_t registry_ = 0;              // whose states these are
  std::int64_t looks_ = 0;                  // at values and orders, so far
  SegmentedArray<Bits> statuses_;
};

} // namespace beeline
