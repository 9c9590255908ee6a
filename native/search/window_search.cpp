#include "search/window_search.h"

#include <algorithm>
#include <tuple>

namespace beeline {

namespace {

constexpr Cost weight = 2;

struct Later {
  template <class Entry>
  bool operator()(const Entry &left, const Entry &right) const {
    // Among equals the latest.
    return std::tuple(left.f, left.h, right.number) > std::tuple(right.f, right.h, left.number);
  }
};

} // namespace

WindowSearch::WindowSearch(const PlanWorld &world)
    : world_(world), distances_(world), registry_(world.task),
      tables_(static_cast<std::size_t>(world.task.variables.count()), nullptr),
      buffer_(static_cast<std::size_t>(world.packer.words())) {}

void WindowSearch::aim_at(const Need &goal) {
  for (int variable : aimed_)
    tables_[variable] = nullptr;
  aimed_.clear();
  distances_.make_room();
  const Variables &variables = world_.task.variables;
  for (int variable = 0; variable < variables.count(); ++variable) {
    const auto &slot = world_.packer.slot(variable);
    if ((goal.mask[slot.word] >> slot.shift & slot.mask) == 0 ||
        world_.task.axioms.is_derived(variable)) // no operator is on the way to its values
      continue;
    const int value = variables.offsets[variable] +
                      static_cast<int>(goal.bits[slot.word] >> slot.shift & slot.mask);
    tables_[variable] = distances_.to(value).data();
    aimed_.push_back(variable);
  }
}

bool WindowSearch::allowed(int op, const Confinement &confinement) const {
  if (!confinement.confined)
    return true;
  const auto args = world_.task.operators.args[op];
  return std::all_of(args.begin(), args.end(),
                     [&](int object) { return confinement.objects[object]; });
}

// The lower bound of a successor, or `cost_limit`.
Cost WindowSearch::bound_after(int op, const Word *from, const Word *to, Cost h) const {
  int last = -1;
  for (const Effect &effect : world_.task.operators.effects[op]) {
    const int variable = world_.task.variables.variable_of[effect.value];
    if (variable == last || tables_[variable] == nullptr)
      continue;
    last = variable;
    const Cost *table = tables_[variable];
    const Cost after = table[world_.packer.get(to, variable)];
    if (after >= cost_limit)
      return cost_limit;
    h += after - table[world_.packer.get(from, variable)];
  }
  return h;
}

void WindowSearch::push(StateId state) {
  const Node &node = nodes_[state];
  open_.push_back({node.g + weight * node.h, node.h, pushes_++, state, node.g});
  std::push_heap(open_.begin(), open_.end(), Later());
}

std::vector<int> WindowSearch::way_to(StateId state) const {
  std::vector<int> operators;
  for (; nodes_[state].parent != no_state; state = nodes_[state].parent)
    operators.push_back(nodes_[state].op);
  std::reverse(operators.begin(), operators.end());
  return operators;
}

WindowOutcome WindowSearch::search(const Word *from, const Need &goal, Cost bound,
                                   std::int64_t limit, const Confinement &confinement,
                                   WorkBudget &budget) {
  WindowOutcome outcome;
  registry_.clear();
  nodes_.clear();
  open_.clear();
  aim_at(goal);
  Cost h = 0;
  for (int variable : aimed_)
    h = sum_of_costs(h, tables_[variable][world_.packer.get(from, variable)]);
  outcome.exhausted = true;
  if (h >= bound)
    return outcome;
  if (goal.holds(from)) {
    outcome.way.emplace();
    return outcome;
  }
  StateId best = no_state;
  nodes_.push_back({no_state, -1, 0, h});
  push(registry_.insert(from).first);
  while (!open_.empty()) {
    const Entry entry = open_.front();
    std::pop_heap(open_.begin(), open_.end(), Later());
    open_.pop_back();
    if (entry.g > nodes_[entry.state].g || entry.g + entry.h >= bound)
      continue;
    if (outcome.generated >= limit || !budget.goes_on()) {
      outcome.exhausted = false;
      break;
    }
    applicable_.clear();
    const Word *state = registry_[entry.state];
    const std::int64_t before = world_.successors.looked_at();
    world_.successors.applicable(state, applicable_);
    // Operators that are passed over are work as well, if less.
    outcome.generated += static_cast<std::int64_t>(applicable_.size() / 8) + 1;
    for (int op : applicable_) {
      if (!allowed(op, confinement))
        continue;
      const Cost g = entry.g + world_.prices[op];
      if (g >= bound)
        continue;
      ++outcome.generated;
      world_.successors.apply(op, state, buffer_.data());
      const Cost lower = bound_after(op, state, buffer_.data(), entry.h);
      if (lower >= cost_limit || g + lower >= bound)
        continue;
      const auto [successor, fresh] = registry_.insert(buffer_.data());
      if (fresh)
        nodes_.push_back({entry.state, op, g, lower});
      else if (g < nodes_[successor].g)
        nodes_[successor] = {entry.state, op, g, lower};
      else
        continue;
      if (lower == 0 && goal.holds(buffer_.data())) {
        bound = g;
        best = successor;
      } else {
        push(successor);
      }
    }
    outcome.generated += (world_.successors.looked_at() - before) / looks_per_state;
  }
  budget.spend(outcome.generated);
  if (best != no_state)
    outcome.way = way_to(best);
  return outcome;
}

} // namespace beeline
