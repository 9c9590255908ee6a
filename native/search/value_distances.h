// ValueDistances: how far each variable is from a value, looked at on its own.
//
// A variable with the operators that change it is a small graph over its values. Each operator
// counts its price for one of the variables that it changes, and nothing for the others; so
// distances of different variables may be added up, and their sum is a consistent lower bound of
// the price of any way to a partial state (a cost partitioning, as in Katz and Domshlak, "Optimal
// admissible composition of abstraction heuristics", AIJ 2010). Who pays is the variable with most
// values, and of these the one that fewest operators change: a tile and not the empty place. In
// domains with vehicles and goods it knows how often each thing must be moved. One table per
// value that is asked for; a successor's bound differs from its parent's only by the variables
// that were changed. Of unwritten actions only those operators count that have been met: then it is
// no bound, but still a guide.

#pragma once

#include <unordered_map>
#include <vector>

#include "base/rows.h"
#include "search/plan_trace.h"

namespace beeline {

class ValueDistances {
public:
  explicit ValueDistances(const PlanWorld &world);

  // Per value of the variable, counted from 0: the distance to `value`, `cost_limit` if none.
  // Valid until the next `make_room`.
  const std::vector<Cost> &to(int value);
  // Forgets tables when there are many.
  void make_room();

private:
  struct Transition {
    int to, from; // counted from 0; `from` is -1 for any
    Cost price;

    bool operator==(const Transition &) const = default;
  };

  const std::vector<Transition> &transitions(int variable); // by `to`

  const PlanWorld &world_;
  Rows<int> changing_;     // operators per variable
  std::vector<int> payer_; // per operator: the variable that its price counts for
  std::unordered_map<int, std::vector<Transition>> transitions_;
  std::unordered_map<int, std::vector<Cost>> tables_;
  std::size_t entries_ = 0;
};

} // namespace beeline
