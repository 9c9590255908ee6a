// WindowSearch: a cheap way from a state to a partial state, below a bound.
//
// Weighted A* with the lower bounds of ValueDistances: successors at or above the bound are never
// kept, and a way that is found lowers the bound. It ends when nothing is left, which proves that
// there is no cheaper way, or after a number of generated successors. With weight 2 it finds more
// in the same time than with weight 1, and a proof takes as long. Operators can be confined to
// those that mention given objects alone: a window of a plan is a small task among few things in a
// task with many.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "search/value_distances.h"
#include "search/work_budget.h"
#include "state/registry.h"

namespace beeline {

struct WindowOutcome {
  std::optional<std::vector<int>> way; // cheaper than the bound
  bool exhausted = false;              // nothing cheaper is left
  std::int64_t generated = 0;
};

class WindowSearch {
public:
  explicit WindowSearch(const PlanWorld &world);

  // Objects that operators may mention; all of them if `confined` is false.
  struct Confinement {
    bool confined = false;
    std::vector<bool> objects;
  };

  WindowOutcome search(const Word *from, const Need &goal, Cost bound, std::int64_t limit,
                       const Confinement &confinement, WorkBudget &budget);

private:
  struct Node {
    StateId parent;
    int op;
    Cost g, h;
  };
  struct Entry {
    Cost f, h;
    std::uint32_t number; // of the push
    StateId state;
    Cost g;
  };

  void aim_at(const Need &goal);
  bool allowed(int op, const Confinement &confinement) const;
  Cost bound_after(int op, const Word *from, const Word *to, Cost h) const;
  void push(StateId state);
  std::vector<int> way_to(StateId state) const;

  const PlanWorld &world_;
  ValueDistances distances_;
  StateRegistry registry_;
  std::vector<Node> nodes_;
  std::vector<Entry> open_;
  std::uint32_t pushes_ = 0;
  std::vector<const Cost *> tables_; // per variable: distances to its goal value, or null
  std::vector<int> aimed_;           // variables with a table
  std::vector<Word> buffer_;
  std::vector<int> applicable_;
};

} // namespace beeline
