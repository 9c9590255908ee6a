#include "networks/nlm_workspace.h"

#include <algorithm>

namespace beeline {

namespace {

std::size_t cell_size(int channels) { return std::size_t(blocks_of(channels)) * lanes; }

// The pairs of axes within a triple, and which of them an order of the axes begins with.
constexpr int pair_axes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
int pair_of(const std::array<int, 3> &order) {
  return std::min(order[0], order[1]) + std::max(order[0], order[1]) - 1;
}

} // namespace

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
      tensors_[number][arity].resize(cells(arity) * cell_size(channels));
    }
}

const float *NlmWorkspace::forward(const NeuralLogicMachine &network, const NlmWeights &weights,
                                   const RelationalBatch &batch, std::size_t number) {
  const RelationalEncoding &encoding = *batch.encodings[batch.encoding_of[number]];
  const std::span<const std::int32_t> facts =
      batch.items.subspan(batch.starts[number], batch.starts[number + 1] - batch.starts[number]);
  const int chosen = encoding.choose(facts, network.shape().breadth, place_of_, scratch_);
  prepare(network, chosen);
  std::array<float *, most_arity + 1> inputs{};
  for (int arity = 0; arity <= most_arity; ++arity) {
    std::fill(tensors_[0][arity].begin(), tensors_[0][arity].end(), 0.0F);
    inputs[arity] = tensors_[0][arity].data();
  }
  encoding.write(facts, place_of_, chosen, inputs);
  for (std::size_t layer = 0; layer < network.layers().size(); ++layer)
    apply_layer(network, weights, static_cast<int>(layer));
  return tensors_.back()[0].data();
}

void NlmWorkspace::apply_layer(const NeuralLogicMachine &network, const NlmWeights &weights,
                               int number) {
  const NlmLayer &layer = network.layers()[number];
  reduce_inputs(network, layer, number);
  for (int arity = 0; arity <= most_arity; ++arity) {
    if (layer.outputs[arity] == 0)
      continue;
    std::vector<float> &out = tensors_[number + 1][arity];
    spread(layer, weights, number, arity);
    const std::vector<float> *inputs[sources] = {nullptr, &tensors_[number][arity],
                                                 &reduced_[number][arity].largest,
                                                 &reduced_[number][arity].smallest};
    const bool at_once = all_orders_at_once(layer, arity);
    if (at_once)
      apply_orders(weights, number);
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

void NlmWorkspace::apply_orders(const NlmWeights &weights, int number) {
  const float *all = gather_orders(
      weights, number, [&](const NlmPiece &piece) { return weights.packed(piece); }, orders_);
  kernel_.multiply_add_orders(range(3), tensors_[number][3].data(), all, readers().data(),
                              tensors_[number + 1][3].data());
}

void NlmWorkspace::return_orders(const NlmWeights &weights, int number, bool inner,
                                 float *gradient) {
  std::array<Strides, 6> sources{};
  for (int order = 0; order < 6; ++order)
    sources[order] = permuted(3, permutations_of[3].order[order]);
  const float *slope = slopes_[number + 1][3].data();
  std::vector<float> sums(6 * lanes * lanes, 0.0F);
  kernel_.outer_orders(active_.data(), active_count_, tensors_[number][3].data(), sources.data(),
                       slope, natural(3), sums.data());
  add_orders(weights, number, sums, gradient);
  if (!inner)
    return;
  const float *all = gather_orders(
      weights, number, [&](const NlmPiece &piece) { return weights.transposed(piece); },
      transposed_orders_);
  kernel_.scatter_orders(active_.data(), active_count_, slope, natural(3), all, sources.data(),
                         slopes_[number][3].data());
}

void NlmWorkspace::add_orders(const NlmWeights &weights, int number, const std::vector<float> &sums,
                              float *gradient) {
  for (int order = 0; order < 6; ++order) {
    float *target = gradient + weights.piece(number, 3, order, own).packed;
    for (int i = 0; i < lanes * lanes; ++i)
      target[i] += sums[order * lanes * lanes + i];
  }
}

// The weights of all orders one after another.
template <class Choose>
const float *NlmWorkspace::gather_orders(const NlmWeights &weights, int number,
                                         const Choose &choose, std::vector<float> &target) {
  target.resize(6 * lanes * lanes);
  for (int order = 0; order < 6; ++order)
    std::copy_n(choose(weights.piece(number, 3, order, own)), lanes * lanes,
                target.data() + order * lanes * lanes);
  return target.data();
}

void NlmWorkspace::reduce_inputs(const NeuralLogicMachine &network, const NlmLayer &layer,
                                 int number) {
  for (int arity = 0; arity < network.shape().breadth; ++arity) {
    if (layer.outputs[arity] == 0 || layer.inputs[arity + 1] == 0)
      continue;
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
  if (arity == 3)
    return spread_triples(layer, weights, number);
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

void NlmWorkspace::spread_triples(const NlmLayer &layer, const NlmWeights &weights, int number) {
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
  kernel_.spread_pairs(range(3), weights.bias(number, 3), pairs_[0].data(), pairs_[1].data(),
                       pairs_[2].data(), tensors_[number + 1][3].data(), blocks);
}

void NlmWorkspace::backward(const NeuralLogicMachine &network, const NlmWeights &weights,
                            const float *slopes, float *gradient) {
  for (std::size_t number = 1; number < tensors_.size(); ++number)
    for (int arity = 0; arity <= most_arity; ++arity)
      slopes_[number][arity].assign(tensors_[number][arity].size(), 0.0F);
  std::copy_n(slopes, network.shape().heads, slopes_.back()[0].data());
  for (int number = static_cast<int>(network.layers().size()) - 1; number >= 0; --number)
    return_through(network, weights, number, gradient);
}

void NlmWorkspace::return_through(const NeuralLogicMachine &network, const NlmWeights &weights,
                                  int number, float *gradient) {
  const NlmLayer &layer = network.layers()[number];
  const bool inner = number > 0; // nobody asks for the gradient of the input
  for (int arity = 0; arity <= most_arity; ++arity) {
    const int outputs = layer.outputs[arity];
    if (outputs == 0)
      continue;
    std::vector<float> &slope = slopes_[number + 1][arity];
    if (number + 1 < static_cast<int>(network.layers().size()))
      kernel_.sigmoid_slope(tensors_[number + 1][arity].data(), slope.data(), slope.size());
    if (active_.size() < cells(arity))
      active_.resize(cells(arity));
    active_count_ = kernel_.list_active(range(arity), slope.data(), blocks_of(outputs),
                                        active_.data(), gradient + weights.bias_at(number, arity));
    Reduced &reduced = reduced_[number][arity];
    if (inner) {
      reduced.largest_slope.assign(reduced.largest.size(), 0.0F);
      reduced.smallest_slope.assign(reduced.smallest.size(), 0.0F);
    }
    const std::vector<float> *inputs[sources] = {arity > 0 ? &tensors_[number][arity - 1] : nullptr,
                                                 &tensors_[number][arity], &reduced.largest,
                                                 &reduced.smallest};
    std::vector<float> *input_slopes[sources] = {arity > 0 ? &slopes_[number][arity - 1] : nullptr,
                                                 &slopes_[number][arity], &reduced.largest_slope,
                                                 &reduced.smallest_slope};
    const bool at_once = all_orders_at_once(layer, arity);
    if (at_once)
      return_orders(weights, number, inner, gradient);
    for (int order = 0; order < permutations_of[arity].count; ++order)
      for (int source = 0; source < sources; ++source) {
        if (arity == 3 && (source == expanded || (at_once && source == own)))
          continue;
        const std::array<int, 3> &axes = permutations_of[arity].order[order];
        return_piece(
            weights.piece(number, arity, order, source), weights, {active_.data(), active_count_},
            inputs[source] ? *inputs[source] : tensors_[number][0],
            source == expanded ? expanded_from(arity, axes) : permuted(arity, axes), slope.data(),
            natural(arity), outputs, inner ? input_slopes[source] : nullptr, gradient);
      }
    if (arity == 3)
      return_triples(layer, weights, number, gradient);
  }
  if (inner)
    return_reduced(layer, number);
}

void NlmWorkspace::return_piece(const NlmPiece &piece, const NlmWeights &weights,
                                std::span<const Cell> where, const std::vector<float> &in,
                                Strides in_strides, const float *slope, Strides slope_strides,
                                int outputs, std::vector<float> *in_slope, float *gradient) {
  if (piece.channels == 0)
    return;
  kernel_.outer(where.data(), where.size(), in.data(), in_strides, blocks_of(piece.channels),
                piece.channels, slope, slope_strides, blocks_of(outputs), gradient + piece.packed);
  if (in_slope != nullptr)
    kernel_.scatter_multiply_add(where.data(), where.size(), slope, slope_strides,
                                 blocks_of(outputs), outputs, weights.transposed(piece),
                                 in_slope->data(), in_strides, blocks_of(piece.channels));
}

// What triples got from pairs: slopes summed up over the axis that was new.
void NlmWorkspace::return_triples(const NlmLayer &layer, const NlmWeights &weights, int number,
                                  float *gradient) {
  if (layer.inputs[2] == 0)
    return;
  const std::size_t size = cell_size(layer.outputs[3]);
  const float *slope = slopes_[number + 1][3].data();
  for (std::vector<float> &pairs : pairs_)
    pairs.assign(cells(2) * size, 0.0F);
  for (const Cell &cell : std::span(active_.data(), active_count_)) {
    const float *here =
        slope + ((std::size_t(cell.at[0]) * objects_ + cell.at[1]) * objects_ + cell.at[2]) * size;
    for (int pair = 0; pair < 3; ++pair) {
      const int first = cell.at[pair_axes[pair][0]], second = cell.at[pair_axes[pair][1]];
      float *sum = pairs_[pair].data() + (std::size_t(first) * objects_ + second) * size;
      for (std::size_t lane = 0; lane < size; ++lane)
        sum[lane] += here[lane];
    }
  }
  all_pairs_.clear();
  for (int j = 0; j < objects_; ++j)
    for (int k = 0; k < objects_; ++k)
      if (!distinct_ || j != k)
        all_pairs_.push_back({{0, j, k}});
  for (int order = 0; order < 6; ++order) {
    const std::array<int, 3> &axes = permutations_of[3].order[order];
    return_piece(weights.piece(number, 3, order, expanded), weights, all_pairs_,
                 tensors_[number][2], permuted(2, permutations_of[2].order[axes[0] > axes[1]]),
                 pairs_[pair_of(axes)].data(), natural(2), layer.outputs[3],
                 number > 0 ? &slopes_[number][2] : nullptr, gradient);
  }
}

void NlmWorkspace::return_reduced(const NlmLayer &layer, int number) {
  for (int arity = 0; arity < most_arity; ++arity) {
    const int channels = layer.inputs[arity + 1];
    const Reduced &reduced = reduced_[number][arity];
    if (layer.outputs[arity] == 0 || channels == 0 || reduced.largest.empty())
      continue;
    const std::size_t size = cell_size(channels);
    float *slope = slopes_[number][arity + 1].data();
    for (std::size_t cell = 0; cell < cells(arity); ++cell)
      for (int channel = 0; channel < channels; ++channel) {
        const std::size_t at = cell * size + channel;
        float *row = slope + cell * objects_ * size + channel;
        if (reduced.where_largest[at] >= 0)
          row[reduced.where_largest[at] * size] += reduced.largest_slope[at];
        if (reduced.where_smallest[at] >= 0)
          row[reduced.where_smallest[at] * size] += reduced.smallest_slope[at];
      }
  }
}

} // namespace beeline
