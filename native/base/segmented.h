// SegmentedArray: fixed-size records that grow without ever moving.
//
// Appending never copies what is there, so a search with tens of millions of states has no
// moment in which everything exists twice, and addresses stay valid.

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <vector>

namespace beeline {

template <class Item>
class SegmentedArray {
public:
  // Each record is `width` items.
  explicit SegmentedArray(std::size_t width = 1)
      : width_(width),
        shift_(std::bit_width(std::max<std::size_t>(1, segment_bytes / (width * sizeof(Item)))) -
               1) {}

  Item *operator[](std::size_t record) {
    return segments_[record >> shift_].get() + (record & mask()) * width_;
  }
  const Item *operator[](std::size_t record) const {
    return segments_[record >> shift_].get() + (record & mask()) * width_;
  }

  // Room for one more record; its items are not initialised.
  Item *append() {
    if (size_ >> shift_ == segments_.size())
      segments_.push_back(std::make_unique_for_overwrite<Item[]>(width_ << shift_));
    return (*this)[size_++];
  }

  // Forgets all records and keeps the room.
  void clear() { size_ = 0; }

  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * width_ * sizeof(Item); } // in use

private:
  static constexpr std::size_t segment_bytes = std::size_t{1} << 18;
  std::size_t mask() const { return (std::size_t{1} << shift_) - 1; }

  std::size_t width_;
  int shift_; // records per segment, a power of two
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<Item[]>> segments_;
};

} // namespace beeline
