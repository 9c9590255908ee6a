// OpenList: entries by key, ties by age or at random.
//
// A key is a short list of numbers, compared in order: merit first, then tie-breakers. Where
// all numbers are integers there are few different keys, and entries go into one bucket per
// key; otherwise into a binary heap. Among equal keys the oldest entry comes first (fifo), or
// the youngest (lifo), or any (random, seeded).

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "base/random.h"

namespace beeline {

constexpr std::size_t max_keys = 4;
using Key = std::array<double, max_keys>; // unused places hold 0
enum class TieOrder { fifo, lifo, random };

template <class Entry>
class OpenList {
public:
  virtual ~OpenList() = default;
  virtual void push(const Key &key, Entry entry) = 0;
  virtual Entry pop() = 0; // of a list that is not empty
  virtual std::size_t size() const = 0;
  bool empty() const { return size() == 0; }
};

template <class Entry>
class BucketOpenList : public OpenList<Entry> {
public:
  BucketOpenList(TieOrder order, std::uint64_t seed) : order_(order), random_(seed) {}

  void push(const Key &key, Entry entry) override {
    if (last_ == buckets_.end() || last_->first != key)
      last_ = buckets_.try_emplace(key).first;
    last_->second.push_back(entry);
    ++size_;
  }

  Entry pop() override {
    const auto first = buckets_.begin();
    std::deque<Entry> &bucket = first->second;
    Entry result{};
    if (order_ == TieOrder::fifo) {
      result = bucket.front();
      bucket.pop_front();
    } else {
      if (order_ == TieOrder::random)
        std::swap(bucket[random_.below(bucket.size())], bucket.back());
      result = bucket.back();
      bucket.pop_back();
    }
    if (bucket.empty()) {
      if (last_ == first)
        last_ = buckets_.end();
      buckets_.erase(first);
    }
    --size_;
    return result;
  }

  std::size_t size() const override { return size_; }

private:
  using Buckets = std::map<Key, std::deque<Entry>>;
  TieOrder order_;
  Random random_;
  Buckets buckets_;
  typename Buckets::iterator last_ = buckets_.end(); // where the last entry went
  std::size_t size_ = 0;
};

template <class Entry>
class HeapOpenList : public OpenList<Entry> {
public:
  HeapOpenList(TieOrder order, std::uint64_t seed) : order_(order), random_(seed) {}

  void push(const Key &key, Entry entry) override {
    heap_.push_back({key, rank(), entry});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  Entry pop() override {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    const Entry result = heap_.back().entry;
    heap_.pop_back();
    return result;
  }

  std::size_t size() const override { return heap_.size(); }

private:
  struct Item {
    Key key;
    std::uint64_t rank;
    Entry entry;
  };

  std::uint64_t rank() {
    ++pushes_;
    switch (order_) {
    case TieOrder::fifo:
      return pushes_;
    case TieOrder::lifo:
      return ~pushes_;
    default:
      return random_.next();
    }
  }

  static bool later(const Item &left, const Item &right) {
    return left.key != right.key ? left.key > right.key : left.rank > right.rank;
  }

  TieOrder order_;
  Random random_;
  std::uint64_t pushes_ = 0;
  std::vector<Item> heap_;
};

template <class Entry>
std::unique_ptr<OpenList<Entry>> make_open_list(bool integral, TieOrder order, std::uint64_t seed) {
  if (integral)
    return std::make_unique<BucketOpenList<Entry>>(order, seed);
  return std::make_unique<HeapOpenList<Entry>>(order, seed);
}

} // namespace beeline
