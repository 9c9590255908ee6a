// The way back through hypergraph convolutions: gradients by weights, layer by layer.

#include <algorithm>

#include "networks/hyperclass_network.h"

namespace beeline {

void HyperclassNetwork::add_matrix(const float *padded, float *gradients, std::size_t row_step,
                                   std::size_t column_step) const {
  for (std::size_t i = 0; i < width_; ++i)
    for (std::size_t j = 0; j < width_; ++j)
      gradients[i * row_step + j * column_step] += padded[i * stride_ + j];
}

void HyperclassNetwork::gradient(const float *weights, const Hyperclasses &classes,
                                 const float *slopes, float *gradients) {
  std::fill_n(gradients, num_weights_, 0.0f);
  begin_back(weights, classes, slopes, gradients);
  for (std::size_t number = vectors_.size(); number-- > 0;) {
    convolve_back(number, classes.layers[number], classes,
                  number == 0 ? first_ : vectors_[number - 1].after, gradients);
    by_after_.swap(by_before_);
  }
  for (std::size_t i = 0; i < classes.kinds.size(); ++i)
    for (std::size_t k = 0; k < width_; ++k)
      if (first_[i * stride_ + k] > 0.0f)
        gradients[classes.kinds[i] * width_ + k] += by_after_[i * stride_ + k];
}

// The two layers on top, and the pools of states.
void HyperclassNetwork::begin_back(const float *weights, const Hyperclasses &classes,
                                   const float *slopes, float *gradients) {
  const std::size_t states = classes.states.lists.count();
  const std::size_t bias = head_start_ + 2 * width_ * width_, output = bias + width_;
  const std::size_t output_bias = output + shape_.heads * width_;
  by_hidden_.assign(states * stride_, 0.0f);
  for (std::size_t state = 0; state < states; ++state) {
    const float *hidden = hidden_.data() + state * stride_;
    float *slope = by_hidden_.data() + state * stride_;
    for (int head = 0; head < shape_.heads; ++head) {
      const float here = *slopes++;
      gradients[output_bias + head] += here;
      for (std::size_t k = 0; k < width_; ++k) {
        gradients[output + head * width_ + k] += here * hidden[k];
        slope[k] += hidden[k] > 0.0f ? here * weights[output + head * width_ + k] : 0.0f;
      }
    }
    for (std::size_t k = 0; k < width_; ++k)
      gradients[bias + k] += slope[k];
  }
  AlignedFloats *const by_pools[2] = {&by_means_, &by_maxima_};
  for (std::size_t part = 0; part < 2; ++part) {
    gradient_.assign(square_, 0.0f);
    kernel_.outer(blocks_, spaced(pools_[part]), spaced(by_hidden_), static_cast<int>(states),
                  gradient_.data());
    add_matrix(gradient_.data(), gradients + head_start_ + part * width_, 1, 2 * width_);
    by_pools[part]->assign(states * stride_, 0.0f);
    kernel_.multiply(blocks_, spaced(by_hidden_), static_cast<int>(states),
                     head_back_.data() + part * square_, written(*by_pools[part]));
  }
  const AlignedFloats &last = vectors_.back().after;
  by_after_.assign(last.size(), 0.0f);
  kernel_.pools_back(blocks_, classes.states.view(), last.data(), pools_[1].data(),
                     pools_[2].data(), by_means_.data(), by_maxima_.data(), by_after_.data());
}

void HyperclassNetwork::convolve_back(std::size_t number, const HyperclassLayer &layer,
                                      const Hyperclasses &classes, const AlignedFloats &before,
                                      float *gradients) {
  const Weights &weights = weights_[number];
  const Vectors &from = vectors_[number];
  const int vertices = layer.vertices();
  float *to_slots = gradients + layer_start(number);
  float *to_actions = to_slots + shape_.slots * width_ * width_;
  float *to_matrix = to_actions + 2 * shape_.actions * width_;
  float *to_bias = to_matrix + seen * width_ * width_;

  // From vertices to what they see.
  by_own_.assign(by_after_.size(), 0.0f);
  if (shape_.residual)
    std::ranges::copy(by_after_, by_own_.begin());
  for (std::size_t i = 0; i < by_after_.size(); i += stride_)
    for (std::size_t k = 0; k < width_; ++k) {
      by_after_[i + k] = from.positive[i + k] > 0.0f ? by_after_[i + k] : 0.0f;
      to_bias[k] += by_after_[i + k];
    }
  by_means_.assign(from.means.size(), 0.0f);
  by_maxima_.assign(from.maxima.size(), 0.0f);
  const Spaced<const float> values[seen] = {spaced(from.own), spaced(from.means, 2, 0),
                                            spaced(from.means, 2, 1), spaced(from.maxima, 2, 0),
                                            spaced(from.maxima, 2, 1)};
  const Spaced<float> slopes[seen] = {written(by_own_), written(by_means_, 2, 0),
                                      written(by_means_, 2, 1), written(by_maxima_, 2, 0),
                                      written(by_maxima_, 2, 1)};
  const Spaced<const float> by_after = spaced(by_after_);
  for (std::size_t part = 0; part < seen; ++part) {
    gradient_.assign(square_, 0.0f);
    kernel_.outer(blocks_, values[part], by_after, vertices, gradient_.data());
    add_matrix(gradient_.data(), to_matrix + part * width_, 1, seen * width_);
    kernel_.multiply(blocks_, by_after, vertices, weights.matrix_back.data() + part * square_,
                     slopes[part]);
  }
  by_before_.assign(before.size(), 0.0f);
  for (int vertex = 0; vertex < vertices; ++vertex)
    for (std::size_t k = 0; k < stride_; ++k)
      by_before_[layer.previous[vertex] * stride_ + k] += by_own_[vertex * stride_ + k];

  // On to hyperedges, and to the products that these are sums of.
  by_edges_.assign(from.edges.size(), 0.0f);
  kernel_.pools_back(blocks_, layer.incident.view(), from.edges.data(), from.maxima.data(),
                     from.equals.data(), by_means_.data(), by_maxima_.data(), by_edges_.data());
  products_.assign((layer.products + classes.edge_actions.size()) * stride_, 0.0f);
  kernel_.sums_back(blocks_, layer.arguments.view(), layer.edges(), from.edges.data(),
                    by_edges_.data(), products_.data());
  const float *row = products_.data();
  for (const SlotGroup &group : layer.groups) {
    const int count = group.end - group.first;
    for (std::size_t place = 0; place < group.slots.size(); ++place) {
      const int slot = group.slots[place];
      const Spaced<const float> slope{row + place * stride_, group.slots.size() * stride_};
      gradient_.assign(square_, 0.0f);
      kernel_.outer(blocks_, spaced(before, 1, group.first), slope, count, gradient_.data());
      add_matrix(gradient_.data(), to_slots + slot * width_ * width_, width_, 1);
      kernel_.multiply(blocks_, slope, count, weights.slots_back.data() + slot * square_,
                       written(by_before_, 1, group.first));
    }
    row += count * group.slots.size() * stride_;
  }
  for (std::size_t kind = 0; kind < classes.edge_actions.size(); ++kind, row += stride_)
    for (std::size_t k = 0; k < width_; ++k) {
      const std::size_t at = classes.edge_actions[kind] * width_ + k;
      to_actions[at] += row[k];
      to_actions[shape_.actions * width_ + at] += row[k] * classes.edge_costs[kind];
    }
}

} // namespace beeline
