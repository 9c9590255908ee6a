// Compiled once for each kind of processor: see base/processor.h.

#include "networks/hyperclass_kernel.h"

namespace beeline {

namespace {

typedef float Block __attribute__((vector_size(block_size * sizeof(float)), aligned(4), may_alias));

inline Block *at(float *values) { return reinterpret_cast<Block *>(values); }
inline const Block *at(const float *values) { return reinterpret_cast<const Block *>(values); }

// Calls `part.run<n>(begin)` for blocks begin .. begin + n - 1, until all are done: vectors of one
// and of two blocks are gone through once.
template <class Part>
inline void in_parts(int blocks, const Part &part) {
  int begin = 0;
  for (; begin + 2 <= blocks; begin += 2)
    part.template run<2>(begin * block_size);
  if (begin < blocks)
    part.template run<1>(begin * block_size);
}

// `many` vectors share what is read of the matrix.
template <int n, int many>
inline void multiply_some(std::size_t width, const float *in, std::size_t in_step,
                          const float *matrix, float *out, std::size_t out_step) {
  Block sums[many][n];
  for (int i = 0; i < many; ++i)
    for (int b = 0; b < n; ++b)
      sums[i][b] = at(out + i * out_step)[b];
  for (std::size_t row = 0; row < width; ++row)
    for (int b = 0; b < n; ++b) {
      const Block weights = at(matrix + row * width)[b];
      for (int i = 0; i < many; ++i)
        sums[i][b] += in[i * in_step + row] * weights;
    }
  for (int i = 0; i < many; ++i)
    for (int b = 0; b < n; ++b)
      at(out + i * out_step)[b] = sums[i][b];
}

struct Multiply {
  std::size_t width;
  Spaced<const float> in;
  int count;
  const float *matrix;
  Spaced<float> out;

  template <int n>
  void run(std::size_t begin) const {
    constexpr int many = 4;
    int i = 0;
    for (; i + many <= count; i += many)
      multiply_some<n, many>(width, in.values + i * in.step, in.step, matrix + begin,
                             out.values + i * out.step + begin, out.step);
    for (; i < count; ++i)
      multiply_some<n, 1>(width, in.values + i * in.step, in.step, matrix + begin,
                          out.values + i * out.step + begin, out.step);
  }
};

void multiply(int blocks, Spaced<const float> in, int count, const float *matrix,
              Spaced<float> out) {
  const auto width = static_cast<std::size_t>(blocks) * block_size;
  in_parts(blocks, Multiply{width, in, count, matrix, out});
}

// Sums of a block of rows stay in registers while all vectors are gone through.
void outer(int blocks, Spaced<const float> in, Spaced<const float> out, int count, float *matrix) {
  const auto width = static_cast<std::size_t>(blocks) * block_size;
  for (std::size_t row = 0; row < width; row += block_size)
    for (std::size_t column = 0; column < width; column += block_size) {
      Block sums[block_size] = {};
      for (int i = 0; i < count; ++i) {
        const Block slopes = *at(out.values + i * out.step + column);
        const float *values = in.values + i * in.step + row;
        for (int r = 0; r < block_size; ++r)
          sums[r] += values[r] * slopes;
      }
      for (int r = 0; r < block_size; ++r)
        *at(matrix + (row + r) * width + column) += sums[r];
    }
}

struct Sums {
  std::size_t width;
  ListsView lists;
  int count;
  const float *rows;
  float *sums;

  template <int n>
  void run(std::size_t begin) const {
    for (int list = 0; list < count; ++list) {
      Block sum[n] = {};
      for (int place = lists.starts[list]; place < lists.starts[list + 1]; ++place)
        for (int b = 0; b < n; ++b)
          sum[b] += at(rows + lists.items[place] * width + begin)[b];
      for (int b = 0; b < n; ++b) // not a number stays what it is
        at(sums + list * width + begin)[b] = sum[b] < Block{} ? Block{} : sum[b];
    }
  }
};

void sums(int blocks, const ListsView &lists, int count, const float *rows, float *result) {
  const auto width = static_cast<std::size_t>(blocks) * block_size;
  in_parts(blocks, Sums{width, lists, count, rows, result});
}

struct SumsBack {
  std::size_t width;
  ListsView lists;
  int count;
  const float *sums;
  const float *slopes;
  float *row_slopes;

  template <int n>
  void run(std::size_t begin) const {
    for (int list = 0; list < count; ++list) {
      Block slope[n];
      for (int b = 0; b < n; ++b) {
        const Block here = at(slopes + list * width + begin)[b];
        slope[b] = at(sums + list * width + begin)[b] > Block{} ? here : Block{};
      }
      for (int place = lists.starts[list]; place < lists.starts[list + 1]; ++place)
        for (int b = 0; b < n; ++b)
          at(row_slopes + lists.items[place] * width + begin)[b] += slope[b];
    }
  }
};

void sums_back(int blocks, const ListsView &lists, int count, const float *sums,
               const float *slopes, float *row_slopes) {
  const auto width = static_cast<std::size_t>(blocks) * block_size;
  in_parts(blocks, SumsBack{width, lists, count, sums, slopes, row_slopes});
}

struct Pools {
  std::size_t width;
  SharesView view;
  const float *rows;
  float *means, *maxima, *equals;

  template <int n>
  void run(std::size_t begin) const {
    for (int list = 0; list < view.count; ++list) {
      Block mean[n] = {}, most[n] = {}, equal[n] = {};
      for (int i = view.lists.starts[list]; i < view.lists.starts[list + 1]; ++i) {
        const Block *row = at(rows + view.lists.items[i] * width + begin);
        for (int b = 0; b < n; ++b) {
          const Block value = row[b];
          mean[b] += view.shares[i] * value;
          equal[b] = value > most[b] ? Block{} : equal[b];
          most[b] = value > most[b] ? value : most[b];
          equal[b] += value == most[b] ? Block{} + 1.0f : Block{};
        }
      }
      const std::size_t to = list * width + begin;
      for (int b = 0; b < n; ++b) {
        at(means + to)[b] = mean[b];
        at(maxima + to)[b] = most[b];
        at(equals + to)[b] = equal[b];
      }
    }
  }
};

void pools(int blocks, const SharesView &view, const float *rows, float *means, float *maxima,
           float *equals) {
  const auto width = static_cast<std::size_t>(blocks) * block_size;
  in_parts(blocks, Pools{width, view, rows, means, maxima, equals});
}

struct PoolsBack {
  std::size_t width;
  SharesView view;
  const float *rows, *maxima, *equals, *mean_slopes, *maximum_slopes;
  float *row_slopes;

  template <int n>
  void run(std::size_t begin) const {
    for (int list = 0; list < view.count; ++list) {
      const std::size_t from = list * width + begin;
      Block by_mean[n], most[n], by_maximum[n];
      for (int b = 0; b < n; ++b) {
        by_mean[b] = at(mean_slopes + from)[b];
        most[b] = at(maxima + from)[b];
        by_maximum[b] = at(maximum_slopes + from)[b] / at(equals + from)[b];
      }
      for (int i = view.lists.starts[list]; i < view.lists.starts[list + 1]; ++i) {
        const std::size_t row = view.lists.items[i] * width + begin;
        for (int b = 0; b < n; ++b) {
          const Block share = at(rows + row)[b] == most[b] ? by_maximum[b] : Block{};
          at(row_slopes + row)[b] += view.shares[i] * by_mean[b] + share;
        }
      }
    }
  }
};

void pools_back(int blocks, const SharesView &view, const float *rows, const float *maxima,
                const float *equals, const float *mean_slopes, const float *maximum_slopes,
                float *row_slopes) {
  const auto width = static_cast<std::size_t>(blocks) * block_size;
  in_parts(blocks,
           PoolsBack{width, view, rows, maxima, equals, mean_slopes, maximum_slopes, row_slopes});
}

constexpr HyperclassKernel kernel{multiply, outer, sums, sums_back, pools, pools_back};

} // namespace

const HyperclassKernel HyperclassKernel::BEELINE_PROCESSOR = kernel;

} // namespace beeline
