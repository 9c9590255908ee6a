// Compiled once for each kind of processor: see base/processor.h.

#include "networks/nlm_kernel.h"

namespace beeline {

namespace {

typedef float Block __attribute__((vector_size(32), aligned(4), may_alias));
typedef std::int32_t IntBlock __attribute__((vector_size(32), aligned(4), may_alias));
static_assert(sizeof(Block) == lanes * sizeof(float));

inline Block load(const float *from) { return *reinterpret_cast<const Block *>(from); }
inline void store(float *to, Block value) { *reinterpret_cast<Block *>(to) = value; }

inline bool repeats(int i, int j, int k, int arity) {
  return (arity >= 2 && j == k) || (arity == 3 && (i == j || i == k));
}

// Eight channels at a time stay in registers: two sums, so that additions overlap.
inline Block product(const float *in, int channels, const float *weights, std::size_t row) {
  Block even{}, odd{};
  int c = 0;
  for (; c + 1 < channels; c += 2) {
    even += in[c] * load(weights + c * row);
    odd += in[c + 1] * load(weights + (c + 1) * row);
  }
  if (c < channels)
    even += in[c] * load(weights + c * row);
  return even + odd;
}

// Exactly eight channels in, one block out: what nearly all of the time is spent in.
inline Block product8(const float *in, const Block *weights) {
  const Block first = in[0] * weights[0] + in[1] * weights[1];
  const Block second = in[2] * weights[2] + in[3] * weights[3];
  const Block third = in[4] * weights[4] + in[5] * weights[5];
  const Block fourth = in[6] * weights[6] + in[7] * weights[7];
  return (first + second) + (third + fourth);
}

void multiply_add(const CellRange &range, const float *in, Strides in_strides, int in_blocks,
                  int channels, const float *weights, float *out, int out_blocks) {
  const std::size_t in_cell = static_cast<std::size_t>(in_blocks) * lanes;
  const std::size_t out_cell = static_cast<std::size_t>(out_blocks) * lanes;
  const bool common = channels == lanes && out_blocks == 1;
  Block kept[lanes];
  if (common)
    for (int c = 0; c < lanes; ++c)
      kept[c] = load(weights + c * lanes);
  float *target = out;
  for (int i = 0; i < range.length[0]; ++i)
    for (int j = 0; j < range.length[1]; ++j) {
      const float *base = in + (i * in_strides.of[0] + j * in_strides.of[1]) * in_cell;
      const std::size_t step = in_strides.of[2] * in_cell;
      if (common && !range.distinct) {
        for (int k = 0; k < range.length[2]; ++k, target += lanes, base += step)
          store(target, load(target) + product8(base, kept));
        continue;
      }
      for (int k = 0; k < range.length[2]; ++k, target += out_cell, base += step) {
        if (range.distinct && repeats(i, j, k, range.arity))
          continue;
        for (int b = 0; b < out_blocks; ++b)
          store(target + b * lanes,
                load(target + b * lanes) + product(base, channels, weights + b * lanes, out_cell));
      }
    }
}

inline std::size_t place(const Cell &cell, Strides strides) {
  return cell.at[0] * strides.of[0] + cell.at[1] * strides.of[1] + cell.at[2] * strides.of[2];
}

void scatter_multiply_add(const Cell *cells, std::size_t count, const float *in, Strides in_strides,
                          int in_blocks, int channels, const float *weights, float *out,
                          Strides out_strides, int out_blocks) {
  const std::size_t in_cell = static_cast<std::size_t>(in_blocks) * lanes;
  const std::size_t out_cell = static_cast<std::size_t>(out_blocks) * lanes;
  const bool common = channels == lanes && out_blocks == 1;
  Block kept[lanes];
  if (common)
    for (int c = 0; c < lanes; ++c)
      kept[c] = load(weights + c * lanes);
  for (std::size_t n = 0; n < count; ++n) {
    const float *source = in + place(cells[n], in_strides) * in_cell;
    float *target = out + place(cells[n], out_strides) * out_cell;
    if (common) {
      store(target, load(target) + product8(source, kept));
      continue;
    }
    for (int b = 0; b < out_blocks; ++b)
      store(target + b * lanes,
            load(target + b * lanes) + product(source, channels, weights + b * lanes, out_cell));
  }
}

void outer(const Cell *cells, std::size_t count, const float *in, Strides in_strides, int in_blocks,
           int channels, const float *slope, Strides slope_strides, int out_blocks,
           float *gradient) {
  const std::size_t in_cell = static_cast<std::size_t>(in_blocks) * lanes;
  const std::size_t out_cell = static_cast<std::size_t>(out_blocks) * lanes;
  for (int first = 0; first < channels; first += lanes)
    for (int b = 0; b < out_blocks; ++b) {
      Block sums[lanes]{}; // padded channels are summed up as well, and left out below
      for (std::size_t n = 0; n < count; ++n) {
        const float *source = in + place(cells[n], in_strides) * in_cell + first;
        const Block here = load(slope + place(cells[n], slope_strides) * out_cell + b * lanes);
        for (int c = 0; c < lanes; ++c)
          sums[c] += source[c] * here;
      }
      for (int c = 0; c < lanes && first + c < channels; ++c) {
        float *row = gradient + (first + c) * out_cell + b * lanes;
        store(row, load(row) + sums[c]);
      }
    }
}

// Two blocks side by side, for two orders of axes.
typedef float Pair __attribute__((vector_size(64), aligned(4), may_alias));

constexpr int orders = 6;

// Through registers: two narrow stores followed by one wide load would wait for each other.
inline Pair side_by_side(Block first, Block second) {
  return __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                                 15);
}
inline Block left(Pair both) { return __builtin_shufflevector(both, both, 0, 1, 2, 3, 4, 5, 6, 7); }
inline Block right(Pair both) {
  return __builtin_shufflevector(both, both, 8, 9, 10, 11, 12, 13, 14, 15);
}

struct OrderWeights {
  Pair of[orders / 2][lanes];
};

// Weights [6][8][8] with two orders side by side; all of them stay in registers where there are 32.
inline void join(const float *weights, OrderWeights &joined) {
  for (int pair = 0; pair < orders / 2; ++pair)
    for (int c = 0; c < lanes; ++c)
      for (int lane = 0; lane < lanes; ++lane) {
        joined.of[pair][c][lane] = weights[(2 * pair * lanes + c) * lanes + lane];
        joined.of[pair][c][lanes + lane] = weights[((2 * pair + 1) * lanes + c) * lanes + lane];
      }
}

inline void add_to_orders(const float *source, const OrderWeights &weights, const Cell &cell,
                          const Strides *strides, float *out) {
  Pair sums[orders / 2]{};
  for (int c = 0; c < lanes; ++c)
    for (int pair = 0; pair < orders / 2; ++pair)
      sums[pair] += source[c] * weights.of[pair][c];
  for (int order = 0; order < orders; ++order) {
    float *target = out + place(cell, strides[order]) * lanes;
    const Pair both = sums[order / 2];
    store(target, load(target) + (order % 2 == 0 ? left(both) : right(both)));
  }
}

void multiply_add_orders(const CellRange &range, const float *in, const float *weights,
                         const Strides *out_strides, float *out) {
  OrderWeights joined;
  join(weights, joined);
  const float *source = in;
  for (int i = 0; i < range.length[0]; ++i)
    for (int j = 0; j < range.length[1]; ++j)
      for (int k = 0; k < range.length[2]; ++k, source += lanes)
        if (!range.distinct || !repeats(i, j, k, 3))
          add_to_orders(source, joined, Cell{{i, j, k}}, out_strides, out);
}

void scatter_orders(const Cell *cells, std::size_t count, const float *in, Strides in_strides,
                    const float *weights, const Strides *out_strides, float *out) {
  OrderWeights joined;
  join(weights, joined);
  for (std::size_t n = 0; n < count; ++n)
    add_to_orders(in + place(cells[n], in_strides) * lanes, joined, cells[n], out_strides, out);
}

void outer_orders(const Cell *cells, std::size_t count, const float *in, const Strides *in_strides,
                  const float *slope, Strides slope_strides, float *gradient) {
  // Sums are kept transposed, [pair][out] with the channels of two orders side by side, so that
  // one slope serves all of them.
  Pair sums[orders / 2][lanes]{};
  for (std::size_t n = 0; n < count; ++n) {
    const float *here = slope + place(cells[n], slope_strides) * lanes;
    Pair sources[orders / 2];
    for (int pair = 0; pair < orders / 2; ++pair)
      sources[pair] = side_by_side(load(in + place(cells[n], in_strides[2 * pair]) * lanes),
                                   load(in + place(cells[n], in_strides[2 * pair + 1]) * lanes));
    for (int out = 0; out < lanes; ++out)
      for (int pair = 0; pair < orders / 2; ++pair)
        sums[pair][out] += here[out] * sources[pair];
  }
  for (int order = 0; order < orders; ++order)
    for (int c = 0; c < lanes; ++c)
      for (int out = 0; out < lanes; ++out)
        gradient[(order * lanes + c) * lanes + out] += sums[order / 2][out][order % 2 * lanes + c];
}

std::size_t list_active(const CellRange &range, const float *slope, int blocks, Cell *cells,
                        float *bias) {
  std::size_t count = 0;
  const float *at = slope;
  for (int i = 0; i < range.length[0]; ++i)
    for (int j = 0; j < range.length[1]; ++j)
      for (int k = 0; k < range.length[2]; ++k) {
        IntBlock any{};
        for (int b = 0; b < blocks; ++b, at += lanes) {
          const Block here = load(at);
          any |= here != Block{};
          store(bias + b * lanes, load(bias + b * lanes) + here);
        }
        int nonzero = 0;
        for (int lane = 0; lane < lanes; ++lane)
          nonzero |= any[lane];
        cells[count] = Cell{{i, j, k}};
        count += nonzero != 0;
      }
  return count;
}

void spread_pairs(const CellRange &range, const float *bias, const float *first,
                  const float *second, const float *third, float *out, int blocks) {
  const std::size_t cell = static_cast<std::size_t>(blocks) * lanes;
  const int objects = range.length[0];
  for (int i = 0; i < objects; ++i)
    for (int j = 0; j < objects; ++j)
      for (int b = 0; b < blocks; ++b) {
        const Block fixed =
            load(bias + b * lanes) + load(first + (i * objects + j) * cell + b * lanes);
        const float *by_i = second + static_cast<std::size_t>(i) * objects * cell + b * lanes;
        const float *by_j = third + static_cast<std::size_t>(j) * objects * cell + b * lanes;
        float *target =
            out + (static_cast<std::size_t>(i) * objects + j) * objects * cell + b * lanes;
        for (int k = 0; k < objects; ++k)
          store(target + k * cell, fixed + load(by_i + k * cell) + load(by_j + k * cell));
      }
}

void spread_objects(int objects, const float *bias, const float *first, const float *second,
                    float *out, int blocks) {
  const std::size_t cell = static_cast<std::size_t>(blocks) * lanes;
  for (int i = 0; i < objects; ++i)
    for (int b = 0; b < blocks; ++b) {
      const Block fixed = load(bias + b * lanes) + load(first + i * cell + b * lanes);
      float *target = out + static_cast<std::size_t>(i) * objects * cell + b * lanes;
      for (int j = 0; j < objects; ++j)
        store(target + j * cell, fixed + load(second + j * cell + b * lanes));
    }
}

// e^x for |x| <= 87 to about 1 unit in the last place: 2^n times a polynomial on [-ln 2 / 2,
// ln 2 / 2] (the Taylor series up to x^7).
inline Block exponential(Block x) {
  const Block limit = Block{} + 87.0F;
  x = x > limit ? limit : x;
  x = x < -limit ? -limit : x;
  const Block magic = Block{} + 12582912.0F; // 1.5 * 2^23: adding it rounds to an integer
  const Block scaled = x * 1.44269504088896341F + magic;
  const Block n = scaled - magic;
  const Block r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  Block p = Block{} + 1.9841269841e-4F;
  p = p * r + 1.3888888889e-3F;
  p = p * r + 8.3333333333e-3F;
  p = p * r + 4.1666666667e-2F;
  p = p * r + 1.6666666667e-1F;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  const IntBlock whole = __builtin_convertvector(n, IntBlock);
  return reinterpret_cast<Block>((whole + 127) << 23) * p;
}

inline Block sigmoid_of(Block x) { return 1.0F / (1.0F + exponential(-x)); }

void sigmoid(float *values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += lanes)
    store(values + i, sigmoid_of(load(values + i)));
}

void sigmoid_slope(const float *values, float *slope, std::size_t count) {
  for (std::size_t i = 0; i < count; i += lanes) {
    const Block value = load(values + i);
    store(slope + i, load(slope + i) * value * (1.0F - value));
  }
}

inline void extremes(const CellRange &range, int i, int j, const float *in, std::size_t cell,
                     int length, float *largest, float *smallest, std::int32_t *where_largest,
                     std::int32_t *where_smallest) {
  // Values lie in [0, 1], so these are neutral; they also stand for no value at all.
  Block most{}, least = Block{} + 1.0F;
  IntBlock most_at = IntBlock{} - 1, least_at = IntBlock{} - 1;
  for (int k = 0; k < length; ++k) {
    if (range.distinct &&
        ((range.arity == 2 && k == j) || (range.arity == 3 && (i == j || k == i || k == j))))
      continue;
    const Block here = load(in + k * cell);
    const IntBlock number = IntBlock{} + k;
    const IntBlock above = here > most, below = here < least;
    most_at = above ? number : most_at;
    least_at = below ? number : least_at;
    most = here > most ? here : most;
    least = here < least ? here : least;
  }
  store(largest, most);
  store(smallest, least);
  *reinterpret_cast<IntBlock *>(where_largest) = most_at;
  *reinterpret_cast<IntBlock *>(where_smallest) = least_at;
}

void reduce(const CellRange &range, const float *in, int blocks, float *largest, float *smallest,
            std::int32_t *where_largest, std::int32_t *where_smallest) {
  const std::size_t cell = static_cast<std::size_t>(blocks) * lanes;
  const int length = range.length[2];
  std::size_t prefix = 0;
  for (int i = 0; i < range.length[0]; ++i)
    for (int j = 0; j < range.length[1]; ++j, ++prefix)
      for (int b = 0; b < blocks; ++b) {
        const std::size_t at = prefix * cell + b * lanes;
        extremes(range, i, j, in + prefix * length * cell + b * lanes, cell, length, largest + at,
                 smallest + at, where_largest + at, where_smallest + at);
      }
}

void fold_triples(const CellRange &range, const float *bias, const float *first,
                  const float *second, const float *third, const float *own, float *largest,
                  float *smallest, std::int32_t *where_largest, std::int32_t *where_smallest) {
  const int objects = range.length[2];
  const Block infinity = Block{} + __builtin_inff();
  std::size_t pair = 0;
  for (int i = 0; i < objects; ++i)
    for (int j = 0; j < objects; ++j, ++pair) {
      const Block fixed = load(bias) + load(first + pair * lanes);
      const float *by_i = second + static_cast<std::size_t>(i) * objects * lanes;
      const float *by_j = third + static_cast<std::size_t>(j) * objects * lanes;
      const float *here = own + pair * objects * lanes;
      Block most = -infinity, least = infinity;
      IntBlock most_at = IntBlock{} - 1, least_at = IntBlock{} - 1, number{};
      for (int k = 0; k < objects; ++k, number += 1) {
        if (range.distinct && repeats(i, j, k, 3))
          continue;
        const Block value =
            (fixed + load(here + k * lanes)) + (load(by_i + k * lanes) + load(by_j + k * lanes));
        const IntBlock above = value > most, below = value < least;
        most_at = above ? number : most_at;
        least_at = below ? number : least_at;
        most = above ? value : most;
        least = below ? value : least;
      }
      const IntBlock none = most_at < 0; // 0 and 1 stand for no value at all
      store(largest + pair * lanes, none ? Block{} : sigmoid_of(most));
      store(smallest + pair * lanes, none ? Block{} + 1.0F : sigmoid_of(least));
      *reinterpret_cast<IntBlock *>(where_largest + pair * lanes) = most_at;
      *reinterpret_cast<IntBlock *>(where_smallest + pair * lanes) = least_at;
    }
}

constexpr NlmKernel kernel{
    multiply_add,   scatter_multiply_add,
    outer,          multiply_add_orders,
    scatter_orders, outer_orders,
    list_active,    spread_pairs,
    spread_objects, sigmoid,
    sigmoid_slope,  reduce,
    fold_triples,
};

} // namespace

const NlmKernel NlmKernel::BEELINE_PROCESSOR = kernel;

} // namespace beeline
