// Regression: the partial states from which an operator leads into a given one.
//
// Source: section 2.2 of Alcázar et al., "Revisiting regression in planning", IJCAI 2013, as used
// in the literature on sampling. An operator is backward applicable in a partial state s if some
// variable of its effects is defined in s (relevant), and its effects, as well as the conditions
// on variables that it leaves alone, agree with what s defines (consistent). The predecessor is s
// without the variables of the effects, overlaid with the conditions. Predecessors that contain
// two mutually exclusive values stand for no state, and are left out.
//
// Candidates come from lists of operators by the value that they achieve; each is checked once.

#pragma once

#include <vector>

#include "base/rows.h"
#include "state/mutexes.h"

namespace beeline {

class Regression {
public:
  // Throws std::length_error if conditional effects would make too many cases.
  explicit Regression(const GroundTask &task);

  // Numbers of backward applicable operators, ascending, each as often as it has cases.
  void applicable(const PartialState &state, std::vector<int> &cases);
  int operator_of(int number) const { return operators_[number]; }

  // The predecessor by one of these; false if it contains a mutex.
  bool regress(int number, const PartialState &state, PartialState &predecessor);

  // The number of facts over the mean number of effects, rounded up: how far to walk.
  static int depth_limit(const GroundTask &task);

private:
  struct Assignment {
    int variable, value;
  };

  void add_cases(const GroundTask &task, int op);
  bool consistent(int number, const PartialState &state) const;

  Mutexes mutexes_;
  const std::vector<int> &offsets_;
  std::vector<int> operators_;              // per case
  Rows<Assignment> conditions_, effects_;   // per case
  Rows<Assignment> required_;               // effects, and conditions on other variables
  std::vector<std::vector<int>> achievers_; // per value: cases
  std::vector<unsigned> stamps_;            // per case
  unsigned stamp_ = 0;
};

} // namespace beeline
