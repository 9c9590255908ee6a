#include "features/colour_score.h"

#include <algorithm>
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
    incremental_ = std::make_unique<IncrementalColouring>(
        graph, table, weights, table.size() + options.new_colours, false, options.fold_from);
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
  constexpr double operator_class = 0.05, slot = 0.03;
  double result = static_cast<double>(evaluated_) * state;
  result += static_cast<double>(classified_) * operator_class;
  result += static_cast<double>(looked_up_) * slot;
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

std::span<const char> ColourScore::folded(std::vector<int> &leaders) {
  leaders.clear();
  if (!approached_ || incremental_->folding().empty())
    return {};
  incremental_->folding().append_leaders(leaders);
  return incremental_->folding().foldable();
}

void ColourScore::rank_operators(const std::vector<OperatorSlot> &slots, OperatorWeights weights,
                                 int shift, double margin) {
  if (shift < 0 || shift > 62 || !(margin >= 0))
    throw std::invalid_argument("the shift lies outside 0 to 62, or the margin below 0");
  OperatorNodes nodes(graph_, slots);
  const std::size_t weighed = static_cast<std::size_t>(nodes.numbers()) * graph_.objects();
  if (options_.incremental && nodes.looks_around())
    incremental_ = std::make_unique<IncrementalColouring>(
        graph_, table_, weights_, table_.size() + options_.new_colours, true, options_.fold_from);
  ranking_ = std::make_unique<OperatorRanking>(
      OperatorRanking{.nodes = std::move(nodes),
                      .weights = std::move(weights),
                      .shift = shift,
                      .margin = margin,
                      .known = std::vector<OperatorRanking::Known>(weighed)});
}

template <class State>
std::int64_t ColourScore::slot_weight(const State &state, const OperatorWeights &weights, int slot,
                                      int node, bool is_around) {
  const int known = table_.size();
  std::int64_t sum = 0;
  if (is_around) {
    for (int round = 0; round <= table_.rounds(); ++round) {
      const std::span<const Neighbour> items = state.around(node, round);
      looked_up_ += static_cast<std::int64_t>(items.size());
      for (const Neighbour &item : items)
        if (item.key < neighbour_key(known, 0))
          sum += weights(slot, item.key);
    }
    return sum;
  }
  ++looked_up_;
  const std::span<const int> colours =
      node == no_node ? std::span<const int>{} : state.colours_of(node);
  if (colours.empty() || colours[0] == absent)
    return weights(slot, absent);
  for (int colour : colours)
    if (colour >= 0 && colour < known)
      sum += weights(slot, colour);
  return sum;
}

template <class State>
void ColourScore::rank_in(const State &state, OperatorRanking &ranking,
                          std::span<const int> operators, std::span<double> ranks) {
  ++ranking.looks;
  const auto objects = static_cast<std::size_t>(graph_.objects());
  for (std::size_t i = 0; i < operators.size(); ++i) {
    std::int64_t score = 0;
    ranking.nodes.for_each(operators[i], [&](int slot, int node, bool is_around) {
      if (node == no_node || static_cast<std::size_t>(node) >= objects) {
        score += slot_weight(state, ranking.weights, slot, node, false);
        return;
      }
      OperatorRanking::Known &known = ranking.known[slot * objects + node];
      if (known.look != ranking.looks)
        known = {ranking.looks, slot_weight(state, ranking.weights, slot, node, is_around)};
      score += known.weight;
    });
    ranks[i] = std::ldexp(static_cast<double>(score), -ranking.shift);
  }
  if (ranking.margin > 0 && !ranks.empty()) {
    const double best = *std::max_element(ranks.begin(), ranks.end());
    for (double &rank : ranks)
      rank = -std::floor((best - rank) / ranking.margin);
  }
}

namespace {

// The colours of a state that were computed from scratch.
struct FullState {
  FullState(const FullColouring &colouring, int rounds)
      : stride(static_cast<std::size_t>(rounds) + 1), colours(colouring.by_node()),
        neighbours(colouring.around()) {}

  std::span<const int> colours_of(int node) const {
    return {colours.data() + static_cast<std::size_t>(node) * stride, stride};
  }
  std::span<const Neighbour> around(int object, int round) const {
    return neighbours[static_cast<std::size_t>(object) * stride + round];
  }

  std::size_t stride;
  std::vector<int> colours;
  std::vector<std::vector<Neighbour>> neighbours;
};

} // namespace

void ColourScore::rank(const StateRegistry &registry, StateId state, std::span<const int> operators,
                       std::span<double> ranks) {
  if (incremental_ != nullptr) {
    incremental_->move_to(registry.packer(), registry[state]);
    rank_in(*incremental_, *ranking_, operators, ranks);
  } else {
    full_.compute(registry.packer(), registry[state], table_, false);
    rank_in(FullState(full_, table_.rounds()), *ranking_, operators, ranks);
  }
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
