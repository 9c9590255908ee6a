// RelaxedReachability: which values are reached without delete effects and without any of some
// excluded values. One counter per relaxed operator, no costs.

#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "heuristics/relaxed_task.h"

namespace beeline {

class RelaxedReachability {
public:
  RelaxedReachability(const GroundTask &task, const RelaxedTask &relaxed)
      : task_(task), relaxed_(relaxed), excluded_(relaxed.propositions, 0),
        blocked_(relaxed.originals, 0), reached_(relaxed.propositions, 0) {
    for (std::size_t op = 0; op < relaxed.size(); ++op)
      fresh_.push_back(static_cast<int>(relaxed.conditions[op].size()));
    missing_ = fresh_;
  }

  // `achievers`: the relaxed operators that have an excluded value as an effect.
  void run(std::span<const int> excluded, std::span<const int> achievers) {
    mark(excluded, achievers, 1);
    std::fill(reached_.begin(), reached_.end(), 0);
    std::copy(fresh_.begin(), fresh_.end(), missing_.begin());
    queue_.clear();
    for (int value : task_.initial)
      reach(value);
    for (int op : relaxed_.unconditional)
      apply(op);
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const auto consumers = relaxed_.consumers[queue_[i]];
      work_ += static_cast<std::int64_t>(consumers.size());
      for (int op : consumers)
        if (--missing_[op] == 0)
          apply(op);
    }
    work_ += static_cast<std::int64_t>(fresh_.size()) / 8; // the copy at the start
    mark(excluded, achievers, 0);
  }

  bool reached(int value) const { return reached_[value] != 0; }
  // Whether the conditions of a relaxed operator are reached.
  bool applicable(int op) const { return missing_[op] == 0; }
  std::int64_t work() const { return work_; }

private:
  // An operator that always achieves an excluded value cannot be used; one that does so under a
  // guard of its own only loses that effect.
  void mark(std::span<const int> excluded, std::span<const int> achievers, char flag) {
    for (int value : excluded)
      excluded_[value] = flag;
    for (int op : achievers) {
      const int original = relaxed_.original[op];
      if (relaxed_.is_axiom(op)) // which has no other effect
        continue;
      if (relaxed_.conditions[op].size() == task_.operators.conditions[original].size())
        blocked_[original] = flag;
    }
  }

  void reach(int value) {
    if (reached_[value] != 0 || excluded_[value] != 0)
      return;
    reached_[value] = 1;
    queue_.push_back(value);
  }

  void apply(int op) {
    if (blocked_[relaxed_.original[op]] != 0)
      return;
    for (int effect : relaxed_.effects[op])
      reach(effect);
  }

  const GroundTask &task_;
  const RelaxedTask &relaxed_;
  std::vector<int> fresh_, missing_; // per relaxed operator: conditions to be reached
  std::vector<char> excluded_, blocked_, reached_;
  std::vector<int> queue_;
  std::int64_t work_ = 0;
};

} // namespace beeline
