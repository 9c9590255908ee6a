// Operators: what can be done in a ground task, in few bytes each.
//
// Tasks have up to tens of millions of operators, and then little else counts. So positions have
// 32 bits; an effect is a value, four bytes, unless it has a guard or a condition, which few have;
// and costs are written down only once while they are all the same.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "base/rows.h"

namespace beeline {

// Costs and sums of costs are 64 bits wide. Every operator costs less than `cost_limit`, and so
// does every plan that is looked for: up to there each sum is exact, also as a key of a queue,
// which is a double.
using Cost = std::int64_t;
constexpr Cost cost_limit = Cost{1} << 53;

// Sets the variable of `value` to it; with a guard, only if the variable has that value before,
// and with a condition, only if all its values hold before.
struct Effect {
  int guard = -1; // a value of the same variable, or -1
  int value = -1;
  int condition = -1; // row of `Operators::effect_conditions`, or -1

  bool is_plain() const { return guard < 0 && condition < 0; }
  bool operator==(const Effect &) const = default;
};

using OperatorRows = Rows<int, std::uint32_t>;

class EffectRows {
public:
  EffectRows() = default;
  EffectRows(OperatorRows codes, std::vector<Effect> others)
      : codes_(std::move(codes)), others_(std::move(others)) {}

  // Effects by value: they are made when they are looked at.
  class Iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Effect;
    using difference_type = std::ptrdiff_t;
    using pointer = const Effect *;
    using reference = Effect;

    Iterator() = default;
    Iterator(const int *code, const Effect *others) : code_(code), others_(others) {}
    Effect operator*() const { return *code_ >= 0 ? Effect{-1, *code_, -1} : others_[~*code_]; }
    Iterator &operator++() {
      ++code_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++code_;
      return before;
    }
    bool operator==(const Iterator &other) const { return code_ == other.code_; }
    difference_type operator-(const Iterator &other) const { return code_ - other.code_; }

  private:
    const int *code_ = nullptr;
    const Effect *others_ = nullptr;
  };

  class Row {
  public:
    Row(std::span<const int> codes, const Effect *others) : codes_(codes), others_(others) {}
    Iterator begin() const { return {codes_.data(), others_}; }
    Iterator end() const { return {codes_.data() + codes_.size(), others_}; }
    Effect operator[](std::size_t i) const { return *Iterator(codes_.data() + i, others_); }
    std::size_t size() const { return codes_.size(); }
    bool empty() const { return codes_.empty(); }

  private:
    std::span<const int> codes_;
    const Effect *others_;
  };

  void push(const Effect &effect) { codes_.push(code(effect)); }
  void close_row() { codes_.close_row(); }
  template <class Effects>
  void add_row(const Effects &effects) {
    for (const Effect &effect : effects)
      push(effect);
    close_row();
  }

  Row operator[](std::size_t row) const { return {codes_[row], others_.data()}; }
  std::size_t size() const { return codes_.size(); }
  std::size_t count() const { return codes_.items().size(); } // of all rows
  void reserve(std::size_t rows, std::size_t effects) { codes_.reserve(rows, effects); }

  // Values, or the complement of a place in the others, which are not plain.
  const OperatorRows &codes() const { return codes_; }
  const std::vector<Effect> &others() const { return others_; }

  // Like that of Rows.
  class Rewriter {
  public:
    explicit Rewriter(EffectRows &rows)
        : rows_(rows), before_(std::exchange(rows.others_, {})), codes_(rows.codes_) {}

    Row read() { return {codes_.read(), before_.data()}; }
    void write(const std::vector<Effect> &effects) {
      row_.clear();
      for (const Effect &effect : effects)
        row_.push_back(rows_.code(effect));
      codes_.write(row_);
    }
    void finish() { codes_.finish(); }

  private:
    EffectRows &rows_;
    std::vector<Effect> before_;
    OperatorRows::Rewriter codes_;
    std::vector<int> row_;
  };

private:
  int code(const Effect &effect) {
    if (effect.is_plain())
      return effect.value;
    others_.push_back(effect);
    return ~static_cast<int>(others_.size() - 1);
  }

  OperatorRows codes_;
  std::vector<Effect> others_;
};

// A cost per operator.
class OperatorCosts {
public:
  OperatorCosts() = default;
  explicit OperatorCosts(const std::vector<Cost> &costs) {
    for (Cost cost : costs)
      push_back(cost);
  }

  Cost operator[](std::size_t op) const { return each_.empty() ? common_ : each_[op]; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  void push_back(Cost cost) {
    if (size_ == 0)
      common_ = cost;
    if (each_.empty() && cost != common_)
      each_.assign(size_, common_);
    if (!each_.empty() || cost != common_)
      each_.push_back(cost);
    ++size_;
  }
  // Puts a cost in the place of another one.
  void set(std::size_t op, Cost cost) {
    if (cost == (*this)[op])
      return;
    if (each_.empty())
      each_.assign(size_, common_);
    each_[op] = cost;
  }
  void resize(std::size_t size) { // to fewer
    size_ = size;
    if (!each_.empty())
      each_.resize(size);
  }

  std::vector<Cost> list() const {
    return each_.empty() ? std::vector<Cost>(size_, common_) : each_;
  }
  Cost lowest() const {
    return each_.empty() ? common_ : *std::min_element(each_.begin(), each_.end());
  }

  Cost highest() const {
    return each_.empty() ? common_ : *std::max_element(each_.begin(), each_.end());
  }

private:
  std::size_t size_ = 0;
  Cost common_ = 0;
  std::vector<Cost> each_; // empty while all are the same
};

struct Operators {
  OperatorRows conditions; // values, ascending
  EffectRows effects;      // by variable
  // Values of other variables, ascending, of none that the operator has a condition on.
  Rows<int> effect_conditions;
  OperatorCosts costs;
  std::vector<int> actions; // index of the lifted action
  OperatorRows args;        // objects in the operator's name

  std::size_t size() const { return costs.size(); }

  // What an effect needs besides its guard.
  std::span<const int> condition_of(const Effect &effect) const {
    if (effect.condition < 0)
      return {};
    return effect_conditions[static_cast<std::size_t>(effect.condition)];
  }
};

} // namespace beeline
