// Completion: random values for undefined variables, such that no two exclude each other.

#pragma once

#include <vector>

#include "base/random.h"
#include "state/mutexes.h"

namespace beeline {

class Completion {
public:
  Completion(const GroundTask &task, int attempts)
      : task_(task), mutexes_(task), attempts_(attempts) {}

  // Variables in random order, values at random among those that fit; all anew when none does.
  // False, and nothing changed, if no attempt succeeds.
  bool complete(PartialState &state, Random &random) {
    open_.clear();
    for (std::size_t variable = 0; variable < state.size(); ++variable)
      if (state[variable] == undefined)
        open_.push_back(static_cast<int>(variable));
    for (int attempt = 0; attempt < attempts_; ++attempt) {
      filled_ = state;
      if (try_once(random)) {
        state = filled_;
        return true;
      }
    }
    return false;
  }

private:
  bool try_once(Random &random) {
    mutexes_.begin();
    for (std::size_t variable = 0; variable < filled_.size(); ++variable)
      if (filled_[variable] != undefined)
        mutexes_.add(static_cast<int>(variable), filled_[variable]);
    for (std::size_t i = open_.size(); i > 1; --i)
      std::swap(open_[i - 1], open_[random.below(i)]);
    for (int variable : open_) {
      fitting_.clear();
      for (int value = 0; value < task_.variables.domain_size(variable); ++value)
        if (mutexes_.fits(variable, value))
          fitting_.push_back(value);
      if (fitting_.empty())
        return false;
      filled_[variable] = fitting_[random.below(fitting_.size())];
      mutexes_.add(variable, filled_[variable]);
    }
    return true;
  }

  const GroundTask &task_;
  Mutexes mutexes_;
  int attempts_;
  PartialState filled_;
  std::vector<int> open_, fitting_;
};

} // namespace beeline
