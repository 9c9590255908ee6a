// BeamSearch: layers of the best states only, beginning with few of them.
//
// All states of a layer are expanded; of their successors the best `batch` ones, by the queues of
// the configuration, are the next layer, and the others are dropped. A state is in one layer at
// most. A beam that runs empty, or whose best value has not fallen for as many layers as it took to
// reach it, has failed, and the search begins anew with a beam twice as wide. So it is complete,
// and a wide beam leads to better plans than a greedy search of the same effort: all states of a
// layer are as many steps away from the initial one. Where evaluators like batches, a layer is one
// batch.
//
// Source: Bisiani, "Beam search", Encyclopedia of Artificial Intelligence, 1987; the widths double
// as in Zhang, "Complete anytime beam search", AAAI 1998.

#pragma once

#include <memory>
#include <optional>

#include "search/search_base.h"

namespace beeline {

class BeamSearch : public SearchBase {
public:
  BeamSearch(const SearchConfig &config, StateRegistry &registry,
             const SuccessorGenerator &successors);

private:
  SearchStatus begin(StateId initial) override;
  SearchStatus loop() override;
  // True if a successor is a goal and that is enough.
  bool expand(StateId state);
  std::optional<SearchStatus> queue_fresh();
  // The best successors become the layer.
  void next_layer();
  bool has_failed() const;

  SearchConfig layer_config_;                          // with another seed for each layer
  std::unique_ptr<AlternatingQueues<StateId>> queues_; // of the next layer
  std::size_t width_;
  StateId first_ = no_state;
  std::vector<StateId> layer_;
  std::size_t place_ = 0; // in the layer
  std::vector<StateId> fresh_, arrived_;
  std::vector<double> values_;
  std::int64_t layers_ = 0, last_better_ = 0; // until now, and until the best value has fallen
  bool dropped_ = false;                      // some state of this beam
};

} // namespace beeline
