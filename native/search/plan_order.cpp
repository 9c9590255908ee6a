#include "search/plan_order.h"

#include <algorithm>
#include <unordered_map>

#include "base/random.h"

namespace beeline {

PlanOrder::PlanOrder(const PlanWorld &world, const std::vector<int> &plan)
    : world_(world), plan_(plan), before_(plan.size()), after_(plan.size()) {
  struct Users {
    std::vector<std::size_t> readers; // since it was changed
    std::size_t writer = 0;
    bool written = false;
  };
  const GroundTask &task = world.task;
  std::unordered_map<int, Users> users; // per variable
  for (std::size_t step = 0; step < plan.size(); ++step) {
    std::vector<std::size_t> &before = before_[step];
    for (const Effect &effect : task.operators.effects[plan[step]]) {
      Users &those = users[task.variables.variable_of[effect.value]];
      before.insert(before.end(), those.readers.begin(), those.readers.end());
      if (those.written)
        before.push_back(those.writer);
    }
    const auto read_variable = [&](int variable) {
      Users &those = users[variable];
      if (those.written)
        before.push_back(those.writer);
      those.readers.push_back(step);
    };
    const auto read = [&](std::span<const int> values) {
      for (int value : values) {
        const int variable = task.variables.variable_of[value];
        if (task.axioms.is_derived(variable))
          std::for_each(world.deciding.begin(), world.deciding.end(), read_variable);
        else
          read_variable(variable);
      }
    };
    read(task.operators.conditions[plan[step]]);
    for (const Effect &effect : task.operators.effects[plan[step]])
      read(task.operators.condition_of(effect));
    for (const Effect &effect : task.operators.effects[plan[step]])
      users[task.variables.variable_of[effect.value]] = {{}, step, true};
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    for (std::size_t earlier : before)
      after_[earlier].push_back(step);
  }
}

std::vector<int> PlanOrder::operators(const std::vector<std::size_t> &steps) const {
  std::vector<int> result;
  for (std::size_t step : steps)
    result.push_back(plan_[step]);
  return result;
}

std::vector<int> PlanOrder::chained() const {
  std::vector<std::size_t> waits, ready, order;
  for (std::size_t step = plan_.size(); step-- > 0;)
    if (before_[step].empty())
      ready.push_back(step);
  for (const auto &before : before_)
    waits.push_back(before.size());
  while (!ready.empty()) {
    const std::size_t step = ready.back();
    ready.pop_back();
    order.push_back(step);
    for (auto next = after_[step].rbegin(); next != after_[step].rend(); ++next)
      if (--waits[*next] == 0)
        ready.push_back(*next);
  }
  return operators(order);
}

std::vector<int> PlanOrder::early_by_object(std::uint64_t seed) const {
  return by_object(seed, false);
}

std::vector<int> PlanOrder::late_by_object(std::uint64_t seed) const {
  return by_object(seed, true);
}

std::vector<int> PlanOrder::by_object(std::uint64_t seed, bool late) const {
  const auto &first = late ? after_ : before_;
  const std::size_t steps = plan_.size();
  const auto seen_from_there = [&](std::size_t i) { return late ? steps - 1 - i : i; };
  std::unordered_map<int, std::vector<std::size_t>> mentions;
  std::vector<int> objects;
  for (std::size_t i = 0; i < steps; ++i)
    for (int object : world_.task.operators.args[plan_[seen_from_there(i)]]) {
      auto &list = mentions[object];
      if (list.empty())
        objects.push_back(object);
      list.push_back(seen_from_there(i));
    }
  Random random(seed);
  for (std::size_t i = objects.size(); i > 1; --i)
    std::swap(objects[i - 1], objects[random.below(i)]);
  std::vector<bool> done(steps, false);
  std::vector<std::size_t> order, stack;
  const auto take = [&](std::size_t wanted) {
    stack.push_back(wanted);
    while (!stack.empty()) {
      const std::size_t step = stack.back();
      const auto open = std::find_if(first[step].begin(), first[step].end(),
                                     [&](std::size_t other) { return !done[other]; });
      if (!done[step] && open != first[step].end()) {
        stack.push_back(*open);
        continue;
      }
      if (!done[step])
        order.push_back(step);
      done[step] = true;
      stack.pop_back();
    }
  };
  for (int object : objects)
    for (std::size_t step : mentions[object])
      take(step);
  for (std::size_t i = 0; i < steps; ++i)
    take(seen_from_there(i));
  if (late)
    std::reverse(order.begin(), order.end());
  return operators(order);
}

} // namespace beeline
