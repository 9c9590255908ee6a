#include "search/best_first.h"

#include "search/deferred.h"
#include "search/eager.h"
#include "search/policy_guided.h"

namespace beeline {

std::unique_ptr<SearchBase> make_search(const SearchConfig &config, StateRegistry &registry,
                                        const SuccessorGenerator &successors) {
  if (config.policy != PolicyMerit::none)
    return std::make_unique<PolicyGuidedSearch>(config, registry, successors);
  if (config.deferred)
    return std::make_unique<DeferredSearch>(config, registry, successors);
  return std::make_unique<EagerSearch>(config, registry, successors);
}

SearchResult search(const SearchConfig &config, StateRegistry &registry,
                    const SuccessorGenerator &successors, StateId initial) {
  SearchResult first = make_search(config, registry, successors)->advance(initial, SearchTurn{});
  if (first.status != SearchStatus::incomplete || !first.cut_by_bound || first.interrupted ||
      first.unproven_dead_ends || config.reopen || config.policy != PolicyMerit::none ||
      first.counters.evaluated >= config.limits.evaluations ||
      first.counters.expanded >= config.limits.expansions)
    return first;
  SearchConfig thorough = config;
  thorough.reopen = true;
  thorough.keep_first_parent = false;
  thorough.limits.evaluations -= first.counters.evaluated;
  thorough.limits.expansions -= first.counters.expanded;
  thorough.limits.seconds -= first.seconds;
  SearchResult second = make_search(thorough, registry, successors)->advance(initial, SearchTurn{});
  second.counters.expanded += first.counters.expanded;
  second.counters.evaluated += first.counters.evaluated;
  second.counters.generated += first.counters.generated;
  second.counters.reopened += first.counters.reopened;
  second.counters.dead_ends += first.counters.dead_ends;
  second.seconds += first.seconds;
  return second;
}

} // namespace beeline
