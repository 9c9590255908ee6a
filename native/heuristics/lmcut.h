// LM-cut: an admissible heuristic from disjunctive action landmarks.
//
// Source: Helmert and Domshlak, "Landmarks, critical paths and abstractions: what's the
// difference anyway?", ICAPS 2009. While h_max of the goal is positive: find the operators that
// lead into the zone from which the goal is free (the cut), charge the cheapest of them once,
// and reduce the costs of all. h_max values only fall, so each round repairs them from the cut
// onwards instead of starting afresh. Everything is indices into flat arrays.

#pragma once

#include <vector>

#include "heuristics/cost_queue.h"
#include "heuristics/relaxed_task.h"
#include "state/evaluator.h"

namespace beeline {

class LMCutHeuristic : public StateHeuristic {
public:
  explicit LMCutHeuristic(const GroundTask &task);

  double value(const StatePacker &packer, const Word *state) override;

private:
  enum class Zone : char { none, goal, before };
  static constexpr int unreached = -1;

  struct Node {       // per operator
    int cost;         // what is left of it
    int unsatisfied;  // conditions without a cost yet
    int supporter;    // condition with the highest h_max cost
    int support_cost; // that cost
  };

  void explore(const StatePacker &packer, const Word *state);
  void repair(const std::vector<int> &cut);
  void mark_goal_zone();
  void find_cut(const StatePacker &packer, const Word *state);
  void choose_supporter(int op);
  template <class Visit>
  void for_each_start(const StatePacker &packer, const Word *state, const Visit &visit) const;

  void reach(int proposition, int cost) {
    if (cost_[proposition] == unreached || cost_[proposition] > cost) {
      cost_[proposition] = cost;
      queue_.push(cost, proposition);
    }
  }

  const GroundTask &task_;
  int start_ = 0; // artificial proposition that always holds
  int goal_ = 0;  // artificial proposition that stands for the whole goal
  Rows<int> conditions_, effects_, consumers_, achievers_;
  std::vector<int> base_costs_;
  std::vector<Node> nodes_;
  std::vector<int> cost_; // h_max, per proposition
  std::vector<Zone> zone_;
  std::vector<int> cut_, open_, marked_;
  CostQueue queue_;
};

} // namespace beeline
