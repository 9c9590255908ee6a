#include "networks/resnet.h"

#include <algorithm>

#include "base/processor.h"

namespace beeline {

namespace {

constexpr int line = 16; // floats of a cache line
constexpr int few_heads = 8;

int whole_panels(int units) { return (units + panel - 1) / panel * panel; }

// The length of a row: padded, and one cache line more, because rows whose distance is a power of
// two would fall on each other in the cache.
std::size_t row_length(int units) {
  return (static_cast<std::size_t>(units) + padding - 1) / padding * padding + line;
}

constexpr std::size_t turned_length = panel + line;

void relu(AlignedFloats &units) {
  for (float &unit : units)
    unit = unit > 0.0f ? unit : 0.0f;
}

// Slopes are zero where the unit is.
void mask(const AlignedFloats &units, AlignedFloats &slope) {
  for (std::size_t i = 0; i < slope.size(); ++i)
    slope[i] = units[i] > 0.0f ? slope[i] : 0.0f;
}

// Rows of a matrix without padding to rows with some.
void pad(const float *from, int rows, int width, float *to, std::size_t length) {
  for (int row = 0; row < rows; ++row)
    std::copy_n(from + static_cast<std::size_t>(row) * width, width, to + row * length);
}

// Sixteen sums at a time, so that additions overlap.
float product(const float *left, const float *right, int count) {
  float sums[16] = {};
  int i = 0;
  for (; i + 16 <= count; i += 16)
    for (int j = 0; j < 16; ++j)
      sums[j] += left[i + j] * right[i + j];
  for (; i < count; ++i)
    sums[0] += left[i] * right[i];
  for (int half = 8; half > 0; half /= 2)
    for (int j = 0; j < half; ++j)
      sums[j] += sums[j + half];
  return sums[0];
}

} // namespace

ResNet::ResNet(int inputs, int heads, int hidden)
    : inputs_(inputs), heads_(heads), hidden_(hidden), kernel_(best<DenseKernel>()) {
  const int sizes[6] = {inputs, hidden, hidden, hidden, hidden, heads};
  std::size_t next = 0;
  for (int i = 0; i < 5; ++i) {
    const std::size_t matrix = static_cast<std::size_t>(sizes[i]) * sizes[i + 1];
    layers_[i] = {sizes[i], sizes[i + 1], next, next + matrix};
    next += matrix + sizes[i + 1];
    by_input_[i].resize(sizes[i] * row_length(sizes[i + 1]));
    by_output_[i].resize(sizes[i + 1] * row_length(sizes[i]));
  }
  num_weights_ = next;
  for (Rows *rows : {&raw_, &at_raw_})
    rows->resize(panel * row_length(heads));
  for (Rows *rows : {&at_a_, &at_b_, &at_c_, &at_d_})
    rows->resize(panel * row_length(hidden));
  turned_.resize(std::max(heads, hidden) * turned_length);
}

void ResNet::apply(int layer, const float *weights, int states, const Rows &in, Rows &out) const {
  const Layer &at = layers_[layer];
  const std::size_t length = row_length(at.outputs);
  for (int state = 0; state < states; ++state)
    std::copy_n(weights + at.bias, at.outputs, out.data() + state * length);
  kernel_.multiply_sparse(states, at.inputs, in.data(), row_length(at.inputs),
                          by_input_[layer].data(), length, out.data(), length,
                          whole_panels(at.outputs), true);
}

void ResNet::forward(const float *weights, const float *facts, int states, float *raw) {
  const std::size_t needed = (states + panel - 1) / panel, width = row_length(hidden_);
  while (panels_.size() < needed) {
    Panel fresh;
    fresh.x.resize(panel * row_length(inputs_));
    for (Rows *rows : {&fresh.a, &fresh.b, &fresh.c, &fresh.d})
      rows->resize(panel * width);
    panels_.push_back(std::move(fresh));
  }
  for (int i = 0; i < 5; ++i)
    kernel_.transpose(layers_[i].outputs, layers_[i].inputs, weights + layers_[i].matrix,
                      layers_[i].inputs, by_input_[i].data(), row_length(layers_[i].outputs));
  states_ = states;
  for (std::size_t p = 0; p < needed; ++p) {
    Panel &at = panels_[p];
    const std::size_t first = p * panel;
    const int here = std::min(panel, states - static_cast<int>(first));
    pad(facts + first * inputs_, here, inputs_, at.x.data(), row_length(inputs_));
    apply(0, weights, here, at.x, at.a);
    relu(at.a);
    apply(1, weights, here, at.a, at.b);
    relu(at.b);
    apply(2, weights, here, at.b, at.c);
    relu(at.c);
    apply(3, weights, here, at.c, at.d);
    for (std::size_t i = 0; i < at.d.size(); ++i)
      at.d[i] += at.b[i];
    relu(at.d);
    float *out = raw + first * heads_;
    if (heads_ > few_heads) {
      apply(4, weights, here, at.d, raw_);
      for (int state = 0; state < here; ++state)
        std::copy_n(raw_.data() + state * row_length(heads_), heads_, out + state * heads_);
      continue;
    }
    const Layer &last = layers_[4];
    for (int state = 0; state < here; ++state)
      for (int head = 0; head < heads_; ++head)
        *out++ =
            weights[last.bias + head] +
            product(at.d.data() + state * width, weights + last.matrix + head * hidden_, hidden_);
  }
}

void ResNet::add_gradient(int layer, int states, const Rows &in, const Rows &slope,
                          float *gradients, bool add) {
  const Layer &at = layers_[layer];
  const std::size_t length = row_length(at.outputs);
  kernel_.transpose(states, at.outputs, slope.data(), length, turned_.data(), turned_length);
  kernel_.multiply_sparse(at.outputs, states, turned_.data(), turned_length, in.data(),
                          row_length(at.inputs), gradients + at.matrix, at.inputs, at.inputs, add);
  float *bias = gradients + at.bias;
  if (!add)
    std::fill_n(bias, at.outputs, 0.0f);
  for (int state = 0; state < states; ++state)
    for (int unit = 0; unit < at.outputs; ++unit)
      bias[unit] += slope[state * length + unit];
}

void ResNet::slope_before(int layer, int states, const Rows &slope, Rows &out) const {
  const Layer &at = layers_[layer];
  const std::size_t length = row_length(at.inputs);
  kernel_.multiply_sparse(states, at.outputs, slope.data(), row_length(at.outputs),
                          by_output_[layer].data(), length, out.data(), length,
                          whole_panels(at.inputs), false);
}

void ResNet::gradient(const float *weights, const float *slopes, float *gradients) {
  const std::size_t needed = (states_ + panel - 1) / panel;
  for (int i = 1; i < 5; ++i)
    pad(weights + layers_[i].matrix, layers_[i].outputs, layers_[i].inputs, by_output_[i].data(),
        row_length(layers_[i].inputs));
  for (std::size_t p = 0; p < needed; ++p) {
    const Panel &at = panels_[p];
    const bool add = p > 0;
    const std::size_t first = p * panel;
    const int here = std::min(panel, states_ - static_cast<int>(first));
    pad(slopes + first * heads_, here, heads_, at_raw_.data(), row_length(heads_));
    add_gradient(4, here, at.d, at_raw_, gradients, add);
    slope_before(4, here, at_raw_, at_d_);
    mask(at.d, at_d_);
    add_gradient(3, here, at.c, at_d_, gradients, add);
    slope_before(3, here, at_d_, at_c_);
    mask(at.c, at_c_);
    add_gradient(2, here, at.b, at_c_, gradients, add);
    slope_before(2, here, at_c_, at_b_);
    for (std::size_t i = 0; i < at_b_.size(); ++i)
      at_b_[i] += at_d_[i];
    mask(at.b, at_b_);
    add_gradient(1, here, at.a, at_b_, gradients, add);
    slope_before(1, here, at_b_, at_a_);
    mask(at.a, at_a_);
    add_gradient(0, here, at.x, at_a_, gradients, add);
  }
}

double cross_entropy(const float *raw, std::size_t rows, std::size_t heads,
                     std::span<const std::int64_t> starts, std::span<const std::int64_t> wanted,
                     float *slopes) {
  const std::size_t count = rows * heads;
  const float share = 1.0f / static_cast<float>(count);
  double total = best<DenseKernel>().softplus(raw, count, share, slopes);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::int64_t i = starts[row]; i < starts[row + 1]; ++i) {
      const std::size_t at = row * heads + wanted[i];
      total -= raw[at];
      slopes[at] -= share;
    }
  return total / static_cast<double>(count);
}

} // namespace beeline
