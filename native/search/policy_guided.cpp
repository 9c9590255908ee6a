#include "search/policy_guided.h"

#include <algorithm>
#include <cmath>

namespace beeline {

PolicyGuidedSearch::PolicyGuidedSearch(const SearchConfig &config, StateRegistry &registry,
                                       const SuccessorGenerator &successors)
    : SearchBase(config, registry, successors),
      queue_{make_open_list<StateId>(false, config.tie_order, config.seed)} {}

void PolicyGuidedSearch::catch_up() {
  SearchBase::catch_up();
  while (chances_.size() < registry_.size())
    *chances_.append() = {};
}

SearchStatus PolicyGuidedSearch::begin(StateId initial) {
  nodes_[initial].status = NodeStatus::open;
  evaluate({&initial, 1}, values_);
  initial_h_ = values_;
  if (is_dead_end(values_.data())) {
    ++counters_.dead_ends;
    return exhausted();
  }
  makes_progress(values_.data());
  chances_[initial]->logit = values_[1];
  queue_.list->push({}, initial);
  if (config_.goal_at_generation && goal_.holds(registry_.packer(), registry_[initial])) {
    goal_state_ = initial;
    return SearchStatus::solved;
  }
  return loop();
}

SearchStatus PolicyGuidedSearch::loop() {
  while (true) {
    if (const auto limit = limit_reached(queue_))
      return *limit;
    if (queue_.list->empty())
      return exhausted();
    const StateId state = queue_.list->pop();
    nodes_[state].status = NodeStatus::closed;
    count_expansion(state);
    if (goal_.holds(registry_.packer(), registry_[state])) {
      goal_state_ = state;
      return SearchStatus::solved;
    }
    if (find_children(state))
      return SearchStatus::solved;
    if (const auto limit = queue_children(state))
      return *limit;
  }
}

bool PolicyGuidedSearch::find_children(StateId parent) {
  children_.clear();
  fresh_.clear();
  applicable_.clear();
  successors_.applicable(registry_[parent], applicable_);
  counters_.generated += static_cast<std::int64_t>(applicable_.size());
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
    if (is_new) {
      nodes_.add();
      *chances_.append() = {};
    }
    Node &node = nodes_[state];
    if (node.status == NodeStatus::fresh) {
      node = {parent, op, g, NodeStatus::open};
      if (config_.goal_at_generation && goal_.holds(registry_.packer(), registry_[state])) {
        goal_state_ = state;
        return true;
      }
      children_.push_back({state, static_cast<int>(fresh_.size())});
      fresh_.push_back(state);
    } else if (state != parent && node.status != NodeStatus::dead &&
               std::none_of(children_.begin(), children_.end(),
                            [state = state](const Child &child) { return child.state == state; })) {
      children_.push_back({state, -1}); // has its share of the probability all the same
    }
  }
  return false;
}

std::optional<SearchStatus> PolicyGuidedSearch::queue_children(StateId parent) {
  const std::size_t evaluators = config_.evaluators.size();
  const std::int64_t left = config_.limits.evaluations - counters_.evaluated;
  if (static_cast<std::int64_t>(fresh_.size()) > left)
    return SearchStatus::evaluation_limit; // a softmax needs all of them
  if (!fresh_.empty() && evaluate(fresh_, values_) < fresh_.size())
    return SearchStatus::time_limit;
  double largest = -std::numeric_limits<double>::infinity();
  for (const Child &child : children_) {
    Chance &chance = *chances_[child.state];
    if (child.place >= 0)
      chance.logit = values_[static_cast<std::size_t>(child.place) * evaluators + 1];
    largest = std::max(largest, chance.logit);
  }
  double sum = 0;
  for (const Child &child : children_)
    sum += std::exp(chances_[child.state]->logit - largest);
  const Chance before = *chances_[parent];
  for (const Child &child : children_) {
    if (child.place < 0)
      continue;
    const double *values = values_.data() + static_cast<std::size_t>(child.place) * evaluators;
    if (is_dead_end(values)) {
      nodes_[child.state].status = NodeStatus::dead;
      ++counters_.dead_ends;
      continue;
    }
    Chance &chance = *chances_[child.state];
    chance.log_probability = before.log_probability + (chance.logit - largest) - std::log(sum);
    chance.steps = before.steps + 1;
    queue_.list->push({merit(chance, values[0])}, child.state);
    makes_progress(values);
  }
  return std::nullopt;
}

double PolicyGuidedSearch::merit(const Chance &chance, double h) const {
  const double steps = chance.steps;
  if (config_.policy == PolicyMerit::levin)
    return std::log(steps + 1) - chance.log_probability;
  const double rest = std::max(h, 0.0);
  return std::log(steps + rest) - (1 + rest / steps) * chance.log_probability;
}

} // namespace beeline
