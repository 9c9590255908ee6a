// OperatorProducts: actions whose operators are all combinations of independent parts.
//
// To make a sandwich takes any bread, any content and any name: a hundred of each are a million
// operators, and most are applicable at once. But parameters that share no condition are
// independent: what is applicable is a product of few short lists, and where objects come in kinds,
// the first applicable operator of each combination of kinds is the combination of the first ones.
// So one operator of each kind costs as much as looking at the lists, and not at the product.
//
// Which actions are products is found out from the ground task and checked operator by operator:
// conditions must be those of the parts, as many for each entry of a part, and no combination may
// be missing. Only actions with very many operators are worth that.

#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/tuple_set.h"
#include "state/packing.h"
#include "task/ground_task.h"

namespace beeline {

// The order in which applicable operators come: by conditions, ties by number, or by name where
// numbers are in the order in which operators were met.
inline bool comes_earlier(const GroundTask &task, int left, int right) {
  const Operators &operators = task.operators;
  const auto compare = [](std::span<const int> l, std::span<const int> r) {
    return std::lexicographical_compare_three_way(l.begin(), l.end(), r.begin(), r.end());
  };
  if (const auto order = compare(operators.conditions[left], operators.conditions[right]);
      order != 0)
    return order < 0;
  if (task.unwritten) {
    const std::vector<int> &ranks = task.unwritten->name_ranks;
    const int one = ranks[operators.actions[left]], other = ranks[operators.actions[right]];
    if (one != other)
      return one < other;
    if (const auto order = compare(operators.args[left], operators.args[right]); order != 0)
      return order < 0;
  }
  return left < right;
}

class OperatorProducts {
public:
  static constexpr std::size_t many = std::size_t{1} << 16;

  explicit OperatorProducts(const GroundTask &task, std::size_t fewest = many);

  bool empty() const { return products_.empty(); }
  // Whether an operator belongs to such an action.
  bool contains(int op) const;

  // Appends some applicable operators of these actions: at least, of all that have the same action
  // and arguments of the same kinds, the one that comes first. Returns how many are applicable.
  // Appends nothing, and returns a negative number, if there are too many kinds to gain by that.
  std::int64_t first_of_kinds(const StatePacker &packer, const Word *state,
                              std::span<const int> kinds, std::vector<int> &operators);

private:
  struct Part {
    std::vector<int> parameters;
    int entries = 0;
    std::vector<int> args;       // entries * parameters
    std::size_t conditions = 0;  // of an entry
    std::vector<int> values;     // entries * conditions; entries are sorted by these, then by args
    std::vector<int> first_ones; // of the kinds that are applicable in this state
    std::int64_t applicable = 0;
  };
  struct Product {
    int first_op = 0, last_op = 0;
    std::vector<Part> parts;
  };

  bool find_parts(int first_op, int last_op, Product &product) const;
  // Whether some combinations of the parts of operators are operators: all of them if it is one.
  bool seems_complete(const Product &product) const;
  // The operator with these arguments, or the last one before; they ascend.
  int find_by_args(const Product &product, std::span<const int> args) const;
  bool check(Product &product) const;
  // The condition's parameters, as bits; none if that is not clear.
  std::optional<std::uint64_t> parameters_of(int value, std::span<const int> args) const;
  static void sort_entries(Part &part);
  void look_at(Part &part, const StatePacker &packer, const Word *state,
               std::span<const int> kinds);
  void combine(const Product &product, std::vector<int> &operators);

  const GroundTask &task_;
  std::vector<Product> products_; // by their operators
  std::vector<int> args_;
};

} // namespace beeline
