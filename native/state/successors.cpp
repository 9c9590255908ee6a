#include "state/successors.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace beeline {

namespace {
constexpr std::int32_t nothing = -1;
} // namespace

SuccessorGenerator::SuccessorGenerator(const GroundTask &task, const StatePacker &packer)
    : task_(task), packer_(packer), order_(task.operators.size()), axioms_(task),
      any_dependent_(!axioms_.empty()) {
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](int left, int right) {
    const auto l = task.operators.conditions[left], r = task.operators.conditions[right];
    return std::lexicographical_compare(l.begin(), l.end(), r.begin(), r.end());
  });
  build(0, order_.size(), 0);

  const auto bits_of = [&](int value) {
    const int variable = task.variables.variable_of[value];
    return static_cast<Word>(value - task.variables.offsets[variable])
           << packer.slot(variable).shift;
  };
  const auto add_test = [&](int value) {
    const StatePacker::Slot &slot = packer.slot(task.variables.variable_of[value]);
    tests_.push_back({slot.word, slot.mask << slot.shift, bits_of(value)});
  };
  for (std::size_t op = 0; op < task.operators.size(); ++op) {
    std::vector<Write> writes;
    for (const Effect &effect : task.operators.effects[op]) {
      const StatePacker::Slot &slot = packer.slot(task.variables.variable_of[effect.value]);
      const Word mask = slot.mask << slot.shift;
      any_dependent_ = any_dependent_ || effect.guard >= 0 || effect.condition >= 0;
      if (effect.condition >= 0) {
        const auto first = static_cast<std::uint32_t>(tests_.size());
        for (int value : task.operators.condition_of(effect))
          add_test(value);
        if (effect.guard >= 0)
          add_test(effect.guard);
        conditional_.push({first, static_cast<std::uint32_t>(tests_.size()), slot.word, mask,
                           bits_of(effect.value)});
        continue;
      }
      if (effect.guard >= 0) {
        guarded_.push({slot.word, mask, bits_of(effect.guard), bits_of(effect.value)});
        continue;
      }
      auto write = std::find_if(writes.begin(), writes.end(),
                                [&](const Write &w) { return w.word == slot.word; });
      if (write == writes.end())
        write = writes.insert(writes.end(), {slot.word, ~Word{0}, 0});
      write->keep &= ~mask;
      write->set = (write->set & ~mask) | bits_of(effect.value);
    }
    writes_.add_row(writes);
    guarded_.close_row();
    conditional_.close_row();
  }
}

void SuccessorGenerator::build(std::size_t first, std::size_t last, std::size_t depth) {
  const auto condition = [&](std::size_t i) { return task_.operators.conditions[order_[i]]; };
  std::size_t open = first; // operators whose conditions are all tested come first
  while (open < last && condition(open).size() == depth)
    ++open;
  std::vector<std::pair<std::size_t, std::size_t>> groups; // by the next variable
  const auto variable = [&](std::size_t i) {
    return task_.variables.variable_of[condition(i)[depth]];
  };
  for (std::size_t begin = open; begin < last;) {
    std::size_t end = begin;
    while (end < last && variable(end) == variable(begin))
      ++end;
    groups.emplace_back(begin, end);
    begin = end;
  }
  tree_.push_back(static_cast<std::int32_t>(open - first));
  for (std::size_t i = first; i < open; ++i)
    tree_.push_back(order_[i]);
  tree_.push_back(static_cast<std::int32_t>(groups.size()));
  const std::size_t places = tree_.size();
  tree_.resize(tree_.size() + groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g)
    tree_[places + g] =
        static_cast<std::int32_t>(build_switch(groups[g].first, groups[g].second, depth));
}

std::size_t SuccessorGenerator::build_switch(std::size_t first, std::size_t last,
                                             std::size_t depth) {
  const auto value = [&](std::size_t i) { return task_.operators.conditions[order_[i]][depth]; };
  const int variable = task_.variables.variable_of[value(first)];
  const StatePacker::Slot &slot = packer_.slot(variable);
  std::vector<std::pair<std::size_t, std::size_t>> groups; // by value
  for (std::size_t begin = first; begin < last;) {
    std::size_t end = begin;
    while (end < last && value(end) == value(begin))
      ++end;
    groups.emplace_back(begin, end);
    begin = end;
  }
  const auto values = static_cast<std::size_t>(task_.variables.domain_size(variable));
  const bool sparse = groups.size() * 4 < values;
  const std::size_t place = tree_.size();
  tree_.insert(tree_.end(),
               {static_cast<std::int32_t>(slot.word), static_cast<std::int32_t>(slot.shift),
                static_cast<std::int32_t>(slot.mask),
                static_cast<std::int32_t>(sparse ? groups.size() : 0)});
  tree_.resize(tree_.size() + (sparse ? 2 * groups.size() : values), nothing);
  const std::size_t entries = place + 4;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto [begin, end] = groups[g];
    const int local = value(begin) - task_.variables.offsets[variable];
    const auto child = static_cast<std::int32_t>(tree_.size());
    if (sparse) {
      tree_[entries + g] = local;
      tree_[entries + groups.size() + g] = child;
    } else {
      tree_[entries + static_cast<std::size_t>(local)] = child;
    }
    build(begin, end, depth + 1);
  }
  return place;
}

void SuccessorGenerator::visit(std::size_t node, const Word *state,
                               std::vector<int> &operators) const {
  const std::int32_t *place = tree_.data() + node;
  const std::int32_t count = *place++;
  operators.insert(operators.end(), place, place + count);
  place += count;
  for (std::int32_t switches = *place++; switches > 0; --switches) {
    const std::int32_t *fork = tree_.data() + *place++;
    const auto value =
        static_cast<std::int32_t>(state[fork[0]] >> fork[1] & static_cast<Word>(fork[2]));
    const std::int32_t sparse = fork[3];
    const std::int32_t *entries = fork + 4;
    if (sparse == 0) {
      if (entries[value] != nothing)
        visit(static_cast<std::size_t>(entries[value]), state, operators);
    } else {
      const std::int32_t *found = std::lower_bound(entries, entries + sparse, value);
      if (found != entries + sparse && *found == value)
        visit(static_cast<std::size_t>(found[sparse]), state, operators);
    }
  }
}

void SuccessorGenerator::apply(int op, const Word *from, Word *to) const {
  std::memcpy(to, from, static_cast<std::size_t>(packer_.words()) * sizeof(Word));
  for (const Write &write : writes_[op])
    to[write.word] = (to[write.word] & write.keep) | write.set;
  if (any_dependent_)
    apply_dependent(op, from, to);
}

void SuccessorGenerator::apply_dependent(int op, const Word *from, Word *to) const {
  for (const GuardedWrite &write : guarded_[op])
    if ((from[write.word] & write.mask) == write.guard)
      to[write.word] = (to[write.word] & ~write.mask) | write.set;
  for (const ConditionalWrite &write : conditional_[op])
    if (std::all_of(tests_.begin() + write.first_test, tests_.begin() + write.last_test,
                    [&](const Test &test) { return (from[test.word] & test.mask) == test.bits; }))
      to[write.word] = (to[write.word] & ~write.mask) | write.set;
  if (!axioms_.empty())
    derive(to);
}

void SuccessorGenerator::derive(Word *state) const {
  const Variables &variables = task_.variables;
  axioms_.run(
      [&](int variable) { return variables.offsets[variable] + packer_.get(state, variable); },
      [&](int value) {
        const int variable = variables.variable_of[value];
        const StatePacker::Slot &slot = packer_.slot(variable);
        state[slot.word] = (state[slot.word] & ~(slot.mask << slot.shift)) |
                           static_cast<Word>(value - variables.offsets[variable]) << slot.shift;
      });
}

} // namespace beeline
