// The inner loops of networks over the cells of grids, compiled once for each kind of processor.
//
// All products have one form. A row of outputs belongs to a cell; its inputs lie in `taps` places,
// one for each neighbour, so that a convolution needs no copies of its inputs. Weights are packed
// in panels of columns, [panel][tap][input][column], the last one filled up with zeros.

#pragma once

#include <cstddef>

namespace beeline {

inline constexpr int wide_panel = 32, narrow_panel = 16;

// The columns of a panel for so many outputs.
inline constexpr int grid_panel(int outputs) {
  return outputs > narrow_panel ? wide_panel : narrow_panel;
}

struct GridProduct {
  int rows;    // of outputs
  int taps;    // inputs of row r begin at sources[r * taps], ...
  int inputs;  // behind each of them
  int outputs; // columns that are written
  const float *const *sources;
  const float *weights; // packed
  const float *bias;    // padded to whole panels; none: 0
  float *out;           // out[row * stride + column]
  std::size_t stride;
  bool relu;
};

struct GridKernel {
  void (*multiply)(const GridProduct &product);

  // Makes exp(x - largest) of each row's first `columns` values, and writes their sums; columns
  // from there to `stride` are of no use afterwards.
  void (*weigh)(float *values, int rows, int columns, std::size_t stride, float *sums);

  static const GridKernel generic, avx2, avx512;
};

} // namespace beeline
