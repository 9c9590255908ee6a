// HypergraphNetwork: STRIPS-HGN over the facts and operators of one task, state after state.
//
// Source: Shen, Trevizan and Thiebaux, "Learning Domain-Independent Planning Heuristics with
// Hypergraph Networks", ICAPS 2020. In each step, with lrelu the leaky rectifier, x_v of vertices
// (facts) and y_e of hyperedges (operators),
//
//   y_e = lrelu(W2 lrelu(base_e + U y_e + sum over v in e of U_place(v, e) x_v) + b2)
//   x_v = lrelu(V2 lrelu(base_v + V x_v + V_in (sum over e that v receives from of y_e)) + c2)
//
// and in the end, or in each step where the state's vector is told sizes, two layers of the sums of
// all y_e and all x_v; two more decode the last of these vectors.
//
// What makes it fast: the vectors of the state before are kept. Only what depends on a fact that
// is different now is computed again, and a vector that comes out as it was changes nothing above.
// Each vector is computed anew as a whole, so values do not depend on which states came before.
// Matrices are applied before sums are taken, once for each vector that they are needed of, and of
// equal sums only one goes through the layers: symmetric facts and operators cost no more than one.
// All products with one matrix in a step are one call of the dense kernel.

#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "networks/hypergraph_convolution.h"

namespace beeline {

// The task as a hypergraph; vertices are the facts, in order, then negations of some.
struct NetworkGraph {
  int facts = 0;
  std::vector<int> negated; // facts
  std::vector<int> kinds;   // per vertex that does not hold; the next kind if it holds
  int places = 0;
  IndexLists arguments; // of each hyperedge: vertex * places + place
  IndexLists incoming;  // of each vertex: hyperedges
  std::vector<int> edge_kinds;
};

// What inputs add to the first layers, as rows of two halves of `hidden` numbers: what they add in
// all steps, bias included, and what they add in the first step besides.
struct NetworkShares {
  std::span<const float> edges;    // [edge kinds][2][hidden]
  std::span<const float> places;   // [4 kinds][places][2][hidden]
  std::span<const float> vertices; // [4 kinds][2][hidden]
};

// Matrices are [inputs][outputs].
struct NetworkMatrix {
  std::span<const float> weights;
  std::span<const float> bias; // empty for those that have none
};

struct NetworkWeights {
  NetworkMatrix edges_second, own_edge;                  // W2, U
  std::span<const float> by_place;                       // U_place: [places][hidden][hidden]
  NetworkMatrix from_edges, own_vertex, vertices_second; // V_in, V, V2
  NetworkMatrix state_first, state_second;               // [2 or 4 * hidden][hidden]
  NetworkMatrix decode_first, decode_second, output;     // [hidden][heads]
  std::span<const float> sizes; // [hidden]: encoded numbers of vertices and edges; or empty
};

class HypergraphNetwork {
public:
  // Weights are copied.
  HypergraphNetwork(NetworkGraph graph, int hidden, int steps, const NetworkShares &shares,
                    const NetworkWeights &weights);

  int facts() const { return graph_.facts; }
  int heads() const { return heads_; }

  // facts[states][facts], 1 for those that hold, to raw[states][heads]. One call at a time works.
  void evaluate(const std::uint8_t *facts, std::size_t states, float *raw);

private:
  struct Dense {
    int inputs = 0, outputs = 0;
    std::size_t width = 0; // of rows: whole panels
    AlignedFloats matrix;
    std::vector<float> bias;
  };
  // Vectors after a step, and what they add to first layers: of the next step, or `received` of
  // this one.
  struct Step {
    AlignedFloats edges, own_edges, received;
    AlignedFloats vertices, own_vertices, products;
  };
  // Numbers, each once, in the order in which they came.
  struct Set {
    std::vector<int> members;
    std::vector<char> has;

    explicit Set(std::size_t size = 0) : has(size, 0) {}
    void add(int member) {
      if (!has[member]) {
        has[member] = 1;
        members.push_back(member);
      }
    }
    void clear();
    void fill();
  };

  void check(const NetworkShares &shares, const NetworkWeights &weights) const;
  Dense dense(const NetworkMatrix &matrix, int inputs, int outputs) const;
  void number_products();

  bool change_to(const std::uint8_t *facts);
  void share_inputs();
  void step_edges(int number);
  void step_vertices(int number);
  void place_products(Step &step);
  void add_list(const AlignedFloats &rows, const IndexLists &lists, int list, float *sum) const;
  void update_state(int number);
  // target = rows of `left` times the matrix, and the bias if there is one.
  void multiply(const Dense &dense, const AlignedFloats &left, std::size_t rows,
                AlignedFloats &target) const;
  // Which of the first `count` rows_ are equal: different_ has one of each, which_ the place there.
  void find_equal(std::size_t count);
  // What comes out of both rectifiers and the second layer for different_: vectors_.
  void finish(const Dense &second);
  AlignedFloats &sized(AlignedFloats &rows, std::size_t count) const;
  float *row_of(AlignedFloats &rows, std::size_t row) const { return rows.data() + row * stride_; }
  const float *row_of(const AlignedFloats &rows, std::size_t row) const {
    return rows.data() + row * stride_;
  }
  // Stores vectors_ as those of computed_; puts the places of new ones into `changed`.
  void keep(AlignedFloats &kept, Set &changed) const;
  // Stores the products of vectors_ with a matrix for those that have changed.
  void keep_products(const Dense &dense, const Set &changed, AlignedFloats &kept);
  void two_layers(const Dense &first, const Dense &second, std::vector<float> &vector) const;

  NetworkGraph graph_;
  int hidden_, steps_, heads_;
  std::size_t stride_; // of vectors
  const DenseKernel &kernel_;
  std::vector<float> edge_shares_, place_shares_, vertex_shares_, sizes_;
  Dense edges_second_, own_edge_, from_edges_, own_vertex_, vertices_second_, state_first_,
      state_second_, decode_first_, decode_second_, output_;
  std::vector<Dense> by_place_;
  IndexLists received_by_;       // of each hyperedge: vertices
  IndexLists users_;             // of each vertex: hyperedges that have it in some place
  IndexLists place_vertices_;    // of each place: vertices that take it, a product for each
  IndexLists argument_products_; // of each hyperedge: places in these lists

  // What is known of the last state.
  bool begun_ = false;
  std::vector<int> kind_;                // per vertex
  AlignedFloats edge_base_, edge_first_; // shares of inputs in all steps, and in the first one
  std::vector<Step> kept_;
  std::vector<float> state_, raw_;
  Set kinds_changed_, inputs_changed_, computed_, edges_changed_, vertices_changed_;
  std::vector<int> which_, first_, table_; // of equal rows
  std::vector<int> row_;                   // of a member of computed_
  std::vector<int> every_;                 // 0, 1, 2, ...
  AlignedFloats rows_, different_, vectors_, products_;
  std::mutex lock_;
};

} // namespace beeline
