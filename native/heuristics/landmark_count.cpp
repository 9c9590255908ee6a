#include "heuristics/landmark_count.h"

#include <algorithm>
#include <bit>

namespace beeline {

namespace {

double cheapest(const std::vector<int> &operators, const std::vector<Cost> &costs) {
  double result = dead_end;
  for (int op : operators)
    result = std::min(result, static_cast<double>(costs[op]));
  return result;
}

// The part that has the word of a landmark; a new one if there is none.
template <class Part>
Part &part_of(std::vector<Part> &parts, int landmark) {
  const auto word = static_cast<std::size_t>(landmark / 64);
  for (Part &part : parts)
    if (part.word == word)
      return part;
  parts.push_back({});
  parts.back().word = word;
  return parts.back();
}

} // namespace

LandmarkCountHeuristic::LandmarkCountHeuristic(const GroundTask &task,
                                               std::shared_ptr<const LandmarkGraph> graph,
                                               CostType cost_type)
    : task_(task), graph_(std::move(graph)), goal_(task),
      words_((graph_->landmarks.size() + 63) / 64), is_goal_(words_, 0), holding_(words_, 0),
      statuses_(2 * words_ + 1) {
  const std::vector<Cost> costs = costs_of_type(task.operators.costs.list(), cost_type);
  const auto lowest = std::min_element(costs.begin(), costs.end());
  const double axiom = lowest == costs.end() ? 0 : static_cast<double>(*lowest);
  std::vector<std::vector<Holding>> holding_with(task.variables.values());
  std::vector<std::vector<Again>> again(graph_->landmarks.size());
  for (std::size_t i = 0; i < graph_->landmarks.size(); ++i) {
    const Landmark &landmark = graph_->landmarks[i];
    const int number = static_cast<int>(i);
    if (landmark.is_goal)
      set(is_goal_.data(), number);
    for (int value : landmark.values) {
      part_of(holding_with[value], number).bits |= bit(number);
      variables_.push_back(task.variables.variable_of[value]);
      ++looks_at_once_;
    }
    first_costs_.push_back(landmark.is_derived ? axiom : cheapest(landmark.first_achievers, costs));
    costs_.push_back(landmark.is_derived ? axiom : cheapest(landmark.achievers, costs));
  }
  for (const auto &[pair, order] : graph_->orders) {
    const auto &[before, after] = pair;
    if (order == LandmarkOrder::greedy)
      part_of(again[after], before).greedy |= bit(before);
    if (order == LandmarkOrder::reasonable)
      part_of(again[before], after).reasonable |= bit(after);
    if (order == LandmarkOrder::greedy || order == LandmarkOrder::reasonable)
      ++looks_at_once_;
  }
  std::sort(variables_.begin(), variables_.end());
  variables_.erase(std::unique(variables_.begin(), variables_.end()), variables_.end());
  for (const std::vector<Holding> &parts : holding_with)
    holding_with_.add_row(parts);
  for (const std::vector<Again> &parts : again)
    again_.add_row(parts);
}

LandmarkCountHeuristic::Bits *LandmarkCountHeuristic::status(const StateRegistry &registry,
                                                             StateId state) {
  if (registry_ != registry.serial()) { // paths of another registry mean nothing here
    registry_ = registry.serial();
    held_ = no_state;
    statuses_ = SegmentedArray<Bits>(2 * words_ + 1);
  }
  while (statuses_.size() <= state) {
    Bits *fresh = statuses_.append();
    std::fill_n(fresh, words_, ~Bits{0}); // the intersection of no path
    std::fill_n(fresh + words_, words_ + 1, 0);
  }
  return statuses_[state];
}

void LandmarkCountHeuristic::find_holding(const StateRegistry &registry, StateId state) {
  looks_ += looks_at_once_;
  if (held_ == state)
    return;
  held_ = state;
  const StatePacker &packer = registry.packer();
  const Word *packed = registry[state];
  std::fill(holding_.begin(), holding_.end(), 0);
  for (int variable : variables_) {
    const int value = task_.variables.offsets[variable] + packer.get(packed, variable);
    for (const Holding &part : holding_with_[value])
      holding_[part.word] |= part.bits;
  }
}

void LandmarkCountHeuristic::begin(Bits *status) {
  Bits *past = status, *future = status + words_;
  for (std::size_t word = 0; word < words_; ++word) {
    past[word] = holding_[word];
    future[word] = ~holding_[word];
  }
  require_again(past, future);
  status[2 * words_] = 1;
}

void LandmarkCountHeuristic::require_again(Bits *past, Bits *future) const {
  for (std::size_t word = 0; word < words_; ++word)
    future[word] |= is_goal_[word] & ~holding_[word];
  const std::size_t landmarks = again_.size();
  for (std::size_t word = 0; word < words_; ++word)
    for (Bits left = ~past[word]; left != 0; left &= left - 1) {
      const std::size_t landmark = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
      if (landmark >= landmarks)
        break;
      for (const Again &part : again_[landmark])
        future[part.word] |= (part.greedy & ~holding_[part.word]) | part.reasonable;
    }
}

void LandmarkCountHeuristic::arrive(const StateRegistry &registry, StateId parent, StateId state) {
  if (parent == state)
    return;
  Bits *before = status(registry, parent);
  if (before[2 * words_] == 0) {
    find_holding(registry, parent);
    begin(before);
  }
  Bits *after = status(registry, state); // records never move: `before` stays valid
  find_holding(registry, state);
  Bits *past = after, *future = after + words_;
  for (std::size_t word = 0; word < words_; ++word) {
    const Bits missing = before[words_ + word] & ~holding_[word];
    future[word] |= missing;
    past[word] &= before[word] | ~missing;
  }
  require_again(past, future);
  after[2 * words_] = 1;
}

double LandmarkCountHeuristic::value(const StateRegistry &registry, StateId state) {
  Bits *bits = status(registry, state);
  if (goal_.holds(registry.packer(), registry[state]))
    return 0;
  find_holding(registry, state);
  if (bits[2 * words_] == 0)
    begin(bits);
  const Bits *past = bits, *future = bits + words_;
  double result = 0;
  for (std::size_t word = 0; word < words_; ++word)
    for (Bits left = future[word]; left != 0; left &= left - 1) {
      const int landmark = static_cast<int>(word) * 64 + std::countr_zero(left);
      if (landmark >= static_cast<int>(costs_.size()))
        break;
      const double cost = test(past, landmark) ? costs_[landmark] : first_costs_[landmark];
      if (cost < dead_end)
        result += cost;
      else if (test(is_goal_.data(), landmark) && !test(holding_.data(), landmark) &&
               costs_[landmark] == dead_end)
        return dead_end; // a goal that is lost for good
    }
  return std::min(result, static_cast<double>(cost_limit));
}

void LandmarkCountHeuristic::evaluate(const StateRegistry &registry,
                                      std::span<const StateId> states, std::span<double> values) {
  for (std::size_t i = 0; i < states.size(); ++i)
    values[i] = value(registry, states[i]);
}

void LandmarkCountHeuristic::preferred(const StateRegistry &registry, StateId state,
                                       std::vector<int> &operators) {
  value(registry, state); // what holds, and the status
  const Bits *future = status(registry, state) + words_;
  const StatePacker &packer = registry.packer();
  const Word *packed = registry[state];
  const Variables &variables = task_.variables;
  const auto applicable = [&](int op) {
    return std::all_of(task_.operators.conditions[op].begin(), task_.operators.conditions[op].end(),
                       [&](int value) {
                         const int variable = variables.variable_of[value];
                         return variables.offsets[variable] + packer.get(packed, variable) == value;
                       });
  };
  for (std::size_t i = 0; i < graph_->landmarks.size(); ++i)
    if (test(future, static_cast<int>(i)) && !test(holding_.data(), static_cast<int>(i)))
      for (int op : graph_->landmarks[i].achievers)
        if (applicable(op))
          operators.push_back(op);
}

} // namespace beeline
