// CostQueue: a priority queue for Dijkstra's algorithm with small integer costs.
//
// Buckets, last in first out, as long as costs are small against the number of entries; a
// binary heap once they are not. Fast Downward's adaptive queue has the same order, and ties in
// relaxed plans depend on it. `Number` is the type of the costs.

#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace beeline {

template <class Number>
class CostQueue {
public:
  void push(Number cost, int item) {
    if (!heap_mode_ && cost >= first_buckets && cost > pushes_)
      switch_to_heap();
    if (heap_mode_) {
      heap_.emplace_back(cost, item);
      std::push_heap(heap_.begin(), heap_.end(), later);
      return;
    }
    if (static_cast<std::size_t>(cost) >= buckets_.size())
      buckets_.resize(static_cast<std::size_t>(cost) + 1);
    buckets_[cost].push_back(item);
    ++entries_;
    ++pushes_;
    current_ = std::min(current_, cost);
  }

  // Counts as pushes when costs are compared with these: keeps buckets where an exploration goes
  // on with few entries.
  void add_virtual_pushes(int count) { pushes_ += count; }

  bool empty() const { return heap_mode_ ? heap_.empty() : entries_ == 0; }

  std::pair<Number, int> pop() {
    if (heap_mode_) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      const auto top = heap_.back();
      heap_.pop_back();
      return top;
    }
    while (buckets_[current_].empty())
      ++current_;
    const int item = buckets_[current_].back();
    buckets_[current_].pop_back();
    --entries_;
    return {current_, item};
  }

  void clear() {
    heap_.clear();
    if (entries_ > 0)
      for (std::size_t i = static_cast<std::size_t>(current_); i < buckets_.size(); ++i)
        buckets_[i].clear();
    entries_ = 0;
    pushes_ = 0;
    current_ = 0;
  }

private:
  static constexpr int first_buckets = 100;

  static bool later(const std::pair<Number, int> &left, const std::pair<Number, int> &right) {
    return left.first > right.first;
  }

  void switch_to_heap() {
    heap_mode_ = true;
    for (std::size_t cost = 0; cost < buckets_.size(); ++cost)
      for (int item : buckets_[cost])
        heap_.emplace_back(static_cast<Number>(cost), item);
    // Sorted, and so a heap already.
    buckets_ = {};
    entries_ = 0;
  }

  std::vector<std::vector<int>> buckets_;
  Number current_ = 0; // no entry below this bucket
  std::size_t entries_ = 0;
  int pushes_ = 0; // since the last clear
  bool heap_mode_ = false;
  std::vector<std::pair<Number, int>> heap_;
};

} // namespace beeline
