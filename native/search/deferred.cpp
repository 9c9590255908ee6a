#include "search/deferred.h"

namespace beeline {

DeferredSearch::DeferredSearch(const SearchConfig &config, StateRegistry &registry,
                               const SuccessorGenerator &successors)
    : SearchBase(config, registry, successors), queues_(config) {}

SearchStatus DeferredSearch::begin(StateId initial) {
  if (const auto end = step(initial))
    return *end;
  return loop();
}

std::optional<SearchStatus> DeferredSearch::step(StateId state) {
  // Re-opened states are evaluated again: their values were not kept.
  evaluate({&state, 1}, values_);
  const bool is_first = initial_h_.empty();
  if (is_first)
    initial_h_ = values_;
  Node &node = nodes_[state];
  if (is_dead_end(values_.data())) {
    node.status = NodeStatus::dead;
    ++counters_.dead_ends;
    if (counters_.expanded == 0)
      return exhausted();
    return std::nullopt;
  }
  node.status = NodeStatus::closed;
  if (makes_progress(values_.data()) && !is_first)
    queues_.reward_progress();
  if (goal_.holds(registry_.packer(), registry_[state])) {
    goal_state_ = state;
    return SearchStatus::solved;
  }
  count_expansion(state);
  queue_successors(state, values_.data());
  return std::nullopt;
}

SearchStatus DeferredSearch::loop() {
  while (true) {
    if (const auto limit = limit_reached(queues_))
      return *limit;
    Entry entry{};
    if (!queues_.pop(entry))
      return exhausted();
    const StateId state = visit(entry);
    if (state == no_state)
      continue;
    if (config_.goal_at_generation && goal_.holds(registry_.packer(), registry_[state])) {
      goal_state_ = state;
      return SearchStatus::solved;
    }
    if (const auto end = step(state))
      return *end;
  }
}

void DeferredSearch::queue_successors(StateId state, const double *values) {
  if (!config_.preferred.empty())
    find_preferred(state);
  applicable_.clear();
  successors_.applicable(registry_[state], applicable_);
  if (ranks_operators())
    rank_applicable(state);
  counters_.generated += static_cast<std::int64_t>(applicable_.size());
  const Cost g = nodes_[state].g;
  for (int op : applicable_) {
    const Cost next = g + task_.operators.costs[op];
    if (next >= config_.bound) {
      cut_by_bound_ = true;
      continue;
    }
    const bool preferred = !config_.preferred.empty() && is_preferred(op);
    queues_.push(static_cast<double>(next), values, preferred, {state, op});
  }
}

StateId DeferredSearch::visit(const Entry &entry) {
  const Cost g = nodes_[entry.parent].g + task_.operators.costs[entry.op];
  if (g >= config_.bound) { // cannot fall below what it was when the entry was made
    cut_by_bound_ = true;
    return no_state;
  }
  successors_.apply(entry.op, registry_[entry.parent], buffer_.data());
  const auto [state, is_new] = registry_.insert(buffer_.data());
  if (is_new)
    nodes_.add();
  tell_arrival(entry.parent, state);
  Node &node = nodes_[state];
  if (node.status != NodeStatus::fresh) {
    if (node.status != NodeStatus::closed || !reopen_ || node.g <= g)
      return no_state;
    ++counters_.reopened;
  }
  node = {entry.parent, entry.op, g, NodeStatus::open};
  return state;
}

} // namespace beeline
