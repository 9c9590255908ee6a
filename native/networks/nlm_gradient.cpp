// The way back through a network: gradients by parameters, layer by layer.

#include <algorithm>
#include <utility>

#include "networks/nlm_workspace.h"

namespace beeline {

// The slopes of these triples, and which ones have any.
void NlmWorkspace::unfold(float *bias) {
  const Reduced &reduced = reduced_[2][2];
  std::vector<float> &slopes = slopes_[2][3];
  slopes.resize(cells(3) * lanes);
  seen_.assign(objects_, 0);
  folded_.clear();
  std::size_t at = 0;
  for (int i = 0; i < objects_; ++i)
    for (int j = 0; j < objects_; ++j) {
      const std::size_t before = folded_.size();
      float *row = slopes.data() + at * objects_;
      const auto add = [&](int channel, int k, float value, float slope) {
        slope *= value * (1.0F - value);
        if (k < 0 || slope == 0.0F)
          return;
        float *cell = row + std::size_t(k) * lanes;
        if (!seen_[k]) {
          seen_[k] = 1;
          std::fill_n(cell, lanes, 0.0F);
          folded_.push_back({{i, j, k}});
        }
        cell[channel] += slope;
        bias[channel] += slope;
      };
      for (int channel = 0; channel < lanes; ++channel, ++at) {
        add(channel, reduced.where_largest[at], reduced.largest[at], reduced.largest_slope[at]);
        add(channel, reduced.where_smallest[at], reduced.smallest[at], reduced.smallest_slope[at]);
      }
      for (std::size_t cell = before; cell < folded_.size(); ++cell)
        seen_[folded_[cell].at[2]] = 0;
    }
}

void NlmWorkspace::return_orders(const NlmWeights &weights, int number, const float *slope,
                                 bool inner, float *gradient) {
  std::array<Strides, 6> sources{};
  for (int order = 0; order < 6; ++order)
    sources[order] = permuted(3, permutations_of[3].order[order]);
  std::vector<float> sums(6 * lanes * lanes, 0.0F);
  kernel_.outer_orders(active_.data(), active_count_, tensors_[number][3].data(), sources.data(),
                       slope, natural(3), sums.data());
  add_orders(weights, number, sums, gradient);
  if (!inner)
    return;
  const float *all = gather_orders(
      weights, number, [&](const NlmPiece &piece) { return weights.transposed(piece); },
      transposed_orders_);
  kernel_.scatter_orders(active_.data(), active_count_, slope, natural(3), all, sources.data(),
                         slopes_[number][3].data());
}

void NlmWorkspace::add_orders(const NlmWeights &weights, int number, const std::vector<float> &sums,
                              float *gradient) {
  for (int order = 0; order < 6; ++order) {
    float *target = gradient + weights.piece(number, 3, order, own).packed;
    for (int i = 0; i < lanes * lanes; ++i)
      target[i] += sums[order * lanes * lanes + i];
  }
}

void NlmWorkspace::backward(const NeuralLogicMachine &network, const NlmWeights &weights,
                            const float *slopes, float *gradient) {
  for (std::size_t number = 1; number < tensors_.size(); ++number)
    for (int arity = 0; arity <= most_arity; ++arity)
      if (!shares_ || arity < 3 || (number == 1 && !pending_))
        slopes_[number][arity].assign(tensors_[number][arity].size(), 0.0F);
  if (shares_ && !std::exchange(pending_, true))
    shared_slopes_.assign(cells(3) * lanes, 0.0F);
  std::copy_n(slopes, network.shape().heads, slopes_.back()[0].data());
  for (int number = static_cast<int>(network.layers().size()) - 1; number >= 0; --number)
    return_through(network, weights, number, gradient);
}

void NlmWorkspace::complete(const NeuralLogicMachine &network, const NlmWeights &weights,
                            float *gradient) {
  if (!std::exchange(pending_, false))
    return;
  active_.resize(std::max(active_.size(), cells(3)));
  std::array<float, lanes> counted{}; // state by state
  active_count_ =
      kernel_.list_active(range(3), shared_slopes_.data(), 1, active_.data(), counted.data());
  return_orders(weights, 1, shared_slopes_.data(), true, gradient);
  std::vector<float> &slope = slopes_[1][3];
  kernel_.sigmoid_slope(tensors_[1][3].data(), slope.data(), slope.size());
  active_count_ = kernel_.list_active(range(3), slope.data(), 1, active_.data(),
                                      gradient + weights.bias_at(0, 3));
  for (int order = 0; order < 6; ++order)
    return_piece(weights.piece(0, 3, order, own), weights, {active_.data(), active_count_},
                 tensors_[0][3], permuted(3, permutations_of[3].order[order]), slope.data(),
                 natural(3), lanes, nullptr, gradient);
  return_triples(network.layers()[0], weights, 0, gradient);
}

void NlmWorkspace::return_through(const NeuralLogicMachine &network, const NlmWeights &weights,
                                  int number, float *gradient) {
  const NlmLayer &layer = network.layers()[number];
  const bool inner = number > 0; // nobody asks for the gradient of the input
  for (int arity = 0; arity <= most_arity; ++arity) {
    const int outputs = layer.outputs[arity];
    if (outputs == 0 || (shares_ && arity == 3 && number == 0))
      continue;
    if (shares_ && arity == 3) {
      active_count_ = folded_.size();
      active_.resize(std::max(active_.size(), active_count_));
      std::ranges::copy(folded_, active_.begin());
      for (const Cell &cell : folded_) {
        const std::size_t at =
            ((std::size_t(cell.at[0]) * objects_ + cell.at[1]) * objects_ + cell.at[2]) * lanes;
        for (int lane = 0; lane < lanes; ++lane)
          shared_slopes_[at + lane] += slopes_[2][3][at + lane];
      }
      return_triples(layer, weights, number, gradient);
      continue;
    }
    std::vector<float> &slope = slopes_[number + 1][arity];
    if (number + 1 < static_cast<int>(network.layers().size()))
      kernel_.sigmoid_slope(tensors_[number + 1][arity].data(), slope.data(), slope.size());
    if (active_.size() < cells(arity))
      active_.resize(cells(arity));
    active_count_ = kernel_.list_active(range(arity), slope.data(), blocks_of(outputs),
                                        active_.data(), gradient + weights.bias_at(number, arity));
    Reduced &reduced = reduced_[number][arity];
    if (inner) {
      reduced.largest_slope.assign(reduced.largest.size(), 0.0F);
      reduced.smallest_slope.assign(reduced.smallest.size(), 0.0F);
    }
    const std::vector<float> *inputs[sources] = {arity > 0 ? &tensors_[number][arity - 1] : nullptr,
                                                 &tensors_[number][arity], &reduced.largest,
                                                 &reduced.smallest};
    std::vector<float> *input_slopes[sources] = {arity > 0 ? &slopes_[number][arity - 1] : nullptr,
                                                 &slopes_[number][arity], &reduced.largest_slope,
                                                 &reduced.smallest_slope};
    const bool at_once = all_orders_at_once(layer, arity);
    if (at_once)
      return_orders(weights, number, slope.data(), inner, gradient);
    for (int order = 0; order < permutations_of[arity].count; ++order)
      for (int source = 0; source < sources; ++source) {
        if (arity == 3 && (source == expanded || (at_once && source == own)))
          continue;
        const std::array<int, 3> &axes = permutations_of[arity].order[order];
        return_piece(
            weights.piece(number, arity, order, source), weights, {active_.data(), active_count_},
            inputs[source] ? *inputs[source] : tensors_[number][0],
            source == expanded ? expanded_from(arity, axes) : permuted(arity, axes), slope.data(),
            natural(arity), outputs, inner ? input_slopes[source] : nullptr, gradient);
      }
    if (arity == 3)
      return_triples(layer, weights, number, gradient);
  }
  if (inner)
    return_reduced(layer, number);
  if (shares_ && number == 2)
    unfold(gradient + weights.bias_at(1, 3));
}

void NlmWorkspace::return_piece(const NlmPiece &piece, const NlmWeights &weights,
                                std::span<const Cell> where, const std::vector<float> &in,
                                Strides in_strides, const float *slope, Strides slope_strides,
                                int outputs, std::vector<float> *in_slope, float *gradient) {
  if (piece.channels == 0)
    return;
  kernel_.outer(where.data(), where.size(), in.data(), in_strides, blocks_of(piece.channels),
                piece.channels, slope, slope_strides, blocks_of(outputs), gradient + piece.packed);
  if (in_slope != nullptr)
    kernel_.scatter_multiply_add(where.data(), where.size(), slope, slope_strides,
                                 blocks_of(outputs), outputs, weights.transposed(piece),
                                 in_slope->data(), in_strides, blocks_of(piece.channels));
}

// What triples got from pairs: slopes summed up over the axis that was new.
void NlmWorkspace::return_triples(const NlmLayer &layer, const NlmWeights &weights, int number,
                                  float *gradient) {
  if (layer.inputs[2] == 0)
    return;
  const std::size_t size = cell_size(layer.outputs[3]);
  const float *slope = slopes_[number + 1][3].data();
  for (std::vector<float> &pairs : pairs_)
    pairs.assign(cells(2) * size, 0.0F);
  for (const Cell &cell : std::span(active_.data(), active_count_)) {
    const float *here =
        slope + ((std::size_t(cell.at[0]) * objects_ + cell.at[1]) * objects_ + cell.at[2]) * size;
    for (int pair = 0; pair < 3; ++pair) {
      const int first = cell.at[pair_axes[pair][0]], second = cell.at[pair_axes[pair][1]];
      float *sum = pairs_[pair].data() + (std::size_t(first) * objects_ + second) * size;
      for (std::size_t lane = 0; lane < size; ++lane)
        sum[lane] += here[lane];
    }
  }
  all_pairs_.clear();
  for (int j = 0; j < objects_; ++j)
    for (int k = 0; k < objects_; ++k)
      if (!distinct_ || j != k)
        all_pairs_.push_back({{0, j, k}});
  for (int order = 0; order < 6; ++order) {
    const std::array<int, 3> &axes = permutations_of[3].order[order];
    return_piece(weights.piece(number, 3, order, expanded), weights, all_pairs_,
                 tensors_[number][2], permuted(2, permutations_of[2].order[axes[0] > axes[1]]),
                 pairs_[pair_of(axes)].data(), natural(2), layer.outputs[3],
                 number > 0 ? &slopes_[number][2] : nullptr, gradient);
  }
}

void NlmWorkspace::return_reduced(const NlmLayer &layer, int number) {
  for (int arity = 0; arity < most_arity; ++arity) {
    const int channels = layer.inputs[arity + 1];
    const Reduced &reduced = reduced_[number][arity];
    if (layer.outputs[arity] == 0 || channels == 0 || reduced.largest.empty() ||
        (shares_ && arity == 2 && number == 2))
      continue;
    const std::size_t size = cell_size(channels);
    float *slope = slopes_[number][arity + 1].data();
    for (std::size_t cell = 0; cell < cells(arity); ++cell)
      for (int channel = 0; channel < channels; ++channel) {
        const std::size_t at = cell * size + channel;
        float *row = slope + cell * objects_ * size + channel;
        if (reduced.where_largest[at] >= 0)
          row[reduced.where_largest[at] * size] += reduced.largest_slope[at];
        if (reduced.where_smallest[at] >= 0)
          row[reduced.where_smallest[at] * size] += reduced.smallest_slope[at];
      }
  }
}

} // namespace beeline
