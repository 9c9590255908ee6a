// Compiled once for each kind of processor: see base/processor.h.

#include "networks/dense_kernel.h"

#include "networks/vector_exponential.h"

namespace beeline {

namespace {

// The floats in a register, and how many sums the registers hold.
#if defined(__AVX512F__)
constexpr int lanes_here = 16, tile_rows = 6, tile_vectors = 4;
#elif defined(__AVX2__)
constexpr int lanes_here = 8, tile_rows = 6, tile_vectors = 2;
#else
constexpr int lanes_here = 4, tile_rows = 4, tile_vectors = 2;
#endif
constexpr int tile_columns = lanes_here * tile_vectors;
static_assert(panel % tile_columns == 0);

typedef float Vector
    __attribute__((vector_size(lanes_here * sizeof(float)), aligned(4), may_alias));

typedef int IntVector __attribute__((vector_size(lanes_here * sizeof(int)), aligned(4), may_alias));

// Sums of one tile stay in registers while all places are gone through.
template <int rows>
inline void tile(int places, Strided left, const float *right, std::size_t right_stride, float *out,
                 std::size_t out_stride, int columns, bool add) {
  Vector sums[rows][tile_vectors] = {};
  for (int place = 0; place < places; ++place) {
    Vector columns_here[tile_vectors];
    for (int v = 0; v < tile_vectors; ++v)
      columns_here[v] =
          *reinterpret_cast<const Vector *>(right + place * right_stride + v * lanes_here);
    const float *at = left.values + place * left.place_stride;
    for (int row = 0; row < rows; ++row) {
      const float factor = at[row * left.row_stride];
      for (int v = 0; v < tile_vectors; ++v)
        sums[row][v] += factor * columns_here[v];
    }
  }
  for (int row = 0; row < rows; ++row) {
    float *to = out + row * out_stride;
    if (columns >= tile_columns) {
      for (int v = 0; v < tile_vectors; ++v) {
        Vector *place = reinterpret_cast<Vector *>(to + v * lanes_here);
        *place = add ? *place + sums[row][v] : sums[row][v];
      }
    } else {
      float part[tile_columns];
      for (int v = 0; v < tile_vectors; ++v)
        *reinterpret_cast<Vector *>(part + v * lanes_here) = sums[row][v];
      for (int c = 0; c < columns; ++c)
        to[c] = add ? to[c] + part[c] : part[c];
    }
  }
}

template <int rows>
inline void row_of_tiles(int places, Strided left, const float *right, std::size_t right_stride,
                         float *out, std::size_t out_stride, int columns, bool add) {
  for (int begin = 0; begin < columns; begin += tile_columns)
    tile<rows>(places, left, right + begin, right_stride, out + begin, out_stride, columns - begin,
               add);
}

// As many whole tiles as there are, then the largest tile that fits, and so on.
template <int most>
inline void rows_of_tiles(int rows, int places, Strided left, const float *right,
                          std::size_t right_stride, float *out, std::size_t out_stride, int columns,
                          bool add) {
  int row = 0;
  for (; row + most <= rows; row += most) {
    row_of_tiles<most>(places, left, right, right_stride, out, out_stride, columns, add);
    left.values += most * left.row_stride;
    out += most * out_stride;
  }
  if constexpr (most > 1)
    rows_of_tiles<most - 1>(rows - row, places, left, right, right_stride, out, out_stride, columns,
                            add);
}

void multiply(int rows, int places, Strided left, const float *right, std::size_t right_stride,
              float *out, std::size_t out_stride, int columns, bool add) {
  rows_of_tiles<tile_rows>(rows, places, left, right, right_stride, out, out_stride, columns, add);
}

// log(1 + t) for t from 0 to 1 by the series of the inverse hyperbolic tangent.
inline Vector log_of_one_plus(Vector t) {
  const Vector u = t / (t + 2.0f), square = u * u;
  Vector value = Vector{} + 1.0f / 15.0f;
  value = value * square + 1.0f / 13.0f;
  value = value * square + 1.0f / 11.0f;
  value = value * square + 1.0f / 9.0f;
  value = value * square + 1.0f / 7.0f;
  value = value * square + 1.0f / 5.0f;
  value = value * square + 1.0f / 3.0f;
  return 2.0f * u * (value * square + 1.0f);
}

// With t = exp(-|x|) nothing overflows. Not a number stays what it is.
inline Vector softplus_of(Vector x, float scale, Vector &slope) {
  const Vector t = exponential<Vector, IntVector>(x < 0.0f ? x : -x);
  slope = (x < 0.0f ? t : Vector{} + 1.0f) * (scale / (t + 1.0f));
  return (x < 0.0f ? Vector{} : x) + log_of_one_plus(t);
}

double softplus(const float *values, std::size_t count, float scale, float *slopes) {
  constexpr std::size_t chunk = 64 * lanes_here; // sums of floats stay short
  double total = 0.0;
  for (std::size_t first = 0; first < count; first += chunk) {
    const std::size_t end = count - first < chunk ? count : first + chunk;
    std::size_t i = first;
    Vector sum = {};
    for (; i + lanes_here <= end; i += lanes_here) {
      Vector slope;
      sum += softplus_of(*reinterpret_cast<const Vector *>(values + i), scale, slope);
      *reinterpret_cast<Vector *>(slopes + i) = slope;
    }
    for (int lane = 0; lane < lanes_here; ++lane)
      total += sum[lane];
    if (i < end) {
      Vector rest = {}, slope;
      for (std::size_t k = i; k < end; ++k)
        rest[k - i] = values[k];
      const Vector value = softplus_of(rest, scale, slope);
      for (std::size_t k = i; k < end; ++k) {
        total += value[k - i];
        slopes[k] = slope[k - i];
      }
    }
  }
  return total;
}

void adam(const AdamStep &step, float *__restrict weights, float *__restrict gradients,
          float *__restrict first, float *__restrict second, std::size_t count) {
  const AdamStep here = step;
  for (std::size_t i = 0; i < count; ++i) {
    const float slope = gradients[i];
    const float mean = first[i] + here.first_rate * (slope - first[i]);
    const float square = second[i] + here.second_rate * (slope * slope - second[i]);
    first[i] = mean;
    second[i] = square;
    gradients[i] = 0.0f;
    weights[i] = here.decay * weights[i] -
                 here.rate * mean / (__builtin_sqrtf(square) * here.second_factor + here.epsilon);
  }
}

// Four registers of a sum at a time stay there while the rows are gone through.
template <int registers>
inline std::size_t add_columns(const float *rows, std::size_t columns, const int *list,
                               std::size_t count, float *sum, std::size_t begin) {
  for (; begin + registers * lanes_here <= columns; begin += registers * lanes_here) {
    Vector sums[registers];
    for (int v = 0; v < registers; ++v)
      sums[v] = *reinterpret_cast<const Vector *>(sum + begin + v * lanes_here);
    for (std::size_t i = 0; i < count; ++i) {
      const float *row = rows + static_cast<std::size_t>(list[i]) * columns + begin;
      for (int v = 0; v < registers; ++v)
        sums[v] += *reinterpret_cast<const Vector *>(row + v * lanes_here);
    }
    for (int v = 0; v < registers; ++v)
      *reinterpret_cast<Vector *>(sum + begin + v * lanes_here) = sums[v];
  }
  return begin;
}

void add_rows(const float *rows, std::size_t columns, const int *list, std::size_t count,
              float *sum) {
  const std::size_t begin = add_columns<4>(rows, columns, list, count, sum, 0);
  add_columns<1>(rows, columns, list, count, sum,
                 add_columns<2>(rows, columns, list, count, sum, begin));
}

void rectify(float leak, float *values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const float scaled = leak * values[i];
    values[i] = values[i] < scaled ? scaled : values[i];
  }
}

constexpr DenseKernel kernel{multiply, softplus, adam, add_rows, rectify};

} // namespace

const DenseKernel DenseKernel::BEELINE_PROCESSOR = kernel;

} // namespace beeline
