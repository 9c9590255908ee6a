// NeuralLogicMachine: a network over relational tensors, its values and its gradient.
//
// Source: Dong et al., "Neural Logic Machines", ICLR 2019. A layer turns tensors of arity 0 to 3
// into others. For arity r it puts side by side the tensor of arity r - 1 copied along a new axis
// (expand), that of arity r, and the largest and smallest values of that of arity r + 1 over its
// last axis (reduce, "exists" and "for all"), does so for all r! orders of the axes (permute), and
// applies one linear map and a sigmoid to each cell. The last layer gives `heads` numbers of arity
// 0 without a sigmoid.
//
// What makes it fast: states are handled one by one, each with its own number of objects, so there
// is no padding and no mask, and a state's tensors stay in the cache. Permuted tensors are never
// made, only read in another order; expanded ones are multiplied before they are expanded, with n
// times less work. Tensors that cannot reach the output any more are not computed: with depth 5
// and breadth 3, the arities of the layers go up to 3, 3, 2, 1, 0. The gradient is computed from
// the values once more instead of keeping those of a whole batch. States with the same pairs, as
// those of grids of one size have, share what is most of the work (see nlm_workspace.h).

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "networks/relational_encoding.h"

namespace beeline {

struct NlmShape {
  std::array<int, most_arity + 1> inputs{}; // channels of the input by arity
  int width = 8;                            // channels of each arity in the inner layers
  int breadth = 3;                          // largest arity
  int depth = 5;                            // layers
  int heads = 1;
  bool distinct = false; // look only at tuples of different objects
};

// The tensor sizes of one layer, and where its parameters lie. For each arity they are a matrix,
// one row for each input channel, then the bias. Rows come permutation by permutation, and within
// one: expanded, own, largest, smallest.
struct NlmLayer {
  std::array<int, most_arity + 1> inputs{}, outputs{};
  std::array<int, most_arity + 1> rows{};
  std::array<std::size_t, most_arity + 1> weights{}, bias{};
};

// A batch of states, each with its task's encoding.
struct RelationalBatch {
  std::span<const RelationalEncoding *const> encodings;
  std::span<const std::int32_t> encoding_of; // per state
  std::span<const std::int64_t> starts;      // the true facts of state i are
  std::span<const std::int32_t> items;       // items[starts[i] .. starts[i + 1] - 1]
  std::size_t size() const { return encoding_of.size(); }
};

class NlmLayout;
class NlmWorkspace;

class NeuralLogicMachine {
public:
  explicit NeuralLogicMachine(const NlmShape &shape);
  ~NeuralLogicMachine();

  const NlmShape &shape() const { return shape_; }
  const std::vector<NlmLayer> &layers() const { return layers_; }
  std::size_t parameters() const { return parameters_; }

  // float[states, heads]
  void forward(std::span<const float> parameters, const RelationalBatch &batch,
               std::span<float> values, int threads) const;

  // The gradient of sum(slopes * values), slopes being float[states, heads]. The same for any
  // number of threads.
  void backward(std::span<const float> parameters, const RelationalBatch &batch,
                std::span<const float> slopes, std::span<float> gradient, int threads) const;

private:
  class Loan; // of a workspace

  void check(std::span<const float> parameters, const RelationalBatch &batch) const;
  // The states of a batch such that those with equal pairs follow each other.
  std::vector<std::size_t> order(const RelationalBatch &batch) const;

  NlmShape shape_;
  std::vector<NlmLayer> layers_;
  std::size_t parameters_ = 0;
  std::unique_ptr<const NlmLayout> layout_;
  // Memory of earlier calls: new pages for every batch would cost more than small networks do.
  mutable std::mutex idle_lock_;
  mutable std::vector<std::unique_ptr<NlmWorkspace>> idle_;
};

} // namespace beeline
