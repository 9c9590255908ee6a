// EagerSearch: states are evaluated when they are generated.

#pragma once

#include <memory>
#include <unordered_set>

#include "search/search_base.h"
#include "state/operators_by_object.h"

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
  void start_over() override;
  void catch_up() override;
  // A state to be expanded, or once more because some successors had to wait.
  enum class Share : std::uint8_t {
    promising, // preferred operators if there are any, one of those that look alike
    different, // one of those that look alike
    all
  };
  struct Choice {
    StateId state = no_state; // if none is left
    Share share = Share::promising;
  };
  Choice choose();
  // Whether no plan below the bound goes on from an open state; the bound may have fallen since.
  bool is_too_dear(StateId state);
  bool expand(const Choice &choice); // true if a goal was generated and that is enough
  // Fills applicable_; false if some are left out that look like others.
  bool find_applicable(const Choice &choice);
  // The same from one of each class of objects that differ by name alone; false if that is no gain.
  bool find_folded(const Word *state);
  // Takes those operators out of applicable_ that may wait; what the next share would be.
  std::optional<Share> put_off_some(Share share);
  // Leaves one of each class in applicable_; whether others had to go.
  bool put_off_lookalikes();
  // Makes those that are ranked next highest, of all that wait, the applicable ones; whether there
  // are any.
  bool take_next_ranked();
  void arrive(StateId parent, int op, bool preferred);
  std::optional<SearchStatus> queue_arrivals(); // a limit that cut the batch short

  AlternatingQueues<StateId> queues_;
  std::vector<Arrival> arrivals_;
  std::vector<StateId> fresh_;
  std::vector<double> values_;
  bool remembers_;                    // a state that is open may have to go into the queues again
  SegmentedArray<double> remembered_; // values per state
  StateId best_child_ = no_state;     // of the last step, while the search follows those
  std::unique_ptr<OpenList<Choice>> waiting_; // states with successors that were put off
  std::vector<Choice> put_off_;               // of this step
  std::int64_t steps_ = 0;
  std::vector<std::uint64_t> classes_;
  std::vector<int> kinds_;                       // per object
  std::unique_ptr<OperatorsByObject> by_object_; // made when it is needed
  std::vector<int> leaders_;
  std::vector<std::pair<double, int>> unpreferred_; // ranks and operators that wait
  std::unordered_set<std::uint64_t> seen_classes_;
};

} // namespace beeline
