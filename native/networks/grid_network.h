// Convolutions and attention over the cells of one task's grid: raw outputs of states.
//
//   y_0 = x,  y_i = [relu(C_i y_{i-1}), x]                                  convolutions
//   c = relu(C y),  a = W attention(Q c, K c, V c),  y' = [a, c + position, x]    blocks
//   raw = W' relu(W'' mean over cells of y + b'') + b'
//
// Chrestien et al., "Optimize planning heuristics to rank, not to estimate cost-to-goal" (2023).
// Only cells have vectors, one row each, and x stands at the end of every row, written once. A 3x3
// convolution is nine products whose inputs are found by the numbers of the neighbours; rows of
// several states are taken together, so that weights are read once for all of them. Scores of
// attention exist for a few rows at a time only.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "networks/grid_kernel.h"

namespace beeline {

struct GridSizes {
  int channels, filters, block_filters, attention, attention_heads, hidden, heads;
};

// A matrix [outputs][taps][inputs] with its bias, as it comes from training.
struct GridWeights {
  std::span<const float> matrix, bias;
};

struct GridBlock {
  GridWeights convolution;
  GridWeights seen; // queries, keys and values one after the other
  GridWeights mixed;
};

// What facts say about cells: fact f adds values[i] at entries[i] (cell * channels + channel) for i
// from starts[f] to starts[f + 1], to `base`.
struct GridFacts {
  std::span<const float> base;
  std::span<const std::int32_t> starts, entries;
  std::span<const float> values;
};

class GridNetwork {
public:
  // beside[9][cells] are the numbers of the cells around each one, `cells` for none;
  // position[cells][block_filters] is their code.
  GridNetwork(const GridSizes &sizes, int cells, std::span<const std::int32_t> beside,
              std::span<const float> position, const GridFacts &facts,
              const std::vector<GridWeights> &convolutions, const std::vector<GridBlock> &blocks,
              const GridWeights &hidden, const GridWeights &output);

  std::size_t facts() const { return starts_.size() - 1; }
  int heads() const { return sizes_.heads; }

  // raw[count][heads] of facts[count][facts()].
  void evaluate(const std::uint8_t *facts, std::size_t count, float *raw);

private:
  struct Layer {
    int taps = 0, inputs = 0, outputs = 0;
    std::vector<float> weights, bias; // packed
  };
  struct Block {
    Layer convolution, seen, mixed;
  };
  // Vectors of all cells of some states, and one of zeros: [states * cells + 1][width].
  struct Rows {
    int width = 0;
    std::vector<float> values;
    float *row(std::size_t number) { return values.data() + number * width; }
  };

  Layer packed(const GridWeights &weights, int taps, int inputs, int outputs) const;
  Rows &rows_of(int width, int number);
  void write_inputs(const std::uint8_t *facts, int states);
  void put_inputs(Rows &rows, int states);
  void apply(const Layer &layer, Rows &in, std::size_t count, float *out, std::size_t stride,
             bool relu, int offset = 0);
  void attend(Rows &seen, int state, float *out, std::size_t stride);
  void evaluate_some(const std::uint8_t *facts, int states, float *raw);

  GridSizes sizes_;
  int cells_;
  std::vector<std::int32_t> beside_;
  std::vector<float> position_, base_, values_;
  std::vector<std::int32_t> starts_, entries_;
  std::vector<Layer> convolutions_;
  std::vector<Block> blocks_;
  Layer hidden_, output_;
  const GridKernel &kernel_;
  int most_states_;
  std::vector<Rows> rows_;
  std::vector<float> inputs_;
  std::vector<const float *> sources_;
  std::vector<float> keys_, own_values_, scores_;
};

} // namespace beeline
