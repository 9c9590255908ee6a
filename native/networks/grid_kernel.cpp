// Compiled once for each kind of processor: see base/processor.h.

#include "networks/grid_kernel.h"

#include "networks/vector_exponential.h"

namespace beeline {

namespace {

// The floats in a register, and how many rows of sums the registers hold.
#if defined(__AVX512F__)
constexpr int lanes_here = 16, wide_rows = 12, narrow_rows = 14;
#elif defined(__AVX2__)
constexpr int lanes_here = 8, wide_rows = 3, narrow_rows = 6;
#else
constexpr int lanes_here = 4, wide_rows = 1, narrow_rows = 3;
#endif

typedef float Vector
    __attribute__((vector_size(lanes_here * sizeof(float)), aligned(4), may_alias));
typedef int IntVector __attribute__((vector_size(lanes_here * sizeof(int)), aligned(4), may_alias));

// Sums of one tile stay in registers while all inputs are gone through.
template <int rows, int vectors>
inline void tile(const GridProduct &product, const float *const *sources, const float *weights,
                 const float *bias, float *out, int columns) {
  constexpr int panel_columns = vectors * lanes_here;
  Vector sums[rows][vectors];
  for (int v = 0; v < vectors; ++v) {
    Vector first = {};
    if (bias)
      first = *reinterpret_cast<const Vector *>(bias + v * lanes_here);
    for (int row = 0; row < rows; ++row)
      sums[row][v] = first;
  }
  for (int tap = 0; tap < product.taps; ++tap) {
    const float *at[rows];
    for (int row = 0; row < rows; ++row)
      at[row] = sources[row * product.taps + tap];
    for (int input = 0; input < product.inputs; ++input) {
      Vector here[vectors];
      for (int v = 0; v < vectors; ++v)
        here[v] = *reinterpret_cast<const Vector *>(weights + v * lanes_here);
      for (int row = 0; row < rows; ++row) {
        const float factor = at[row][input];
        for (int v = 0; v < vectors; ++v)
          sums[row][v] += factor * here[v];
      }
      weights += panel_columns;
    }
  }
  for (int row = 0; row < rows; ++row) {
    float *to = out + row * product.stride;
    for (int v = 0; v < vectors; ++v) {
      Vector value = sums[row][v];
      if (product.relu)
        value = value > 0.0f ? value : Vector{};
      const int left = columns - v * lanes_here;
      if (left >= lanes_here) {
        *reinterpret_cast<Vector *>(to + v * lanes_here) = value;
      } else {
        for (int lane = 0; lane < left; ++lane)
          to[v * lanes_here + lane] = value[lane];
      }
    }
  }
}

// As many whole tiles as there are, then the largest tile that fits, and so on.
template <int most, int vectors>
inline void rows_of_tiles(const GridProduct &product, int first, const float *weights,
                          const float *bias, float *out, int columns) {
  int row = first;
  for (; row + most <= product.rows; row += most)
    tile<most, vectors>(product, product.sources + static_cast<std::size_t>(row) * product.taps,
                        weights, bias, out + row * product.stride, columns);
  if constexpr (most > 1)
    rows_of_tiles<most / 2, vectors>(product, row, weights, bias, out, columns);
}

template <int panel_columns, int most>
void multiply_panels(const GridProduct &product) {
  const std::size_t size = static_cast<std::size_t>(product.taps) * product.inputs * panel_columns;
  for (int begin = 0; begin < product.outputs; begin += panel_columns) {
    const int columns =
        product.outputs - begin < panel_columns ? product.outputs - begin : panel_columns;
    rows_of_tiles<most, panel_columns / lanes_here>(
        product, 0, product.weights + begin / panel_columns * size,
        product.bias ? product.bias + begin : nullptr, product.out + begin, columns);
  }
}

void multiply(const GridProduct &product) {
  if (grid_panel(product.outputs) == wide_panel)
    multiply_panels<wide_panel, wide_rows>(product);
  else
    multiply_panels<narrow_panel, narrow_rows>(product);
}

// The largest value of whole vectors; a plain loop would wait for each comparison.
inline float largest_of(const float *values, std::size_t count) {
  Vector found = *reinterpret_cast<const Vector *>(values);
  for (std::size_t i = lanes_here; i < count; i += lanes_here) {
    const Vector here = *reinterpret_cast<const Vector *>(values + i);
    found = here > found ? here : found;
  }
  float largest = found[0];
  for (int lane = 1; lane < lanes_here; ++lane)
    largest = largest < found[lane] ? found[lane] : largest;
  return largest;
}

void weigh(float *values, int rows, int columns, std::size_t stride, float *sums) {
  for (int row = 0; row < rows; ++row, values += stride) {
    for (std::size_t column = columns; column < stride; ++column)
      values[column] = values[0]; // a value that is there anyway
    const float largest = largest_of(values, stride);
    Vector sum = {};
    std::size_t column = 0;
    for (; column + lanes_here <= static_cast<std::size_t>(columns); column += lanes_here) {
      Vector &place = *reinterpret_cast<Vector *>(values + column);
      place = exponential<Vector, IntVector>(place - largest);
      sum += place;
    }
    float total = 0.0f;
    if (column < static_cast<std::size_t>(columns)) {
      Vector &place = *reinterpret_cast<Vector *>(values + column);
      place = exponential<Vector, IntVector>(place - largest);
      for (; column < static_cast<std::size_t>(columns); ++column)
        total += values[column];
    }
    for (int lane = 0; lane < lanes_here; ++lane)
      total += sum[lane];
    sums[row] = total;
  }
}

constexpr GridKernel kernel{multiply, weigh};

} // namespace

const GridKernel GridKernel::BEELINE_PROCESSOR = kernel;

} // namespace beeline
