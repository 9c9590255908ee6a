// LM-cut: an admissible heuristic from disjunctive action landmarks.
//
// Source: Helmert and Domshlak, "Landmarks, critical paths and abstractions: what's the
// difference anyway?", ICAPS 2009. While h_max of the goal is positive: find the operators that
// lead into the zone from which the goal is free (the cut), charge the cheapest of them once,
// and reduce the costs of all. h_max values only fall, so each round repairs them from the cut
// onwards instead of starting afresh.
//
// Which of several equally dear conditions supports a free operator decides how good the cuts
// are: preferred are conditions that no free operator achieves (the zone ends there) and
// conditions that are in the zone already (it does not grow). Fast Downward breaks these ties in
// the same way.
//
// The trick: the cut is found backwards. Textbook LM-cut explores forwards from the state to see
// which operators lead into the goal zone without passing through it. But all propositions of
// the zone cost at least as much as the goal, so whatever costs less is certainly reached
// without touching the zone, and only entrances with dearer supporters need a search, which
// ends at the first cheaper proposition and remembers what it found out for the round.
//
// An operator with conditional effects has several parts here, one for each set of conditions. They
// share its cost: what a cut charges to one of them is charged to all, since one application of
// the operator may bring about all of them (Röger, Pommerening and Helmert, "Optimal planning in
// the presence of conditional effects", ECAI 2014).
//
// Axioms cost nothing here, so no cut has one; a plan with its axioms is a plan of this task, which
// keeps the heuristic admissible.
//
// Costs are counted in 32 bits where no h_max value can need more, which is nearly always, and
// in 64 bits elsewhere. From `cost_limit` on all values are alike.

#pragma once

#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "heuristics/cost_queue.h"
#include "heuristics/relaxed_task.h"
#include "state/evaluator.h"

namespace beeline {

template <class Number>
class LMCutHeuristic : public StateHeuristic {
public:
  static constexpr HeuristicProperties properties{
      .name = "lmcut",
      .summary = "sum of the costs of landmark cuts",
      .work = 10,
      .admissible = true,
  };

  // h_max values end here, where a cost can still be added; narrow numbers never come there.
  static constexpr Number ceiling = std::numeric_limits<Number>::max() / 2;

  explicit LMCutHeuristic(const GroundTask &task);

  double value(const StatePacker &packer, const Word *state) override;

private:
  static constexpr Number unreached = -1;

  struct Node {          // per operator
    Number cost;         // what is left of it
    Number support_cost; // the highest h_max cost of a condition
    int supporter;       // that condition
    int unsatisfied;     // conditions without a cost yet
  };

  void explore(const StatePacker &packer, const Word *state);
  void repair(const std::vector<int> &cut);
  void mark_goal_zone();
  void visit_zone(int proposition);
  void break_tie(int op);
  bool has_free_achiever(int proposition);
  void find_cut();
  void add_other_parts();
  bool reached_outside_zone(int proposition);
  bool known_outside_zone(int proposition) const {
    return cost_[proposition] < cost_[goal_] || outside_stamp_[proposition] == round_;
  }
  bool enters_zone(int op) const;
  void choose_supporter(int op);
  template <class Visit>
  void for_each_start(const StatePacker &packer, const Word *state, const Visit &visit) const;

  static Number sum(Number left, Number right) {
    const Number result = left + right;
    return sizeof(Number) < sizeof(Cost) ? result : std::min(result, ceiling);
  }

  void reach(int proposition, Number cost) {
    using Unsigned = std::make_unsigned_t<Number>; // -1 becomes the largest
    if (static_cast<Unsigned>(cost_[proposition]) > static_cast<Unsigned>(cost)) {
      cost_[proposition] = cost;
      queue_.push(cost, proposition);
    }
  }

  int start_ = 0; // artificial proposition that always holds
  int goal_ = 0;  // artificial proposition that stands for the whole goal
  Rows<int> conditions_, effects_, consumers_, achievers_;
  std::vector<Node> fresh_, nodes_; // per operator; `fresh_` is the start
  std::vector<Number> cost_;        // h_max, per proposition
  std::vector<char> in_zone_;       // per proposition
  std::vector<int> zone_;           // the propositions of the goal zone
  struct Frame {
    int proposition;
    std::size_t next_achiever;
  };
  std::vector<Frame> frames_;
  std::vector<unsigned> free_stamp_, not_free_stamp_; // has_free_achiever, in this round
  std::vector<int> entrances_, cut_;                  // operators into the zone; those that count
  Rows<int> other_parts_; // per operator: those that share its cost; empty if there are none at all
  std::vector<unsigned> part_stamp_;    // operators in the cut of this round
  std::vector<unsigned> op_stamp_;      // entrances that were seen in this round
  std::vector<unsigned> walk_stamp_;    // propositions visited by the current backward search
  std::vector<int> walk_from_;          // and from where
  std::vector<unsigned> outside_stamp_; // propositions known to be reached outside the zone
  std::vector<unsigned> lost_stamp_;    // propositions known to be reached through it only
  unsigned round_ = 0, walk_ = 0;
  std::vector<int> open_, walked_;
  CostQueue<Number> queue_;
};

std::unique_ptr<Evaluator> make_lmcut(const GroundTask &task);

} // namespace beeline
