// Value renaming: the same operators over fewer, differently numbered values.

#pragma once

#include <vector>

#include "base/poll.h"
#include "task/ground_task.h"

namespace beeline {

struct ValueRenaming {
  static constexpr int always = -1; // the variable has no other value: drop the condition
  static constexpr int never = -2;  // cannot become true: drop what depends on it
  std::vector<int> new_value;       // per old value

  // Keeps the values that are marked; a variable with one value left disappears.
  static ValueRenaming keep_values(const Variables &variables, const std::vector<char> &kept,
                                   Variables &renamed);
  // Keeps these variables, in this order; conditions and effects on others disappear.
  static ValueRenaming keep_variables(const Variables &variables, const std::vector<int> &kept,
                                      Variables &renamed);

  // In place, without the operators that can never apply or have no effect left: there may be no
  // room for all of them twice.
  void apply(Operators &operators, Poll &poll) const;
  Axioms apply(const Axioms &axioms) const; // likewise, without their layers
  // Values without those that always hold; false if one can never hold.
  bool apply_to_condition(std::span<const int> values, std::vector<int> &renamed) const;
  Rows<int> apply_to_mutex_groups(const Rows<int> &groups) const; // of two values at least
};

} // namespace beeline
