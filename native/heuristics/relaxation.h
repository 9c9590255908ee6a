// h_max, h_add and h_FF: estimates from the task without delete effects.
//
// Sources: Bonet and Geffner, "Planning as heuristic search", AIJ 2001 (h_max, h_add); Hoffmann
// and Nebel, "The FF planning system", JAIR 2001, with best supporters from h_add as in Keyder
// and Geffner, ECAI 2008 (h_FF). A Dijkstra-like exploration gives each proposition a cost and a
// best supporter; a strictly cheaper supporter replaces an older one. Order of exploration and
// ties are Fast Downward's. In large tasks, where every cost is at least 1, ties go to the first
// operator instead: then costs can be repaired from one state to the next (repaired_costs.h), which
// is done as long as it takes less work than to explore afresh.
//
// Explorations are bound by memory, so they count in 32 bits. One that needs larger numbers (sums
// of sums grow fast, even where all costs are 1) is repeated in 64 bits, and so are all after
// it. From `cost_limit` on all costs are alike.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "heuristics/cost_queue.h"
#include "heuristics/relaxed_task.h"
#include "heuristics/repaired_costs.h"
#include "state/evaluator.h"
#include "state/goal_test.h"

namespace beeline {

// Costs of all propositions in one state, as numbers of one type.
template <class Number>
class RelaxedExploration {
public:
  static constexpr int no_supporter = -1;
  static constexpr Number unreached = -1;
  // Two costs below the ceiling can be added.
  static constexpr Number ceiling =
      sizeof(Number) == sizeof(Cost) ? static_cast<Number>(cost_limit) : (Number{1} << 30) - 1;

  // `first_supporters`: of equally good supporters the first one counts.
  RelaxedExploration(const GroundTask &task, const RelaxedTask &relaxed, bool first_supporters);

  // Explores from the state until all goals have their final costs; false if the numbers are
  // too narrow for that. `combine(cost, operator cost,
  // condition cost)` is the cost so far with one more condition.
  template <class Combine>
  bool explore(const StatePacker &packer, const Word *state, const Combine &combine) {
    return first_supporters_ ? explore_with<true>(packer, state, combine)
                             : explore_with<false>(packer, state, combine);
  }

  Number cost(int proposition) const { return reached_[proposition].cost; }
  // `no_supporter` for what holds in the state itself.
  int supporter(int proposition) const { return reached_[proposition].supporter; }
  // Conditions looked at, and what resetting them costs, in the last exploration.
  std::int64_t work() const { return work_; }

private:
  struct Reached {
    Number cost;
    int supporter;
  };
  struct Progress {
    Number cost;    // so far
    int conditions; // still to be reached
  };

  // The first effect and the second, or `none`, or `several` that are looked up elsewhere.
  struct Effects {
    int first, second;
  };
  static constexpr int none = -1, several = -2;

  template <bool first_supporters, class Combine>
  bool explore_with(const StatePacker &packer, const Word *state, const Combine &combine);
  // Out of the way of the inner loop, which mostly finds that a cost is no better.
  [[gnu::noinline]] void improve(int proposition, Number cost, int supporter) {
    reached_[proposition] = {cost, supporter};
    queue_.push(cost, proposition);
  }

  const GroundTask &task_;
  const RelaxedTask &relaxed_;
  bool first_supporters_;
  std::int64_t work_ = 0;
  std::vector<char> is_goal_;
  std::vector<Number> costs_;              // per relaxed operator, at most the ceiling
  std::vector<Effects> effects_;           // per relaxed operator
  std::vector<Progress> fresh_, progress_; // per relaxed operator; `fresh_` is the start
  std::vector<Reached> reached_;           // per proposition
  CostQueue<Number> queue_;
};

class RelaxationHeuristic : public StateHeuristic {
public:
  double work() const override {
    constexpr double exploration = 1.0, look = 0.003; // microseconds
    return static_cast<double>(explorations_) * exploration + static_cast<double>(looks_) * look;
  }

protected:
  RelaxationHeuristic(const GroundTask &task, const HeuristicProperties &properties,
                      CostType cost_type);

  // Explores, and combines the costs of the goals by `join(cost so far, cost)`; infinite if one
  // is not reached.
  template <class Combine, class Join>
  double explore(const StatePacker &packer, const Word *state, const Combine &combine,
                 const Join &join);
  // The same for costs that are known.
  template <class Costs, class Join>
  double joined_goals(const Costs &costs, const Join &join) const;
  std::int64_t exploration_work() const { return wide_ ? wide_->work() : narrow_->work(); }
  void count(std::int64_t looks) {
    ++explorations_;
    looks_ += looks;
  }
  // Calls use(exploration) with the last one.
  template <class Use>
  void with_exploration(const Use &use) const {
    if (wide_)
      use(*wide_);
    else
      use(*narrow_);
  }

  RelaxedTask relaxed_;
  bool first_supporters_ = false; // of equally good ones

private:
  std::int64_t explorations_ = 0, looks_ = 0; // so far; at conditions, and to repair costs
  std::unique_ptr<RelaxedExploration<std::int32_t>> narrow_; // until it is not enough
  std::unique_ptr<RelaxedExploration<Cost>> wide_;           // from then on
};

class MaxHeuristic : public RelaxationHeuristic {
public:
  static constexpr HeuristicProperties properties{
      .name = "max",
      .summary = "largest relaxed cost of a goal (h_max)",
      .work = 1,
      .admissible = true,
      .consistent = true,
      .any_costs = true,
  };

  explicit MaxHeuristic(const GroundTask &task, CostType cost_type = CostType::plain)
      : RelaxationHeuristic(task, properties, cost_type) {}

  double value(const StatePacker &packer, const Word *state) override;
};

class AddHeuristic : public RelaxationHeuristic {
public:
  static constexpr HeuristicProperties properties{
      .name = "add",
      .summary = "sum of the relaxed costs of the goals (h_add)",
      .work = 1,
      .any_costs = true,
  };

  explicit AddHeuristic(const GroundTask &task, CostType cost_type = CostType::plain)
      : AddHeuristic(task, properties, cost_type) {}

  double value(const StatePacker &packer, const Word *state) override;

protected:
  AddHeuristic(const GroundTask &task, const HeuristicProperties &properties, CostType cost_type)
      : RelaxationHeuristic(task, properties, cost_type) {}
  // Costs of all propositions in the state; does nothing if it is the last one once more.
  double explore_additively(const StatePacker &packer, const Word *state);
  template <class Use>
  void with_costs(const Use &use) const {
    if (last_repaired_ != nullptr)
      use(*last_repaired_);
    else
      with_exploration(use);
  }

private:
  double explore_afresh(const StatePacker &packer, const Word *state);
  double repair(const StatePacker &packer, const Word *state);

  bool can_repair_ = first_supporters_;
  RepairedCosts &nearest_costs(const StatePacker &packer, const Word *state);

  Rows<int> achievers_;
  // Costs in several states: searches with several queues go back and forth between a few places.
  std::vector<std::unique_ptr<RepairedCosts>> repaired_; // the one used last comes first
  const RepairedCosts *last_repaired_ = nullptr;         // of the last state, or null
  std::int64_t fresh_work_ = 0;                          // of one exploration afresh
  std::int64_t window_work_ = 0;
  int window_ = 0;      // explorations by repair since the work was weighed last
  int fresh_turns_ = 1; // explorations afresh until the next repair
  std::vector<Word> last_state_;
  double last_value_ = 0;
};

// What a relaxed plan says about a state (Gomoluch et al., "Towards learning domain-independent
// planning heuristics", 2017). All but the first are infinite where no relaxed plan exists.
struct RelaxedPlanFeatures {
  double goal_count;
  double ff;
  double ignored_effects;      // delete effects of the relaxed plan's operators, summed
  double mean_ignored_effects; // per operator of the relaxed plan; 0 for an empty plan
};

class FFHeuristic : public AddHeuristic {
public:
  static constexpr HeuristicProperties properties{
      .name = "ff",
      .summary = "cost of a relaxed plan by best supporters of h_add",
      .work = 1,
      .preferred = true,
      .any_costs = true,
  };

  explicit FFHeuristic(const GroundTask &task, CostType cost_type = CostType::plain);

  double value(const StatePacker &packer, const Word *state) override;
  void preferred(const StateRegistry &registry, StateId state,
                 std::vector<int> &operators) override;
  bool met_dead_end() const override { return met_dead_end_; }

  // The operators of the relaxed plan for the state, each once; false if there is none.
  bool relaxed_plan(const StatePacker &packer, const Word *state, std::vector<int> &operators);

  RelaxedPlanFeatures features(const StatePacker &packer, const Word *state);

private:
  // What axioms without conditions support may hold in the state itself, too.
  bool holds_for_free(int proposition) const {
    return !free_holds_.empty() && free_holds_[proposition] != 0;
  }
  void collect(std::vector<int> *preferred) {
    with_costs([&](const auto &exploration) { collect_from(exploration, preferred); });
  }
  template <class Exploration>
  void collect_from(const Exploration &exploration, std::vector<int> *preferred);

  GoalTest goal_;
  std::vector<int> deletes_; // per operator: facts that it makes false
  std::vector<int> plan_;
  Cost plan_cost_ = 0;
  std::vector<int> stack_;
  std::vector<unsigned> proposition_stamp_, operator_stamp_, preferred_stamp_;
  unsigned stamp_ = 0;
  bool met_dead_end_ = false;
  std::vector<char> free_holds_; // per proposition; empty without axioms that are needed
};

} // namespace beeline
