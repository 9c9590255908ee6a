// The inner loops of hypergraph convolutions, compiled once for each kind of processor.
//
// A vector of `width` numbers is held as `blocks` groups of 8, filled up with zeros.

#pragma once

#include <cstddef>

namespace beeline {

inline constexpr int block_size = 8;

// Lists of numbers: list i is items[starts[i] .. starts[i + 1] - 1].
struct ListsView {
  const int *starts;
  const int *items;
};

// One convolution of one state: its weights, its graph, and the vectors that are kept.
struct ConvolutionView {
  int width;
  int blocks;
  bool residual;
  ListsView products;         // the slots of each vertex: a product for each of these places
  const float *slot_matrices; // [slots][width][8 * blocks]
  ListsView arguments;        // the products of each hyperedge
  const float *edge_biases;   // [edges][8 * blocks]
  ListsView received, sent;   // the hyperedges of each vertex
  const float *matrix;        // [5 * width][8 * blocks]: own, means and maxima (received, sent)
  const float *bias;          // [8 * blocks]
  const float *before;        // [vertices][8 * blocks]
  float *product_vectors;     // [products][8 * blocks]
  float *edge_vectors;        // [edges][8 * blocks]
  float *after;               // [vertices][8 * blocks]
  float *scratch;             // [6][8 * blocks]
};

struct ConvolutionKernel {
  // All products of these vertices.
  void (*products)(const ConvolutionView &view, const int *vertices, int count);

  // These hyperedges; the ones whose vectors have changed are written to `changed` and counted.
  int (*edges)(const ConvolutionView &view, const int *edges, int count, int *changed);

  // These vertices after the convolution, in the same way.
  int (*vertices)(const ConvolutionView &view, const int *vertices, int count, int *changed);

  // Mean and largest values over all vertices, [2][8 * blocks].
  void (*pool)(int blocks, const float *vertices, int count, float *pools);

  static const ConvolutionKernel generic, avx2; // a block fills a register of AVX2
};

} // namespace beeline
