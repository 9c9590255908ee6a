// The inner loops of relational networks, compiled once for each kind of processor.
//
// Tensors hold a cell for each tuple of objects, row-major, and a cell holds its channels side by
// side, padded to whole blocks of `lanes` floats. Cell (i, j, k) of a tensor that is read with
// permuted axes lies at i * stride[0] + j * stride[1] + k * stride[2]: no permuted copy is ever
// made.

#pragma once

#include <cstddef>
#include <cstdint>

namespace beeline {

inline constexpr int lanes = 8; // floats in a block of channels

constexpr int blocks_of(int channels) { return (channels + lanes - 1) / lanes; }

// Tuples of up to three objects; pairs use the last two axes, and unused ones have length 1.
struct CellRange {
  int length[3];
  bool distinct; // leave out tuples in which an object occurs twice
  int arity;
};

struct Strides {
  std::size_t of[3]; // in cells
};

struct Cell {
  std::int32_t at[3];
};

struct NlmKernel {
  // out[cell] += sum over channels c of in[permuted cell][c] * weights[c]; weights are rows of
  // `out_blocks` blocks.
  void (*multiply_add)(const CellRange &range, const float *in, Strides in_strides, int in_blocks,
                       int channels, const float *weights, float *out, int out_blocks);

  // The same over a list of cells, reading at `cell` and adding at the permuted cell.
  void (*scatter_multiply_add)(const Cell *cells, std::size_t count, const float *in,
                               Strides in_strides, int in_blocks, int channels,
                               const float *weights, float *out, Strides out_strides,
                               int out_blocks);

  // gradient[c] += sum over cells of in[permuted cell][c] * slope[cell].
  void (*outer)(const Cell *cells, std::size_t count, const float *in, Strides in_strides,
                int in_blocks, int channels, const float *slope, Strides slope_strides,
                int out_blocks, float *gradient);

  // The two above for all six orders of three axes at once, with eight channels in and out: a cell
  // is read once. Weights and gradient are [6][8][8]; out[cell of order p] += in[cell] *
  // weights[p].
  void (*multiply_add_orders)(const CellRange &range, const float *in, const float *weights,
                              const Strides *out_strides, float *out);
  void (*scatter_orders)(const Cell *cells, std::size_t count, const float *in, Strides in_strides,
                         const float *weights, const Strides *out_strides, float *out);
  // gradient[p][c] += in[cell of order p][c] * slope[cell].
  void (*outer_orders)(const Cell *cells, std::size_t count, const float *in,
                       const Strides *in_strides, const float *slope, Strides slope_strides,
                       float *gradient);

  // Writes the cells whose slope is not zero, and adds their slopes to `bias`.
  std::size_t (*list_active)(const CellRange &range, const float *slope, int blocks, Cell *cells,
                             float *bias);

  // out[i, j, k] = bias + first[i, j] + second[i, k] + third[j, k].
  void (*spread_pairs)(const CellRange &range, const float *bias, const float *first,
                       const float *second, const float *third, float *out, int blocks);
  // out[i, j] = bias + first[i] + second[j].
  void (*spread_objects)(int objects, const float *bias, const float *first, const float *second,
                         float *out, int blocks);

  void (*sigmoid)(float *values, std::size_t count); // count is a multiple of `lanes`
  // slope *= value * (1 - value)
  void (*sigmoid_slope)(const float *values, float *slope, std::size_t count);

  // Largest and smallest value over the last axis, with where they are (or -1).
  void (*reduce)(const CellRange &range, const float *in, int blocks, float *largest,
                 float *smallest, std::int32_t *where_largest, std::int32_t *where_smallest);

  // Largest and smallest value of sigmoid(bias + first[i, j] + second[i, k] + third[j, k] +
  // own[i, j, k]) over k, with where they are (or -1), one block of channels. The sigmoid rises:
  // it is computed for these two only.
  void (*fold_triples)(const CellRange &range, const float *bias, const float *first,
                       const float *second, const float *third, const float *own, float *largest,
                       float *smallest, std::int32_t *where_largest, std::int32_t *where_smallest);

  static const NlmKernel generic, avx2, avx512;
};

} // namespace beeline
