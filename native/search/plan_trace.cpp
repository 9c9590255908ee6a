#include "search/plan_trace.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace beeline {

PlanWorld::PlanWorld(const GroundTask &task, const StatePacker &packer,
                     const SuccessorGenerator &successors, std::size_t longest_plan)
    : task(task), packer(packer), successors(successors), prices(task.operators.costs) {
  for (int value : task.axioms.conditions.items())
    if (!task.axioms.is_derived(task.variables.variable_of[value]))
      deciding.push_back(task.variables.variable_of[value]);
  std::sort(deciding.begin(), deciding.end());
  deciding.erase(std::unique(deciding.begin(), deciding.end()), deciding.end());
  if (task.operators.size() == 0 || task.lowest_cost() > 0)
    return;
  // A plan of at most that many steps never gains by another one that costs more.
  const Cost scale = static_cast<Cost>(longest_plan) + 1;
  if (task.highest_cost() >= cost_limit / scale / scale)
    return;
  prices.scale_and_add(scale, 1);
}

Cost PlanWorld::price(std::span<const int> plan) const {
  Cost sum = 0;
  for (int op : plan)
    sum = sum_of_costs(sum, prices[op]);
  return sum;
}

Cost PlanWorld::cost(std::span<const int> plan) const {
  Cost sum = 0;
  for (int op : plan)
    sum = sum_of_costs(sum, task.operators.costs[op]);
  return sum;
}

bool PlanTrace::replay(std::vector<int> plan) {
  plan_ = std::move(plan);
  const GroundTask &task = world_.task;
  const std::size_t rows = steps() + 1;
  // A plan of a hundred thousand steps in states of ten kilobytes: nothing could be done with it.
  constexpr std::size_t most_words = std::size_t{1} << 28;
  if (3 * rows * words() > most_words)
    throw std::bad_alloc();
  states_.resize(rows * words());
  masks_.assign(rows * words(), 0);
  bits_.assign(rows * words(), 0);
  before_.assign(rows, 0);
  world_.packer.pack(task.initial.data(), states_.data());
  const auto has = [&](std::size_t step, int value) {
    const int variable = task.variables.variable_of[value];
    return world_.packer.get(state(step), variable) == value - task.variables.offsets[variable];
  };
  for (std::size_t i = 0; i < steps(); ++i) {
    for (int value : task.operators.conditions[plan_[i]])
      if (!has(i, value))
        return false;
    world_.successors.apply(plan_[i], state(i), states_.data() + (i + 1) * words());
    before_[i + 1] = sum_of_costs(before_[i], world_.prices[plan_[i]]);
  }
  for (int value : task.goal) {
    if (!has(steps(), value))
      return false;
    const int variable = task.variables.variable_of[value];
    require(steps(), variable, value - task.variables.offsets[variable]);
  }
  for (std::size_t i = steps(); i-- > 0;)
    regress(i);
  return true;
}

void PlanTrace::regress(std::size_t step) {
  const GroundTask &task = world_.task;
  const std::size_t row = step * words(), next = row + words();
  std::memcpy(&masks_[row], &masks_[next], words() * sizeof(Word));
  std::memcpy(&bits_[row], &bits_[next], words() * sizeof(Word));
  const Word *needed = &masks_[next]; // after the step
  std::vector<Word> basic;
  if (!task.axioms.empty()) {
    need_deciding(step);
    basic.assign(&masks_[row], &masks_[row] + words());
    needed = basic.data();
  }
  const auto effects = task.operators.effects[plan_[step]];
  for (const Effect &effect : effects) {
    const auto &slot = world_.packer.slot(task.variables.variable_of[effect.value]);
    const Word mask = slot.mask << slot.shift;
    masks_[row + slot.word] &= ~mask;
    bits_[row + slot.word] &= ~mask;
  }
  for (const Effect &effect : effects) {
    const int variable = task.variables.variable_of[effect.value];
    const auto &slot = world_.packer.slot(variable);
    if ((effect.guard < 0 && effect.condition < 0) ||
        (needed[slot.word] >> slot.shift & slot.mask) == 0)
      continue;
    require(step, variable, world_.packer.get(state(step), variable));
    for (int value : task.operators.condition_of(effect)) {
      const int other = task.variables.variable_of[value];
      require(step, other, world_.packer.get(state(step), other));
    }
  }
  for (int value : task.operators.conditions[plan_[step]]) {
    const int variable = task.variables.variable_of[value];
    require(step, variable, value - task.variables.offsets[variable]);
  }
}

// Where a derived variable is needed after a step, all that decide it are.
void PlanTrace::need_deciding(std::size_t step) {
  const GroundTask &task = world_.task;
  const std::size_t row = step * words();
  bool needed = false;
  for (int variable = 0; variable < task.variables.count(); ++variable) {
    const auto &slot = world_.packer.slot(variable);
    const Word mask = slot.mask << slot.shift;
    if (!task.axioms.is_derived(variable) || (masks_[row + slot.word] & mask) == 0)
      continue;
    needed = true;
    masks_[row + slot.word] &= ~mask;
    bits_[row + slot.word] &= ~mask;
  }
  if (needed)
    for (int variable : world_.deciding)
      require(step, variable, world_.packer.get(state(step + 1), variable));
}

void PlanTrace::require(std::size_t step, int variable, int local) {
  const auto &slot = world_.packer.slot(variable);
  const std::size_t word = step * words() + slot.word;
  masks_[word] |= slot.mask << slot.shift;
  bits_[word] = (bits_[word] & ~(slot.mask << slot.shift)) | static_cast<Word>(local) << slot.shift;
}

} // namespace beeline
