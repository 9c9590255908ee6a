// The residual network of one state space: raw outputs of a batch, and gradients.
//
//   a = relu(W1 x + b1)    b = relu(W2 a + b2)    c = relu(W3 b + b3)    d = relu(W4 c + b4 + b)
//   raw = W5 d + b5
//
// All weights lie in one vector: W1, b1, W2, ..., matrices as rows of inputs. Inside, units are
// rows and the states of a panel columns, so that every product is a sum of scaled rows.

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
  // Units of one layer for the states of one panel, [units][panel].
  using Units = AlignedFloats;
  struct Panel {
    Units x, a, b, c, d;
  };

  void apply(const Layer &layer, const float *weights, const Units &in, Units &out) const;
  void add_gradient(const Layer &layer, const Units &in, const Units &slope, float *gradients,
                    bool add);
  void slope_before(const Layer &layer, const float *weights, const Units &slope, Units &out) const;

  int inputs_, heads_, hidden_;
  int states_ = 0;
  std::size_t num_weights_;
  Layer layers_[5]{};
  const DenseKernel &kernel_;
  std::vector<Panel> panels_;
  Units outputs_, at_a_, at_b_, at_c_, at_d_;
  AlignedFloats turned_; // units of a panel as [state][unit]
};

// The binary cross-entropy of sigmoid(raw[rows][heads]), mean over all, and its slopes. Wanted of
// row i are the heads wanted[starts[i]] .. wanted[starts[i + 1] - 1], each once.
double cross_entropy(const float *raw, std::size_t rows, std::size_t heads,
                     std::span<const std::int64_t> starts, std::span<const std::int64_t> wanted,
                     float *slopes);

} // namespace beeline
