// NlmWorkspace: the tensors of one state on their way through a network, and back.
//
// In networks of the usual shape (`shares`: three layers after the last one with triples, eight
// channels) the triples of the first layer, and what the second one makes of them, depend on pairs
// and triples of the input alone: often on static atoms, such as the connections of a grid. They
// are kept as long as the next state has the same ones. The gradient is linear in what comes back
// to them: it is summed up over these states, and goes on from there once. The triples of the
// second layer are only asked for largest and smallest values, and never written down.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/processor.h"
#include "networks/nlm_weights.h"

namespace beeline {

inline std::size_t cell_size(int channels) { return std::size_t(blocks_of(channels)) * lanes; }

// The pairs of axes within a triple, and which of them an order of the axes begins with.
inline constexpr int pair_axes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
inline int pair_of(const std::array<int, 3> &order) {
  return std::min(order[0], order[1]) + std::max(order[0], order[1]) - 1;
}

class NlmWorkspace {
public:
  // Before the states of a batch: what is kept is of no use with other parameters.
  void begin(std::span<const float> parameters);

  // A number that is equal for states which can share triples.
  std::uint64_t key(const RelationalBatch &batch, std::size_t number, int breadth);

  // The heads of state `number` of the batch; all values on the way are kept for `backward`. With a
  // gradient, those of earlier states are completed there before anything is overwritten.
  const float *forward(const NeuralLogicMachine &network, const NlmWeights &weights,
                       const RelationalBatch &batch, std::size_t number, float *gradient = nullptr);

  // Adds the gradient of slopes . heads for the last state to `gradient`, packed like weights; in
  // part only when `complete` is called, or another state comes that shares nothing with it.
  void backward(const NeuralLogicMachine &network, const NlmWeights &weights, const float *slopes,
                float *gradient);
  void complete(const NeuralLogicMachine &network, const NlmWeights &weights, float *gradient);

private:
  using Tensors = std::array<std::vector<float>, most_arity + 1>;
  struct Reduced {
    std::vector<float> largest, smallest;
    std::vector<std::int32_t> where_largest, where_smallest;
    std::vector<float> largest_slope, smallest_slope;

    void resize(std::size_t size) {
      largest.resize(size);
      smallest.resize(size);
      where_largest.resize(size);
      where_smallest.resize(size);
    }
  };

  std::size_t cells(int arity) const;
  CellRange range(int arity) const;
  Strides natural(int arity) const;
  Strides permuted(int arity, const std::array<int, 3> &order) const;
  Strides expanded_from(int arity, const std::array<int, 3> &order) const;

  void prepare(const NeuralLogicMachine &network, int objects);
  void apply_layer(const NeuralLogicMachine &network, const NlmWeights &weights, int number);
  void reduce_inputs(const NeuralLogicMachine &network, const NlmLayer &layer, int number);
  void spread(const NlmLayer &layer, const NlmWeights &weights, int number, int arity);
  void multiply_pairs(const NlmLayer &layer, const NlmWeights &weights, int number);

  static bool shares(const NeuralLogicMachine &network);
  void fold(const NeuralLogicMachine &network, const NlmWeights &weights);
  void unfold(float *bias);

  static bool all_orders_at_once(const NlmLayer &layer, int arity);
  std::array<Strides, 6> readers() const;
  template <class Choose>
  static const float *gather_orders(const NlmWeights &weights, int number, const Choose &choose,
                                    std::vector<float> &target);
  static void add_orders(const NlmWeights &weights, int number, const std::vector<float> &sums,
                         float *gradient);
  void apply_orders(const NlmWeights &weights, int number, float *out);
  void return_orders(const NlmWeights &weights, int number, const float *slope, bool inner,
                     float *gradient);

  void return_through(const NeuralLogicMachine &network, const NlmWeights &weights, int number,
                      float *gradient);
  void return_piece(const NlmPiece &piece, const NlmWeights &weights, std::span<const Cell> where,
                    const std::vector<float> &in, Strides in_strides, const float *slope,
                    Strides slope_strides, int outputs, std::vector<float> *in_slope,
                    float *gradient);
  void return_triples(const NlmLayer &layer, const NlmWeights &weights, int number,
                      float *gradient);
  void return_reduced(const NlmLayer &layer, int number);

  const NlmKernel &kernel_ = best<NlmKernel>();
  int objects_ = -1; // that are shown
  bool distinct_ = false;
  std::vector<Tensors> tensors_; // the input, then the output of each layer
  std::vector<Tensors> slopes_;
  std::vector<std::array<Reduced, most_arity + 1>> reduced_; // of each layer's input, by new arity
  std::array<std::vector<float>, 3> pairs_;                  // for the three pairs in a triple
  std::vector<float> bias_;
  std::vector<float> orders_, transposed_orders_;
  std::vector<Cell> active_, all_pairs_;
  std::size_t active_count_ = 0;
  std::vector<int> place_of_, scratch_; // of objects

  bool shares_ = false;  // what is said above
  bool known_ = false;   // whether there are triples that a next state may take over
  bool again_ = false;   // whether this state has taken them over
  bool pending_ = false; // whether slopes are summed up that have not gone on yet
  std::vector<float> parameters_;
  Tensors next_;                     // inputs of a state, before they replace those of the last one
  std::vector<float> own_;           // what triples of the second layer get from those of the first
  std::vector<float> shared_slopes_; // of the former, over all states that share them
  std::vector<Cell> folded_;         // the triples with a slope
  std::vector<char> seen_;
};

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

} // namespace beeline
