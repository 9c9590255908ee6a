// The inner loops of hypergraph convolutions in training, compiled once for each kind of processor.
//
// A vector is held as `blocks` groups of 8 numbers, filled up with zeros; matrices have 8 * blocks
// rows and columns.

#pragma once

#include <cstddef>

#include "networks/convolution_kernel.h"

namespace beeline {

// Vector i begins at values + i * step.
template <class Float>
struct Spaced {
  Float *values;
  std::size_t step;
};

// Lists of vectors, with the share of each if they are averaged.
struct SharesView {
  ListsView lists;
  const float *shares;
  int count;
};

struct HyperclassKernel {
  // out_i += in_i * matrix
  void (*multiply)(int blocks, Spaced<const float> in, int count, const float *matrix,
                   Spaced<float> out);

  // matrix += the sum of the outer products of in_i and out_i
  void (*outer)(int blocks, Spaced<const float> in, Spaced<const float> out, int count,
                float *matrix);

  // The positive parts of the sums of each list, and the slopes of these carried on into the rows.
  void (*sums)(int blocks, const ListsView &lists, int count, const float *rows, float *sums);
  void (*sums_back)(int blocks, const ListsView &lists, int count, const float *sums,
                    const float *slopes, float *row_slopes);

  // Means and maxima of each list, and how many rows have the maximum, which share its slope. No
  // row is negative; the maximum of none is 0.
  void (*pools)(int blocks, const SharesView &lists, const float *rows, float *means, float *maxima,
                float *equals);
  void (*pools_back)(int blocks, const SharesView &lists, const float *rows, const float *maxima,
                     const float *equals, const float *mean_slopes, const float *maximum_slopes,
                     float *row_slopes);

  static const HyperclassKernel generic, avx2, avx512;
};

} // namespace beeline
