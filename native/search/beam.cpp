#include "search/beam.h"

#include <algorithm>

namespace beeline {

namespace {
constexpr std::int64_t least_patience = 100; // layers
} // namespace

BeamSearch::BeamSearch(const SearchConfig &config, StateRegistry &registry,
                       const SuccessorGenerator &successors)
    : SearchBase(config, registry, successors), layer_config_(config),
      width_(static_cast<std::size_t>(std::max(1, config.batch))) {
  reopen_ = true; // there is nothing to reopen, so that nothing is missed
  queues_ = std::make_unique<AlternatingQueues<StateId>>(layer_config_);
}

SearchStatus BeamSearch::begin(StateId initial) {
  first_ = initial;
  layer_.assign(1, initial);
  place_ = 0;
  layers_ = last_better_ = 0;
  dropped_ = false;
  nodes_[initial].status = NodeStatus::closed;
  evaluate(layer_, values_);
  initial_h_ = values_;
  if (is_dead_end(values_.data())) {
    ++counters_.dead_ends;
    return exhausted();
  }
  makes_progress(values_.data());
  if (config_.goal_at_generation && goal_.holds(registry_.packer(), registry_[initial])) {
    goal_state_ = initial;
    return SearchStatus::solved;
  }
  return loop();
}

SearchStatus BeamSearch::loop() {
  while (true) {
    while (place_ < layer_.size()) {
      if (const auto limit = limit_reached(*queues_))
        return *limit;
      const StateId state = layer_[place_++];
      count_expansion(state);
      if (goal_.holds(registry_.packer(), registry_[state])) {
        goal_state_ = state;
        return SearchStatus::solved;
      }
      if (expand(state))
        return SearchStatus::solved;
      if (!likes_batches())
        if (const auto limit = queue_fresh())
          return *limit;
    }
    if (const auto limit = queue_fresh())
      return *limit;
    next_layer();
    if (layer_.empty() && !dropped_)
      return exhausted();
    if (has_failed()) {
      width_ *= 2;
      start_over();
      return begin(first_);
    }
  }
}

bool BeamSearch::expand(StateId parent) {
  applicable_.clear();
  successors_.applicable(registry_[parent], applicable_);
  counters_.generated += static_cast<std::int64_t>(applicable_.size());
  if (!likes_batches())
    for (Evaluator *evaluator : config_.evaluators)
      evaluator->approach(registry_, parent);
  for (int op : applicable_) {
    const Cost g = nodes_[parent].g + task_.operators.costs[op];
    if (g >= config_.bound) {
      cut_by_bound_ = true;
      continue;
    }
    successors_.apply(op, registry_[parent], buffer_.data());
    const auto [state, is_new] = registry_.insert(buffer_.data());
    if (is_new)
      nodes_.add();
    tell_arrival(parent, state);
    Node &node = nodes_[state];
    if (node.status == NodeStatus::open && g < node.g)
      node = {parent, op, g, NodeStatus::open};
    if (node.status != NodeStatus::fresh)
      continue;
    node = {parent, op, g, NodeStatus::open};
    fresh_.push_back(state);
    if (config_.goal_at_generation && goal_.holds(registry_.packer(), registry_[state])) {
      goal_state_ = state;
      return true;
    }
  }
  return false;
}

std::optional<SearchStatus> BeamSearch::queue_fresh() {
  if (fresh_.empty())
    return std::nullopt;
  std::optional<SearchStatus> limit;
  const auto left = static_cast<std::size_t>(config_.limits.evaluations - counters_.evaluated);
  if (fresh_.size() > left) {
    limit = SearchStatus::evaluation_limit;
    fresh_.resize(left);
  }
  const std::size_t evaluated = evaluate(fresh_, values_);
  if (evaluated < fresh_.size())
    limit = SearchStatus::time_limit;
  for (std::size_t i = 0; i < evaluated; ++i) {
    const double *values = values_.data() + i * config_.evaluators.size();
    Node &node = nodes_[fresh_[i]];
    if (is_dead_end(values)) {
      node.status = NodeStatus::dead;
      ++counters_.dead_ends;
      continue;
    }
    queues_->push(static_cast<double>(node.g), values, false, fresh_[i]);
    arrived_.push_back(fresh_[i]);
    if (makes_progress(values))
      last_better_ = layers_;
  }
  fresh_.clear();
  return limit;
}

void BeamSearch::next_layer() {
  ++layers_;
  place_ = 0;
  layer_.clear();
  StateId state = no_state;
  while (layer_.size() < width_ && queues_->pop(state))
    if (nodes_[state].status == NodeStatus::open) { // not from another queue
      nodes_[state].status = NodeStatus::closed;
      layer_.push_back(state);
    }
  for (StateId other : arrived_)
    if (nodes_[other].status == NodeStatus::open) { // may be found again
      nodes_[other].status = NodeStatus::fresh;
      dropped_ = true;
    }
  arrived_.clear();
  ++layer_config_.seed;
  queues_ = std::make_unique<AlternatingQueues<StateId>>(layer_config_);
}

bool BeamSearch::has_failed() const {
  return layer_.empty() || layers_ - last_better_ > std::max(least_patience, last_better_);
}

} // namespace beeline
