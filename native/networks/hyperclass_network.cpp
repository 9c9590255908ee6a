#include "networks/hyperclass_network.h"

#include <algorithm>
#include <stdexcept>

#include "base/processor.h"

namespace beeline {

namespace {

void require(bool holds) {
  if (!holds)
    throw std::invalid_argument("the classes of a hypergraph do not fit each other");
}

bool below(const std::vector<int> &numbers, int end) {
  return std::ranges::all_of(numbers, [end](int number) { return 0 <= number && number < end; });
}

// Rows of `width` numbers, each filled up with zeros.
void pad(const float *rows, std::size_t count, std::size_t width, std::size_t stride,
         AlignedFloats &into) {
  into.assign(count * stride, 0.0f);
  for (std::size_t row = 0; row < count; ++row)
    std::copy_n(rows + row * width, width, into.data() + row * stride);
}

// Matrices [stride][stride] of `width` rows and columns, entry (i, j) at i * row_step + j *
// column_step; and their transposes.
void pad_matrix(const float *from, std::size_t row_step, std::size_t column_step, std::size_t width,
                std::size_t stride, float *matrix, float *transposed) {
  for (std::size_t i = 0; i < width; ++i)
    for (std::size_t j = 0; j < width; ++j)
      matrix[i * stride + j] = transposed[j * stride + i] = from[i * row_step + j * column_step];
}

} // namespace

void Hyperclasses::complete() {
  require(edge_costs.size() == edge_actions.size());
  int before = static_cast<int>(kinds.size());
  for (HyperclassLayer &layer : layers) {
    layer.products = 0;
    for (const SlotGroup &group : layer.groups) {
      require(0 <= group.first && group.first <= group.end && group.end <= before);
      layer.products += (group.end - group.first) * static_cast<int>(group.slots.size());
    }
    const int kinds_of_edges = static_cast<int>(edge_actions.size());
    layer.arguments.check(layer.edges(), layer.products + kinds_of_edges);
    layer.incident.lists.check(2 * layer.vertices(), layer.edges());
    require(layer.incident.shares.size() == layer.incident.lists.items.size());
    require(below(layer.previous, before));
    before = layer.vertices();
  }
  states.lists.check(states.lists.count(), before);
  require(states.shares.size() == states.lists.items.size());
}

std::size_t Hyperclasses::bytes() const {
  const auto of_lists = [](const IndexLists &lists) {
    return (lists.starts.size() + lists.items.size()) * sizeof(int);
  };
  std::size_t result = of_lists(states.lists) + states.shares.size() * sizeof(float);
  for (const HyperclassLayer &layer : layers)
    result += of_lists(layer.arguments) + of_lists(layer.incident.lists) +
              layer.incident.shares.size() * sizeof(float) + layer.previous.size() * sizeof(int);
  return result;
}

HyperclassNetwork::HyperclassNetwork(const HyperclassShape &shape)
    : shape_(shape), blocks_((shape.width + block_size - 1) / block_size), width_(shape.width),
      stride_(static_cast<std::size_t>(blocks_) * block_size), square_(stride_ * stride_),
      kinds_size_(shape.kinds * width_),
      layer_size_(shape.slots * width_ * width_ + 2 * shape.actions * width_ +
                  seen * width_ * width_ + width_),
      head_start_(kinds_size_ + shape.layers * layer_size_),
      num_weights_(head_start_ + 2 * width_ * width_ + width_ + (width_ + 1) * shape.heads),
      kernel_(best<HyperclassKernel>()), weights_(shape.layers), vectors_(shape.layers) {
  if (shape.layers < 1 || shape.width < 1 || shape.width > 4096 || shape.heads < 1)
    throw std::invalid_argument("a network of this shape is not possible");
}

void HyperclassNetwork::check(const Hyperclasses &classes) const {
  if (classes.layers.size() != vectors_.size() || !below(classes.kinds, shape_.kinds) ||
      !below(classes.edge_actions, shape_.actions))
    throw std::invalid_argument("these are classes for another network");
  for (const HyperclassLayer &layer : classes.layers)
    for (const SlotGroup &group : layer.groups)
      if (!below(group.slots, shape_.slots))
        throw std::invalid_argument("these are classes for another network");
}

std::size_t HyperclassNetwork::layer_start(std::size_t number) const {
  return kinds_size_ + number * layer_size_;
}

// Vector i is number `first` of the i-th group of `number` vectors.
Spaced<const float> HyperclassNetwork::spaced(const AlignedFloats &vectors, std::size_t number,
                                              std::size_t first) const {
  return {vectors.data() + first * stride_, number * stride_};
}
Spaced<float> HyperclassNetwork::written(AlignedFloats &vectors, std::size_t number,
                                         std::size_t first) const {
  return {vectors.data() + first * stride_, number * stride_};
}

void HyperclassNetwork::read(const float *weights) {
  for (std::size_t number = 0; number < weights_.size(); ++number) {
    Weights &to = weights_[number];
    const float *from = weights + layer_start(number);
    to.slots.assign(shape_.slots * square_, 0.0f);
    to.slots_back.assign(shape_.slots * square_, 0.0f);
    for (int slot = 0; slot < shape_.slots; ++slot, from += width_ * width_)
      pad_matrix(from, width_, 1, width_, stride_, to.slots.data() + slot * square_,
                 to.slots_back.data() + slot * square_);
    pad(from, 2 * static_cast<std::size_t>(shape_.actions), width_, stride_, to.actions);
    from += 2 * shape_.actions * width_;
    to.matrix.assign(seen * square_, 0.0f);
    to.matrix_back.assign(seen * square_, 0.0f);
    for (std::size_t part = 0; part < seen; ++part)
      pad_matrix(from + part * width_, 1, seen * width_, width_, stride_,
                 to.matrix.data() + part * square_, to.matrix_back.data() + part * square_);
    pad(from + seen * width_ * width_, 1, width_, stride_, to.bias);
  }
  head_.assign(2 * square_, 0.0f);
  head_back_.assign(2 * square_, 0.0f);
  for (std::size_t part = 0; part < 2; ++part)
    pad_matrix(weights + head_start_ + part * width_, 1, 2 * width_, width_, stride_,
               head_.data() + part * square_, head_back_.data() + part * square_);
}

void HyperclassNetwork::forward(const float *weights, const Hyperclasses &classes, float *raw) {
  check(classes);
  ++runs_;
  read(weights);
  first_.assign(classes.kinds.size() * stride_, 0.0f);
  for (std::size_t i = 0; i < classes.kinds.size(); ++i)
    for (std::size_t k = 0; k < width_; ++k) {
      const float value = weights[classes.kinds[i] * width_ + k];
      first_[i * stride_ + k] = value < 0.0f ? 0.0f : value;
    }
  for (std::size_t number = 0; number < vectors_.size(); ++number)
    convolve(number, classes.layers[number], classes,
             number == 0 ? first_ : vectors_[number - 1].after);
  finish(weights, classes, raw);
}

void HyperclassNetwork::convolve(std::size_t number, const HyperclassLayer &layer,
                                 const Hyperclasses &classes, const AlignedFloats &before) {
  const Weights &weights = weights_[number];
  Vectors &to = vectors_[number];
  const std::size_t vertices = layer.previous.size();
  products_.assign((layer.products + classes.edge_actions.size()) * stride_, 0.0f);
  float *row = products_.data();
  for (const SlotGroup &group : layer.groups) {
    const int count = group.end - group.first;
    const Spaced<const float> in = spaced(before, 1, group.first);
    for (std::size_t slot = 0; slot < group.slots.size(); ++slot)
      kernel_.multiply(blocks_, in, count, weights.slots.data() + group.slots[slot] * square_,
                       {row + slot * stride_, group.slots.size() * stride_});
    row += count * group.slots.size() * stride_;
  }
  const float *slopes = weights.actions.data() + shape_.actions * stride_;
  for (std::size_t kind = 0; kind < classes.edge_actions.size(); ++kind, row += stride_)
    for (std::size_t k = 0; k < stride_; ++k) {
      const std::size_t at = classes.edge_actions[kind] * stride_ + k;
      row[k] = weights.actions[at] + slopes[at] * classes.edge_costs[kind];
    }
  to.edges.resize(layer.edges() * stride_);
  kernel_.sums(blocks_, layer.arguments.view(), layer.edges(), products_.data(), to.edges.data());
  for (AlignedFloats *each : {&to.means, &to.maxima, &to.equals})
    each->resize(2 * vertices * stride_);
  kernel_.pools(blocks_, layer.incident.view(), to.edges.data(), to.means.data(), to.maxima.data(),
                to.equals.data());
  to.own.resize(vertices * stride_);
  to.positive.resize(vertices * stride_);
  for (std::size_t i = 0; i < vertices; ++i) {
    std::copy_n(before.data() + layer.previous[i] * stride_, stride_, to.own.data() + i * stride_);
    std::copy_n(weights.bias.data(), stride_, to.positive.data() + i * stride_);
  }
  const Spaced<const float> parts[seen] = {spaced(to.own), spaced(to.means, 2, 0),
                                           spaced(to.means, 2, 1), spaced(to.maxima, 2, 0),
                                           spaced(to.maxima, 2, 1)};
  for (std::size_t part = 0; part < seen; ++part)
    kernel_.multiply(blocks_, parts[part], layer.vertices(), weights.matrix.data() + part * square_,
                     written(to.positive));
  to.after.resize(vertices * stride_);
  for (std::size_t i = 0; i < to.after.size(); ++i) {
    to.positive[i] = to.positive[i] < 0.0f ? 0.0f : to.positive[i];
    to.after[i] = shape_.residual ? to.positive[i] + to.own[i] : to.positive[i];
  }
}

void HyperclassNetwork::finish(const float *weights, const Hyperclasses &classes, float *raw) {
  const std::size_t states = classes.states.lists.count();
  for (AlignedFloats &each : pools_)
    each.resize(states * stride_);
  kernel_.pools(blocks_, classes.states.view(), vectors_.back().after.data(), pools_[0].data(),
                pools_[1].data(), pools_[2].data());
  const float *bias = weights + head_start_ + 2 * width_ * width_;
  hidden_.assign(states * stride_, 0.0f);
  for (std::size_t state = 0; state < states; ++state)
    std::copy_n(bias, width_, hidden_.data() + state * stride_);
  for (std::size_t part = 0; part < 2; ++part)
    kernel_.multiply(blocks_, spaced(pools_[part]), static_cast<int>(states),
                     head_.data() + part * square_, written(hidden_));
  const float *output = bias + width_;
  const float *output_bias = output + shape_.heads * width_;
  for (std::size_t state = 0; state < states; ++state) {
    float *hidden = hidden_.data() + state * stride_;
    for (std::size_t k = 0; k < width_; ++k)
      hidden[k] = hidden[k] < 0.0f ? 0.0f : hidden[k];
    for (int head = 0; head < shape_.heads; ++head) {
      float sum = output_bias[head];
      for (std::size_t k = 0; k < width_; ++k)
        sum += output[head * width_ + k] * hidden[k];
      *raw++ = sum;
    }
  }
}

} // namespace beeline
