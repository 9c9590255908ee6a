// Encoding: facts and conditions in terms of finite-domain variables.
//
// Source: Helmert, AIJ 2009, section 7; conditions follow Fast Downward's translator: a negative
// literal excludes one value of one variable and is multiplied out where several values remain.

#pragma once

#include <vector>

#include "ground/mutex_groups.h"
#include "task/ground_task.h"

namespace beeline {

class Encoding {
public:
  // `chosen`: disjoint groups that cover all facts; `mutexes`: all groups.
  Encoding(const std::vector<FactGroup> &chosen, const std::vector<FactGroup> &mutexes, int facts);

  const Variables &variables() const { return variables_; }
  int value_of(int fact) const { return value_of_[fact]; }
  int last_value(int variable) const { return variables_.offsets[variable + 1] - 1; }

  // The ways to satisfy all literals, as lists of values, one per variable, ascending; no way if
  // they exclude each other. The result lives until the next call.
  const std::vector<std::vector<int>> &conditions(const std::vector<int> &positive,
                                                  const std::vector<int> &negative);

private:
  bool violates_mutex(const std::vector<int> &positive);
  struct Choice {
    int group;
    std::vector<int> values;
  };
  static bool constrain(const std::vector<int> &positive, const std::vector<int> &negative,
                        const Rows<GroupPlace> &places, const std::vector<int> &sizes,
                        std::vector<Choice> &choices);
  void multiply_out(std::vector<Choice> &choices);

  Variables variables_;
  std::vector<int> value_of_;
  Rows<GroupPlace> variable_places_, mutex_places_;
  std::vector<int> variable_sizes_, mutex_sizes_;
  std::vector<int> seen_stamp_, seen_value_; // per mutex group
  int stamp_ = 0;
  std::vector<std::vector<int>> result_;
};

} // namespace beeline
