// Compiled once for each kind of processor: see base/processor.h.

#include "networks/dense_kernel.h"

#include <utility>

#ifdef __AVX2__
#include <immintrin.h>
#endif

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

// A sum of rows has up to 8 registers: of what is loaded for each of its terms nearly all is used,
// and additions need not wait for each other.
static_assert(8 * lanes_here <= padding);
constexpr int places_together = 64; // their rows of `right`, as wide as a sum, stay in the cache

typedef float Vector
    __attribute__((vector_size(lanes_here * sizeof(float)), aligned(4), may_alias));

typedef int IntVector __attribute__((vector_size(lanes_here * sizeof(int)), aligned(4), may_alias));

// Bit i is set if values[i] is not zero, for 16 values.
inline unsigned nonzero(const float *values) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(_mm512_loadu_ps(values), _mm512_setzero_ps(), _CMP_NEQ_UQ);
#elif defined(__AVX2__)
  const __m256 zero = _mm256_setzero_ps();
  const auto bits = [&](const float *at) {
    return _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(at), zero, _CMP_NEQ_UQ));
  };
  return static_cast<unsigned>(bits(values) | bits(values + 8) << 8);
#else
  unsigned found = 0;
  for (int i = 0; i < 16; ++i)
    found |= static_cast<unsigned>(values[i] != 0.0f) << i;
  return found;
#endif
}

// The same for up to 64 values; 15 more can be read.
inline unsigned long long nonzero(const float *values, int count) {
  unsigned long long found = 0;
  for (int i = 0; i < count; i += 16)
    found |= static_cast<unsigned long long>(nonzero(values + i)) << i;
  return count < 64 ? found & ((1ULL << count) - 1) : found;
}

// Sums to a row, or added to it, as many columns as there are.
template <int registers>
inline void store(const Vector (&sums)[registers], float *out, int columns, bool add) {
  if (columns >= registers * lanes_here) {
    for (int v = 0; v < registers; ++v) {
      Vector *place = reinterpret_cast<Vector *>(out + v * lanes_here);
      *place = add ? *place + sums[v] : sums[v];
    }
    return;
  }
  float part[registers * lanes_here];
  for (int v = 0; v < registers; ++v)
    *reinterpret_cast<Vector *>(part + v * lanes_here) = sums[v];
  for (int c = 0; c < columns; ++c)
    out[c] = add ? out[c] + part[c] : part[c];
}

// Sums of one tile stay in registers while all places are gone through.
template <int rows>
inline void tile(int places, const float *left, std::size_t left_stride, const float *right,
                 std::size_t right_stride, float *out, std::size_t out_stride, int columns,
                 bool add) {
  Vector sums[rows][tile_vectors] = {};
  for (int place = 0; place < places; ++place) {
    Vector columns_here[tile_vectors];
    for (int v = 0; v < tile_vectors; ++v)
      columns_here[v] =
          *reinterpret_cast<const Vector *>(right + place * right_stride + v * lanes_here);
    const float *at = left + place;
    for (int row = 0; row < rows; ++row) {
      const float factor = at[row * left_stride];
      for (int v = 0; v < tile_vectors; ++v)
        sums[row][v] += factor * columns_here[v];
    }
  }
  for (int row = 0; row < rows; ++row) {
    store<tile_vectors>(sums[row], out + row * out_stride, columns, add);
  }
}

template <int rows>
inline void row_of_tiles(int places, const float *left, std::size_t left_stride, const float *right,
                         std::size_t right_stride, float *out, std::size_t out_stride, int columns,
                         bool add) {
  for (int begin = 0; begin < columns; begin += tile_columns)
    tile<rows>(places, left, left_stride, right + begin, right_stride, out + begin, out_stride,
               columns - begin, add);
}

// As many whole tiles as there are, then the largest tile that fits, and so on.
template <int most>
inline void rows_of_tiles(int rows, int places, const float *left, std::size_t left_stride,
                          const float *right, std::size_t right_stride, float *out,
                          std::size_t out_stride, int columns, bool add) {
  int row = 0;
  for (; row + most <= rows; row += most) {
    row_of_tiles<most>(places, left, left_stride, right, right_stride, out, out_stride, columns,
                       add);
    left += most * left_stride;
    out += most * out_stride;
  }
  if constexpr (most > 1)
    rows_of_tiles<most - 1>(rows - row, places, left, left_stride, right, right_stride, out,
                            out_stride, columns, add);
}

void multiply(int rows, int places, const float *left, std::size_t left_stride, const float *right,
              std::size_t right_stride, float *out, std::size_t out_stride, int columns, bool add) {
  rows_of_tiles<tile_rows>(rows, places, left, left_stride, right, right_stride, out, out_stride,
                           columns, add);
}

// The sums of some columns stay in registers while the places of a row are gone through.
template <int registers>
inline void sums_of_rows(int rows, int places, const float *left, std::size_t left_stride,
                         const float *right, std::size_t right_stride, float *out,
                         std::size_t out_stride, int columns, bool add) {
  for (int row = 0; row < rows; ++row) {
    const float *factors = left + row * left_stride;
    Vector sums[registers] = {};
    for (unsigned long long open = nonzero(factors, places); open != 0; open &= open - 1) {
      const int place = __builtin_ctzll(open);
      const float factor = factors[place];
      const float *from = right + place * right_stride;
      for (int v = 0; v < registers; ++v)
        sums[v] += factor * *reinterpret_cast<const Vector *>(from + v * lanes_here);
    }
    store<registers>(sums, out + row * out_stride, columns, add);
  }
}

void multiply_sparse(int rows, int places, const float *left, std::size_t left_stride,
                     const float *right, std::size_t right_stride, float *out,
                     std::size_t out_stride, int columns, bool add) {
  for (int begin = 0; begin < columns;) {
    const int vectors = (columns - begin + lanes_here - 1) / lanes_here;
    const int registers = vectors > 6 ? 8 : vectors > 3 ? 4 : vectors > 1 ? 2 : 1;
    const auto sums = registers == 8   ? sums_of_rows<8>
                      : registers == 4 ? sums_of_rows<4>
                      : registers == 2 ? sums_of_rows<2>
                                       : sums_of_rows<1>;
    for (int first = 0; first < places; first += places_together)
      sums(rows, places - first < places_together ? places - first : places_together, left + first,
           left_stride, right + first * right_stride + begin, right_stride, out + begin, out_stride,
           columns - begin, add || first > 0);
    begin += registers * lanes_here;
  }
}

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define BEELINE_SHUFFLES
#endif
#endif

#ifdef BEELINE_SHUFFLES
// Of two rows, the halves of each `distance` lanes that are on the other side of the diagonal
// change places.
template <int distance, std::size_t... lane>
inline void exchange(Vector &upper, Vector &lower, std::index_sequence<lane...>) {
  const Vector first = upper, second = lower;
  upper = __builtin_shufflevector(first, second,
                                  (lane & distance ? lanes_here + static_cast<int>(lane) - distance
                                                   : static_cast<int>(lane))...);
  lower = __builtin_shufflevector(first, second,
                                  (lane & distance ? lanes_here + static_cast<int>(lane)
                                                   : static_cast<int>(lane) + distance)...);
}

// Squares of squares: halves of all rows first, then quarters, and so on.
template <int distance>
inline void transpose_square(Vector *rows) {
  if constexpr (distance > 0) {
    for (int row = 0; row < lanes_here; ++row)
      if (!(row & distance))
        exchange<distance>(rows[row], rows[row + distance], std::make_index_sequence<lanes_here>{});
    transpose_square<distance / 2>(rows);
  }
}
#endif

void transpose(int rows, int columns, const float *from, std::size_t from_stride, float *to,
               std::size_t to_stride) {
  for (int row = 0; row < rows; row += lanes_here)
    for (int column = 0; column < columns; column += lanes_here) {
      const float *in = from + row * from_stride + column;
      float *out = to + column * to_stride + row;
      const int height = rows - row, width = columns - column;
#ifdef BEELINE_SHUFFLES
      if (height >= lanes_here && width >= lanes_here) {
        Vector square[lanes_here];
        for (int i = 0; i < lanes_here; ++i)
          square[i] = *reinterpret_cast<const Vector *>(in + i * from_stride);
        transpose_square<lanes_here / 2>(square);
        for (int i = 0; i < lanes_here; ++i)
          *reinterpret_cast<Vector *>(out + i * to_stride) = square[i];
        continue;
      }
#endif
      for (int i = 0; i < height && i < lanes_here; ++i)
        for (int j = 0; j < width && j < lanes_here; ++j)
          out[j * to_stride + i] = in[i * from_stride + j];
    }
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

constexpr DenseKernel kernel{multiply, multiply_sparse, transpose, softplus,
                             adam,     add_rows,        rectify};

} // namespace

const DenseKernel DenseKernel::BEELINE_PROCESSOR = kernel;

} // namespace beeline
