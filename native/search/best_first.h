// Best-first search: one core for A*, weighted A*, greedy search, dual queues and the rest.
//
// What differs between these is in SearchConfig: keys of the queues, reopening, preferred
// operators, when states are evaluated. Semantics and counters are those of Fast Downward's
// eager and lazy search: a state counts as expanded when it is taken from a queue, before the
// goal test; each new state is evaluated once; every applicable operator counts as generated.
//
// All new successors of a step are registered first, evaluated in one batch, then queued in
// the order of their generation, so that a batch and one-by-one evaluation lead to the same
// search.

#pragma once

#include <memory>

#include "search/search_base.h"
#include "search/search_types.h"
#include "state/registry.h"
#include "state/successors.h"

namespace beeline {

// A search that can take turns with others. All arguments must outlive it.
std::unique_ptr<SearchBase> make_search(const SearchConfig &config, StateRegistry &registry,
                                        const SuccessorGenerator &successors);

// Searches from a state of the registry. States and nodes stay in `registry` afterwards.
SearchResult search(const SearchConfig &config, StateRegistry &registry,
                    const SuccessorGenerator &successors, StateId initial);

} // namespace beeline
