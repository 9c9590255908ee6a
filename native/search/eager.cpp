#include "search/eager.h"

#include <new>

namespace beeline {

EagerSearch::EagerSearch(const SearchConfig &config, StateRegistry &registry,
                         const SuccessorGenerator &successors)
    : SearchBase(config, registry, successors), queues_(config),
      remembers_(config.reopen || config.requeue),
      remembered_(std::max<std::size_t>(1, config.evaluators.size())) {}

SearchResult EagerSearch::run(StateId initial) {
  SearchStatus status = SearchStatus::memory_limit;
  try {
    // The registry may hold states of earlier searches; nodes run in step with it.
    for (StateId state = 0; state < registry_.size(); ++state) {
      nodes_.add(no_state, -1, 0);
      if (remembers_)
        remembered_.append();
    }
    nodes_[initial].status = NodeStatus::open;
    evaluate({&initial, 1}, values_);
    initial_h_ = values_;
    if (remembers_)
      std::copy(values_.begin(), values_.end(), remembered_[initial]);
    if (is_dead_end(values_.data())) {
      ++counters_.dead_ends;
      status = SearchStatus::unsolvable;
    } else {
      makes_progress(values_.data());
      // The initial state counts as reached by a preferred operator.
      queues_.push(0, values_.data(), true, initial);
      if (config_.goal_at_generation && goal_.holds(registry_.packer(), registry_[initial])) {
        goal_state_ = initial;
        status = SearchStatus::solved;
      } else {
        status = loop();
      }
    }
  } catch (const std::bad_alloc &) {
    status = SearchStatus::memory_limit;
  }
  return finish(status, goal_state_);
}

SearchStatus EagerSearch::loop() {
  while (true) {
    arrivals_.clear();
    fresh_.clear();
    int expanded = 0;
    while (expanded < config_.batch) {
      if (const auto limit = limit_reached(queues_))
        return *limit;
      StateId state = no_state;
      if (!queues_.pop(state))
        break;
      Node &node = nodes_[state];
      if (node.status == NodeStatus::closed)
        continue;
      node.status = NodeStatus::closed;
      ++counters_.expanded;
      ++expanded;
      if (goal_.holds(registry_.packer(), registry_[state])) {
        goal_state_ = state;
        return SearchStatus::solved;
      }
      if (expand(state))
        return SearchStatus::solved;
    }
    if (expanded == 0)
      return pruned_by_bound_ ? SearchStatus::incomplete : SearchStatus::unsolvable;
    if (const auto limit = queue_arrivals())
      return *limit;
  }
}

bool EagerSearch::expand(StateId state) {
  if (!config_.preferred.empty())
    find_preferred(state);
  applicable_.clear();
  successors_.applicable(registry_[state], applicable_);
  counters_.generated += static_cast<std::int64_t>(applicable_.size());
  for (int op : applicable_) {
    arrive(state, op, !config_.preferred.empty() && is_preferred(op));
    if (goal_state_ != no_state)
      return true;
  }
  return false;
}

void EagerSearch::arrive(StateId parent, int op, bool preferred) {
  const std::int64_t g = std::int64_t{nodes_[parent].g} + task_.operators.costs[op];
  if (g >= config_.bound) {
    pruned_by_bound_ = true;
    return;
  }
  successors_.apply(op, registry_[parent], buffer_.data());
  const auto [state, is_new] = registry_.insert(buffer_.data());
  if (is_new) {
    nodes_.add(parent, op, static_cast<int>(g));
    if (remembers_)
      remembered_.append();
    if (config_.goal_at_generation && goal_.holds(registry_.packer(), registry_[state])) {
      goal_state_ = state;
      return;
    }
  }
  Node &node = nodes_[state];
  if (node.status == NodeStatus::fresh && (is_new || node.parent == no_state)) {
    // New, or left in the registry by an earlier search.
    node = {parent, op, static_cast<int>(g), NodeStatus::open};
    arrivals_.push_back({state, static_cast<int>(fresh_.size()), preferred});
    fresh_.push_back(state);
    return;
  }
  if (node.status == NodeStatus::dead || node.g <= g || config_.keep_first_parent)
    return;
  node.parent = parent;
  node.op = op;
  node.g = static_cast<int>(g);
  if (node.status == NodeStatus::closed) {
    if (!config_.reopen)
      return;
    ++counters_.reopened;
    node.status = NodeStatus::open;
  } else if (!config_.reopen && !config_.requeue) {
    return;
  }
  arrivals_.push_back({state, -1, preferred});
}

std::optional<SearchStatus> EagerSearch::queue_arrivals() {
  const std::size_t evaluators = config_.evaluators.size();
  const std::int64_t left = config_.limits.evaluations - counters_.evaluated;
  std::optional<SearchStatus> limit;
  if (static_cast<std::int64_t>(fresh_.size()) > left) {
    limit = SearchStatus::evaluation_limit;
    fresh_.resize(static_cast<std::size_t>(left));
  }
  if (!fresh_.empty()) {
    const std::size_t evaluated = evaluate(fresh_, values_);
    if (evaluated < fresh_.size()) {
      limit = SearchStatus::time_limit;
      fresh_.resize(evaluated);
    }
  }
  for (const Arrival &arrival : arrivals_) {
    Node &node = nodes_[arrival.state];
    const double *values = nullptr;
    if (arrival.place >= 0) {
      if (arrival.place >= static_cast<int>(fresh_.size()))
        return limit;
      values = values_.data() + static_cast<std::size_t>(arrival.place) * evaluators;
      if (remembers_)
        std::copy(values, values + evaluators, remembered_[arrival.state]);
      if (is_dead_end(values)) {
        node.status = NodeStatus::dead;
        ++counters_.dead_ends;
        continue;
      }
    } else {
      if (node.status == NodeStatus::dead) // found out in this very batch
        continue;
      values = remembered_[arrival.state];
    }
    if (config_.bound_with_h && node.g + values[0] >= static_cast<double>(config_.bound)) {
      pruned_by_bound_ = true;
      continue;
    }
    queues_.push(node.g, values, arrival.preferred, arrival.state);
    if (arrival.place >= 0 && makes_progress(values))
      queues_.reward_progress();
  }
  return limit;
}

} // namespace beeline
