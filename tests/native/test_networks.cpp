// Dense products and the residual network against plain loops, in memory that ends where it must.

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "base/processor.h"
#include "check.h"
#include "networks/dense_kernel.h"
#include "networks/resnet.h"

using namespace beeline;
using namespace beeline::testing;

namespace {

using Floats = std::vector<float>;

Floats random_floats(std::size_t count, double share, std::mt19937 &engine) {
  std::normal_distribution<float> normal;
  std::bernoulli_distribution kept(share);
  Floats values(count);
  for (float &value : values)
    value = kept(engine) ? normal(engine) : 0.0f;
  return values;
}

bool near(double left, double right) {
  return std::abs(left - right) <= 1e-4 * (1.0 + std::abs(right));
}

// Row by row: relu(matrix x + bias), or without the rectifier.
Floats layer(const float *weights, const Floats &in, int inputs, int outputs, bool rectified) {
  const float *bias = weights + inputs * outputs;
  Floats out(in.size() / inputs * outputs);
  for (std::size_t state = 0; state < in.size() / inputs; ++state)
    for (int unit = 0; unit < outputs; ++unit) {
      double sum = bias[unit];
      for (int input = 0; input < inputs; ++input)
        sum += double{weights[unit * inputs + input]} * in[state * inputs + input];
      out[state * outputs + unit] = static_cast<float>(rectified ? std::max(sum, 0.0) : sum);
    }
  return out;
}

Floats plain_raw(const Floats &weights, const Floats &facts, int inputs, int hidden, int heads) {
  const float *at = weights.data();
  const auto next = [&](const Floats &in, int from, int to, bool rectified) {
    Floats out = layer(at, in, from, to, rectified);
    at += (from + 1) * to;
    return out;
  };
  const Floats a = next(facts, inputs, hidden, true), b = next(a, hidden, hidden, true);
  Floats d = next(next(b, hidden, hidden, true), hidden, hidden, false);
  for (std::size_t i = 0; i < d.size(); ++i)
    d[i] = std::max(d[i] + b[i], 0.0f);
  return next(d, hidden, heads, false);
}

} // namespace

TEST(sums_of_scaled_rows_are_those_of_plain_loops) {
  const DenseKernel &kernel = best<DenseKernel>();
  std::mt19937 engine(0);
  for (int columns : {1, 16, 17, 31, 64, 81, 97, 128, 250})
    for (int places : {1, 15, 63, 64, 65, 130})
      for (double share : {0.0, 0.1, 1.0}) {
        const int rows = 5;
        const std::size_t left_stride = places + 15, right_stride = columns + padding;
        const Floats left = random_floats(rows * left_stride, share, engine);
        const Floats right = random_floats(places * right_stride, 1.0, engine);
        Floats out = random_floats(rows * columns, 1.0, engine);
        for (bool add : {false, true}) {
          Floats expected = add ? out : Floats(out.size());
          for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column)
              for (int place = 0; place < places; ++place)
                expected[row * columns + column] +=
                    left[row * left_stride + place] * right[place * right_stride + column];
          kernel.multiply_sparse(rows, places, left.data(), left_stride, right.data(), right_stride,
                                 out.data(), columns, columns, add);
          CHECK(std::ranges::equal(out, expected, near));
        }
      }
}

TEST(a_transposed_matrix_has_its_columns_as_rows) {
  const DenseKernel &kernel = best<DenseKernel>();
  std::mt19937 engine(0);
  for (int rows : {1, 4, 16, 35})
    for (int columns : {1, 15, 32, 50}) {
      const Floats from = random_floats(rows * columns, 1.0, engine);
      Floats to(rows * columns);
      kernel.transpose(rows, columns, from.data(), columns, to.data(), rows);
      for (int row = 0; row < rows; ++row)
        for (int column = 0; column < columns; ++column)
          CHECK_EQUAL(to[column * rows + row], from[row * columns + column]);
    }
}

TEST(a_residual_network_is_that_of_plain_loops_and_keeps_to_its_memory) {
  std::mt19937 engine(0);
  for (auto [inputs, hidden, heads, states] :
       {std::array{3, 5, 1, 2}, {70, 20, 9, 65}, {130, 33, 17, 1}, {7, 65, 66, 64}}) {
    ResNet network(inputs, heads, hidden);
    Floats weights = random_floats(network.num_weights(), 1.0, engine);
    const Floats facts = random_floats(states * inputs, 0.2, engine);
    const Floats slopes = random_floats(states * heads, 0.5, engine);
    Floats raw(states * heads), gradient(weights.size());
    network.forward(weights.data(), facts.data(), states, raw.data());
    const Floats expected = plain_raw(weights, facts, inputs, hidden, heads);
    const float largest = std::ranges::max(expected, {}, [](float x) { return std::abs(x); });
    for (std::size_t i = 0; i < raw.size(); ++i)
      CHECK(std::abs(raw[i] - expected[i]) <= 1e-5f * std::abs(largest));
    network.gradient(weights.data(), slopes.data(), gradient.data());
    // The bias of an output adds to it and to nothing else.
    for (int head = 0; head < heads; ++head) {
      double sum = 0.0;
      for (int state = 0; state < states; ++state)
        sum += slopes[state * heads + head];
      CHECK(near(gradient[weights.size() - heads + head], sum));
    }
  }
}
