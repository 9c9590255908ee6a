// The residual network of one state space: raw outputs of a batch, and gradients.
//
//   a = relu(W1 x + b1)    b = relu(W2 a + b2)    c = relu(W3 b + b3)    d = relu(W4 c + b4 + b)
//   raw = W5 d + b5
//
// All weights lie in one vector: W1, b1, W2, ..., matrices as rows of inputs.
//
// The one trick: all products are sums of rows that are scaled by inputs, by units that a rectifier
// may have cut off, or by slopes, which are zero where these are. A tenth to a seventh of the
// inputs are not zero, and half to two thirds of the units: only they are multiplied. That takes
// matrices as rows of outputs, too, made anew for each batch.

#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include "networks/dense_kernel.h"

namespace beeline {

// Memory that begins at a cache line: vectors of a kernel then lie in one line each.
template <class Item>
struct CacheAligned {
  using value_type = Item;
  CacheAligned() = default;
  template <class Other>
  CacheAligned(const CacheAligned<Other> &) {}
  Item *allocate(std::size_t count) {
    return static_cast<Item *>(::operator new(count * sizeof(Item), line));
  }
  void deallocate(Item *items, std::size_t) { ::operator delete(items, line); }
  bool operator==(const CacheAligned &) const { return true; }

private:
  static constexpr std::align_val_t line{64};
};

using AlignedFloats = std::vector<float, CacheAligned<float>>;

class ResNet {
public:
  ResNet(int inputs, int heads, int hidden);

  int inputs() const { return inputs_; }
  int heads() const { return heads_; }
  int states() const { return states_; } // of the last batch
  std::size_t num_weights() const { return num_weights_; }

  // raw[states][heads] of facts[states][inputs]; keeps what `gradient` needs.
  void forward(const float *weights, const float *facts, int states, float *raw);

  // The gradient of a function of the raw outputs of the last batch, whose slopes are
  // slopes[states][heads]; `weights` are those of the last call.
  void gradient(const float *weights, const float *slopes, float *gradients);

private:
  struct Layer {
    int inputs, outputs;
    std::size_t matrix, bias; // where they begin among the weights
  };
  // A row for each state of a panel, padded.
  using Rows = AlignedFloats;
  struct Panel {
    Rows x, a, b, c, d;
  };

  void apply(int layer, const float *weights, int states, const Rows &in, Rows &out) const;
  void add_gradient(int layer, int states, const Rows &in, const Rows &slope, float *gradients,
                    bool add);
  void slope_before(int layer, int states, const Rows &slope, Rows &out) const;

  int inputs_, heads_, hidden_;
  int states_ = 0;
  std::size_t num_weights_;
  Layer layers_[5]{};
  const DenseKernel &kernel_;
  std::vector<Panel> panels_;
  AlignedFloats by_input_[5], by_output_[5]; // matrices of the last batch, rows padded
  Rows raw_, at_raw_, at_a_, at_b_, at_c_, at_d_;
  AlignedFloats turned_; // slopes of a panel, a row for each unit
};

// The binary cross-entropy of sigmoid(raw[rows][heads]), mean over all, and its slopes. Wanted of
// row i are the heads wanted[starts[i]] .. wanted[starts[i + 1] - 1], each once.
double cross_entropy(const float *raw, std::size_t rows, std::size_t heads,
                     std::span<const std::int64_t> starts, std::span<const std::int64_t> wanted,
                     float *slopes);

} // namespace beeline
