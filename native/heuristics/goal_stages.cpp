#include "heuristics/goal_stages.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

namespace beeline {

namespace {

constexpr std::size_t most_goals = 256;
constexpr int most_free_values = 1024;
constexpr std::size_t most_entries = std::size_t{1} << 21; // of a stage
constexpr std::size_t most_at_once = 3;                    // goals
constexpr std::uint16_t no_way = std::numeric_limits<std::uint16_t>::max();

// Numbers the values that are not blocked. False if the table would be too large.
bool lay_out(const GroundTask &task, GoalStage &stage) {
  std::size_t size = 1;
  for (int variable : stage.variables) {
    const int offset = task.variables.offsets[variable];
    std::vector<int> places;
    int number = 0;
    for (int value = 0; value < task.variables.domain_size(variable); ++value)
      places.push_back(stage.blocked[offset + value] ? -1 : number++);
    stage.places.push_back(std::move(places));
    stage.sizes.push_back(static_cast<std::size_t>(number));
    size *= stage.sizes.back();
    if (size > most_entries)
      return false;
  }
  stage.beyond = static_cast<std::int64_t>(size);
  return true;
}

// Steps to the goals of one stage, others before it never touched.
class StageTable {
public:
  StageTable(const GroundTask &task, const Exclusions &exclusions, GoalStage &stage)
      : task_(task), exclusions_(exclusions), stage_(stage) {}

  void make() {
    const std::size_t slots = stage_.variables.size();
    for (std::size_t slot = 0; slot < slots; ++slot) {
      values_.emplace_back();
      for (std::size_t value = 0; value < stage_.places[slot].size(); ++value)
        if (stage_.places[slot][value] >= 0)
          values_.back().push_back(task_.variables.offsets[stage_.variables[slot]] +
                                   static_cast<int>(value));
    }
    conflicts_.resize(slots * slots);
    for (std::size_t i = 0; i < slots; ++i)
      for (std::size_t j = i + 1; j < slots; ++j)
        for (int left : values_[i])
          for (int right : values_[j])
            conflicts_[i * slots + j].push_back(exclusions_.exclude(left, right));
    find_moves();
    stage_.steps.assign(static_cast<std::size_t>(stage_.beyond), no_way);
    search();
  }

private:
  struct Move {
    std::vector<int> from, to;               // places per slot, -1 where it says nothing
    std::vector<std::pair<int, int>> banned; // slots and places that its conditions exclude
    auto operator<=>(const Move &) const = default;
  };

  void find_moves() {
    const std::size_t slots = stage_.variables.size();
    std::vector<int> slot_of(static_cast<std::size_t>(task_.variables.count()), -1);
    std::vector<std::vector<std::pair<int, int>>> members(task_.mutex_groups.size());
    for (std::size_t slot = 0; slot < slots; ++slot) {
      slot_of[stage_.variables[slot]] = static_cast<int>(slot);
      for (std::size_t place = 0; place < values_[slot].size(); ++place)
        for (int group : exclusions_.groups(values_[slot][place]))
          members[group].emplace_back(static_cast<int>(slot), static_cast<int>(place));
    }
    std::set<Move> moves;
    for (int op = 0; op < static_cast<int>(task_.operators.size()); ++op)
      if (auto move = move_of(op, slot_of, members))
        moves.insert(std::move(*move));
    moves_to_.resize(values_.back().size());
    for (const Move &move : moves)
      moves_to_[move.to.back()].push_back(move);
  }

  // None if it touches what is kept, or does not move the free variable.
  std::optional<Move> move_of(int op, const std::vector<int> &slot_of,
                              const std::vector<std::vector<std::pair<int, int>>> &members) const {
    const std::vector<int> &variable_of = task_.variables.variable_of;
    const std::size_t slots = stage_.variables.size();
    for (int value : task_.operators.conditions[op])
      if (stage_.blocked[value])
        return std::nullopt;
    for (const Effect &effect : task_.operators.effects[op])
      if (stage_.blocked[effect.value] || stage_.kept[variable_of[effect.value]])
        return std::nullopt;
    Move move{std::vector<int>(slots, -1), std::vector<int>(slots, -1), {}};
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const int variable = stage_.variables[slot], offset = task_.variables.offsets[variable];
      const auto change = change_of(task_, op, variable);
      if (!change || (change->to >= 0 && change->from < 0))
        return std::nullopt;
      if (change->from >= 0)
        move.from[slot] = move.to[slot] = stage_.places[slot][change->from - offset];
      if (change->to >= 0)
        move.to[slot] = stage_.places[slot][change->to - offset];
    }
    if (move.from.back() < 0 || move.from.back() == move.to.back())
      return std::nullopt;
    for (int value : task_.operators.conditions[op])
      if (slot_of[variable_of[value]] < 0)
        for (int group : exclusions_.groups(value))
          move.banned.insert(move.banned.end(), members[group].begin(), members[group].end());
    std::sort(move.banned.begin(), move.banned.end());
    move.banned.erase(std::unique(move.banned.begin(), move.banned.end()), move.banned.end());
    return move;
  }

  bool can_be(const std::vector<int> &places) const {
    const std::size_t slots = places.size();
    for (std::size_t i = 0; i < slots; ++i)
      for (std::size_t j = i + 1; j < slots; ++j)
        if (conflicts_[i * slots + j][static_cast<std::size_t>(places[i]) * values_[j].size() +
                                      static_cast<std::size_t>(places[j])])
          return false;
    return true;
  }

  void reach(const std::vector<int> &places, int steps) {
    std::size_t entry = 0;
    for (std::size_t slot = 0; slot < places.size(); ++slot)
      entry = entry * values_[slot].size() + static_cast<std::size_t>(places[slot]);
    if (stage_.steps[entry] == no_way && can_be(places)) {
      stage_.steps[entry] = static_cast<std::uint16_t>(std::min(steps, no_way - 1));
      queue_.push_back(entry);
    }
  }

  void search() {
    const std::size_t slots = stage_.variables.size();
    std::vector<int> places(slots), before(slots);
    for (std::size_t slot = 0; slot + 1 < slots; ++slot) {
      places[slot] = stage_.places[slot][stage_.goals[slot]];
      if (places[slot] < 0)
        return;
    }
    for (std::size_t place = 0; place < values_.back().size(); ++place) {
      places.back() = static_cast<int>(place);
      reach(places, 0);
    }
    for (std::size_t next = 0; next < queue_.size(); ++next) {
      const int steps = stage_.steps[queue_[next]];
      std::size_t rest = queue_[next];
      for (std::size_t slot = slots; slot-- > 0; rest /= values_[slot].size())
        places[slot] = static_cast<int>(rest % values_[slot].size());
      for (const Move &move : moves_to_[places.back()]) {
        bool fits = true;
        for (std::size_t slot = 0; slot < slots && fits; ++slot) {
          fits = move.to[slot] < 0 || move.to[slot] == places[slot];
          before[slot] = move.to[slot] < 0 ? places[slot] : move.from[slot];
        }
        fits = fits && std::none_of(move.banned.begin(), move.banned.end(), [&](const auto &ban) {
                 return before[ban.first] == ban.second;
               });
        if (fits)
          reach(before, steps + 1);
      }
    }
  }

  const GroundTask &task_;
  const Exclusions &exclusions_;
  GoalStage &stage_;
  std::vector<std::vector<int>> values_;     // per slot, of the task
  std::vector<std::vector<bool>> conflicts_; // per two slots, places row by row
  std::vector<std::vector<Move>> moves_to_;  // per place of the free variable
  std::vector<std::size_t> queue_;
};

} // namespace

GoalStagesHeuristic::GoalStagesHeuristic(const GroundTask &task)
    : GoalDistanceHeuristic(task, properties), exclusions_(task) {
  const Variables &variables = task.variables;
  const int free = task.goal.size() <= most_goals ? free_variable(task) : -1;
  if (free < 0 || variables.domain_size(free) > most_free_values)
    return;
  std::vector<bool> kept(static_cast<std::size_t>(variables.count()), false);
  std::vector<bool> blocked(static_cast<std::size_t>(variables.values()), false);
  std::size_t left = task.goal.size();
  for (const std::vector<std::size_t> &goals : order_of_goals(task, free, exclusions_)) {
    GoalStage stage;
    for (std::size_t goal : goals) {
      stage.variables.push_back(variables.variable_of[task.goal[goal]]);
      stage.goals.push_back(task.goal[goal] - variables.offsets[stage.variables.back()]);
    }
    stage.variables.push_back(free);
    stage.kept = kept;
    stage.blocked = blocked;
    if (goals.size() > most_at_once || !lay_out(task, stage))
      break;
    for (std::size_t goal : goals) {
      --left;
      kept[variables.variable_of[task.goal[goal]]] = true;
      for (int value = 0; value < variables.values(); ++value)
        if (exclusions_.exclude(value, task.goal[goal]))
          blocked[value] = true;
    }
    for (GoalStage &earlier : stages_)
      earlier.after += stage.beyond;
    stages_.push_back(std::move(stage));
  }
  if (left > 0) // their distances come after all stages
    for (GoalStage &earlier : stages_)
      earlier.after += farthest();
}

double GoalStagesHeuristic::value(const StatePacker &packer, const Word *state) {
  for (GoalStage &stage : stages_) {
    bool reached = true;
    for (std::size_t i = 0; i < stage.goals.size() && reached; ++i)
      reached = packer.get(state, stage.variables[i]) == stage.goals[i];
    if (reached)
      continue;
    ++evaluated_;
    if (stage.steps.empty()) {
      StageTable(task_, exclusions_, stage).make();
      entries_ += stage.beyond;
    }
    std::size_t entry = 0;
    bool known = true;
    for (std::size_t i = 0; i < stage.variables.size(); ++i) {
      const int place = stage.places[i][packer.get(state, stage.variables[i])];
      known = known && place >= 0;
      entry = entry * stage.sizes[i] + static_cast<std::size_t>(std::max(place, 0));
    }
    const bool way = known && stage.steps[entry] != no_way;
    return static_cast<double>(stage.after + (way ? stage.steps[entry] : stage.beyond));
  }
  return GoalDistanceHeuristic::value(packer, state);
}

double GoalStagesHeuristic::work() const {
  constexpr double entry = 0.1; // microseconds
  return GoalDistanceHeuristic::work() + entry * static_cast<double>(entries_);
}

} // namespace beeline
