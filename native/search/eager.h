// EagerSearch: states are evaluated when they are generated.

#pragma once

#include <unordered_set>

#include "search/search_base.h"

namespace beeline {

class EagerSearch : public SearchBase {
public:
  EagerSearch(const SearchConfig &config, StateRegistry &registry,
              const SuccessorGenerator &successors);

private:
  // A state that goes into the queues once its batch is evaluated.
  struct Arrival {
    StateId state;
    int place; // in the batch of new states, or -1: known before, reached at lower cost
    bool preferred;
  };

  SearchStatus begin(StateId initial) override;
  SearchStatus loop() override;
  StateId next();             // to be expanded; `no_state` if none is left
  bool expand(StateId state); // true if a goal was generated and that is enough
  void arrive(StateId parent, int op, bool preferred);
  std::optional<SearchStatus> queue_arrivals(); // a limit that cut the batch short
  bool looks_like_sibling(const Arrival &arrival);

  AlternatingQueues<StateId> queues_;
  std::vector<Arrival> arrivals_;
  std::vector<StateId> fresh_;
  std::vector<double> values_;
  bool remembers_;                    // a state that is open may have to go into the queues again
  SegmentedArray<double> remembered_; // values per state
  bool pruned_by_bound_ = false;
  StateId best_child_ = no_state; // of the last step, while the search follows those
  std::unordered_set<std::uint64_t> seen_signatures_; // of the children of this step
};

} // namespace beeline
