// NlmWeights: the parameters of a network in the order in which its kernels read them.

#pragma once

#include <array>
#include <span>
#include <vector>

#include "networks/nlm.h"

namespace beeline {

// Orders of up to three axes, lexicographically.
struct Permutations {
  int count;
  std::array<std::array<int, 3>, 6> order;
};
inline constexpr std::array<Permutations, most_arity + 1> permutations_of = {{
    {1, {{{0, 0, 0}}}},
    {1, {{{0, 0, 0}}}},
    {2, {{{0, 1, 0}, {1, 0, 0}}}},
    {6, {{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}}},
}};

enum Source { expanded, own, largest, smallest, sources };

// The part of a weight matrix that one source feeds in one order of the axes.
struct NlmPiece {
  int channels = 0;
  int row = 0;                // first row within the matrix
  std::size_t packed = 0;     // rows of whole blocks: [channels][blocks of outputs]
  std::size_t transposed = 0; // [outputs][blocks of channels]
};

// Where everything lies; it depends on the network's shape alone.
class NlmLayout {
public:
  NlmLayout(const std::vector<NlmLayer> &layers, int breadth);

  const NlmPiece &piece(int layer, int arity, int permutation, int source) const {
    return pieces_[layer][arity][permutation][source];
  }
  std::size_t bias(int layer, int arity) const { return bias_[layer][arity]; }
  std::size_t packed_size() const { return packed_size_; }
  std::size_t transposed_size() const { return transposed_size_; }

  // Calls visit(piece, channel, outputs, place among the packed, place among the parameters) for
  // each row of each matrix, and with channel -1 for each bias.
  template <class Visit>
  void for_each_row(const Visit &visit) const {
    for (std::size_t number = 0; number < pieces_.size(); ++number) {
      const NlmLayer &layer = layers_[number];
      for (int arity = 0; arity <= most_arity; ++arity) {
        const int outputs = layer.outputs[arity];
        if (outputs == 0)
          continue;
        const std::size_t out_cell = std::size_t(blocks_of(outputs)) * lanes;
        for (int order = 0; order < permutations_of[arity].count; ++order)
          for (const NlmPiece &piece : pieces_[number][arity][order])
            for (int channel = 0; channel < piece.channels; ++channel)
              visit(piece, channel, outputs, piece.packed + channel * out_cell,
                    layer.weights[arity] + std::size_t(piece.row + channel) * outputs);
        visit(NlmPiece{}, -1, outputs, bias_[number][arity], layer.bias[arity]);
      }
    }
  }

private:
  std::vector<NlmLayer> layers_;
  std::vector<std::array<std::array<std::array<NlmPiece, sources>, 6>, most_arity + 1>> pieces_;
  std::vector<std::array<std::size_t, most_arity + 1>> bias_;
  std::size_t packed_size_ = 0, transposed_size_ = 0;
};

class NlmWeights {
public:
  // Only gradients need the transposed weights.
  NlmWeights(const NlmLayout &layout, std::span<const float> parameters, bool with_transposed);

  const NlmPiece &piece(int layer, int arity, int permutation, int source) const {
    return layout_.piece(layer, arity, permutation, source);
  }
  const float *packed(const NlmPiece &piece) const { return packed_.data() + piece.packed; }
  const float *transposed(const NlmPiece &piece) const {
    return transposed_.data() + piece.transposed;
  }
  const float *bias(int layer, int arity) const {
    return packed_.data() + layout_.bias(layer, arity);
  }
  std::size_t bias_at(int layer, int arity) const { return layout_.bias(layer, arity); }

private:
  const NlmLayout &layout_;
  std::vector<float> packed_, transposed_;
};

} // namespace beeline
