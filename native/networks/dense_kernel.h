// The inner loops of networks with dense layers, compiled once for each kind of processor.
//
// States are taken `panel` at a time.

#pragma once

#include <cstddef>

namespace beeline {

inline constexpr int panel = 64; // states, or columns, that are worked on together

// An operand whose entry (row, place) lies at row * row_stride + place * place_stride.
struct Strided {
  const float *values;
  std::size_t row_stride;
  std::size_t place_stride;
};

struct AdamStep {
  float decay;         // factor of the weights: 1 - learning rate * weight decay
  float first_rate;    // 1 - beta_1
  float second_rate;   // 1 - beta_2
  float rate;          // learning rate / (1 - beta_1^t)
  float second_factor; // 1 / sqrt(1 - beta_2^t)
  float epsilon;
};

struct DenseKernel {
  // out[row][c] = sum over places of left(row, place) * right[place * right_stride + c], for c
  // below `columns`, at most a panel; added to what is there if `add`. All columns of the panel
  // of `right` are read.
  void (*multiply)(int rows, int places, Strided left, const float *right, std::size_t right_stride,
                   float *out, std::size_t out_stride, int columns, bool add);

  // The sum of log(1 + exp(x)) over these values, and scale / (1 + exp(-x)) for each.
  double (*softplus)(const float *values, std::size_t count, float scale, float *slopes);

  // One step of AdamW; the gradients are zero afterwards.
  void (*adam)(const AdamStep &step, float *weights, float *gradients, float *first, float *second,
               std::size_t count);

  // sum[c] += the values in column c of the listed rows, for c below `columns`, a multiple of 16.
  void (*add_rows)(const float *rows, std::size_t columns, const int *list, std::size_t count,
                   float *sum);

  // The leaky rectifier: values below 0 are scaled by `leak`, which is below 1.
  void (*rectify)(float leak, float *values, std::size_t count);

  static const DenseKernel generic, avx2, avx512;
};

} // namespace beeline
