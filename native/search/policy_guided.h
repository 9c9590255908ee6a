// PolicyGuidedSearch: best-first search by how likely a policy is to reach a state.
//
// The second evaluator gives each state a logit; the probability that the policy goes from a
// state to one of its children is the softmax of the logits of all of them. With pi the product
// of these probabilities along the way to a state, d the steps on it and h the value of the
// first evaluator, states are expanded in the order of
//
//   LevinTS  (d + 1) / pi                 Orseau, Lelis, Lattimore and Weber, "Single-agent policy
//                                         tree search with guarantees", NeurIPS 2018
//   PHS*     (d + h) / pi^(1 + h / d)     Orseau and Lelis, "Policy-guided heuristic search with
//                                         guarantees", AAAI 2021
//
// of which logarithms are compared. A state stays where it was found first.

#pragma once

#include <memory>

#include "search/search_base.h"

namespace beeline {

class PolicyGuidedSearch : public SearchBase {
public:
  PolicyGuidedSearch(const SearchConfig &config, StateRegistry &registry,
                     const SuccessorGenerator &successors);

private:
  // The list of open states as limits want to see it.
  struct Queue {
    std::unique_ptr<OpenList<StateId>> list;
    std::vector<std::size_t> sizes() const { return {list->size()}; }
  };
  // What is remembered of each state.
  struct Chance {
    double logit = 0;
    double log_probability = 0; // of the way to it
    std::int32_t steps = 0;     // on that way
  };
  struct Child {
    StateId state;
    int place; // in the batch of new states, or -1
  };

  SearchStatus begin(StateId initial) override;
  SearchStatus loop() override;
  void catch_up() override;
  // Registers the children of a state; true if one is a goal and that is enough.
  bool find_children(StateId state);
  std::optional<SearchStatus> queue_children(StateId parent);
  double merit(const Chance &chance, double h) const;

  Queue queue_;
  SegmentedArray<Chance> chances_;
  std::vector<Child> children_;
  std::vector<StateId> fresh_;
  std::vector<double> values_;
};

} // namespace beeline
