#include "ground/goal_orders.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

namespace beeline {

namespace {

class GoalOrders {
public:
  GoalOrders(const GroundTask &task, Poll &poll)
      : task_(task), poll_(poll), variable_of_(task.variables.variable_of),
        groups_of_(task.variables.values()), goal_number_(task.variables.values(), -1),
        useless_(task.operators.size(), 0), ways_(task.goal.size()),
        needed_by_(task.variables.values()), is_waiting_(task.goal.size(), 0) {
    for (std::size_t group = 0; group < task.mutex_groups.size(); ++group)
      for (int value : task.mutex_groups[group])
        groups_of_[value].push_back(static_cast<int>(group));
    for (std::size_t goal = 0; goal < task.goal.size(); ++goal)
      if (!task.axioms.is_derived(variable_of_[task.goal[goal]]))
        goal_number_[task.goal[goal]] = static_cast<int>(goal);
  }

  std::optional<GroundTask> run() {
    // Operators that go may leave more values that nothing changes.
    while (find_irrevocable()) {
      if (!find_makers())
        break;
      if (added_.empty())
        find_ways();
      for (std::size_t goal = 0; goal < ways_.size(); ++goal)
        wait(static_cast<int>(goal));
      while (!waiting_.empty()) {
        const int goal = waiting_.front();
        waiting_.pop_front();
        is_waiting_[goal] = 0;
        order(goal);
      }
    }
    if (!changed_)
      return std::nullopt;
    return changed_task();
  }

private:
  // An effect that reaches a goal: its operator, and what it needs besides the operator's
  // conditions.
  struct Way {
    int op;
    std::vector<int> needed;
  };

  // Whether some value is irrevocable that was not known to be.
  bool find_irrevocable() {
    const Variables &variables = task_.variables;
    std::vector<char> lasting(variables.values(), 1);
    for (int value = 0; value < variables.values(); ++value)
      lasting[value] = !task_.axioms.is_derived(variable_of_[value]);
    for (std::size_t op = 0; op < task_.operators.size(); ++op) {
      poll_.tick();
      if (useless_[op])
        continue;
      for (const Effect &effect : task_.operators.effects[op]) {
        const int variable = variable_of_[effect.value];
        const int before = effect.guard >= 0 ? effect.guard : condition_on(op, variable);
        if (before >= 0 && before != effect.value)
          lasting[before] = 0;
        if (before < 0)
          for (int value = variables.offsets[variable]; value < variables.offsets[variable + 1];
               ++value)
            if (value != effect.value && lasting[value] && !closed_to(value, op))
              lasting[value] = 0;
      }
    }
    if (lasting == irrevocable_)
      return false;
    irrevocable_ = std::move(lasting);
    return true;
  }

  // What reaches each goal.
  void find_ways() {
    added_.resize(task_.operators.size());
    goals_of_.resize(task_.operators.size());
    for (std::size_t op = 0; op < task_.operators.size(); ++op)
      for (const Effect &effect : task_.operators.effects[op])
        if (const int goal = goal_number_[effect.value]; goal >= 0) {
          Way way{static_cast<int>(op), {}};
          if (effect.guard >= 0)
            way.needed.push_back(effect.guard);
          const auto others = task_.operators.condition_of(effect);
          way.needed.insert(way.needed.end(), others.begin(), others.end());
          ways_[goal].push_back(std::move(way));
          goals_of_[op].push_back(goal);
        }
  }

  // What makes each irrevocable value true, whatever the state; whether anything does.
  bool find_makers() {
    makers_.assign(task_.variables.values(), {});
    bool any = false;
    for (std::size_t op = 0; op < task_.operators.size(); ++op)
      if (!useless_[op])
        for (const Effect &effect : task_.operators.effects[op])
          if (effect.is_plain() && irrevocable_[effect.value]) {
            makers_[effect.value].push_back(static_cast<int>(op));
            any = true;
          }
    return any;
  }

  // Finds irrevocable values that close every way to a goal, and what follows for their makers.
  void order(int goal) {
    const std::vector<Way> &ways = ways_[goal];
    const auto first =
        std::find_if(ways.begin(), ways.end(), [&](const Way &way) { return !useless_[way.op]; });
    if (first == ways.end())
      return;
    for (int value : excluding(*first))
      if (value != task_.goal[goal] && !is_needed_by(goal, value) &&
          std::all_of(first + 1, ways.end(), [&](const Way &way) { return closes(value, way); })) {
        needed_by_[value].push_back(goal);
        for (int op : makers_[value])
          if (!useless_[op])
            require(goal, op, value);
      }
  }

  // The operator has the irrevocable value as an effect, so that the goal must hold after it.
  void require(int goal, int op, int value) {
    const int wanted = task_.goal[goal];
    bool deletes = excludes(value, wanted);
    for (const Effect &effect : task_.operators.effects[op])
      if (variable_of_[effect.value] == variable_of_[wanted]) {
        if (effect.value == wanted || !effect.is_plain())
          return; // it reaches the goal itself, or may
        deletes = true;
      }
    const auto clashes = [&](int needed) { return excludes(needed, wanted); };
    const auto conditions = task_.operators.conditions[op];
    std::vector<int> &added = added_[op];
    if (std::find(conditions.begin(), conditions.end(), wanted) != conditions.end() && !deletes)
      return;
    changed_ = true;
    if (deletes || std::any_of(conditions.begin(), conditions.end(), clashes) ||
        std::any_of(added.begin(), added.end(), clashes))
      useless_[op] = 1;
    else
      added.push_back(wanted);
    for (int reached : goals_of_[op])
      wait(reached);
  }

  // Irrevocable values that close a way, each once.
  std::vector<int> excluding(const Way &way) const {
    std::vector<int> found;
    const auto look_at = [&](int needed) {
      const int variable = variable_of_[needed];
      for (int value = task_.variables.offsets[variable];
           value < task_.variables.offsets[variable + 1]; ++value)
        if (irrevocable_[value] && value != needed)
          found.push_back(value);
      for (int group : groups_of_[needed])
        for (int value : task_.mutex_groups[group])
          if (irrevocable_[value] && value != needed)
            found.push_back(value);
    };
    for (int needed : task_.operators.conditions[way.op])
      look_at(needed);
    std::for_each(added_[way.op].begin(), added_[way.op].end(), look_at);
    std::for_each(way.needed.begin(), way.needed.end(), look_at);
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  bool closes(int value, const Way &way) {
    poll_.tick();
    const auto clashes = [&](int needed) { return excludes(needed, value); };
    return useless_[way.op] || closed_to(value, way.op) ||
           std::any_of(added_[way.op].begin(), added_[way.op].end(), clashes) ||
           std::any_of(way.needed.begin(), way.needed.end(), clashes);
  }

  // Whether the operator, as it was given, is inapplicable where the value holds.
  bool closed_to(int value, std::size_t op) const {
    const auto conditions = task_.operators.conditions[op];
    return std::any_of(conditions.begin(), conditions.end(),
                       [&](int needed) { return excludes(needed, value); });
  }

  bool excludes(int left, int right) const {
    if (left == right)
      return false;
    if (variable_of_[left] == variable_of_[right])
      return true;
    const std::vector<int> &other = groups_of_[right];
    return std::any_of(groups_of_[left].begin(), groups_of_[left].end(), [&](int group) {
      return std::find(other.begin(), other.end(), group) != other.end();
    });
  }

  bool is_needed_by(int goal, int value) const {
    const std::vector<int> &goals = needed_by_[value];
    return std::find(goals.begin(), goals.end(), goal) != goals.end();
  }

  int condition_on(std::size_t op, int variable) const {
    for (int value : task_.operators.conditions[op])
      if (variable_of_[value] == variable)
        return value;
    return -1;
  }

  void wait(int goal) {
    if (!std::exchange(is_waiting_[goal], 1))
      waiting_.push_back(goal);
  }

  GroundTask changed_task() const {
    GroundTask result = task_;
    Operators &operators = result.operators;
    operators = Operators();
    operators.effect_conditions = task_.operators.effect_conditions; // effects name their rows
    std::vector<int> conditions;
    for (std::size_t op = 0; op < task_.operators.size(); ++op) {
      if (useless_[op])
        continue;
      const auto before = task_.operators.conditions[op];
      conditions.assign(before.begin(), before.end());
      conditions.insert(conditions.end(), added_[op].begin(), added_[op].end());
      std::sort(conditions.begin(), conditions.end());
      operators.conditions.add_row(conditions);
      operators.effects.add_row(task_.operators.effects[op]);
      operators.args.add_row(task_.operators.args[op]);
      operators.costs.push_back(task_.operators.costs[op]);
      operators.actions.push_back(task_.operators.actions[op]);
    }
    return result;
  }

  const GroundTask &task_;
  Poll &poll_;
  const std::vector<int> &variable_of_;
  std::vector<std::vector<int>> groups_of_; // per value: mutex groups
  std::vector<int> goal_number_;            // per value: its place among the goals, or -1
  std::vector<std::vector<int>> added_;     // per operator: conditions that it gets
  std::vector<char> useless_;               // per operator: whether it is in no plan
  std::vector<std::vector<Way>> ways_;      // per goal
  std::vector<std::vector<int>> goals_of_;  // per operator: goals that it may reach
  std::vector<std::vector<int>> needed_by_; // per value: goals that must hold where it does
  std::vector<char> irrevocable_;           // per value
  std::vector<std::vector<int>> makers_;    // per irrevocable value: operators with that effect
  std::deque<int> waiting_;                 // goals to look at
  std::vector<char> is_waiting_;
  bool changed_ = false;
};

} // namespace

std::optional<GroundTask> with_goal_orders(const GroundTask &task, Poll &poll) {
  if (task.unwritten)
    return std::nullopt;
  return GoalOrders(task, poll).run();
}

} // namespace beeline
