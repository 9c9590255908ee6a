#include "heuristics/repaired_costs.h"

#include <algorithm>

namespace beeline {

bool RepairedCosts::can_handle(const RelaxedTask &relaxed) {
  for (std::size_t op = 0; op < relaxed.size(); ++op)
    if (relaxed.costs[op] < 1 || relaxed.costs[op] >= ceiling ||
        relaxed.conditions[op].size() > max_conditions)
      return false;
  return true;
}

Rows<int> RepairedCosts::achievers_in(const RelaxedTask &relaxed) {
  std::vector<std::vector<int>> lists(relaxed.propositions);
  for (std::size_t op = 0; op < relaxed.size(); ++op)
    for (int effect : relaxed.effects[op])
      lists[effect].push_back(static_cast<int>(op));
  Rows<int> result;
  for (const std::vector<int> &list : lists)
    result.add_row(list);
  return result;
}

RepairedCosts::RepairedCosts(const GroundTask &task, const RelaxedTask &relaxed,
                             const Rows<int> &achievers)
    : task_(task), relaxed_(relaxed), achievers_(achievers),
      reached_(relaxed.propositions, Reached{unreached, unreached, no_supporter}) {
  sums_.reserve(relaxed.size());
  for (std::size_t op = 0; op < relaxed.size(); ++op) {
    Sum sum{static_cast<std::int32_t>(relaxed.costs[op]),
            static_cast<std::int16_t>(relaxed.conditions[op].size()),
            0,
            {}};
    const auto effects = relaxed.effects[op];
    if (effects.size() <= sum.effects.size()) {
      sum.few = static_cast<std::int16_t>(effects.size());
      std::copy(effects.begin(), effects.end(), sum.effects.begin());
    }
    sums_.push_back(sum);
  }
}

template <class Use>
void RepairedCosts::for_each_consumer(int proposition, const Use &use) {
  constexpr std::size_t ahead = 16;
  const auto consumers = relaxed_.consumers[proposition];
  work_ += static_cast<std::int64_t>(consumers.size());
  Sum *const sums = sums_.data();
  for (std::size_t i = 0; i < consumers.size(); ++i) {
    if (i + ahead < consumers.size())
      __builtin_prefetch(&sums[consumers[i + ahead]], 1);
    use(consumers[i], sums[consumers[i]]);
  }
}

int RepairedCosts::distance(const StatePacker &packer, const Word *state) const {
  int result = 0;
  for (std::size_t variable = 0; variable < state_.size(); ++variable)
    result += task_.variables.offsets[variable] + packer.get(state, static_cast<int>(variable)) !=
                      state_[variable]
                  ? 1
                  : 0;
  return result;
}

bool RepairedCosts::explore(const StatePacker &packer, const Word *state) {
  queue_.clear();
  queue_.add_virtual_pushes(relaxed_.propositions);
  lost_.clear();
  const bool is_first = state_.empty();
  if (is_first) {
    state_.resize(task_.variables.count(), -1);
    for (int op : relaxed_.unconditional)
      offer(op, sums_[op]);
  }
  std::size_t fresh = 0;
  for (int variable = 0; variable < task_.variables.count(); ++variable) {
    const int value = task_.variables.offsets[variable] + packer.get(state, variable);
    if (state_[variable] == value)
      continue;
    if (!is_first) {
      lost_.push_back(state_[variable]);
      reached_[state_[variable]].supporter = no_supporter;
      reached_[state_[variable]].cost = unreached;
    }
    state_[variable] = value;
    ++fresh;
  }
  for (std::size_t i = 0; i < lost_.size(); ++i)
    take_back(lost_[i]);
  for (int proposition : lost_)
    find_supporter(proposition);
  for (int variable = 0; fresh > 0 && variable < task_.variables.count(); ++variable)
    hold(state_[variable]);
  return spread();
}

// The operators forget the cost; what rests on these operators is lost, too.
void RepairedCosts::take_back(int proposition) {
  Reached &entry = reached_[proposition];
  if (entry.told == unreached)
    return;
  const std::int32_t told = entry.told;
  for_each_consumer(proposition, [&](int op, Sum &sum) {
    sum.value -= told;
    if (sum.missing++ > 0)
      return;
    for (int effect : effects(op, sum))
      if (reached_[effect].supporter == op) {
        reached_[effect].supporter = no_supporter;
        reached_[effect].cost = unreached;
        lost_.push_back(effect);
      }
  });
  entry.told = unreached;
}

void RepairedCosts::find_supporter(int proposition) {
  Reached &entry = reached_[proposition];
  const auto achievers = achievers_[proposition];
  work_ += static_cast<std::int64_t>(achievers.size());
  constexpr std::size_t ahead = 16;
  for (std::size_t i = 0; i < achievers.size(); ++i) {
    if (i + ahead < achievers.size())
      __builtin_prefetch(&sums_[achievers[i + ahead]]);
    const Sum &sum = sums_[achievers[i]];
    if (sum.missing == 0 &&
        static_cast<std::uint32_t>(sum.value) < static_cast<std::uint32_t>(entry.cost)) {
      entry.cost = sum.value;
      entry.supporter = achievers[i];
    }
  }
  if (entry.cost != unreached)
    queue_.push(entry.cost, proposition);
}

// The proposition is true in the state.
void RepairedCosts::hold(int proposition) {
  Reached &entry = reached_[proposition];
  if (entry.cost == 0)
    return;
  entry.cost = 0;
  entry.supporter = no_supporter;
  queue_.push(0, proposition);
}

// An operator whose conditions are all reached, with a sum that may be new.
void RepairedCosts::offer(int op, const Sum &sum) {
  const std::int32_t value = sum.value;
  for (int effect : effects(op, sum)) {
    Reached &entry = reached_[effect];
    if (static_cast<std::uint32_t>(value) < static_cast<std::uint32_t>(entry.cost)) {
      entry.cost = value;
      entry.supporter = op;
      queue_.push(value, effect);
    } else if (value == entry.cost && op < entry.supporter) {
      entry.supporter = op; // what holds already has no supporter, which is less than any
    }
  }
}

bool RepairedCosts::spread() {
  while (!queue_.empty()) {
    const auto [cost, proposition] = queue_.pop();
    Reached &entry = reached_[proposition];
    if (entry.cost != cost || entry.told == cost)
      continue;
    if (cost >= ceiling)
      return false;
    const bool is_new = entry.told == unreached;
    const std::int32_t change = is_new ? cost : cost - entry.told;
    entry.told = cost;
    const std::int16_t reached = is_new ? 1 : 0;
    for_each_consumer(proposition, [&](int op, Sum &sum) {
      sum.value += change;
      sum.missing = static_cast<std::int16_t>(sum.missing - reached);
      if (sum.missing == 0)
        offer(op, sum);
    });
  }
  return true;
}

} // namespace beeline
