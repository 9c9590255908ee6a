#include "search/neighbourhood.h"

#include <algorithm>
#include <queue>

namespace beeline {

Neighbourhood::Neighbourhood(const PlanWorld &world)
    : world_(world), registry_(world.task),
      buffer_(static_cast<std::size_t>(world.packer.words())) {}

// States are numbered in the order in which they are found, so expanding them by number is a
// breadth-first search from all states of the plan at once.
void Neighbourhood::grow(const PlanTrace &trace, std::int64_t limit, WorkBudget &budget) {
  registry_.clear();
  arcs_.clear();
  starts_.assign(1, 0);
  for (std::size_t step = 0; step <= trace.steps(); ++step)
    registry_.insert(trace.state(step));
  std::int64_t generated = 0;
  StateId next = 0;
  for (; next < registry_.size() && generated < limit && budget.goes_on(); ++next) {
    const std::int64_t before = world_.successors.looked_at();
    applicable_.clear();
    world_.successors.applicable(registry_[next], applicable_);
    for (int op : applicable_) {
      world_.successors.apply(op, registry_[next], buffer_.data());
      const StateId successor = registry_.insert(buffer_.data()).first;
      if (successor != next)
        arcs_.push_back({op, successor});
    }
    starts_.push_back(arcs_.size());
    generated += static_cast<std::int64_t>(applicable_.size()) + 1 +
                 (world_.successors.looked_at() - before) / looks_per_state;
  }
  complete_ = next == registry_.size();
  budget.spend(generated);
}

std::optional<std::vector<int>> Neighbourhood::cheaper(const PlanTrace &trace, std::int64_t limit,
                                                       WorkBudget &budget) {
  grow(trace, limit, budget);
  struct Label {
    Cost g = cost_limit;
    StateId parent = no_state;
    int op = -1;
  };
  std::vector<Label> labels(registry_.size());
  using Entry = std::pair<Cost, StateId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  Cost best = trace.price();
  StateId leaving = no_state; // where the new plan joins the old one ...
  std::size_t joining = 0;    // ... and before which step
  labels[0].g = 0;
  open.emplace(0, 0);
  std::int64_t work = 0;
  std::size_t first = 1; // joining before an earlier step cannot pay any more
  while (!open.empty()) {
    const auto [g, state] = open.top();
    open.pop();
    if (g > labels[state].g)
      continue;
    if (g >= best)
      break;
    while (first <= trace.steps() && g + trace.price(first, trace.steps()) >= best)
      ++first;
    ++work;
    for (std::size_t step = trace.steps(); step >= first; --step)
      if (trace.need(step).holds(registry_[state])) {
        best = g + trace.price(step, trace.steps());
        leaving = state;
        joining = step;
        break;
      }
    work += static_cast<std::int64_t>((trace.steps() + 1 - first) / 16);
    if (state + 1 >= starts_.size())
      continue;
    for (std::size_t arc = starts_[state]; arc < starts_[state + 1]; ++arc) {
      const Cost sum = g + world_.prices[arcs_[arc].op];
      Label &label = labels[arcs_[arc].to];
      if (sum < label.g) {
        label = {sum, state, arcs_[arc].op};
        open.emplace(sum, arcs_[arc].to);
      }
    }
    if (!budget.goes_on())
      break;
  }
  budget.spend(work);
  if (leaving == no_state)
    return std::nullopt;
  std::vector<int> plan;
  for (StateId state = leaving; labels[state].parent != no_state; state = labels[state].parent)
    plan.push_back(labels[state].op);
  std::reverse(plan.begin(), plan.end());
  plan.insert(plan.end(), trace.plan().begin() + static_cast<std::ptrdiff_t>(joining),
              trace.plan().end());
  return plan;
}

} // namespace beeline
