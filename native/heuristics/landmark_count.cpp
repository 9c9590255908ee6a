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

} // namespace

LandmarkCountHeuristic::LandmarkCountHeuristic(const GroundTask &task,
                                               std::shared_ptr<const LandmarkGraph> graph,
                                               CostType cost_type)
    : task_(task), graph_(std::move(graph)), goal_(task),
      words_((graph_->landmarks.size() + 63) / 64), is_goal_(words_, 0), holding_(words_, 0),
      statuses_(2 * words_ + 1) {
  const std::vector<Cost> costs = costs_of_type(task.operators.costs.list(), cost_type);
  for (std::size_t i = 0; i < graph_->landmarks.size(); ++i) {
    const Landmark &landmark = graph_->landmarks[i];
    const int number = static_cast<int>(i);
    if (landmark.is_goal)
      set(is_goal_.data(), number);
    for (int value : landmark.values) {
      const int variable = task.variables.variable_of[value];
      pairs_.push_back({number, variable, value - task.variables.offsets[variable]});
    }
    first_costs_.push_back(landmark.is_derived ? 0 : cheapest(landmark.first_achievers, costs));
    costs_.push_back(landmark.is_derived ? 0 : cheapest(landmark.achievers, costs));
  }
  for (const auto &[pair, order] : graph_->orders) {
    if (order == LandmarkOrder::greedy)
      greedy_.push_back({pair.first, pair.second});
    if (order == LandmarkOrder::reasonable)
      reasonable_.push_back({pair.first, pair.second});
  }
}

LandmarkCountHeuristic::Bits *LandmarkCountHeuristic::status(const StateRegistry &registry,
                                                             StateId state) {
  if (registry_ != registry.serial()) { // paths of another registry mean nothing here
    registry_ = registry.serial();
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
  const StatePacker &packer = registry.packer();
  const Word *packed = registry[state];
  std::fill(holding_.begin(), holding_.end(), 0);
  looks_ += static_cast<std::int64_t>(1 + pairs_.size() + greedy_.size() + reasonable_.size());
  for (const Pair &pair : pairs_)
    if (packer.get(packed, pair.variable) == pair.value)
      set(holding_.data(), pair.landmark);
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
  for (const auto &[before, after] : greedy_)
    if (!test(past, after) && !test(holding_.data(), before))
      set(future, before);
  for (const auto &[before, after] : reasonable_)
    if (!test(past, before))
      set(future, after);
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
