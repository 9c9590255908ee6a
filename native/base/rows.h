// Rows: many short lists in two flat arrays.
//
// Operators, mutex groups and adjacency lists are all "a list of short lists". Two flat
// vectors hold any of them without an allocation per list, iterate at memory speed and go
// to numpy without a copy.

#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace beeline {

template <class Item>
class Rows {
public:
  Rows() = default;
  Rows(std::vector<std::int64_t> starts, std::vector<Item> items)
      : starts_(std::move(starts)), items_(std::move(items)) {}

  // Appends to the row that is being written; `close_row` ends it.
  void push(const Item &item) { items_.push_back(item); }
  void close_row() { starts_.push_back(static_cast<std::int64_t>(items_.size())); }

  void add_row(std::span<const Item> row) {
    items_.insert(items_.end(), row.begin(), row.end());
    close_row();
  }

  std::span<const Item> operator[](std::size_t row) const {
    return {items_.data() + starts_[row],
            static_cast<std::size_t>(starts_[row + 1] - starts_[row])};
  }

  std::size_t size() const { return starts_.size() - 1; }
  const std::vector<std::int64_t> &starts() const { return starts_; }
  const std::vector<Item> &items() const { return items_; }

private:
  std::vector<std::int64_t> starts_{0};
  std::vector<Item> items_;
};

} // namespace beeline
