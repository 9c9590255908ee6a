// RepairedCosts: h_add costs of all propositions, carried over from one state to the next.
//
// Two states that are evaluated one after the other mostly differ by an operator or two, and so
// do their costs. Costs that rest on a value that no longer holds are taken back, along the best
// supporters; then a Dijkstra-like exploration starts from what is left and from the values that
// are new. Where operators touch everything, as when one hand does all the work, this is no gain;
// `work` tells.
//
// The result does not depend on the states before: costs are unique, and of equally good
// supporters the first one counts. That needs costs of at least 1.
//
// Source of the idea: Liu, Koenig and Furcy, "Speeding up the calculation of heuristics for
// heuristic search-based planning", AAAI 2002.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "heuristics/cost_queue.h"
#include "heuristics/relaxed_task.h"
#include "state/packing.h"

namespace beeline {

class RepairedCosts {
public:
  static constexpr int no_supporter = -1;
  static constexpr std::int32_t unreached = -1;

  // Whether costs of at least 1 and few conditions make sums and supporters well-defined.
  static bool can_handle(const RelaxedTask &relaxed);

  // `achievers`: see `achievers_in`. All arguments must outlive it.
  RepairedCosts(const GroundTask &task, const RelaxedTask &relaxed, const Rows<int> &achievers);

  // Per proposition: relaxed operators that have it as an effect, ascending.
  static Rows<int> achievers_in(const RelaxedTask &relaxed);

  // How many variables have another value than in the last state.
  int distance(const StatePacker &packer, const Word *state) const;

  // Costs in this state; false if they do not fit into narrow numbers, and then for good.
  bool explore(const StatePacker &packer, const Word *state);

  std::int32_t cost(int proposition) const { return reached_[proposition].cost; }
  // `no_supporter` for what holds in the state itself.
  int supporter(int proposition) const { return reached_[proposition].supporter; }
  // Conditions and achievers looked at in all explorations.
  std::int64_t work() const { return work_; }

private:
  static constexpr std::int32_t ceiling = 1 << 24;
  static constexpr std::size_t max_conditions = 64; // their sum stays below 2^31

  struct Reached {
    std::int32_t cost;
    std::int32_t told; // the cost that the operators know of
    int supporter;
  };
  // Per relaxed operator. In large tasks each look at one is a miss of the cache, so whatever is
  // needed comes along: most operators have no more than two effects.
  struct alignas(16) Sum {
    std::int32_t value;   // its cost and those of the conditions that are reached
    std::int16_t missing; // conditions that are not
    std::int16_t few;     // effects that stand here; 0 if there are more
    std::array<int, 2> effects;
  };

  std::span<const int> effects(int op, const Sum &sum) const {
    if (sum.few > 0)
      return {sum.effects.data(), static_cast<std::size_t>(sum.few)};
    return relaxed_.effects[op];
  }
  // Calls use(operator, sum) for all that need the proposition.
  template <class Use>
  void for_each_consumer(int proposition, const Use &use);
  void take_back(int proposition);
  void find_supporter(int proposition);
  void hold(int proposition);
  void offer(int op, const Sum &sum);
  bool spread();

  const GroundTask &task_;
  const RelaxedTask &relaxed_;
  const Rows<int> &achievers_;
  std::vector<int> state_; // the value of each variable; empty before the first exploration
  std::vector<Reached> reached_;
  std::vector<Sum> sums_;
  std::vector<int> lost_; // propositions whose costs were taken back
  CostQueue<std::int32_t> queue_;
  std::int64_t work_ = 0;
};

} // namespace beeline
