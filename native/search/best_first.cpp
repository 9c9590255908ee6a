#include "search/best_first.h"

#include "search/beam.h"
#include "search/deferred.h"
#include "search/eager.h"
#include "search/policy_guided.h"

namespace beeline {

std::unique_ptr<SearchBase> make_search(const SearchConfig &config, StateRegistry &registry,
                                        const SuccessorGenerator &successors) {
  if (config.policy != PolicyMerit::none)
    return std::make_unique<PolicyGuidedSearch>(config, registry, successors);
  if (config.beam)
    return std::make_unique<BeamSearch>(config, registry, successors);
  if (config.deferred)
    return std::make_unique<DeferredSearch>(config, registry, successors);
  return std::make_unique<EagerSearch>(config, registry, successors);
}

SearchResult search(const SearchConfig &config, StateRegistry &registry,
                    const SuccessorGenerator &successors, StateId initial) {
  return make_search(config, registry, successors)->advance(initial, SearchTurn{});
}

} // namespace beeline
