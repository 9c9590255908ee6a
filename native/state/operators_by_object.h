// OperatorsByObject: the applicable operators of a few objects, without looking at those of others.
//
// Where one of a thousand balls stands for all, its operators stand for those of all, too. They
// are listed by object and tested one by one, as are the few that are about none of these objects.

#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "base/rows.h"
#include "state/operator_products.h"
#include "state/packing.h"
#include "task/ground_task.h"

namespace beeline {

class OperatorsByObject {
public:
  // `listed`: per object. Empty if an operator has two such arguments, or too many have none.
  OperatorsByObject(const GroundTask &task, std::span<const char> listed) : task_(task) {
    constexpr std::size_t share = 8;
    const Operators &operators = task.operators;
    std::vector<std::vector<int>> rows(listed.size());
    for (int op = 0; op < static_cast<int>(operators.size()); ++op) {
      std::vector<int> *row = &others_;
      for (int object : operators.args[op]) {
        if (listed[object] == 0)
          continue;
        if (row != &others_)
          return;
        row = &rows[object];
      }
      row->push_back(op);
      if (others_.size() * share > operators.size())
        return;
    }
    for (const std::vector<int> &row : rows)
      by_object_.add_row(row);
  }

  bool empty() const { return by_object_.size() == 0; }

  // Appends those of these objects and of none, in the order of the successor generator.
  void applicable(const StatePacker &packer, const Word *state, std::span<const int> objects,
                  std::vector<int> &operators) const {
    const auto first = static_cast<std::ptrdiff_t>(operators.size());
    const Variables &variables = task_.variables;
    const auto append = [&](std::span<const int> row) {
      for (int op : row) {
        const auto conditions = task_.operators.conditions[op];
        if (std::all_of(conditions.begin(), conditions.end(), [&](int value) {
              const int variable = variables.variable_of[value];
              return packer.get(state, variable) == value - variables.offsets[variable];
            }))
          operators.push_back(op);
      }
    };
    append(others_);
    for (int object : objects)
      append(by_object_[object]);
    std::sort(operators.begin() + first, operators.end(),
              [this](int left, int right) { return comes_earlier(task_, left, right); });
  }

private:
  const GroundTask &task_;
  Rows<int> by_object_;
  std::vector<int> others_;
};

} // namespace beeline
