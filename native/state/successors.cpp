#include "state/successors.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

namespace beeline {

namespace {
constexpr std::int32_t nothing = -1;
constexpr std::size_t many_operators = 200'000;
} // namespace

SuccessorGenerator::SuccessorGenerator(const GroundTask &task, const StatePacker &packer)
    : task_(task), packer_(packer), products_(task), joins_(task, packer), axioms_(task) {
  for (int value = 0; value < task.variables.values(); ++value) {
    const int variable = task.variables.variable_of[value];
    const StatePacker::Slot &slot = packer.slot(variable);
    const auto local = static_cast<Word>(value - task.variables.offsets[variable]);
    places_.push_back({slot.word, slot.mask << slot.shift, local << slot.shift});
  }
  build_tree(false);
  if (task.listed_operators() < many_operators)
    merge_writes();
}

std::size_t SuccessorGenerator::build_tree(bool of_products) const {
  const std::size_t root = tree_.size();
  order_.reserve(of_products || products_.empty() ? task_.listed_operators() : 0);
  for (int op = 0; op < static_cast<int>(task_.listed_operators()); ++op)
    if (products_.contains(op) == of_products)
      order_.push_back(op);
  build(0, order_.size(), 0);
  order_ = sort_space_ = {};
  return root;
}

void SuccessorGenerator::merge_writes() {
  std::vector<Place> writes; // of an operator
  for (std::size_t op = 0; op < task_.listed_operators(); ++op) {
    writes.clear();
    for (int code : task_.operators.effects.codes()[op]) {
      if (code < 0)
        continue;
      const Place &place = places_[code];
      auto same_word = std::find_if(writes.begin(), writes.end(),
                                    [&](const Place &write) { return write.word == place.word; });
      if (same_word == writes.end())
        same_word = writes.insert(writes.end(), {place.word, 0, 0});
      same_word->bits = (same_word->bits & ~place.mask) | place.bits;
      same_word->mask |= place.mask;
    }
    writes_.add_row(writes);
  }
}

void SuccessorGenerator::applicable(const Word *state, std::vector<int> &operators) const {
  const std::size_t first = operators.size();
  visit(0, state, operators);
  if (!joins_.empty()) {
    joins_.applicable(state, operators);
    if (!products_.empty())
      visit_products(state, operators);
    sort_from(first, operators);
    return;
  }
  if (products_.empty())
    return;
  const std::size_t middle = operators.size();
  visit_products(state, operators);
  if (middle > first && middle < operators.size())
    std::inplace_merge(operators.begin() + static_cast<std::ptrdiff_t>(first),
                       operators.begin() + static_cast<std::ptrdiff_t>(middle), operators.end(),
                       [&](int left, int right) { return comes_earlier(task_, left, right); });
}

void SuccessorGenerator::visit_products(const Word *state, std::vector<int> &operators) const {
  if (product_root_ == 0)
    product_root_ = build_tree(true);
  visit(product_root_, state, operators);
}

namespace {

// An operator with what it is sorted by in two numbers, where that fits: its conditions as digits,
// then its number or, of an operator that is not written down from the start, its name. A `name` of
// 0 does not tell.
struct SortEntry {
  std::uint64_t conditions = 0;
  std::uint64_t name = 0;
  int op;
};

class SortKeys {
public:
  explicit SortKeys(const GroundTask &task)
      : task_(task), conditions_(task.variables.values(), 64),
        args_(task.unwritten ? task.unwritten->objects : 0, 64 - rank_bits) {}

  SortEntry operator()(int op) const {
    const auto conditions = task_.operators.conditions[op];
    SortEntry entry{conditions_.packed(conditions), 0, op};
    if (conditions_.fit(conditions))
      entry.name = task_.unwritten ? name(op) : static_cast<std::uint64_t>(op) + 1;
    return entry;
  }

private:
  static constexpr int rank_bits = 16;

  // Numbers below `end` as digits behind each other, the first one highest; 0 is none.
  struct Digits {
    Digits(int end, int bits)
        : width(std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(end))))),
          count(static_cast<std::size_t>(bits / width)) {}

    bool fit(std::span<const int> numbers) const { return numbers.size() <= count; }
    std::uint64_t packed(std::span<const int> numbers) const {
      std::uint64_t result = 0;
      for (std::size_t i = 0; i < count; ++i)
        result = (result << width) |
                 (i < numbers.size() ? static_cast<std::uint64_t>(numbers[i]) + 1 : 0);
      return result;
    }

    int width;
    std::size_t count;
  };

  std::uint64_t name(int op) const {
    const auto rank =
        static_cast<std::uint64_t>(task_.unwritten->name_ranks[task_.operators.actions[op]]) + 1;
    const auto args = task_.operators.args[op];
    if (rank >> rank_bits != 0 || !args_.fit(args))
      return 0;
    return (rank << (64 - rank_bits)) | args_.packed(args);
  }

  const GroundTask &task_;
  Digits conditions_, args_;
};

} // namespace

void SuccessorGenerator::sort_from(std::size_t first, std::vector<int> &operators) const {
  const SortKeys keys(task_);
  std::vector<SortEntry> entries;
  entries.reserve(operators.size() - first);
  for (std::size_t i = first; i < operators.size(); ++i)
    entries.push_back(keys(operators[i]));
  std::sort(entries.begin(), entries.end(), [&](const SortEntry &left, const SortEntry &right) {
    if (left.conditions != right.conditions)
      return left.conditions < right.conditions;
    if (left.name != 0 && right.name != 0 && left.name != right.name)
      return left.name < right.name;
    return comes_earlier(task_, left.op, right.op);
  });
  for (const SortEntry &entry : entries)
    operators[first++] = entry.op;
}

std::int64_t SuccessorGenerator::applicable_kinds(const Word *state, std::span<const int> kinds,
                                                  std::vector<int> &operators) const {
  const std::size_t first = operators.size();
  const std::int64_t all = products_.first_of_kinds(packer_, state, kinds, operators);
  if (all < 0 && joins_.empty()) {
    applicable(state, operators);
    return 0;
  }
  std::int64_t left_out = 0;
  if (all < 0)
    visit_products(state, operators);
  else
    left_out = all - static_cast<std::int64_t>(operators.size() - first);
  if (!joins_.empty())
    left_out += joins_.applicable_kinds(state, kinds, operators);
  visit(0, state, operators);
  sort_from(first, operators);
  return left_out;
}

std::int32_t SuccessorGenerator::end_of_tree() const {
  if (tree_.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw std::bad_alloc();
  return static_cast<std::int32_t>(tree_.size());
}

// Stable, by the condition at this depth; operators that have none come first. With that at each
// node on the way down, operators are sorted by all their conditions.
void SuccessorGenerator::sort(std::size_t first, std::size_t last, std::size_t depth) const {
  const OperatorRows &conditions = task_.operators.conditions;
  const auto key = [&](int op) {
    const auto condition = conditions[op];
    return condition.size() > depth ? condition[depth] + 1 : 0;
  };
  const auto earlier = [&](int left, int right) { return key(left) < key(right); };
  const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto end = order_.begin() + static_cast<std::ptrdiff_t>(last);
  if (std::is_sorted(begin, end, earlier))
    return;
  const auto keys = static_cast<std::size_t>(task_.variables.values()) + 1;
  if (last - first < keys) {
    std::stable_sort(begin, end, earlier);
    return;
  }
  std::vector<std::size_t> place(keys, 0);
  for (auto op = begin; op != end; ++op)
    ++place[key(*op)];
  std::size_t sum = 0;
  for (std::size_t &entry : place)
    sum += std::exchange(entry, sum);
  sort_space_.resize(std::max(sort_space_.size(), last - first));
  for (auto op = begin; op != end; ++op)
    sort_space_[place[key(*op)]++] = *op;
  std::copy_n(sort_space_.begin(), last - first, begin);
}

void SuccessorGenerator::build(std::size_t first, std::size_t last, std::size_t depth) const {
  sort(first, last, depth);
  const auto condition = [&](std::size_t i) { return task_.operators.conditions[order_[i]]; };
  std::size_t open = first; // operators whose conditions are all tested come first
  while (open < last && condition(open).size() == depth)
    ++open;
  struct Part {
    std::size_t begin, end;
    bool is_list;
  };
  std::vector<Part> parts; // by the next variable; lists of several of them are one
  const auto variable = [&](std::size_t i) {
    return task_.variables.variable_of[condition(i)[depth]];
  };
  for (std::size_t begin = open; begin < last;) {
    std::size_t end = begin;
    const int tested = variable(begin);
    while (end < last && variable(end) == tested)
      ++end;
    const bool is_list = fits_list(begin, end, depth);
    if (is_list && !parts.empty() && parts.back().is_list)
      parts.back().end = end;
    else
      parts.push_back({begin, end, is_list});
    begin = end;
  }
  tree_.push_back(static_cast<std::int32_t>(open - first));
  tree_.insert(tree_.end(), order_.begin() + static_cast<std::ptrdiff_t>(first),
               order_.begin() + static_cast<std::ptrdiff_t>(open));
  tree_.push_back(static_cast<std::int32_t>(parts.size()));
  const std::size_t positions = tree_.size();
  tree_.resize(tree_.size() + parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    tree_[positions + p] = end_of_tree();
    if (!parts[p].is_list) {
      build_switch(parts[p].begin, parts[p].end, depth);
      continue;
    }
    tree_.push_back(~static_cast<std::int32_t>(parts[p].end - parts[p].begin));
    for (std::size_t i = parts[p].begin; i < parts[p].end; ++i)
      tree_.insert(tree_.end(), {condition(i)[depth], order_[i]});
  }
}

// Whether operators with a condition on the same variable next have no other one, and there are
// so few that looking at them in a row is not slower than a switch.
bool SuccessorGenerator::fits_list(std::size_t first, std::size_t last, std::size_t depth) const {
  constexpr std::size_t longest = 4;
  if (last - first > longest)
    return false;
  return std::all_of(order_.begin() + static_cast<std::ptrdiff_t>(first),
                     order_.begin() + static_cast<std::ptrdiff_t>(last),
                     [&](int op) { return task_.operators.conditions[op].size() == depth + 1; });
}

void SuccessorGenerator::build_switch(std::size_t first, std::size_t last,
                                      std::size_t depth) const {
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
  tree_.insert(tree_.end(),
               {static_cast<std::int32_t>(slot.word), static_cast<std::int32_t>(slot.shift),
                static_cast<std::int32_t>(slot.mask),
                static_cast<std::int32_t>(sparse ? groups.size() : 0)});
  const std::size_t entries = tree_.size();
  tree_.resize(tree_.size() + (sparse ? 2 * groups.size() : values), nothing);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto [begin, end] = groups[g];
    const int local = value(begin) - task_.variables.offsets[variable];
    const std::int32_t child = end_of_tree();
    if (sparse) {
      tree_[entries + g] = local;
      tree_[entries + groups.size() + g] = child;
    } else {
      tree_[entries + static_cast<std::size_t>(local)] = child;
    }
    build(begin, end, depth + 1);
  }
}

void SuccessorGenerator::visit(std::size_t node, const Word *state,
                               std::vector<int> &operators) const {
  const std::int32_t *place = tree_.data() + node;
  const std::int32_t count = *place++;
  operators.insert(operators.end(), place, place + count);
  place += count;
  looked_at_ += *place;
  for (std::int32_t parts = *place++; parts > 0; --parts) {
    const std::int32_t *part = tree_.data() + *place++;
    if (*part < 0) {
      looked_at_ += ~*part;
      const std::int32_t *const end = part + 1 + std::ptrdiff_t{2} * ~*part;
      for (const std::int32_t *pair = part + 1; pair != end; pair += 2)
        if (holds(pair[0], state))
          operators.push_back(pair[1]);
      continue;
    }
    const auto value =
        static_cast<std::int32_t>(state[part[0]] >> part[1] & static_cast<Word>(part[2]));
    const std::int32_t sparse = part[3];
    const std::int32_t *entries = part + 4;
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
  if (static_cast<std::size_t>(op) < writes_.size()) {
    for (const Place &place : writes_[op])
      write(place, to);
  } else {
    for (int code : task_.operators.effects.codes()[op])
      if (code >= 0)
        write(places_[code], to);
  }
  if (!task_.operators.effects.others().empty())
    apply_others(op, from, to);
  if (!axioms_.empty())
    update_derived(op, from, to);
}

// Derived values were copied: they stay what they are where no axiom can tell the two states apart.
void SuccessorGenerator::update_derived(int op, const Word *from, Word *to) const {
  const auto was = [&](int variable) { return value_of(variable, from); };
  const auto is = [&](int variable) { return value_of(variable, to); };
  changed_.clear();
  for (const Effect &effect : task_.operators.effects[op]) {
    const int variable = task_.variables.variable_of[effect.value];
    if (axioms_.reads(variable) && was(variable) != is(variable))
      changed_.push_back(variable);
  }
  if (!changed_.empty())
    looked_at_ += axioms_.update(changed_, was, is, [&](int value) { write(places_[value], to); });
}

// Effects with guards, and behind them those with conditions.
void SuccessorGenerator::apply_others(int op, const Word *from, Word *to) const {
  const auto codes = task_.operators.effects.codes()[op];
  if (std::all_of(codes.begin(), codes.end(), [](int code) { return code >= 0; }))
    return;
  looked_at_ += std::int64_t{2} * static_cast<std::int64_t>(codes.size());
  for (const bool conditional : {false, true})
    for (const Effect &effect : task_.operators.effects[op]) {
      if (effect.is_plain() || (effect.condition >= 0) != conditional ||
          (effect.guard >= 0 && !holds(effect.guard, from)))
        continue;
      const auto condition = task_.operators.condition_of(effect);
      if (std::all_of(condition.begin(), condition.end(),
                      [&](int value) { return holds(value, from); }))
        write(places_[effect.value], to);
    }
}

void SuccessorGenerator::derive(Word *state) const {
  looked_at_ += static_cast<std::int64_t>(task_.axioms.size());
  axioms_.run([&](int variable) { return value_of(variable, state); },
              [&](int value) { write(places_[value], state); });
}

} // namespace beeline
