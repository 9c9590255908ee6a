#include "networks/resnet.h"

#include <algorithm>

#include "base/processor.h"

namespace beeline {

namespace {

constexpr std::size_t wide = panel;

constexpr int block = 16; // units or states that are turned together

// The length of a row of units: whole panels, and one cache line more, because rows whose distance
// is a power of two would fall on each other in the cache.
std::size_t row_length(int units) { return (units + wide - 1) / wide * wide + block; }

void relu(AlignedFloats &units) {
  for (float &unit : units)
    unit = unit > 0.0f ? unit : 0.0f;
}

// Slopes are zero where the unit is.
void mask(const AlignedFloats &units, AlignedFloats &slope) {
  for (std::size_t i = 0; i < slope.size(); ++i)
    slope[i] = units[i] > 0.0f ? slope[i] : 0.0f;
}

// Sixteen sums at a time, so that additions overlap.
float sum_of_panel(const float *values) {
  float sums[16] = {};
  for (std::size_t i = 0; i < wide; i += 16)
    for (std::size_t j = 0; j < 16; ++j)
      sums[j] += values[i + j];
  for (std::size_t half = 8; half > 0; half /= 2)
    for (std::size_t j = 0; j < half; ++j)
      sums[j] += sums[j + half];
  return sums[0];
}

// rows[state][unit] of `states` states to units[unit][panel]; other states are zero.
void turn(const float *rows, int states, int width, AlignedFloats &units) {
  std::fill(units.begin(), units.end(), 0.0f);
  for (int state = 0; state < states; ++state)
    for (int unit = 0; unit < width; ++unit)
      units[unit * wide + state] = rows[static_cast<std::size_t>(state) * width + unit];
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
  }
  num_weights_ = next;
  outputs_.resize(heads * wide);
  for (Units *units : {&at_a_, &at_b_, &at_c_, &at_d_})
    units->resize(hidden * wide);
  turned_.resize(wide * row_length(std::max({inputs, hidden})));
}

void ResNet::apply(const Layer &layer, const float *weights, const Units &in, Units &out) const {
  const float *bias = weights + layer.bias;
  for (int unit = 0; unit < layer.outputs; ++unit)
    std::fill_n(out.begin() + unit * wide, wide, bias[unit]);
  const Strided matrix{weights + layer.matrix, static_cast<std::size_t>(layer.inputs), 1};
  kernel_.multiply(layer.outputs, layer.inputs, matrix, in.data(), wide, out.data(), wide, panel,
                   true);
}

void ResNet::forward(const float *weights, const float *facts, int states, float *raw) {
  const std::size_t needed = (states + wide - 1) / wide;
  while (panels_.size() < needed) {
    Panel fresh;
    fresh.x.resize(inputs_ * wide);
    for (Units *units : {&fresh.a, &fresh.b, &fresh.c, &fresh.d})
      units->resize(hidden_ * wide);
    panels_.push_back(std::move(fresh));
  }
  states_ = states;
  for (std::size_t p = 0; p < needed; ++p) {
    Panel &at = panels_[p];
    const int first = static_cast<int>(p * wide);
    const int here = std::min(panel, states - first);
    turn(facts + static_cast<std::size_t>(first) * inputs_, here, inputs_, at.x);
    apply(layers_[0], weights, at.x, at.a);
    relu(at.a);
    apply(layers_[1], weights, at.a, at.b);
    relu(at.b);
    apply(layers_[2], weights, at.b, at.c);
    relu(at.c);
    apply(layers_[3], weights, at.c, at.d);
    for (std::size_t i = 0; i < at.d.size(); ++i)
      at.d[i] += at.b[i];
    relu(at.d);
    apply(layers_[4], weights, at.d, outputs_);
    for (int state = 0; state < here; ++state)
      for (int head = 0; head < heads_; ++head)
        raw[static_cast<std::size_t>(first + state) * heads_ + head] =
            outputs_[head * wide + state];
  }
}

void ResNet::add_gradient(const Layer &layer, const Units &in, const Units &slope, float *gradients,
                          bool add) {
  const std::size_t width = row_length(layer.inputs);
  for (int begin = 0; begin < layer.inputs; begin += block) {
    const int end = std::min(begin + block, layer.inputs);
    for (std::size_t state = 0; state < wide; ++state)
      for (int unit = begin; unit < end; ++unit)
        turned_[state * width + unit] = in[unit * wide + state];
  }
  const Strided slopes{slope.data(), wide, 1};
  for (int begin = 0; begin < layer.inputs; begin += panel)
    kernel_.multiply(layer.outputs, panel, slopes, turned_.data() + begin, width,
                     gradients + layer.matrix + begin, layer.inputs,
                     std::min(panel, layer.inputs - begin), add);
  for (int unit = 0; unit < layer.outputs; ++unit) {
    const float sum = sum_of_panel(slope.data() + unit * wide);
    float &to = gradients[layer.bias + unit];
    to = add ? to + sum : sum;
  }
}

void ResNet::slope_before(const Layer &layer, const float *weights, const Units &slope,
                          Units &out) const {
  const Strided turned{weights + layer.matrix, 1, static_cast<std::size_t>(layer.inputs)};
  kernel_.multiply(layer.inputs, layer.outputs, turned, slope.data(), wide, out.data(), wide, panel,
                   false);
}

void ResNet::gradient(const float *weights, const float *slopes, float *gradients) {
  const std::size_t needed = (states_ + wide - 1) / wide;
  for (std::size_t p = 0; p < needed; ++p) {
    const Panel &at = panels_[p];
    const bool add = p > 0;
    const int first = static_cast<int>(p * wide);
    turn(slopes + static_cast<std::size_t>(first) * heads_, std::min(panel, states_ - first),
         heads_, outputs_);
    add_gradient(layers_[4], at.d, outputs_, gradients, add);
    slope_before(layers_[4], weights, outputs_, at_d_);
    mask(at.d, at_d_);
    add_gradient(layers_[3], at.c, at_d_, gradients, add);
    slope_before(layers_[3], weights, at_d_, at_c_);
    mask(at.c, at_c_);
    add_gradient(layers_[2], at.b, at_c_, gradients, add);
    slope_before(layers_[2], weights, at_c_, at_b_);
    for (std::size_t i = 0; i < at_b_.size(); ++i)
      at_b_[i] += at_d_[i];
    mask(at.b, at_b_);
    add_gradient(layers_[1], at.a, at_b_, gradients, add);
    slope_before(layers_[1], weights, at_b_, at_a_);
    mask(at.a, at_a_);
    add_gradient(layers_[0], at.x, at_a_, gradients, add);
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
