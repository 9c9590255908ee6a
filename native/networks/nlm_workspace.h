// NlmWorkspace: the tensors of one state on their way through a network, and back.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/processor.h"
#include "networks/nlm_weights.h"

namespace beeline {

class NlmWorkspace {
public:
  // The heads of state `number` of the batch; all values on the way are kept for `backward`.
  const float *forward(const NeuralLogicMachine &network, const NlmWeights &weights,
                       const RelationalBatch &batch, std::size_t number);

  // Adds the gradient of slopes . heads for the last state to `gradient`, packed like weights.
  void backward(const NeuralLogicMachine &network, const NlmWeights &weights, const float *slopes,
                float *gradient);

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
  void spread_triples(const NlmLayer &layer, const NlmWeights &weights, int number);

  static bool all_orders_at_once(const NlmLayer &layer, int arity);
  std::array<Strides, 6> readers() const;
  template <class Choose>
  static const float *gather_orders(const NlmWeights &weights, int number, const Choose &choose,
                                    std::vector<float> &target);
  static void add_orders(const NlmWeights &weights, int number, const std::vector<float> &sums,
                         float *gradient);
  void apply_orders(const NlmWeights &weights, int number);
  void return_orders(const NlmWeights &weights, int number, bool inner, float *gradient);

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
};

} // namespace beeline
