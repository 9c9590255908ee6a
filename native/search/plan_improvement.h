// PlanImprover: makes a plan cheaper for as long as it may.
//
// First its useless steps go (ActionElimination). Then three methods take turns; of the work
//   - four parts replace windows of the plan by cheaper ways to what the rest of the plan needs
//     (WindowSearch), among the objects of the window alone, so that windows can be long,
//   - one part does the same with all operators, in shorter windows,
//   - one part looks for the cheapest way through the neighbourhood of the plan (Neighbourhood).
// Windows slide over the plan in several orders of its steps (PlanOrder). Their width grows when
// most of them were searched to the end, otherwise the work for each of them; what has been
// searched once is remembered. All of it is counted in generated states: equal calls give equal
// plans, in one turn or in several.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "search/action_elimination.h"
#include "search/neighbourhood.h"
#include "search/plan_order.h"
#include "search/window_search.h"
#include "search/work_budget.h"

namespace beeline {

class PlanImprover {
public:
  // Throws std::invalid_argument if it is no plan.
  PlanImprover(const PlanWorld &world, std::vector<int> plan);

  // Takes out useless steps. True if there were any.
  bool eliminate();

  // Works on until about that many states have been generated, nothing is left to try, or the
  // plan is better, if that is to be told at once.
  void advance(std::int64_t generated, double seconds, std::size_t bytes,
               std::function<bool(const SearchProgress &)> watch, bool until_better);

  // A plan from elsewhere; taken if it is cheaper. Throws like the constructor.
  bool offer(std::vector<int> plan);

  const std::vector<int> &plan() const { return trace_.plan(); }
  Cost cost() const { return world_.cost(trace_.plan()); }
  std::int64_t generated() const { return budget_.spent(); }
  WorkBudget::Stop stop() const { return budget_.stop(); }
  // Whether nothing is left to try, and whether that proves the plan optimal.
  bool finished() const { return finished_; }
  bool optimal() const { return optimal_; }

private:
  // Windows sliding over the plan.
  struct Sliding {
    bool confined;      // to the objects of the window
    std::size_t width;  // in steps
    std::int64_t limit; // generated states per window
    std::size_t place = 0;
    std::size_t passes = 0;                // over the whole plan
    std::size_t fruitless = 0;             // passes in a row
    bool improved = false;                 // in this pass
    std::int64_t tried = 0, completed = 0; // since the width or the limit has changed
    bool exhausted = false;
  };

  enum Method : std::size_t { near_windows, wide_windows, neighbours, methods };

  std::optional<Method> next_method() const;
  void step(Method method);
  void slide(Sliding &sliding);
  void try_window(Sliding &sliding, std::size_t first, std::size_t last);
  void end_pass(Sliding &sliding);
  void arrange(std::size_t pass);
  void look_around();
  void take(std::vector<int> plan);
  std::uint64_t fingerprint(std::size_t first, std::size_t last, bool confined) const;

  const PlanWorld &world_;
  std::size_t objects_ = 0; // that operators mention
  PlanTrace trace_;
  ActionElimination elimination_;
  std::unique_ptr<WindowSearch> window_search_; // made when they are needed
  std::unique_ptr<Neighbourhood> neighbourhood_;
  WorkBudget budget_;
  Sliding near_{true, 12, 2000}, wide_{false, 6, 2000};
  std::int64_t neighbours_ = 20000; // generated states per neighbourhood
  bool all_neighbours_ = false;
  std::array<std::int64_t, methods> spent_{};
  std::unordered_map<std::uint64_t, std::int64_t> searched_; // windows, and how far
  bool finished_ = false, optimal_ = false;
};

} // namespace beeline
