// Plan neighbourhood graph search: the cheapest way through the states around a plan.
//
// The states of the plan and what lies within a few steps of them, nearest first, until a number of
// successors has been generated; then a cheapest path by Dijkstra's algorithm (Nakhost and Müller,
// "Action elimination and plan neighborhood graph search: two algorithms for plan improvement",
// ICAPS 2010). Where the plan may be joined again, more is allowed than there: not only its own
// states, but every state that fulfils what the rest of the plan needs.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "search/plan_trace.h"
#include "search/work_budget.h"
#include "state/registry.h"

namespace beeline {

class Neighbourhood {
public:
  explicit Neighbourhood(const PlanWorld &world);

  // A cheaper plan through the neighbourhood, if there is one.
  std::optional<std::vector<int>> cheaper(const PlanTrace &trace, std::int64_t limit,
                                          WorkBudget &budget);
  // Whether the last call saw all reachable states.
  bool complete() const { return complete_; }

private:
  struct Arc {
    int op;
    StateId to;
  };

  void grow(const PlanTrace &trace, std::int64_t limit, WorkBudget &budget);

  const PlanWorld &world_;
  StateRegistry registry_;
  std::vector<Arc> arcs_;
  std::vector<std::size_t> starts_; // per expanded state, and the end
  std::vector<Word> buffer_;
  std::vector<int> applicable_;
  bool complete_ = false;
};

} // namespace beeline
