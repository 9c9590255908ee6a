// ConditionalEffects: effects under conditions that can change, over finite-domain variables.
//
// Follows Fast Downward's translator (Helmert, AIJ 2009, section 7). An atom is added where its
// condition holds. A variable falls to "none of those" where it has a deleted atom, the condition
// of the deletion holds, and that of no addition to the same variable does: the negation of those
// is multiplied out, which is exponential in theory and small in practice, since what contradicts
// itself or a mutex group is dropped on the way.

#pragma once

#include <map>
#include <vector>

#include "ground/encoding.h"

namespace beeline {

// Adds or deletes a fact where all facts in `positive` and none in `negative` are true.
struct ConditionalFact {
  std::vector<int> positive, negative;
  int fact;

  bool operator==(const ConditionalFact &) const = default;
};

class ConditionalEffects {
public:
  explicit ConditionalEffects(Encoding &encoding) : encoding_(encoding) {}

  // Takes the effects of one action instance. Throws std::length_error if the conditions under
  // which nothing is added to a variable are too many.
  void compile(const std::vector<ConditionalFact> &added,
               const std::vector<ConditionalFact> &deleted);

  // Appends the row of effects of an operator with this condition; false, and nothing is appended,
  // if it would be empty.
  bool add_row(const std::vector<int> &condition, Operators &operators) const;

private:
  using Condition = std::vector<int>; // values, ascending
  struct Change {
    int value;
    Condition condition;
  };

  const std::vector<Condition> &conditions(const ConditionalFact &effect) {
    return encoding_.conditions(effect.positive, effect.negative);
  }
  std::vector<Condition> nothing_added(const std::vector<const ConditionalFact *> &added);
  void collect_changes(const std::vector<int> &condition, int value,
                       const std::vector<Condition> &conditions, bool alone,
                       std::vector<Change> &changes) const;

  Encoding &encoding_;
  // Per variable and new value: the conditions, of which one suffices.
  std::map<int, std::map<int, std::vector<Condition>>> effects_;
};

} // namespace beeline
