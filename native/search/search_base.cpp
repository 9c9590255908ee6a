#include "search/search_base.h"

#include <algorithm>
#include <new>
#include <stdexcept>

#include "base/memory.h"

namespace beeline {

SearchBase::SearchBase(const SearchConfig &config, StateRegistry &registry,
                       const SuccessorGenerator &successors)
    : config_(config), reopen_(config.reopen), registry_(registry), successors_(successors),
      task_(registry.task()), goal_(task_), buffer_(registry.packer().words()),
      best_(config.evaluators.size(), dead_end),
      is_preferred_(config.preferred.empty() ? 0 : task_.operators.size(), false) {
  for (Evaluator *evaluator : config.preferred)
    (evaluator->ranks_operators() ? ranking_ : naming_).push_back(evaluator);
  batches_ = std::any_of(config.evaluators.begin(), config.evaluators.end(),
                         [](const Evaluator *evaluator) { return evaluator->likes_batches(); });
  for (const auto &list : {config.evaluators, config.preferred})
    for (Evaluator *evaluator : list)
      if (evaluator->looks_at_paths() && std::find(path_evaluators_.begin(), path_evaluators_.end(),
                                                   evaluator) == path_evaluators_.end())
        path_evaluators_.push_back(evaluator);
}

SearchResult SearchBase::advance(StateId initial, const SearchTurn &turn) {
  start_ = Clock::now();
  turn_end_ = seconds_before_ + turn.seconds;
  constexpr std::int64_t no_end = std::numeric_limits<std::int64_t>::max();
  turn_evaluations_ = turn.evaluations > no_end - counters_.evaluated
                          ? no_end
                          : counters_.evaluated + turn.evaluations;
  next_check_ = 0;
  SearchStatus status = SearchStatus::memory_limit;
  try {
    catch_up();
    if (begun_) {
      status = loop();
    } else {
      begun_ = true;
      if (config_.log > 0)
        log_ = std::make_shared<SearchLog>();
      status = begin(initial);
    }
    if (status == SearchStatus::incomplete && cut_by_bound_ && !unproven_dead_ends_ &&
        !interrupted_ && !reopen_ && config_.policy == PolicyMerit::none &&
        counters_.evaluated < config_.limits.evaluations) {
      reopen_ = true;
      start_over();
      status = begin(initial);
    }
  } catch (const std::bad_alloc &) {
    status = SearchStatus::memory_limit;
  }
  const SearchResult result = finish(status);
  seconds_before_ = result.seconds;
  return result;
}

void SearchBase::start_over() {
  nodes_ = {};
  cut_by_bound_ = false;
  std::fill(best_.begin(), best_.end(), dead_end);
  catch_up();
}

void SearchBase::catch_up() {
  while (nodes_.size() < registry_.size())
    nodes_.add();
}

std::optional<SearchStatus> SearchBase::slow_limit_reached(std::vector<std::size_t> queue_sizes) {
  const double now = seconds();
  constexpr double shortest = 0.002, longest = 0.01; // between two looks at the clock
  constexpr std::int64_t largest_interval = 1 << 16;
  if (now - last_check_ > longest)
    check_interval_ = std::max<std::int64_t>(1, check_interval_ / 2);
  else if (now - last_check_ < shortest)
    check_interval_ = std::min(largest_interval, check_interval_ * 2);
  last_check_ = now;
  if (now >= config_.limits.seconds)
    return SearchStatus::time_limit;
  if (now >= turn_end_)
    return SearchStatus::paused;
  if (resident_bytes() > config_.limits.bytes)
    return SearchStatus::memory_limit;
  constexpr double watch_interval = 0.1;
  if (config_.watch && now >= next_watch_) {
    next_watch_ = now + watch_interval;
    const double best = best_.empty() ? dead_end : best_.front();
    if (!config_.watch({counters_, now, best, std::move(queue_sizes), registry_.size()})) {
      interrupted_ = true;
      return SearchStatus::incomplete;
    }
  }
  return std::nullopt;
}

std::size_t SearchBase::evaluate(std::span<const StateId> states, std::vector<double> &values) {
  const std::size_t evaluators = config_.evaluators.size();
  values.resize(states.size() * evaluators);
  std::size_t done = 0;
  if (batches_) {
    evaluate_slice(states, values.data());
    done = states.size();
  } else {
    // Hundreds of successors with a slow heuristic: the clock is asked in between.
    constexpr std::size_t slice = 16;
    do {
      const std::size_t count = std::min(slice, states.size() - done);
      evaluate_slice(states.subspan(done, count), values.data() + done * evaluators);
      done += count;
    } while (done < states.size() && seconds() < config_.limits.seconds);
  }
  counters_.evaluated += static_cast<std::int64_t>(done);
  for (std::size_t i = 0; i < done && keeps_log(); ++i) {
    log_->evaluated.push_back(states[i]);
    if (evaluators > 0)
      log_->values.push_back(values[i * evaluators]);
    if (!keeps_log())
      log_ways();
  }
  catch_up();
  return done;
}

void SearchBase::evaluate_slice(std::span<const StateId> states, double *values) {
  const std::size_t evaluators = config_.evaluators.size();
  if (evaluators == 1) {
    config_.evaluators[0]->evaluate(registry_, states, {values, states.size()});
    return;
  }
  column_.resize(states.size());
  for (std::size_t e = 0; e < evaluators; ++e) {
    config_.evaluators[e]->follow({values, states.size() * evaluators}, e, evaluators);
    config_.evaluators[e]->evaluate(registry_, states, column_);
    for (std::size_t i = 0; i < states.size(); ++i)
      values[i * evaluators + e] = column_[i];
  }
}

bool SearchBase::is_dead_end(const double *values) {
  bool infinite = false, proven = false;
  for (std::size_t e = 0; e < config_.evaluators.size(); ++e)
    if (values[e] == dead_end) {
      infinite = true;
      proven = proven || config_.evaluators[e]->proves_dead_ends();
    }
  unproven_dead_ends_ = unproven_dead_ends_ || (infinite && !proven);
  return infinite;
}

bool SearchBase::makes_progress(const double *values) {
  bool result = false;
  for (std::size_t e = 0; e < best_.size(); ++e)
    if (values[e] < best_[e]) {
      best_[e] = values[e];
      result = true;
    }
  if (result)
    last_progress_ = counters_.expanded;
  return result;
}

void SearchBase::find_preferred(StateId state) {
  for (int op : preferred_)
    is_preferred_[op] = false;
  preferred_.clear();
  for (Evaluator *evaluator : naming_)
    evaluator->preferred(registry_, state, preferred_);
  catch_up();
  mark_preferred();
}

void SearchBase::mark_preferred() {
  if (task_.unwritten && is_preferred_.size() < task_.operators.size())
    is_preferred_.resize(task_.operators.size(), false);
  for (int op : preferred_)
    is_preferred_[op] = true;
}

bool SearchBase::met_dead_end() const {
  return std::any_of(naming_.begin(), naming_.end(),
                     [](const Evaluator *evaluator) { return evaluator->met_dead_end(); });
}

void SearchBase::rank_applicable(StateId state) {
  ranks_.resize(applicable_.size());
  for (Evaluator *evaluator : ranking_) {
    evaluator->rank(registry_, state, applicable_, ranks_);
    append_highest(applicable_, ranks_, preferred_);
  }
  mark_preferred();
}

void SearchBase::log_ways() {
  log_->parents.clear();
  log_->operators.clear();
  log_->costs.clear();
  for (StateId state : log_->evaluated) {
    log_->parents.push_back(nodes_[state].parent);
    log_->operators.push_back(nodes_[state].op);
    log_->costs.push_back(nodes_[state].g);
  }
}

void SearchBase::complete_log() {
  if (keeps_log())
    log_ways();
  log_->path.clear();
  for (StateId state = goal_state_; state != no_state; state = nodes_[state].parent)
    log_->path.push_back(state);
  std::reverse(log_->path.begin(), log_->path.end());
}

std::vector<int> SearchBase::with_own_names(StateId initial, const std::vector<int> &operators) {
  const auto words = static_cast<std::size_t>(registry_.packer().words());
  std::vector<Word> renamed(registry_[initial], registry_[initial] + words), own = renamed;
  std::vector<Word> next(words), target(words);
  ObjectSymmetry::Renaming renaming = symmetry_->identity();
  std::vector<int> result;
  for (int op : operators) {
    successors_.apply(op, renamed.data(), next.data());
    target = next;
    symmetry_->rename_back(target.data(), renaming);
    applicable_.clear();
    successors_.applicable(own.data(), applicable_);
    const auto found = std::find_if(applicable_.begin(), applicable_.end(), [&](int other) {
      if (task_.operators.costs[other] != task_.operators.costs[op])
        return false;
      successors_.apply(other, own.data(), buffer_.data());
      return std::equal(target.begin(), target.end(), buffer_.begin());
    });
    if (found == applicable_.end())
      throw std::logic_error("no operator makes the step of a symmetric state");
    result.push_back(*found);
    own = target;
    renamed = next;
    symmetry_->sort(renamed.data(), &renaming);
  }
  return result;
}

SearchResult SearchBase::finish(SearchStatus status) {
  SearchResult result;
  result.status = status;
  if (status == SearchStatus::solved) {
    result.plan = nodes_.path_to(goal_state_);
    if (symmetry_) {
      StateId initial = goal_state_;
      while (nodes_[initial].parent != no_state)
        initial = nodes_[initial].parent;
      result.plan = with_own_names(initial, result.plan);
    }
    for (int op : result.plan)
      result.cost = sum_of_costs(result.cost, task_.operators.costs[op]);
  }
  if (log_)
    complete_log();
  result.log = log_;
  result.counters = counters_;
  result.initial_h = initial_h_;
  result.seconds = seconds();
  result.states = registry_.size();
  result.bytes = registry_.bytes() + nodes_.bytes();
  result.interrupted = interrupted_;
  result.unproven_dead_ends = unproven_dead_ends_;
  result.best_h = best_.empty() ? dead_end : best_.front();
  result.since_progress = counters_.expanded - last_progress_;
  return result;
}

} // namespace beeline
