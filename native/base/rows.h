// Rows: many short lists in two flat arrays.
//
// Operators, mutex groups and adjacency lists are all "a list of short lists". Two flat
// vectors hold any of them without an allocation per list, iterate at memory speed and go
// to numpy without a copy. Where there are tens of millions of rows, 32 bits for a start are
// enough.

#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace beeline {

template <class Item, class Start = std::int64_t>
class Rows {
public:
  Rows() = default;
  Rows(std::vector<Start> starts, std::vector<Item> items)
      : starts_(std::move(starts)), items_(std::move(items)) {}

  // Appends to the row that is being written; `close_row` ends it.
  void push(const Item &item) { items_.push_back(item); }
  void close_row() { starts_.push_back(checked(items_.size())); }

  void add_row(std::span<const Item> row) {
    items_.insert(items_.end(), row.begin(), row.end());
    close_row();
  }

  std::span<const Item> operator[](std::size_t row) const {
    return {items_.data() + starts_[row],
            static_cast<std::size_t>(starts_[row + 1] - starts_[row])};
  }

  void reserve(std::size_t rows, std::size_t items) {
    starts_.reserve(rows + 1);
    items_.reserve(items);
  }

  std::size_t size() const { return starts_.size() - 1; }
  const std::vector<Start> &starts() const { return starts_; }
  const std::vector<Item> &items() const { return items_; }

  // Goes through all rows once and leaves shorter ones, or none, in their place.
  class Rewriter {
  public:
    explicit Rewriter(Rows &rows) : rows_(rows) {}

    // The next row as it was; written rows may not be longer than all that were read.
    std::span<const Item> read() {
      const Start first = std::exchange(end_, rows_.starts_[++read_]);
      return {rows_.items_.data() + first, static_cast<std::size_t>(end_ - first)};
    }
    void write(std::span<const Item> row) {
      std::copy(row.begin(), row.end(), rows_.items_.begin() + rows_.starts_[written_]);
      rows_.starts_[written_ + 1] = rows_.starts_[written_] + static_cast<Start>(row.size());
      ++written_;
    }
    // After the last row.
    void finish() {
      rows_.items_.resize(rows_.starts_[written_]);
      rows_.starts_.resize(written_ + 1);
    }

  private:
    Rows &rows_;
    std::size_t read_ = 0, written_ = 0;
    Start end_ = 0;
  };

private:
  static Start checked(std::size_t items) {
    if (items > static_cast<std::size_t>(std::numeric_limits<Start>::max()))
      throw std::bad_alloc();
    return static_cast<Start>(items);
  }

  std::vector<Start> starts_{0};
  std::vector<Item> items_;
};

} // namespace beeline
