#include "search/eager.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace beeline {

EagerSearch::EagerSearch(const SearchConfig &config, StateRegistry &registry,
                         const SuccessorGenerator &successors)
    : SearchBase(config, registry, successors), queues_(config),
      remembers_(config.reopen || config.requeue),
      remembered_(std::max<std::size_t>(1, config.evaluators.size())),
      waiting_(make_open_list<Choice>(false, config.tie_order, config.seed)) {
  if (!config.symmetry)
    return;
  if (looks_at_paths())
    throw std::invalid_argument("states have no symmetry if evaluators look at paths");
  symmetry_ = std::make_unique<ObjectSymmetry>(task_, registry.packer());
  if (symmetry_->empty())
    symmetry_ = nullptr;
}

void EagerSearch::catch_up() {
  SearchBase::catch_up();
  while (remembers_ && remembered_.size() < registry_.size())
    remembered_.append();
}

void EagerSearch::start_over() {
  remembers_ = true;
  SearchBase::start_over();
}

SearchStatus EagerSearch::begin(StateId initial) {
  nodes_[initial].status = NodeStatus::open;
  evaluate({&initial, 1}, values_);
  initial_h_ = values_;
  if (remembers_)
    std::copy(values_.begin(), values_.end(), remembered_[initial]);
  if (is_dead_end(values_.data())) {
    ++counters_.dead_ends;
    return exhausted();
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

EagerSearch::Choice EagerSearch::choose() {
  const StateId followed = std::exchange(best_child_, no_state);
  const std::int64_t idle = counters_.expanded - last_progress_;
  if (followed != no_state && idle <= config_.rollout &&
      nodes_[followed].status == NodeStatus::open)
    return {followed};
  // Without progress for a while, one step in a few completes an expansion.
  constexpr std::int64_t patience = 200, share = 8;
  if (!waiting_->empty() && idle > patience && ++steps_ % share == 0)
    return waiting_->pop();
  StateId state = no_state;
  while (queues_.pop(state))
    if (nodes_[state].status != NodeStatus::closed && !is_too_dear(state))
      return {state};
  if (!waiting_->empty())
    return waiting_->pop();
  return {};
}

bool EagerSearch::is_too_dear(StateId state) {
  const Cost g = nodes_[state].g;
  const bool by_h =
      config_.bound_with_h && remembers_ &&
      static_cast<double>(g) + remembered_[state][0] >= static_cast<double>(config_.bound);
  if (g < config_.bound && !by_h)
    return false;
  cut_by_bound_ = true;
  return true;
}

SearchStatus EagerSearch::loop() {
  while (true) {
    arrivals_.clear();
    fresh_.clear();
    put_off_.clear();
    int expanded = 0;
    while (expanded < config_.batch) {
      if (const auto limit = limit_reached(queues_)) {
        if (*limit == SearchStatus::paused && expanded > 0)
          break;
        return *limit;
      }
      const Choice choice = choose();
      const StateId state = choice.state;
      if (state == no_state)
        break;
      nodes_[state].status = NodeStatus::closed;
      count_expansion(state);
      ++expanded;
      if (choice.share == Share::promising && goal_.holds(registry_.packer(), registry_[state])) {
        goal_state_ = state;
        return SearchStatus::solved;
      }
      if (config_.batch == 1)
        for (Evaluator *evaluator : config_.evaluators)
          evaluator->approach(registry_, state);
      if (expand(choice))
        return SearchStatus::solved;
    }
    if (expanded == 0)
      return exhausted();
    if (const auto limit = queue_arrivals())
      return *limit;
  }
}

bool EagerSearch::expand(const Choice &choice) {
  if (!config_.preferred.empty())
    find_preferred(choice.state);
  if (config_.put_off_unpreferred && met_dead_end()) {
    nodes_[choice.state].status = NodeStatus::dead;
    ++counters_.dead_ends;
    return false;
  }
  const bool complete = find_applicable(choice);
  if (ranks_operators())
    rank_applicable(choice.state);
  const auto next_share = put_off_some(choice.share);
  if (next_share || !complete)
    put_off_.push_back({choice.state, next_share.value_or(Share::all)});
  const std::size_t before = fresh_.size();
  do {
    counters_.generated += static_cast<std::int64_t>(applicable_.size());
    for (int op : applicable_) {
      arrive(choice.state, op, !config_.preferred.empty() && is_preferred(op));
      if (goal_state_ != no_state)
        return true;
    }
    // Who ranks operators looks at one state: that this one leads back is seen only here.
  } while (fresh_.size() == before && take_next_ranked());
  return false;
}

bool EagerSearch::find_applicable(const Choice &choice) {
  applicable_.clear();
  const Word *state = registry_[choice.state];
  // Where only preferred operators count, the first ones of their kinds may be others.
  const bool by_kind =
      config_.put_off_lookalikes && choice.share != Share::all &&
      !(choice.share == Share::promising && config_.put_off_unpreferred && any_preferred());
  if (by_kind && find_folded(state))
    return false;
  if (by_kind && successors_.has_products() && config_.evaluators.front()->kinds(kinds_))
    return successors_.applicable_kinds(state, kinds_, applicable_) == 0;
  successors_.applicable(state, applicable_);
  return true;
}

bool EagerSearch::find_folded(const Word *state) {
  if (task_.unwritten)
    return false;
  constexpr std::size_t least_gain = 8;
  const std::span<const char> folded = config_.evaluators.front()->folded(leaders_);
  if (folded.empty() || leaders_.size() * least_gain > folded.size())
    return false;
  if (by_object_ == nullptr)
    by_object_ = std::make_unique<OperatorsByObject>(task_, folded);
  if (by_object_->empty())
    return false;
  by_object_->applicable(registry_.packer(), state, leaders_, applicable_);
  return true;
}

std::optional<EagerSearch::Share> EagerSearch::put_off_some(Share share) {
  unpreferred_.clear();
  if (share == Share::all)
    return std::nullopt;
  std::optional<Share> next;
  const std::size_t all = applicable_.size();
  if (share == Share::promising && config_.put_off_unpreferred && any_preferred()) {
    if (ranks_operators())
      for (std::size_t i = 0; i < all; ++i)
        if (!is_preferred(applicable_[i]))
          unpreferred_.emplace_back(ranks()[i], applicable_[i]);
    std::erase_if(applicable_, [this](int op) { return !is_preferred(op); });
  }
  if (applicable_.size() < all)
    next = Share::different;
  if (put_off_lookalikes() && !next)
    next = Share::all;
  return next;
}

bool EagerSearch::put_off_lookalikes() {
  if (!config_.put_off_lookalikes)
    return false;
  const std::size_t all = applicable_.size();
  classes_.resize(all);
  if (!config_.evaluators.front()->classify(applicable_, classes_))
    return false;
  seen_classes_.clear();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all; ++i)
    if (seen_classes_.insert(classes_[i]).second)
      applicable_[kept++] = applicable_[i];
  applicable_.resize(kept);
  return kept < all;
}

bool EagerSearch::take_next_ranked() {
  applicable_.clear();
  if (unpreferred_.empty())
    return false;
  const double highest = std::max_element(unpreferred_.begin(), unpreferred_.end())->first;
  std::erase_if(unpreferred_, [&](const std::pair<double, int> &each) {
    if (each.first == highest)
      applicable_.push_back(each.second);
    return each.first == highest;
  });
  put_off_lookalikes();
  return true;
}

void EagerSearch::arrive(StateId parent, int op, bool preferred) {
  const Cost g = nodes_[parent].g + task_.operators.costs[op];
  if (g >= config_.bound) {
    cut_by_bound_ = true;
    return;
  }
  successors_.apply(op, registry_[parent], buffer_.data());
  if (symmetry_)
    symmetry_->sort(buffer_.data());
  const auto [state, is_new] = registry_.insert(buffer_.data());
  if (is_new) {
    nodes_.add();
    if (remembers_)
      remembered_.append();
  }
  tell_arrival(parent, state);
  Node &node = nodes_[state];
  if (node.status == NodeStatus::fresh) {
    node = {parent, op, g, NodeStatus::open};
    if (config_.goal_at_generation && goal_.holds(registry_.packer(), registry_[state])) {
      goal_state_ = state;
      return;
    }
    arrivals_.push_back({state, static_cast<int>(fresh_.size()), preferred});
    fresh_.push_back(state);
    return;
  }
  if (node.status == NodeStatus::dead || node.g <= g || (config_.keep_first_parent && !reopen_))
    return;
  node.parent = parent;
  node.op = op;
  node.g = g;
  if (node.status == NodeStatus::closed) {
    if (!reopen_)
      return;
    ++counters_.reopened;
    node.status = NodeStatus::open;
  } else if (!reopen_ && !config_.requeue) {
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
      cut_by_bound_ = true;
      continue;
    }
    queues_.push(node.g, values, arrival.preferred, arrival.state);
    if (arrival.place >= 0 && makes_progress(values))
      queues_.reward_progress();
    if (!config_.evaluators.empty() && values[0] < best_child_value) {
      best_child_value = values[0];
      if (config_.rollout > 0)
        best_child_ = arrival.state;
    }
  }
  // Successors that wait are as good as the best of those that were looked at.
  for (const Choice &choice : put_off_)
    waiting_->push({best_child_value}, choice);
  return limit;
}

} // namespace beeline
