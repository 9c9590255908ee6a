// SearchBase: what eager and deferred search share: queues in alternation, limits, progress.

#pragma once

#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "search/node_table.h"
#include "search/search_types.h"
#include "search/truncated_mean.h"
#include "state/goal_test.h"
#include "state/object_symmetry.h"
#include "state/registry.h"
#include "state/successors.h"

namespace beeline {

// Open lists in alternation: the one that was used least comes next; new best values push the
// lists of preferred operators forward (Richter and Helmert, "Preferred operators and deferred
// evaluation in satisficing planning", ICAPS 2009).
template <class Entry>
class AlternatingQueues {
public:
  explicit AlternatingQueues(const SearchConfig &config) : config_(config) {
    for (std::size_t i = 0; i < config.queues.size(); ++i) {
      const auto &keys = config.queues[i].keys;
      const bool integral = std::all_of(keys.begin(), keys.end(), [&](const KeySpec &key) {
        const bool whole = key.alpha == static_cast<std::int64_t>(key.alpha) &&
                           key.beta == static_cast<std::int64_t>(key.beta);
        return key.round ||
               (whole && (key.beta == 0 || config.evaluators[key.evaluator]->integral()));
      });
      lists_.push_back(make_open_list<Entry>(integral, config.tie_order, config.seed + i));
    }
    uses_.assign(lists_.size(), 0);
  }

  // `values`: one per evaluator.
  void push(double g, const double *values, bool preferred, Entry entry) {
    for (std::size_t i = 0; i < lists_.size(); ++i)
      if (preferred || !config_.queues[i].preferred_only)
        lists_[i]->push(key(config_.queues[i], g, values), entry);
  }

  bool pop(Entry &entry) {
    int best = -1;
    for (int i = 0; i < static_cast<int>(lists_.size()); ++i)
      if (!lists_[i]->empty() && (best < 0 || uses_[i] < uses_[best]))
        best = i;
    if (best < 0)
      return false;
    ++uses_[best];
    entry = lists_[best]->pop();
    return true;
  }

  void reward_progress() {
    for (std::size_t i = 0; i < lists_.size(); ++i)
      if (config_.queues[i].preferred_only)
        uses_[i] -= config_.boost;
  }

  std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> result;
    for (const auto &list : lists_)
      result.push_back(list->size());
    return result;
  }

private:
  Key key(const QueueSpec &queue, double g, const double *values) const {
    Key result{};
    for (std::size_t i = 0; i < queue.keys.size(); ++i) {
      const KeySpec &spec = queue.keys[i];
      double value = spec.alpha * g;
      if (spec.sigma >= 0) {
        const double left = static_cast<double>(config_.bound) - g;
        const double mean = truncated_mean(values[spec.evaluator], values[spec.sigma],
                                           values[0] - spec.margin, left);
        if (spec.share) {
          result[i] = mean / left;
          continue;
        }
        value += spec.beta * mean;
      } else if (spec.beta != 0)
        value += spec.beta * values[spec.evaluator];
      result[i] = spec.round ? std::nearbyint(value) : value;
    }
    return result;
  }

  const SearchConfig &config_;
  std::vector<std::unique_ptr<OpenList<Entry>>> lists_;
  std::vector<std::int64_t> uses_;
};

class SearchBase {
public:
  SearchBase(const SearchConfig &config, StateRegistry &registry,
             const SuccessorGenerator &successors);
  virtual ~SearchBase() = default;

  // Searches until the end, or until the turn is over; can be called again when it was `paused`.
  SearchResult advance(StateId initial, const SearchTurn &turn);

protected:
  using Clock = std::chrono::steady_clock;

  // The first step, and all steps after it.
  virtual SearchStatus begin(StateId initial) = 0;
  virtual SearchStatus loop() = 0;
  // Prepares for another pass, which reopens states; all queues are empty.
  virtual void start_over();
  // What is kept per state runs in step with the registry. Others add to it too: searches that
  // take turns with this one, and evaluators that look ahead.
  virtual void catch_up();

  // A limit that is reached, or a stop from outside. Counts are exact; the clock, the memory
  // and whoever watches are asked only now and then.
  template <class Queues>
  std::optional<SearchStatus> limit_reached(const Queues &queues) {
    if (counters_.expanded >= config_.limits.expansions)
      return SearchStatus::expansion_limit;
    if (counters_.evaluated >= config_.limits.evaluations)
      return SearchStatus::evaluation_limit;
    if (counters_.evaluated >= turn_evaluations_)
      return SearchStatus::paused;
    const std::int64_t work = counters_.generated + counters_.evaluated;
    if (work < next_check_)
      return std::nullopt;
    const auto limit = slow_limit_reached(queues.sizes());
    next_check_ = work + check_interval_;
    return limit;
  }

  // Values of all evaluators for a batch: values[i * evaluators + e]. Counts the evaluations.
  // Returns how many states were evaluated: fewer if the time ran out on the way.
  std::size_t evaluate(std::span<const StateId> states, std::vector<double> &values);
  void count_expansion(StateId state) {
    if (keeps_log()) {
      log_->expanded.push_back(state);
      log_->clock.push_back(counters_.evaluated);
    }
    ++counters_.expanded;
  }
  // Tells the evaluators that look at paths of a transition.
  void tell_arrival(StateId parent, StateId state) {
    for (Evaluator *evaluator : path_evaluators_)
      evaluator->arrive(registry_, parent, state);
  }
  bool looks_at_paths() const { return !path_evaluators_.empty(); }
  bool likes_batches() const { return batches_; }
  bool is_dead_end(const double *values);
  // What it means that no state is left.
  SearchStatus exhausted() const {
    return cut_by_bound_ || unproven_dead_ends_ ? SearchStatus::incomplete
                                                : SearchStatus::unsolvable;
  }
  // Whether some evaluator has its lowest value yet.
  bool makes_progress(const double *values);
  // Marks the preferred operators of a state that evaluators name; `is_preferred` tells until the
  // next call.
  void find_preferred(StateId state);
  // Whether one of those that name operators has proven that this state has no plan.
  bool met_dead_end() const;
  // Then those among applicable_ that other evaluators rank highest.
  void rank_applicable(StateId state);
  bool is_preferred(int op) const {
    return static_cast<std::size_t>(op) < is_preferred_.size() && is_preferred_[op];
  }
  bool any_preferred() const { return !preferred_.empty(); }
  bool ranks_operators() const { return !ranking_.empty(); }
  const std::vector<double> &ranks() const { return ranks_; } // of applicable_, by the last one

  SearchResult finish(SearchStatus status);
  // What operators from the initial state on are called if objects keep their names.
  std::vector<int> with_own_names(StateId initial, const std::vector<int> &operators);

  const SearchConfig &config_;
  // States that are reached again at lower cost. A search that does not reopen them may close one
  // on a dear path and miss the plan below the bound that goes on from a cheaper one: where it
  // finds none, it starts over and reopens.
  bool reopen_;
  StateRegistry &registry_;
  const SuccessorGenerator &successors_;
  const GroundTask &task_;
  GoalTest goal_;
  NodeTable nodes_;
  std::unique_ptr<ObjectSymmetry> symmetry_; // if there is one, and it is wanted
  SearchCounters counters_;
  std::vector<double> initial_h_;
  std::vector<Word> buffer_;
  std::vector<int> applicable_;
  bool interrupted_ = false;
  StateId goal_state_ = no_state;
  bool cut_by_bound_ = false;       // some path was too dear to be followed
  bool unproven_dead_ends_ = false; // some state was given up by an evaluator that proves nothing
  std::int64_t last_progress_ = 0;  // expansions until then

private:
  // Time, memory, and a stop from outside.
  std::optional<SearchStatus> slow_limit_reached(std::vector<std::size_t> queue_sizes);
  bool keeps_log() const { return log_ && log_->evaluated.size() < config_.log; }
  void log_ways();
  void mark_preferred();
  void complete_log();
  void evaluate_slice(std::span<const StateId> states, double *values);
  // In all turns.
  double seconds() const {
    return seconds_before_ + std::chrono::duration<double>(Clock::now() - start_).count();
  }

  bool begun_ = false;
  std::shared_ptr<SearchLog> log_;
  Clock::time_point start_ = Clock::now(); // of this turn
  double seconds_before_ = 0;              // earlier turns
  double turn_end_ = std::numeric_limits<double>::infinity();
  std::int64_t turn_evaluations_ = std::numeric_limits<std::int64_t>::max(); // in all
  double next_watch_ = 0;
  std::int64_t next_check_ = 0;
  std::int64_t check_interval_ = 1; // adapted to a few milliseconds of work
  double last_check_ = 0;
  bool batches_ = false; // whether some evaluator likes batches
  std::vector<Evaluator *> path_evaluators_;
  std::vector<double> column_, best_;
  std::vector<Evaluator *> naming_, ranking_; // those with preferred operators
  std::vector<bool> is_preferred_;            // per operator; in huge tasks a bit is enough
  std::vector<int> preferred_;
  std::vector<double> ranks_;
};

} // namespace beeline
