// Compiled once for each kind of processor: see base/processor.h.

#include "networks/convolution_kernel.h"

namespace beeline {

namespace {

typedef float Block __attribute__((vector_size(block_size * sizeof(float)), aligned(4), may_alias));

// A vector of a number of blocks that is known here, or that is not (0).
template <int known>
struct Vectors {
  int blocks;
  Block *scratch; // of the unknown ones

  int count() const { return known ? known : blocks; }
  std::size_t stride() const { return static_cast<std::size_t>(count()) * block_size; }
};

inline Block *blocks_at(float *values) { return reinterpret_cast<Block *>(values); }
inline const Block *blocks_at(const float *values) {
  return reinterpret_cast<const Block *>(values);
}

// Not a number stays what it is.
inline Block positive(Block value) { return value < Block{} ? Block{} : value; }

// out += values * matrix
template <int known>
inline void add_product(const Vectors<known> &size, int width, const float *values,
                        const float *matrix, Block *out) {
  for (int row = 0; row < width; ++row) {
    const Block *weights = blocks_at(matrix + row * size.stride());
    for (int b = 0; b < size.count(); ++b)
      out[b] += values[row] * weights[b];
  }
}

// Writes a vector, and says whether it is new.
template <int known>
inline bool replace(const Vectors<known> &size, const Block *result, float *place) {
  Block *kept = blocks_at(place);
  bool same = true;
  for (int b = 0; b < size.count(); ++b)
    same = same && __builtin_memcmp(kept + b, result + b, sizeof(Block)) == 0;
  if (same)
    return false;
  for (int b = 0; b < size.count(); ++b)
    kept[b] = result[b];
  return true;
}

template <int known>
void products(const ConvolutionView &view, const int *vertices, int count) {
  const Vectors<known> size{view.blocks, blocks_at(view.scratch)};
  Block here[known ? known : 1];
  Block *out = known ? here : size.scratch;
  const std::size_t matrix_size = view.width * size.stride();
  for (int i = 0; i < count; ++i) {
    const int vertex = vertices[i];
    const float *values = view.before + vertex * size.stride();
    for (int at = view.products.starts[vertex]; at < view.products.starts[vertex + 1]; ++at) {
      for (int b = 0; b < size.count(); ++b)
        out[b] = Block{};
      add_product(size, view.width, values,
                  view.slot_matrices + view.products.items[at] * matrix_size, out);
      Block *to = blocks_at(view.product_vectors + at * size.stride());
      for (int b = 0; b < size.count(); ++b)
        to[b] = out[b];
    }
  }
}

template <int known>
int edges(const ConvolutionView &view, const int *edges, int count, int *changed) {
  const Vectors<known> size{view.blocks, blocks_at(view.scratch)};
  Block here[known ? known : 1];
  Block *out = known ? here : size.scratch;
  int found = 0;
  for (int i = 0; i < count; ++i) {
    const int edge = edges[i];
    const Block *bias = blocks_at(view.edge_biases + edge * size.stride());
    for (int b = 0; b < size.count(); ++b)
      out[b] = bias[b];
    for (int at = view.arguments.starts[edge]; at < view.arguments.starts[edge + 1]; ++at) {
      const Block *product =
          blocks_at(view.product_vectors + view.arguments.items[at] * size.stride());
      for (int b = 0; b < size.count(); ++b)
        out[b] += product[b];
    }
    for (int b = 0; b < size.count(); ++b)
      out[b] = positive(out[b]);
    if (replace(size, out, view.edge_vectors + edge * size.stride()))
      changed[found++] = edge;
  }
  return found;
}

// Mean and maximum of the hyperedges in a list, zero if there are none; vectors are not negative.
template <int known>
inline void pool_edges(const Vectors<known> &size, const ConvolutionView &view,
                       const ListsView &lists, int vertex, Block *mean, Block *most) {
  for (int b = 0; b < size.count(); ++b)
    mean[b] = most[b] = Block{};
  const int first = lists.starts[vertex], end = lists.starts[vertex + 1];
  for (int at = first; at < end; ++at) {
    const Block *edge = blocks_at(view.edge_vectors + lists.items[at] * size.stride());
    for (int b = 0; b < size.count(); ++b) {
      mean[b] += edge[b];
      most[b] = most[b] < edge[b] ? edge[b] : most[b];
    }
  }
  if (end > first)
    for (int b = 0; b < size.count(); ++b)
      mean[b] *= 1.0f / static_cast<float>(end - first);
}

template <int known>
int vertices(const ConvolutionView &view, const int *vertices, int count, int *changed) {
  const Vectors<known> size{view.blocks, blocks_at(view.scratch)};
  Block here[known ? 5 * known : 1];
  Block *out = known ? here : size.scratch;
  Block *pools = out + size.count(); // means of received and sent, then maxima
  int found = 0;
  for (int i = 0; i < count; ++i) {
    const int vertex = vertices[i];
    const float *own = view.before + vertex * size.stride();
    const int n = size.count();
    pool_edges(size, view, view.received, vertex, pools, pools + 2 * n);
    pool_edges(size, view, view.sent, vertex, pools + n, pools + 3 * n);
    for (int b = 0; b < n; ++b)
      out[b] = blocks_at(view.bias)[b];
    const std::size_t part = view.width * size.stride();
    add_product(size, view.width, own, view.matrix, out);
    for (int pool = 0; pool < 4; ++pool)
      add_product(size, view.width, reinterpret_cast<const float *>(pools + pool * n),
                  view.matrix + (pool + 1) * part, out);
    for (int b = 0; b < n; ++b) {
      out[b] = positive(out[b]);
      if (view.residual)
        out[b] += blocks_at(own)[b];
    }
    if (replace(size, out, view.after + vertex * size.stride()))
      changed[found++] = vertex;
  }
  return found;
}

void pool(int blocks, const float *vertices, int count, float *pools) {
  const std::size_t stride = static_cast<std::size_t>(blocks) * block_size;
  for (int b = 0; b < blocks; ++b) {
    Block sum{}, most{};
    for (int vertex = 0; vertex < count; ++vertex) {
      const Block value = *blocks_at(vertices + vertex * stride + b * block_size);
      sum += value;
      most = most < value ? value : most;
    }
    *blocks_at(pools + b * block_size) = count > 0 ? sum / static_cast<float>(count) : sum;
    *blocks_at(pools + stride + b * block_size) = most;
  }
}

void some_products(const ConvolutionView &view, const int *list, int count) {
  if (view.blocks == 1)
    products<1>(view, list, count);
  else if (view.blocks == 2)
    products<2>(view, list, count);
  else
    products<0>(view, list, count);
}

int some_edges(const ConvolutionView &view, const int *list, int count, int *changed) {
  return view.blocks == 1   ? edges<1>(view, list, count, changed)
         : view.blocks == 2 ? edges<2>(view, list, count, changed)
                            : edges<0>(view, list, count, changed);
}

int some_vertices(const ConvolutionView &view, const int *list, int count, int *changed) {
  return view.blocks == 1   ? vertices<1>(view, list, count, changed)
         : view.blocks == 2 ? vertices<2>(view, list, count, changed)
                            : vertices<0>(view, list, count, changed);
}

constexpr ConvolutionKernel kernel{some_products, some_edges, some_vertices, pool};

} // namespace

const ConvolutionKernel ConvolutionKernel::BEELINE_PROCESSOR = kernel;

} // namespace beeline
