#include "search/value_distances.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "base/hashing.h"

namespace beeline {

namespace {
constexpr std::size_t most_entries = std::size_t{1} << 23;
constexpr std::size_t most_recent = std::size_t{1} << 12;
} // namespace

ValueDistances::ValueDistances(const PlanWorld &world)
    : world_(world), payer_(world.task.operators.size(), -1) {
  const Variables &variables = world.task.variables;
  std::vector<std::int64_t> starts(static_cast<std::size_t>(variables.count()) + 1, 0);
  const auto for_each_change = [&](auto &&change) {
    for (std::size_t op = 0; op < payer_.size(); ++op) {
      int last = -1; // effects are sorted by variable
      for (const Effect &effect : world.task.operators.effects[op]) {
        const int variable = variables.variable_of[effect.value];
        if (variable != last)
          change(op, variable);
        last = variable;
      }
    }
  };
  for_each_change(
      [&](std::size_t, int variable) { ++starts[static_cast<std::size_t>(variable) + 1]; });
  const auto worth = [&](int variable) {
    return std::pair(variables.domain_size(variable),
                     -starts[static_cast<std::size_t>(variable) + 1]);
  };
  for_each_change([&](std::size_t op, int variable) {
    int &payer = payer_[op];
    if (payer < 0 || worth(variable) > worth(payer))
      payer = variable;
  });
  for (std::size_t i = 1; i < starts.size(); ++i)
    starts[i] += starts[i - 1];
  std::vector<int> operators(static_cast<std::size_t>(starts.back()));
  std::vector<std::int64_t> next(starts.begin(), starts.end() - 1);
  for_each_change([&](std::size_t op, int variable) {
    operators[static_cast<std::size_t>(next[static_cast<std::size_t>(variable)]++)] =
        static_cast<int>(op);
  });
  changing_ = Rows<int>(std::move(starts), std::move(operators));
}

void ValueDistances::make_room() {
  if (entries_ < most_entries)
    return;
  tables_.clear();
  entries_ = 0;
}

const std::vector<ValueDistances::Transition> &ValueDistances::transitions(int variable) {
  const auto known = transitions_.find(variable);
  if (known != transitions_.end())
    return known->second;
  const GroundTask &task = world_.task;
  const int offset = task.variables.offsets[variable];
  std::vector<Transition> found;
  // Thousands of operators share a transition, mostly in a row: those met last are not kept again.
  std::vector<Transition> recent(most_recent, {-1, -1, -1});
  for (int op : changing_[static_cast<std::size_t>(variable)]) {
    int from = -1;
    for (int value : task.operators.conditions[op])
      if (task.variables.variable_of[value] == variable)
        from = value - offset;
    const Cost price = payer_[op] == variable ? world_.prices[op] : 0;
    for (const Effect &effect : task.operators.effects[op])
      if (task.variables.variable_of[effect.value] == variable) {
        const int before = effect.guard >= 0 ? effect.guard - offset : from;
        const Transition transition{effect.value - offset, before, price};
        const std::uint64_t code = static_cast<std::uint64_t>(transition.to) << 32 |
                                   static_cast<std::uint32_t>(transition.from);
        Transition &last = recent[mix(code) % most_recent];
        if (last == transition)
          continue;
        last = transition;
        found.push_back(transition);
      }
  }
  const auto key = [](const Transition &t) { return std::tuple(t.to, t.from, t.price); };
  std::sort(found.begin(), found.end(),
            [&](const Transition &a, const Transition &b) { return key(a) < key(b); });
  const auto same = [](const Transition &a, const Transition &b) {
    return a.to == b.to && a.from == b.from;
  };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  found.shrink_to_fit();
  return transitions_.emplace(variable, std::move(found)).first->second;
}

const std::vector<Cost> &ValueDistances::to(int value) {
  const auto known = tables_.find(value);
  if (known != tables_.end())
    return known->second;
  const Variables &variables = world_.task.variables;
  const int variable = variables.variable_of[value];
  const auto &arcs = transitions(variable);
  std::vector<Cost> distances(static_cast<std::size_t>(variables.domain_size(variable)),
                              cost_limit);
  using Entry = std::pair<Cost, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  const auto reach = [&](int local, Cost distance) {
    if (distance < distances[static_cast<std::size_t>(local)]) {
      distances[static_cast<std::size_t>(local)] = distance;
      open.emplace(distance, local);
    }
  };
  reach(value - variables.offsets[variable], 0);
  while (!open.empty()) {
    const auto [distance, local] = open.top();
    open.pop();
    if (distance > distances[static_cast<std::size_t>(local)])
      continue;
    auto arc = std::lower_bound(arcs.begin(), arcs.end(), local,
                                [](const Transition &t, int to) { return t.to < to; });
    for (; arc != arcs.end() && arc->to == local; ++arc) {
      const Cost sum = sum_of_costs(distance, arc->price);
      if (arc->from >= 0)
        reach(arc->from, sum);
      else
        for (int from = 0; from < variables.domain_size(variable); ++from)
          reach(from, sum);
    }
  }
  entries_ += distances.size();
  return tables_.emplace(value, std::move(distances)).first->second;
}

} // namespace beeline
