#include "networks/nlm_weights.h"

namespace beeline {

NlmLayout::NlmLayout(const std::vector<NlmLayer> &layers, int breadth)
    : layers_(layers), pieces_(layers.size()), bias_(layers.size()) {
  for (std::size_t number = 0; number < layers.size(); ++number) {
    const NlmLayer &layer = layers[number];
    for (int arity = 0; arity <= most_arity; ++arity) {
      if (layer.outputs[arity] == 0)
        continue;
      const int above = arity < breadth ? layer.inputs[arity + 1] : 0;
      const int channels[sources] = {arity > 0 ? layer.inputs[arity - 1] : 0, layer.inputs[arity],
                                     above, above};
      const std::size_t out_cell = std::size_t(blocks_of(layer.outputs[arity])) * lanes;
      int row = 0;
      for (int order = 0; order < permutations_of[arity].count; ++order)
        for (int source = 0; source < sources; ++source) {
          const std::size_t in_cell = std::size_t(blocks_of(channels[source])) * lanes;
          pieces_[number][arity][order][source] = {channels[source], row, packed_size_,
                                                   transposed_size_};
          row += channels[source];
          packed_size_ += channels[source] * out_cell;
          transposed_size_ += layer.outputs[arity] * in_cell;
        }
      bias_[number][arity] = packed_size_;
      packed_size_ += out_cell;
    }
  }
}

NlmWeights::NlmWeights(const NlmLayout &layout, std::span<const float> parameters,
                       bool with_transposed)
    : layout_(layout), packed_(layout.packed_size(), 0.0F),
      transposed_(with_transposed ? layout.transposed_size() : 0, 0.0F) {
  layout.for_each_row(
      [&](const NlmPiece &piece, int channel, int outputs, std::size_t row, std::size_t at) {
        for (int out = 0; out < outputs; ++out)
          packed_[row + out] = parameters[at + out];
        if (!with_transposed || channel < 0)
          return;
        const std::size_t in_cell = std::size_t(blocks_of(piece.channels)) * lanes;
        for (int out = 0; out < outputs; ++out)
          transposed_[piece.transposed + out * in_cell + channel] = parameters[at + out];
      });
}

} // namespace beeline
