#include "search/action_elimination.h"

#include <algorithm>

namespace beeline {

ActionElimination::ActionElimination(const PlanWorld &world, std::int64_t greedy_limit,
                                     std::int64_t limit)
    : world_(world), greedy_limit_(greedy_limit), limit_(limit),
      each_step_(1 + world.packer.words() / 256),
      place_(static_cast<std::size_t>(world.task.variables.count()), -1),
      value_(static_cast<std::size_t>(world.task.variables.count()), 0),
      change_(static_cast<std::size_t>(world.task.variables.count()), -1) {}

bool ActionElimination::eliminate(PlanTrace &trace) {
  simulated_ = 0;
  bool shorter = cut_loops(trace);
  shorter = cut_detours(trace) || shorter;
  while (simulated_ < greedy_limit_ && remove_dearest(trace))
    shorter = true;
  while (simulated_ < limit_ && remove_first_found(trace))
    shorter = true;
  return shorter;
}

bool ActionElimination::cut_loops(PlanTrace &trace) {
  const GroundTask &task = world_.task;
  const Operators &operators = task.operators;
  if (!task.axioms.empty())
    return false; // which may look at any variable at any time
  struct Move {
    int from; // the variable's value before
    std::size_t step;
  };
  // Per variable: the moves since somebody else looked at it, all from different values.
  std::vector<std::vector<Move>> moves(static_cast<std::size_t>(task.variables.count()));
  const auto look_at = [&](int value) { moves[task.variables.variable_of[value]].clear(); };
  std::vector<std::size_t> useless;
  for (std::size_t step = 0; step < trace.steps(); ++step) {
    const int op = trace.plan()[step];
    const auto effects = operators.effects[op];
    const bool is_move =
        effects.size() == 1 && effects[0].guard < 0 && operators.condition_of(effects[0]).empty();
    const int own = is_move ? task.variables.variable_of[effects[0].value] : -1;
    for (int condition : operators.conditions[op])
      if (task.variables.variable_of[condition] != own)
        look_at(condition);
    if (!is_move) {
      for (const Effect &effect : effects) {
        look_at(effect.value);
        for (int condition : operators.condition_of(effect))
          look_at(condition);
      }
      continue;
    }
    std::vector<Move> &walk = moves[own];
    const int offset = task.variables.offsets[own];
    walk.push_back({offset + world_.packer.get(trace.state(step), own), step});
    const auto back = std::find_if(walk.begin(), walk.end(),
                                   [&](const Move &move) { return move.from == effects[0].value; });
    for (auto move = back; move != walk.end(); ++move)
      useless.push_back(move->step);
    walk.erase(back, walk.end());
  }
  if (useless.empty())
    return false;
  std::sort(useless.begin(), useless.end());
  drop(trace, useless);
  return true;
}

bool ActionElimination::cut_detours(PlanTrace &trace) {
  const std::size_t steps = trace.steps();
  const int words = world_.packer.words();
  std::vector<int> kept;
  // Behind a detour that was cut, states are no longer those of the trace.
  std::vector<Word> state(trace.state(0), trace.state(0) + words), after(state);
  std::size_t i = 0;
  while (true) {
    std::size_t next = i;
    // Pairs of states are compared at about eight to a simulated step: what was missing for one
    // need is mostly missing for the next one.
    int missing = 0;
    for (std::size_t j = steps; j > i && simulated_ < limit_; --j) {
      const Need need = trace.need(j);
      if (need.is_missing(state.data(), missing))
        continue;
      const int word = need.first_missing(state.data());
      if (word == words) {
        next = j;
        break;
      }
      missing = word;
    }
    simulated_ += static_cast<std::int64_t>((steps - i) / 8);
    i = next;
    if (i == steps)
      break;
    world_.successors.apply(trace.plan()[i], state.data(), after.data());
    state.swap(after);
    kept.push_back(trace.plan()[i]);
    ++i;
  }
  if (kept.size() == steps)
    return false;
  trace.replay(std::move(kept));
  return true;
}

bool ActionElimination::remove_dearest(PlanTrace &trace) {
  std::vector<std::size_t> dearest;
  Cost highest = -1;
  for (std::size_t first = 0; first < trace.steps() && simulated_ < greedy_limit_; ++first) {
    const auto &steps = removable_with(trace, first);
    Cost price = 0;
    for (std::size_t step : steps)
      price = sum_of_costs(price, world_.prices[trace.plan()[step]]);
    if (!steps.empty() && price > highest) {
      highest = price;
      dearest = steps;
    }
  }
  if (dearest.empty())
    return false;
  drop(trace, dearest);
  return true;
}

bool ActionElimination::remove_first_found(PlanTrace &trace) {
  bool found = false;
  for (std::size_t first = 0; first < trace.steps() && simulated_ < limit_;) {
    const std::vector<std::size_t> steps = removable_with(trace, first);
    if (steps.empty()) {
      ++first;
    } else {
      drop(trace, steps);
      found = true;
    }
  }
  return found;
}

void ActionElimination::drop(PlanTrace &trace, const std::vector<std::size_t> &steps) {
  std::vector<int> kept;
  auto next = steps.begin();
  for (std::size_t step = 0; step < trace.steps(); ++step)
    if (next != steps.end() && *next == step)
      ++next;
    else
      kept.push_back(trace.plan()[step]);
  trace.replay(std::move(kept));
}

int ActionElimination::value(const PlanTrace &trace, std::size_t step, int variable) const {
  return differs(variable) ? value_[variable] : world_.packer.get(trace.state(step), variable);
}

void ActionElimination::set(int variable, int local, bool different) {
  value_[variable] = local;
  if (different == differs(variable))
    return;
  if (different) {
    place_[variable] = static_cast<int>(different_.size());
    different_.push_back(variable);
  } else {
    const int place = place_[variable], last = different_.back();
    different_[static_cast<std::size_t>(place)] = last;
    place_[last] = place;
    different_.pop_back();
    place_[variable] = -1;
  }
}

// Whole states, since axioms may change any variable at any time.
void ActionElimination::replay_without(const PlanTrace &trace, std::size_t first) {
  const GroundTask &task = world_.task;
  const StatePacker &packer = world_.packer;
  const int words = packer.words();
  std::vector<Word> state(trace.state(first), trace.state(first) + words), after(state);
  const auto all_hold = [&](std::span<const int> values) {
    return std::all_of(values.begin(), values.end(), [&](int value) {
      const int variable = task.variables.variable_of[value];
      return packer.get(state.data(), variable) == value - task.variables.offsets[variable];
    });
  };
  for (std::size_t step = first; step < trace.steps(); ++step) {
    if (step > first && std::equal(state.begin(), state.end(), trace.state(step)))
      return;
    simulated_ += 4; // dearer than a step that looks at what it changes
    const int op = trace.plan()[step];
    if (step == first || !all_hold(task.operators.conditions[op])) {
      removed_.push_back(step);
    } else {
      const std::int64_t before = world_.successors.looked_at();
      world_.successors.apply(op, state.data(), after.data());
      simulated_ += world_.successors.looked_at() - before; // axioms
      state.swap(after);
    }
  }
  if (!all_hold(task.goal))
    removed_.clear();
}

const std::vector<std::size_t> &ActionElimination::removable_with(const PlanTrace &trace,
                                                                  std::size_t first) {
  const GroundTask &task = world_.task;
  const StatePacker &packer = world_.packer;
  removed_.clear();
  if (!task.axioms.empty()) {
    replay_without(trace, first);
    return removed_;
  }
  for (std::size_t step = first; step < trace.steps(); ++step) {
    if (step > first && different_.empty())
      return removed_;
    const int op = trace.plan()[step];
    const auto effects = task.operators.effects[op];
    simulated_ += each_step_ + static_cast<std::int64_t>(effects.size() / effects_of_step);
    // A condition holds in the plan, so it fails exactly where its variable differs.
    const auto conditions = task.operators.conditions[op];
    const bool goes =
        step == first || std::any_of(conditions.begin(), conditions.end(), [&](int condition) {
          return differs(task.variables.variable_of[condition]);
        });
    if (goes)
      removed_.push_back(step);
    changes_.clear(); // variables with their values after this step
    for (const Effect &effect : effects) {
      const int variable = task.variables.variable_of[effect.value];
      const int offset = task.variables.offsets[variable];
      const int before = value(trace, step, variable);
      const auto others = task.operators.condition_of(effect);
      const bool fires =
          !goes && (effect.guard < 0 || effect.guard - offset == before) &&
          std::all_of(others.begin(), others.end(), [&](int condition) {
            const int other = task.variables.variable_of[condition];
            return value(trace, step, other) == condition - task.variables.offsets[other];
          });
      if (change_[variable] < 0) {
        change_[variable] = static_cast<int>(changes_.size());
        changes_.emplace_back(variable, before);
      }
      if (fires)
        changes_[static_cast<std::size_t>(change_[variable])].second = effect.value - offset;
    }
    for (const auto &[variable, local] : changes_) {
      set(variable, local, local != packer.get(trace.state(step + 1), variable));
      change_[variable] = -1;
    }
  }
  const bool fails = std::any_of(task.goal.begin(), task.goal.end(), [&](int value) {
    return differs(task.variables.variable_of[value]);
  });
  for (int variable : different_)
    place_[variable] = -1;
  different_.clear();
  if (fails)
    removed_.clear();
  return removed_;
}

} // namespace beeline
