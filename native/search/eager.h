// EagerSearch: states are evaluated when they are generated.

#pragma once

#include "search/search_base.h"

namespace beeline {

class EagerSearch : public SearchBase {
public:
  EagerSearch(const SearchConfig &config, StateRegistry &registry,
              const SuccessorGenerator &successors);

  SearchResult run(StateId initial);

private:
  // A state that goes into the queues once its batch is evaluated.
  struct Arrival {
    StateId state;
    int place; // in the batch of new states, or -1: known before, reached at lower cost
    bool preferred;
  };

  SearchStatus loop();
  bool expand(StateId state); // true if a goal was generated and that is enough
  void arrive(StateId parent, int op, bool preferred);
  std::optional<SearchStatus> queue_arrivals(); // a limit that cut the batch short

  AlternatingQueues<StateId> queues_;
  std::vector<Arrival> arrivals_;
  std::vector<StateId> fresh_;
  std::vector<double> values_;
  bool remembers_;                    // a state that is open may have to go into the queues again
  SegmentedArray<double> remembered_; // values per state
  StateId goal_state_ = no_state;
  bool pruned_by_bound_ = false;
};

} // namespace beeline
