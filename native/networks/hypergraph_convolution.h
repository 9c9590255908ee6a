// HypergraphConvolution: a network over the facts and operators of one task, state after state.
//
// Source: Chrestien et al., "Optimize planning heuristics to rank, not to estimate cost-to-goal",
// 2023. In one convolution, with a vector x_v >= 0 for each vertex (fact) and m_e >= 0 for each
// hyperedge (operator),
//
//   m_e  = relu(b_e + sum over v in e of W_slot(v, e) x_v)
//   x'_v = relu(b + W [x_v, means and maxima of m_e over e that v receives from, sends to]) (+ x_v)
//
// and in the end two layers on the mean and the maximum over all vertices.
//
// What makes it fast: the vectors of the state before are kept. Only what depends on a fact that
// is different now is computed again, and a vector that comes out as it was changes nothing
// above. Each vector is computed anew as a whole, so values do not depend on which states came
// before. Products W_slot x_v are computed once for all hyperedges that have v in that slot.

#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "networks/convolution_kernel.h"
#include "networks/resnet.h"

namespace beeline {

struct IndexLists {
  std::vector<int> starts; // list i is items[starts[i] .. starts[i + 1] - 1]
  std::vector<int> items;

  int count() const { return static_cast<int>(starts.size()) - 1; }
  ListsView view() const { return {starts.data(), items.data()}; }
  // Throws unless there are `lists` lists of numbers below `largest`.
  void check(int lists, int largest) const;
};

// Vertices are the facts, in order, then negations of some.
struct ConvolutionGraph {
  int facts = 0;
  std::vector<int> negated; // facts
  std::vector<int> kinds;   // per vertex that does not hold; the next kind if it holds
  IndexLists arguments;     // the vertices of each hyperedge
  std::vector<int> slots;   // per argument
  IndexLists received, sent;
};

// Matrices are [inputs][outputs].
struct ConvolutionWeights {
  std::span<const float> slots;       // [slots][width][width]
  std::span<const float> edge_biases; // [edges][width]
  std::span<const float> matrix;      // [5 * width][width]
  std::span<const float> bias;        // [width]
};

struct ConvolutionHead {
  std::span<const float> hidden_matrix; // [2 * width][width]: means, then maxima
  std::span<const float> hidden_bias;   // [width]
  std::span<const float> output_matrix; // [width][heads]
  std::span<const float> output_bias;   // [heads]
};

class HypergraphConvolution {
public:
  // `kinds` is [kinds][width]. Weights are copied.
  HypergraphConvolution(ConvolutionGraph graph, int width, bool residual,
                        std::span<const float> kinds,
                        std::span<const ConvolutionWeights> convolutions,
                        const ConvolutionHead &head);

  int facts() const { return graph_.facts; }
  int heads() const { return heads_; }

  // facts[states][facts], 1 for those that hold, to raw[states][heads]. One call at a time works.
  void evaluate(const std::uint8_t *facts, std::size_t states, float *raw);

private:
  struct Convolution {
    AlignedFloats slots, edge_biases, matrix, bias;
    AlignedFloats products, edges, after;
  };

  void check(std::span<const float> kinds, std::span<const ConvolutionWeights> convolutions,
             const ConvolutionHead &head) const;
  void number_products();
  AlignedFloats padded(std::span<const float> rows) const;
  void change_to(const std::uint8_t *facts);
  void convolve(std::size_t number);
  void finish(float *raw);
  int collect(const IndexLists &lists, const int *chosen, int count, std::vector<char> &marked,
              std::vector<int> &into, int size) const;

  ConvolutionGraph graph_;
  int width_, blocks_, heads_;
  bool residual_;
  std::size_t stride_;
  const ConvolutionKernel &kernel_;
  IndexLists vertex_slots_;      // the slots that a vertex takes
  IndexLists argument_products_; // per hyperedge, places in vertex_slots_
  AlignedFloats kinds_, first_;  // first_: vectors before any convolution
  std::vector<Convolution> convolutions_;
  AlignedFloats hidden_matrix_, hidden_bias_, pools_, scratch_;
  std::vector<float> output_matrix_, output_bias_;

  // What is known of the last state.
  bool begun_ = false;
  std::vector<int> kind_; // per vertex
  std::vector<float> raw_;
  std::vector<int> changed_, edges_, changed_edges_, vertices_;
  int num_changed_ = 0; // vertices in changed_ whose vectors are new
  std::vector<char> marked_edges_, marked_vertices_;
  std::mutex lock_;
};

} // namespace beeline
