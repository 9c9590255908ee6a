#include "search/eager.h"

#include <utility>

#include "base/hashing.h"

namespace beeline {

EagerSearch::EagerSearch(const SearchConfig &config, StateRegistry &registry,
                         const SuccessorGenerator &successors)
    : SearchBase(config, registry, successors), queues_(config),
      remembers_(config.reopen || config.requeue),
      remembered_(std::max<std::size_t>(1, config.evaluators.size())) {}

SearchStatus EagerSearch::begin(StateId initial) {
  if (remembers_)
    for (StateId state = 0; state < registry_.size(); ++state)
      remembered_.append();
  nodes_[initial].status = NodeStatus::open;
  evaluate({&initial, 1}, values_);
  initial_h_ = values_;
  if (remembers_)
    std::copy(values_.begin(), values_.end(), remembered_[initial]);
  if (is_dead_end(values_.data())) {
    ++counters_.dead_ends;
    return SearchStatus::unsolvable;
  }
  makes_progress(values_.data());
  // The initial state counts as reached by a preferred operator.
  queues_.push(0, values_.data(), true, initial);
  if (config_.goal_at_generation && goal_.holds(registry_.packer(), registry_[initial])) {
    goal_state_ = initial;
    return SearchStatus::solved;
  }
  return loop();
}

StateId EagerSearch::next() {
  const StateId followed = std::exchange(best_child_, no_state);
  if (followed != no_state && counters_.expanded - last_progress_ <= config_.rollout &&
      nodes_[followed].status == NodeStatus::open)
    return followed;
  StateId state = no_state;
  while (queues_.pop(state))
    if (nodes_[state].status != NodeStatus::closed)
      return state;
  return no_state;
}

SearchStatus EagerSearch::loop() {
  while (true) {
    arrivals_.clear();
    fresh_.clear();
    int expanded = 0;
    while (expanded < config_.batch) {
      if (const auto limit = limit_reached(queues_)) {
        if (*limit == SearchStatus::paused && expanded > 0)
          break;
        return *limit;
      }
      const StateId state = next();
      if (state == no_state)
        break;
      nodes_[state].status = NodeStatus::closed;
      ++counters_.expanded;
      ++expanded;
      if (goal_.holds(registry_.packer(), registry_[state])) {
        goal_state_ = state;
        return SearchStatus::solved;
      }
      if (config_.batch == 1)
        for (Evaluator *evaluator : config_.evaluators)
          evaluator->approach(registry_, state);
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
  seen_signatures_.clear();
  double best_child_value = dead_end;
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
    if (arrival.place >= 0 && config_.put_off_lookalikes && looks_like_sibling(arrival)) {
      queues_.put_off(node.g, values, arrival.state);
      continue;
    }
    queues_.push(node.g, values, arrival.preferred, arrival.state);
    if (arrival.place >= 0 && makes_progress(values))
      queues_.reward_progress();
    if (config_.rollout > 0 && values[0] < best_child_value) {
      best_child_value = values[0];
      best_child_ = arrival.state;
    }
  }
  return limit;
}

bool EagerSearch::looks_like_sibling(const Arrival &arrival) {
  const auto signatures = config_.evaluators.front()->signatures();
  if (static_cast<std::size_t>(arrival.place) >= signatures.size())
    return false;
  const int action = task_.operators.actions[nodes_[arrival.state].op];
  const std::uint64_t signature =
      signatures[arrival.place] + mix(static_cast<std::uint64_t>(action));
  return !seen_signatures_.insert(signature).second;
}

} // namespace beeline
