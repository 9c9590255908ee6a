#include "search/best_first.h"

#include "search/deferred.h"
#include "search/eager.h"

namespace beeline {

SearchResult search(const SearchConfig &config, StateRegistry &registry,
                    const SuccessorGenerator &successors, StateId initial) {
  return config.deferred ? DeferredSearch(config, registry, successors).run(initial)
                         : EagerSearch(config, registry, successors).run(initial);
}

} // namespace beeline
