// What a search is told, and what it tells.

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "search/open_list.h"
#include "state/evaluator.h"

namespace beeline {

// alpha * g + beta * h of one evaluator; rounded to an integer if asked.
struct KeySpec {
  double alpha = 0;
  double beta = 1;
  int evaluator = 0; // index into SearchConfig::evaluators; ignored if beta is 0
  bool round = false;
  // With the number of a second evaluator here, h is the mean of a Gaussian: the evaluators give
  // mu and sigma, and it is cut off at the value of the first of all evaluators, less `margin`,
  // and at what a plan may still cost: the bound of the search, less g.
  int sigma = -1;
  double margin = 0;
  bool share = false; // h as a share of what a plan may still cost, whatever alpha, beta and round
};

struct QueueSpec {
  std::vector<KeySpec> keys; // merit, then tie-breakers; at most max_keys
  bool preferred_only = false;
};

struct SearchLimits {
  std::int64_t evaluations = std::numeric_limits<std::int64_t>::max();
  std::int64_t expansions = std::numeric_limits<std::int64_t>::max();
  double seconds = std::numeric_limits<double>::infinity();
  std::size_t bytes = std::numeric_limits<std::size_t>::max(); // of the whole process
};

enum class SearchStatus {
  solved,
  unsolvable, // the whole reachable space was seen
  incomplete, // no plan below the bound, states given up without a proof, or stopped from outside
  time_limit,
  memory_limit,
  evaluation_limit,
  expansion_limit,
  paused, // its turn is over; it can go on
};

struct SearchCounters {
  std::int64_t expanded = 0;
  std::int64_t evaluated = 0;
  std::int64_t generated = 0;
  std::int64_t reopened = 0;
  std::int64_t dead_ends = 0;
};

// A glance at a running search.
struct SearchProgress {
  SearchCounters counters;
  double seconds = 0;
  double best_h = dead_end;
  std::vector<std::size_t> queue_sizes;
  std::size_t states = 0;
};

// How a policy and a heuristic order the open states.
enum class PolicyMerit { none, levin, phs };

// What a search has looked at, in order, for those who want to see it at work.
struct SearchLog {
  std::vector<StateId> evaluated;
  std::vector<double> values; // of the first evaluator; none if there is no evaluator
  std::vector<StateId> expanded;
  std::vector<std::int64_t> clock; // states that had been evaluated by then
  // How the evaluated states are reached when the search is over or the log is full, and at which
  // cost.
  std::vector<StateId> parents;
  std::vector<int> operators;
  std::vector<Cost> costs;
  std::vector<StateId> path; // to the goal
};

struct SearchConfig {
  std::vector<Evaluator *> evaluators;
  std::vector<Evaluator *> preferred; // their preferred operators are united
  std::vector<QueueSpec> queues;
  TieOrder tie_order = TieOrder::fifo;
  std::uint64_t seed = 0;
  int boost = 0;       // for queues of preferred operators, at each new best value
  bool reopen = false; // states that are reached again at lower cost
  // Open states that are reached again at lower cost go into the queues once more. Searches
  // that reopen always do it; for others it is what newer versions of Fast Downward do, while the
  // papers on preferred operators leave such states where they are.
  bool requeue = false;
  bool deferred = false; // evaluate a state when it is taken from the queue
  bool goal_at_generation = false;
  int batch = 1;             // states expanded per step
  Cost bound = cost_limit;   // plans must cost less
  bool bound_with_h = false; // cut off at g + h of the first evaluator, which is admissible
  // Some successors may wait: of operators that look alike to the first evaluator all but one,
  // and operators that are not preferred where others are. A state with such successors is
  // filed in a list of its own; the search comes back to it when it makes no progress or has
  // nothing else to do.
  bool put_off_lookalikes = false;
  bool put_off_unpreferred = false;
  // Of states that differ only in the names of objects that can be exchanged, one is looked at; not
  // in deferred searches, nor with evaluators that look at paths.
  bool symmetry = false;
  // After each new best value of the first evaluator, that many expansions follow the best
  // child instead of the queues, as hill climbing does.
  int rollout = 0;
  // Guided by a policy: the second evaluator gives logits, and the queues are not used.
  PolicyMerit policy = PolicyMerit::none;
  bool beam = false;              // layers of the `batch` best states, wider when that fails
  bool keep_first_parent = false; // a state stays where it was found first, even if dearer
  SearchLimits limits;
  std::size_t log = 0; // a log is kept of so many evaluated states, and of expansions until then
  std::function<bool(const SearchProgress &)> watch; // called now and then; false stops
};

struct SearchResult {
  SearchStatus status = SearchStatus::incomplete;
  std::vector<int> plan; // operators
  Cost cost = 0;
  SearchCounters counters;
  std::vector<double> initial_h; // per evaluator
  double seconds = 0;
  std::size_t states = 0;
  std::size_t bytes = 0; // of states, their hash table and search nodes
  bool interrupted = false;
  bool unproven_dead_ends = false;      // states were given up by evaluators that prove nothing
  std::int64_t since_progress = 0;      // expansions since the last new best value
  double best_h = dead_end;             // of the first evaluator
  std::shared_ptr<const SearchLog> log; // if one was asked for; shared with the search
};

// When a search gives way to another one; it looks at this between two steps.
struct SearchTurn {
  std::int64_t evaluations = std::numeric_limits<std::int64_t>::max(); // of this turn
  double seconds = std::numeric_limits<double>::infinity();
};

} // namespace beeline
