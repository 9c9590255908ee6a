// DeferredSearch: states are evaluated when they are taken from a queue.
//
// A queue entry is a parent and an operator, filed under the parent's values; states that are
// never taken are never evaluated nor stored (Richter and Helmert, ICAPS 2009).

#pragma once

#include "search/search_base.h"

namespace beeline {

class DeferredSearch : public SearchBase {
public:
  DeferredSearch(const SearchConfig &config, StateRegistry &registry,
                 const SuccessorGenerator &successors);

private:
  struct Entry {
    StateId parent;
    int op;
  };

  SearchStatus begin(StateId initial) override;
  SearchStatus loop() override;
  std::optional<SearchStatus> step(StateId state); // evaluate, test for the goal, expand
  void queue_successors(StateId state, const double *values);
  // The state that an entry leads to, if it is new or reached at lower cost; else `no_state`.
  StateId visit(const Entry &entry);

  AlternatingQueues<Entry> queues_;
  std::vector<double> values_;
};

} // namespace beeline
