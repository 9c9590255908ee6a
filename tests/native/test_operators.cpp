// How operators are stored: what goes in comes out, in fewer bytes.

#include <algorithm>
#include <array>
#include <vector>

#include "base/random.h"
#include "check.h"
#include "ground/tuple_list.h"
#include "search/plan_trace.h"
#include "task/operators.h"

using namespace beeline;

TEST(rows_that_are_rewritten_are_those_that_were_kept) {
  OperatorRows rows;
  for (int row = 0; row < 20; ++row) {
    for (int item = 0; item < row % 5; ++item)
      rows.push(10 * row + item);
    rows.close_row();
  }
  const OperatorRows before = rows;
  OperatorRows::Rewriter rewriter(rows);
  for (int row = 0; row < 20; ++row) {
    const auto items = rewriter.read();
    CHECK(std::equal(items.begin(), items.end(), before[row].begin(), before[row].end()));
    if (row % 3 != 0) // without their first item
      rewriter.write(items.empty() ? items : items.subspan(1));
  }
  rewriter.finish();
  std::size_t kept = 0;
  for (int row = 0; row < 20; ++row)
    if (row % 3 != 0) {
      const auto items = before[row].subspan(before[row].empty() ? 0 : 1);
      CHECK(std::equal(items.begin(), items.end(), rows[kept].begin(), rows[kept].end()));
      ++kept;
    }
  CHECK_EQUAL(rows.size(), kept);
}

TEST(effects_come_out_as_they_went_in) {
  const std::vector<std::vector<Effect>> all{
      {{-1, 3, -1}, {2, 5, -1}}, {}, {{-1, 7, 4}, {-1, 8, -1}, {9, 10, 11}}};
  EffectRows rows;
  for (const auto &row : all)
    rows.add_row(row);
  CHECK_EQUAL(rows.count(), std::size_t{5});
  CHECK_EQUAL(rows.others().size(), std::size_t{3});
  for (std::size_t row = 0; row < all.size(); ++row)
    CHECK(std::equal(rows[row].begin(), rows[row].end(), all[row].begin(), all[row].end()));
  EffectRows::Rewriter rewriter(rows);
  for (std::size_t row = 0; row < all.size(); ++row) {
    const auto effects = rewriter.read();
    if (!effects.empty())
      rewriter.write({effects[effects.size() - 1]});
  }
  rewriter.finish();
  CHECK_EQUAL(rows.size(), std::size_t{2});
  CHECK(rows[0][0] == all[0][1]);
  CHECK(rows[1][0] == all[2][2]);
}

TEST(costs_are_the_same_whether_they_differ_or_not) {
  for (const std::vector<Cost> &list :
       {std::vector<Cost>{}, {4, 4, 4}, {4, 4, 7, 4}, {0, 1}, {5}}) {
    OperatorCosts costs(list);
    CHECK(costs.list() == list);
    for (std::size_t op = 0; op < list.size(); ++op)
      CHECK_EQUAL(costs[op], list[op]);
    if (list.size() < 2)
      continue;
    CHECK_EQUAL(costs.lowest(), *std::min_element(list.begin(), list.end()));
    CHECK_EQUAL(costs.highest(), *std::max_element(list.begin(), list.end()));
    costs.set(0, 9);
    costs.resize(2);
    CHECK(costs.list() == (std::vector<Cost>{9, list[1]}));
    OperatorPrices prices(costs);
    CHECK_EQUAL(prices[0], Cost{9});
    prices.scale_and_add(10, 1);
    CHECK_EQUAL(prices[0], Cost{91});
    CHECK_EQUAL(prices[1], list[1] * 10 + 1);
  }
}

TEST(tuples_are_sorted_as_lists_are) {
  for (const auto &[arity, radix, count] :
       {std::array{3, 1000, 20'000}, {3, 50, 500}, {9, 1000, 700}, {0, 5, 1}, {1, 1, 3}}) {
    Random random(7);
    TupleList tuples(arity, radix);
    std::vector<std::vector<int>> expected;
    for (int i = 0; i < count; ++i) {
      std::vector<int> tuple;
      for (int j = 0; j < arity; ++j)
        tuple.push_back(static_cast<int>(random.below(static_cast<std::uint64_t>(radix))));
      tuples.append(tuple.data());
      expected.push_back(tuple);
    }
    tuples.sort();
    std::sort(expected.begin(), expected.end());
    CHECK_EQUAL(tuples.size(), expected.size());
    std::vector<int> tuple(arity);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      tuples.get(i, tuple.data());
      CHECK(tuple == expected[i]);
    }
  }
}
