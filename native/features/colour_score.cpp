#include "features/colour_score.h"

#include <cmath>
#include <stdexcept>

namespace beeline {

ColourScore::ColourScore(const ColourGraph &graph, const ColourTable &table,
                         const std::vector<std::int64_t> &weights, Evaluator *extra,
                         const ColourScoreOptions &options)
    : graph_(graph), table_(table), weights_(weights), extra_(extra), options_(options),
      full_(graph) {
  if (weights.size() != static_cast<std::size_t>(table.size()))
    throw std::invalid_argument("a colour table needs one weight per colour");
  table.check_fits(graph.base_colours());
  if (options.shift < 0 || options.shift > 62)
    throw std::invalid_argument("the shift lies outside 0 to 62");
  if (options.extra_weight != 0 && extra == nullptr)
    throw std::invalid_argument("the weight of another heuristic, but no such heuristic");
  if (options.incremental)
    incremental_ = std::make_unique<IncrementalColouring>(graph, table, weights,
                                                          table.size() + options.new_colours);
}

std::int64_t ColourScore::full_score(const StatePacker &packer, const Word *state) {
  std::int64_t score = 0;
  for (int colour : full_.compute(packer, state, table_, false))
    if (colour >= 0)
      score += weights_[colour];
  return score;
}

void ColourScore::approach(const StateRegistry &registry, StateId parent) {
  if (incremental_ != nullptr) {
    incremental_->move_to(registry.packer(), registry[parent]);
    approached_ = true;
  }
}

double ColourScore::work() const {
  constexpr double state = 0.5, look = 0.015, full_look = 0.02; // microseconds
  constexpr double operator_class = 0.05;
  double result = static_cast<double>(evaluated_) * state;
  result += static_cast<double>(classified_) * operator_class;
  if (incremental_ != nullptr)
    result += static_cast<double>(incremental_->work()) * look;
  else
    result += static_cast<double>(evaluated_) * full_look * graph_.atoms() * table_.rounds();
  return extra_ == nullptr ? result : result + extra_->work();
}

bool ColourScore::classify(std::span<const int> operators, std::span<std::uint64_t> classes) {
  if (!approached_)
    return false;
  classified_ += static_cast<std::int64_t>(operators.size());
  const Operators &all = graph_.task().operators;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    std::uint64_t hash = mix(static_cast<std::uint64_t>(all.actions[operators[i]]) + 1);
    for (int object : all.args[operators[i]])
      hash = mix(hash + static_cast<std::uint64_t>(incremental_->last_colour(object) + 3));
    classes[i] = hash;
  }
  return true;
}

bool ColourScore::kinds(std::vector<int> &objects) {
  if (!approached_)
    return false;
  objects.resize(static_cast<std::size_t>(graph_.objects()));
  for (int object = 0; object < graph_.objects(); ++object)
    objects[object] = incremental_->last_colour(object);
  return true;
}

void ColourScore::evaluate(const StateRegistry &registry, std::span<const StateId> states,
                           std::span<double> values) {
  const StatePacker &packer = registry.packer();
  evaluated_ += static_cast<std::int64_t>(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) {
    std::int64_t score = 0;
    if (incremental_ == nullptr) {
      score = full_score(packer, registry[states[i]]);
    } else if (approached_) {
      score = incremental_->look_at(packer, registry[states[i]]);
    } else { // from one state to the next
      incremental_->move_to(packer, registry[states[i]]);
      score = incremental_->score();
    }
    values[i] = std::ldexp(static_cast<double>(score), -options_.shift);
    if (options_.extra_weight != 0)
      values[i] += extra_term(registry, states[i]);
  }
}

double ColourScore::extra_term(const StateRegistry &registry, StateId state) {
  double value = 0;
  extra_->evaluate(registry, {&state, 1}, {&value, 1});
  if (value == dead_end) // whatever the weight
    return dead_end;
  return value * std::ldexp(static_cast<double>(options_.extra_weight), -options_.shift);
}

} // namespace beeline
