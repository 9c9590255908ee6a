#include "ground/fact_table.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace beeline {

std::vector<int> sorted_order(const int *tuples, int count, int arity, int radix) {
  std::vector<int> order(count);
  const int bits = std::bit_width(static_cast<unsigned>(std::max(radix - 1, 1)));
  const int index_bits = std::bit_width(static_cast<unsigned>(std::max(count - 1, 1)));
  if (bits * arity + index_bits <= 64) {
    // Tuple and index in one word: the sort touches nothing else.
    std::vector<std::uint64_t> keys(count);
    for (int i = 0; i < count; ++i) {
      std::uint64_t key = 0;
      for (int j = 0; j < arity; ++j)
        key = key << bits | static_cast<std::uint64_t>(tuples[i * std::int64_t{arity} + j]);
      keys[i] = key << index_bits | static_cast<std::uint64_t>(i);
    }
    std::sort(keys.begin(), keys.end());
    const std::uint64_t mask = (std::uint64_t{1} << index_bits) - 1;
    for (int i = 0; i < count; ++i)
      order[i] = static_cast<int>(keys[i] & mask);
  } else {
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int left, int right) {
      const int *l = tuples + left * std::int64_t{arity};
      const int *r = tuples + right * std::int64_t{arity};
      return std::lexicographical_compare(l, l + arity, r, r + arity);
    });
  }
  return order;
}

FactTable::FactTable(const LiftedProgram &program, const Exploration &exploration)
    : relations_(exploration.relations), rank_(program.predicates.size()) {
  for (std::size_t p = 0; p < program.predicates.size(); ++p) {
    if (!program.predicates[p].fluent)
      continue;
    const Relation &relation = relations_[p];
    rank_[p].resize(relation.known());
    const int *tuples = relation.known() > 0 ? relation[0] : nullptr;
    for (int atom : sorted_order(tuples, relation.known(), relation.arity(), program.objects)) {
      rank_[p][atom] = size();
      predicates_.push_back(static_cast<int>(p));
      args_.add_row({relation[atom], static_cast<std::size_t>(relation.arity())});
    }
  }
}

int FactTable::find(const LiftedLiteral &literal, const int *binding) const {
  const int atom = find_atom(relations_[literal.predicate], literal, binding);
  return atom < 0 ? -1 : rank_[literal.predicate][atom];
}

} // namespace beeline
