// HyperclassNetwork: hypergraph convolutions of many states at once, with gradients.
//
// The formulas are those of networks/hypergraph_convolution.h. What has an equal neighbourhood in
// any of the states is one class, whose vector is computed once; classes of one convolution refer
// to those of the one before. Equal maxima share their slope.
//
// What makes it fast: one pass over each list forwards and one backwards, with a vector in one or
// two registers. Slopes are added to the rows that they come from, so that no list is needed the
// other way round. Memory is that of the largest batch: some ten vectors for each class.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "networks/hyperclass_kernel.h"
#include "networks/hypergraph_convolution.h"

namespace beeline {

// Lists of classes, each with its share.
struct ShareLists {
  IndexLists lists;
  std::vector<float> shares;

  SharesView view() const { return {lists.view(), shares.data(), lists.count()}; }
};

// Vertex classes first .. end - 1, which are multiplied with the matrices of all these slots.
struct SlotGroup {
  int first, end;
  std::vector<int> slots;
};

struct HyperclassLayer {
  std::vector<SlotGroup> groups;
  IndexLists arguments; // per class of hyperedges: products, group by group, then kinds of them
  std::vector<int> previous; // per vertex class after the convolution, that before
  ShareLists incident;       // two lists for each of them: hyperedges received from, and sent to
  int products = 0;          // of the groups

  int vertices() const { return static_cast<int>(previous.size()); }
  int edges() const { return arguments.count(); }
};

// The states of a batch.
struct Hyperclasses {
  std::vector<int> kinds;        // per vertex class before the first convolution
  std::vector<int> edge_actions; // per kind of hyperedges
  std::vector<float> edge_costs; // log(1 + cost)
  std::vector<HyperclassLayer> layers;
  ShareLists states; // the last vertex classes of each state

  // Counts products, and throws unless all parts fit each other.
  void complete();
  std::size_t bytes() const;
};

struct HyperclassShape {
  int layers, width, heads;
  int kinds, slots, actions;
  bool residual;
};

class HyperclassNetwork {
public:
  static constexpr std::size_t seen =
      5; // parts of a vertex: own, means and maxima (received, sent)

  explicit HyperclassNetwork(const HyperclassShape &shape);

  int heads() const { return shape_.heads; }
  // All weights lie in one vector: kinds, then slots [inputs][outputs], actions, matrix [outputs]
  // [inputs] and bias of each convolution, then the two layers on top.
  std::size_t num_weights() const { return num_weights_; }
  std::size_t runs() const { return runs_; } // of `forward`

  // raw[states][heads]; keeps what `gradient` needs.
  void forward(const float *weights, const Hyperclasses &classes, float *raw);

  // The gradient of a function of the raw outputs of the last call, which had these weights and
  // classes; the function's slopes are slopes[states][heads].
  void gradient(const float *weights, const Hyperclasses &classes, const float *slopes,
                float *gradients);

private:
  struct Weights { // padded; matrices come with their transposes
    AlignedFloats slots, slots_back, actions, matrix, matrix_back, bias;
  };
  struct Vectors { // what is kept of a convolution
    AlignedFloats own, edges, means, maxima, equals, positive, after;
  };

  void check(const Hyperclasses &classes) const;
  void read(const float *weights);
  void convolve(std::size_t number, const HyperclassLayer &layer, const Hyperclasses &classes,
                const AlignedFloats &before);
  void finish(const float *weights, const Hyperclasses &classes, float *raw);
  void begin_back(const float *weights, const Hyperclasses &classes, const float *slopes,
                  float *gradients);
  void convolve_back(std::size_t number, const HyperclassLayer &layer, const Hyperclasses &classes,
                     const AlignedFloats &before, float *gradients);
  // Adds a padded gradient to a matrix or its transpose.
  void add_matrix(const float *padded, float *gradients, std::size_t row_step,
                  std::size_t column_step) const;
  std::size_t layer_start(std::size_t number) const;
  Spaced<const float> spaced(const AlignedFloats &vectors, std::size_t number = 1,
                             std::size_t first = 0) const;
  Spaced<float> written(AlignedFloats &vectors, std::size_t number = 1,
                        std::size_t first = 0) const;

  HyperclassShape shape_;
  int blocks_;
  std::size_t width_, stride_, square_; // square_: of a padded matrix
  std::size_t kinds_size_, layer_size_, head_start_, num_weights_;
  std::size_t runs_ = 0;
  const HyperclassKernel &kernel_;
  std::vector<Weights> weights_;
  std::vector<Vectors> vectors_;
  AlignedFloats head_, head_back_; // means, then maxima
  AlignedFloats first_, products_, pools_[3], hidden_;
  // Slopes and gradients.
  AlignedFloats by_after_, by_own_, by_before_, by_edges_, by_means_, by_maxima_, by_hidden_;
  AlignedFloats gradient_; // of one matrix
};

} // namespace beeline
