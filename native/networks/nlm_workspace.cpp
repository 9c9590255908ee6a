#include "networks/nlm_workspace.h"

#include <algorithm>
#include <utility>

namespace beeline {

std::size_t NlmWorkspace::cells(int arity) const {
  std::size_t count = 1;
  for (int axis = 0; axis < arity; ++axis)
    count *= objects_;
  return count;
}

CellRange NlmWorkspace::range(int arity) const {
  CellRange result{{1, 1, 1}, distinct_, arity};
  for (int axis = 0; axis < arity; ++axis)
    result.length[2 - axis] = objects_;
  return result;
}

Strides NlmWorkspace::natural(int arity) const {
  return permuted(arity, permutations_of[arity].order[0]);
}

// Cell t is read at (t[order[0]], t[order[1]], ...).
Strides NlmWorkspace::permuted(int arity, const std::array<int, 3> &order) const {
  Strides result{{0, 0, 0}};
  for (int place = 0; place < arity; ++place)
    result.of[3 - arity + order[place]] += cells(arity - 1 - place);
  return result;
}

// Cell t is read at all but the last of these, in a tensor with one axis less.
Strides NlmWorkspace::expanded_from(int arity, const std::array<int, 3> &order) const {
  Strides result{{0, 0, 0}};
  for (int place = 0; place + 1 < arity; ++place)
    result.of[3 - arity + order[place]] += cells(arity - 2 - place);
  return result;
}

void NlmWorkspace::prepare(const NeuralLogicMachine &network, int objects) {
  distinct_ = network.shape().distinct;
  shares_ = shares(network);
  if (objects == objects_)
    return;
  objects_ = objects;
  const auto &layers = network.layers();
  tensors_.resize(layers.size() + 1);
  slopes_.resize(layers.size() + 1);
  reduced_.resize(layers.size());
  for (std::size_t number = 0; number <= layers.size(); ++number)
    for (int arity = 0; arity <= most_arity; ++arity) {
      const int channels =
          number == 0 ? network.shape().inputs[arity] : layers[number - 1].outputs[arity];
      if (!(shares_ && number == 2 && arity == 3))
        tensors_[number][arity].resize(cells(arity) * cell_size(channels));
    }
}

bool NlmWorkspace::shares(const NeuralLogicMachine &network) {
  const auto &layers = network.layers();
  return layers.size() > 2 && layers[0].outputs[3] == lanes && layers[1].outputs[3] == lanes &&
         layers[2].outputs[3] == 0;
}

void NlmWorkspace::begin(std::span<const float> parameters) {
  pending_ = false;
  if (std::ranges::equal(parameters, parameters_))
    return;
  parameters_.assign(parameters.begin(), parameters.end());
  known_ = false;
}

namespace {

std::span<const std::int32_t> facts_of(const RelationalBatch &batch, std::size_t number) {
  return batch.items.subspan(batch.starts[number], batch.starts[number + 1] - batch.starts[number]);
}

} // namespace

std::uint64_t NlmWorkspace::key(const RelationalBatch &batch, std::size_t number, int breadth) {
  const RelationalEncoding &encoding = *batch.encodings[batch.encoding_of[number]];
  const auto facts = facts_of(batch, number);
  const int chosen = encoding.choose(facts, breadth, place_of_, scratch_);
  return encoding.key_of_pairs(facts, place_of_, chosen);
}

const float *NlmWorkspace::forward(const NeuralLogicMachine &network, const NlmWeights &weights,
                                   const RelationalBatch &batch, std::size_t number,
                                   float *gradient) {
  const RelationalEncoding &encoding = *batch.encodings[batch.encoding_of[number]];
  const auto facts = facts_of(batch, number);
  const int chosen = encoding.choose(facts, network.shape().breadth, place_of_, scratch_);
  std::array<float *, most_arity + 1> inputs{};
  std::size_t cells_here = 1;
  for (int arity = 0; arity <= most_arity; ++arity, cells_here *= chosen) {
    next_[arity].assign(cells_here * cell_size(network.shape().inputs[arity]), 0.0F);
    inputs[arity] = next_[arity].data();
  }
  encoding.write(facts, place_of_, chosen, inputs);
  again_ = known_ && chosen == objects_ && next_[2] == tensors_[0][2] && next_[3] == tensors_[0][3];
  if (!again_) {
    if (pending_ && gradient != nullptr)
      complete(network, weights, gradient);
    known_ = false;
    prepare(network, chosen);
  }
  std::swap(tensors_[0], next_);
  for (std::size_t layer = 0; layer < network.layers().size(); ++layer)
    apply_layer(network, weights, static_cast<int>(layer));
  known_ = shares_;
  return tensors_.back()[0].data();
}

void NlmWorkspace::apply_layer(const NeuralLogicMachine &network, const NlmWeights &weights,
                               int number) {
  const NlmLayer &layer = network.layers()[number];
  reduce_inputs(network, layer, number);
  for (int arity = 0; arity <= most_arity; ++arity) {
    if (layer.outputs[arity] == 0)
      continue;
    if (shares_ && arity == 3 && number == 1)
      fold(network, weights);
    if (shares_ && arity == 3 && (number == 1 || again_))
      continue;
    std::vector<float> &out = tensors_[number + 1][arity];
    spread(layer, weights, number, arity);
    const std::vector<float> *inputs[sources] = {nullptr, &tensors_[number][arity],
                                                 &reduced_[number][arity].largest,
                                                 &reduced_[number][arity].smallest};
    const bool at_once = all_orders_at_once(layer, arity);
    if (at_once)
      apply_orders(weights, number, out.data());
    for (int order = 0; order < permutations_of[arity].count; ++order)
      for (int source : {own, largest, smallest}) {
        const NlmPiece &piece = weights.piece(number, arity, order, source);
        if (piece.channels > 0 && !(at_once && source == own))
          kernel_.multiply_add(range(arity), inputs[source]->data(),
                               permuted(arity, permutations_of[arity].order[order]),
                               blocks_of(piece.channels), piece.channels, weights.packed(piece),
                               out.data(), blocks_of(layer.outputs[arity]));
      }
    if (number + 1 < static_cast<int>(network.layers().size()))
      kernel_.sigmoid(out.data(), out.size());
  }
}

bool NlmWorkspace::all_orders_at_once(const NlmLayer &layer, int arity) {
  return arity == 3 && layer.inputs[3] == lanes && layer.outputs[3] == lanes;
}

// The cell that reads a given cell in each order: the inverse of `permuted`.
std::array<Strides, 6> NlmWorkspace::readers() const {
  std::array<Strides, 6> result{};
  for (int order = 0; order < 6; ++order)
    for (int axis = 0; axis < 3; ++axis)
      result[order].of[axis] = cells(2 - permutations_of[3].order[order][axis]);
  return result;
}

void NlmWorkspace::apply_orders(const NlmWeights &weights, int number, float *out) {
  const float *all = gather_orders(
      weights, number, [&](const NlmPiece &piece) { return weights.packed(piece); }, orders_);
  kernel_.multiply_add_orders(range(3), tensors_[number][3].data(), all, readers().data(), out);
}

// The triples of the second layer, of which only largest and smallest values are kept.
void NlmWorkspace::fold(const NeuralLogicMachine &network, const NlmWeights &weights) {
  if (!again_) {
    own_.assign(cells(3) * lanes, 0.0F);
    apply_orders(weights, 1, own_.data());
  }
  multiply_pairs(network.layers()[1], weights, 1);
  Reduced &reduced = reduced_[2][2];
  reduced.resize(cells(2) * lanes);
  kernel_.fold_triples(range(3), weights.bias(1, 3), pairs_[0].data(), pairs_[1].data(),
                       pairs_[2].data(), own_.data(), reduced.largest.data(),
                       reduced.smallest.data(), reduced.where_largest.data(),
                       reduced.where_smallest.data());
}

void NlmWorkspace::reduce_inputs(const NeuralLogicMachine &network, const NlmLayer &layer,
                                 int number) {
  for (int arity = 0; arity < network.shape().breadth; ++arity) {
    if (layer.outputs[arity] == 0 || layer.inputs[arity + 1] == 0)
      continue;
    if (shares_ && arity == 2 && (number == 2 || (number == 1 && again_)))
      continue; // folded, or known
    Reduced &reduced = reduced_[number][arity];
    reduced.resize(cells(arity) * cell_size(layer.inputs[arity + 1]));
    kernel_.reduce(range(arity + 1), tensors_[number][arity + 1].data(),
                   blocks_of(layer.inputs[arity + 1]), reduced.largest.data(),
                   reduced.smallest.data(), reduced.where_largest.data(),
                   reduced.where_smallest.data());
  }
}

// Sets all cells to the bias and what comes from the next lower arity: multiplied first, then
// copied along the new axis.
void NlmWorkspace::spread(const NlmLayer &layer, const NlmWeights &weights, int number, int arity) {
  const int blocks = blocks_of(layer.outputs[arity]);
  std::vector<float> &out = tensors_[number + 1][arity];
  if (arity == 3) {
    multiply_pairs(layer, weights, number);
    kernel_.spread_pairs(range(3), weights.bias(number, 3), pairs_[0].data(), pairs_[1].data(),
                         pairs_[2].data(), out.data(), blocks);
    return;
  }
  bias_.assign(weights.bias(number, arity), weights.bias(number, arity) + blocks * lanes);
  if (arity == 2) {
    const std::size_t size = cells(1) * cell_size(layer.outputs[2]);
    for (int order = 0; order < 2; ++order) {
      pairs_[order].assign(size, 0.0F);
      const NlmPiece &piece = weights.piece(number, 2, order, expanded);
      if (piece.channels > 0)
        kernel_.multiply_add(range(1), tensors_[number][1].data(), natural(1),
                             blocks_of(piece.channels), piece.channels, weights.packed(piece),
                             pairs_[order].data(), blocks);
    }
    kernel_.spread_objects(objects_, bias_.data(), pairs_[0].data(), pairs_[1].data(), out.data(),
                           blocks);
    return;
  }
  if (arity == 1) {
    const NlmPiece &piece = weights.piece(number, 1, 0, expanded);
    if (piece.channels > 0)
      kernel_.multiply_add(range(0), tensors_[number][0].data(), natural(0),
                           blocks_of(piece.channels), piece.channels, weights.packed(piece),
                           bias_.data(), blocks);
  }
  for (std::size_t cell = 0; cell < cells(arity); ++cell)
    std::copy(bias_.begin(), bias_.end(), out.begin() + cell * bias_.size());
}

// What each of the three pairs in a triple adds to it.
void NlmWorkspace::multiply_pairs(const NlmLayer &layer, const NlmWeights &weights, int number) {
  const int blocks = blocks_of(layer.outputs[3]);
  for (std::vector<float> &pairs : pairs_)
    pairs.assign(cells(2) * cell_size(layer.outputs[3]), 0.0F);
  for (int order = 0; order < 6; ++order) {
    const std::array<int, 3> &axes = permutations_of[3].order[order];
    const NlmPiece &piece = weights.piece(number, 3, order, expanded);
    if (piece.channels > 0)
      kernel_.multiply_add(range(2), tensors_[number][2].data(),
                           permuted(2, permutations_of[2].order[axes[0] > axes[1]]),
                           blocks_of(piece.channels), piece.channels, weights.packed(piece),
                           pairs_[pair_of(axes)].data(), blocks);
  }
}

} // namespace beeline
