// The inner loops of networks with dense layers, compiled once for each kind of processor.

#pragma once

#include <cstddef>

namespace beeline {

inline constexpr int panel = 64;    // states, or columns, that are worked on together
inline constexpr int padding = 128; // columns that may be read together

struct AdamStep {
  float decay;         // factor of the weights: 1 - learning rate * weight decay
  float first_rate;    // 1 - beta_1
  float second_rate;   // 1 - beta_2
  float rate;          // learning rate / (1 - beta_1^t)
  float second_factor; // 1 / sqrt(1 - beta_2^t)
  float epsilon;
};

struct DenseKernel {
  // out[row][c] = sum over places of left[row][place] * right[place][c], for c below `columns`, at
  // most a panel; added to what is there if `add`. All columns of the panel of `right` are read.
  void (*multiply)(int rows, int places, const float *left, std::size_t left_stride,
                   const float *right, std::size_t right_stride, float *out, std::size_t out_stride,
                   int columns, bool add);

  // The same for any number of columns, where many values of `left` are zero: they are passed over.
  // Rows of `left` end with 15 floats more, those of `right` with `padding`.
  void (*multiply_sparse)(int rows, int places, const float *left, std::size_t left_stride,
                          const float *right, std::size_t right_stride, float *out,
                          std::size_t out_stride, int columns, bool add);

  // to[column][row] = from[row][column].
  void (*transpose)(int rows, int columns, const float *from, std::size_t from_stride, float *to,
                    std::size_t to_stride);

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
