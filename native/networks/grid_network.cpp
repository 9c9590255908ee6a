#include "networks/grid_network.h"

#include <algorithm>
#include <stdexcept>

#include "base/processor.h"

namespace beeline {

namespace {

constexpr int rows_together = 192; // of cells, at least, if there are as many states
constexpr int queries_together = 48;
constexpr int square = 9;

int whole_panels(int columns) {
  const int panel = grid_panel(columns);
  return (columns + panel - 1) / panel * panel;
}

} // namespace

GridNetwork::GridNetwork(const GridSizes &sizes, int cells, std::span<const std::int32_t> beside,
                         std::span<const float> position, const GridFacts &facts,
                         const std::vector<GridWeights> &convolutions,
                         const std::vector<GridBlock> &blocks, const GridWeights &hidden,
                         const GridWeights &output)
    : sizes_(sizes), cells_(cells), beside_(beside.begin(), beside.end()),
      position_(position.begin(), position.end()), base_(facts.base.begin(), facts.base.end()),
      values_(facts.values.begin(), facts.values.end()),
      starts_(facts.starts.begin(), facts.starts.end()),
      entries_(facts.entries.begin(), facts.entries.end()), kernel_(best<GridKernel>()),
      most_states_(std::max(1, (rows_together + cells - 1) / cells)) {
  const std::size_t numbers = static_cast<std::size_t>(cells);
  const int inside = cells * sizes.channels;
  bool fine = cells > 0 && beside_.size() == square * numbers &&
              position_.size() == numbers * sizes.block_filters &&
              base_.size() == static_cast<std::size_t>(inside) && !starts_.empty() &&
              starts_.front() == 0 && std::is_sorted(starts_.begin(), starts_.end()) &&
              starts_.back() == static_cast<int>(entries_.size()) &&
              values_.size() == entries_.size() && sizes.attention % sizes.attention_heads == 0;
  for (std::int32_t number : beside_)
    fine = fine && 0 <= number && number <= cells;
  for (std::int32_t entry : entries_)
    fine = fine && 0 <= entry && entry < inside;
  if (!fine)
    throw std::invalid_argument("the parts of the grid do not fit together");
  int width = sizes.channels;
  for (const GridWeights &weights : convolutions) {
    convolutions_.push_back(packed(weights, square, width, sizes.filters));
    width = sizes.filters + sizes.channels;
  }
  for (const GridBlock &block : blocks) {
    blocks_.push_back({packed(block.convolution, square, width, sizes.block_filters),
                       packed(block.seen, 1, sizes.block_filters, 3 * sizes.attention),
                       packed(block.mixed, 1, sizes.attention, sizes.attention)});
    width = sizes.attention + sizes.block_filters + sizes.channels;
  }
  hidden_ = packed(hidden, 1, width, sizes.hidden);
  output_ = packed(output, 1, sizes.hidden, sizes.heads);
  inputs_.resize(static_cast<std::size_t>(most_states_) * inside);
}

GridNetwork::Layer GridNetwork::packed(const GridWeights &weights, int taps, int inputs,
                                       int outputs) const {
  const std::size_t row = static_cast<std::size_t>(taps) * inputs;
  if (weights.matrix.size() != row * outputs ||
      weights.bias.size() != static_cast<std::size_t>(outputs))
    throw std::invalid_argument("the weights of a layer do not fit its sizes");
  const int panel = grid_panel(outputs), all = whole_panels(outputs);
  Layer layer{taps, inputs, outputs, std::vector<float>(row * all), std::vector<float>(all)};
  for (int column = 0; column < outputs; ++column) {
    layer.bias[column] = weights.bias[column];
    float *to = layer.weights.data() + column / panel * row * panel + column % panel;
    for (std::size_t place = 0; place < row; ++place)
      to[place * panel] = weights.matrix[column * row + place];
  }
  return layer;
}

GridNetwork::Rows &GridNetwork::rows_of(int width, int number) {
  if (rows_.size() <= static_cast<std::size_t>(number))
    rows_.resize(number + 1);
  Rows &rows = rows_[number];
  const std::size_t size = (static_cast<std::size_t>(most_states_) * cells_ + 1) * width;
  if (rows.width != width || rows.values.size() != size) {
    rows.width = width;
    rows.values.assign(size, 0.0f);
  }
  return rows;
}

void GridNetwork::write_inputs(const std::uint8_t *facts, int states) {
  for (int state = 0; state < states; ++state) {
    float *to = inputs_.data() + state * base_.size();
    std::copy(base_.begin(), base_.end(), to);
    for (std::size_t fact = 0; fact + 1 < starts_.size(); ++fact)
      if (facts[state * (starts_.size() - 1) + fact])
        for (int i = starts_[fact]; i < starts_[fact + 1]; ++i)
          to[entries_[i]] += values_[i];
  }
}

void GridNetwork::put_inputs(Rows &rows, int states) {
  const int channels = sizes_.channels;
  for (std::size_t row = 0; row < static_cast<std::size_t>(states) * cells_; ++row)
    std::copy_n(inputs_.data() + row * channels, channels, rows.row(row) + rows.width - channels);
}

void GridNetwork::apply(const Layer &layer, Rows &in, std::size_t count, float *out,
                        std::size_t stride, bool relu, int offset) {
  sources_.resize(count * layer.taps);
  const float *zeros = in.row(static_cast<std::size_t>(most_states_) * cells_);
  for (std::size_t row = 0; row < count; ++row) {
    if (layer.taps == 1) {
      sources_[row] = in.row(row) + offset;
      continue;
    }
    const std::size_t cell = row % cells_, first = row - cell;
    for (int tap = 0; tap < square; ++tap) {
      const std::int32_t other = beside_[tap * cells_ + cell];
      sources_[row * square + tap] = other < cells_ ? in.row(first + other) : zeros;
    }
  }
  kernel_.multiply({static_cast<int>(count), layer.taps, layer.inputs, layer.outputs,
                    sources_.data(), layer.weights.data(), layer.bias.data(), out, stride, relu});
}

void GridNetwork::attend(Rows &seen, int state, float *out, std::size_t stride) {
  const int each = sizes_.attention / sizes_.attention_heads;
  const int key_columns = whole_panels(cells_), key_panel = grid_panel(cells_);
  const int value_columns = whole_panels(each), value_panel = grid_panel(each);
  const std::size_t first = static_cast<std::size_t>(state) * cells_;
  keys_.assign(static_cast<std::size_t>(key_columns) * each, 0.0f);
  own_values_.assign(static_cast<std::size_t>(value_columns) * key_columns, 0.0f);
  scores_.resize(static_cast<std::size_t>(queries_together) * key_columns);
  for (int head = 0; head < sizes_.attention_heads; ++head) {
    for (int cell = 0; cell < cells_; ++cell) {
      const float *key = seen.row(first + cell) + sizes_.attention + head * each;
      const float *value = key + sizes_.attention;
      float *to = keys_.data() + static_cast<std::size_t>(cell / key_panel) * each * key_panel +
                  cell % key_panel;
      for (int i = 0; i < each; ++i)
        to[i * key_panel] = key[i];
      for (int i = 0; i < each; ++i)
        own_values_[(static_cast<std::size_t>(i / value_panel) * cells_ + cell) * value_panel +
                    i % value_panel] = value[i];
    }
    for (int begin = 0; begin < cells_; begin += queries_together) {
      const int rows = std::min(queries_together, cells_ - begin);
      sources_.resize(rows);
      for (int row = 0; row < rows; ++row)
        sources_[row] = seen.row(first + begin + row) + head * each;
      kernel_.multiply({rows, 1, each, cells_, sources_.data(), keys_.data(), nullptr,
                        scores_.data(), static_cast<std::size_t>(key_columns), false});
      float sums[queries_together];
      kernel_.weigh(scores_.data(), rows, cells_, key_columns, sums);
      for (int row = 0; row < rows; ++row)
        sources_[row] = scores_.data() + static_cast<std::size_t>(row) * key_columns;
      kernel_.multiply({rows, 1, cells_, each, sources_.data(), own_values_.data(), nullptr,
                        out + (first + begin) * stride + head * each, stride, false});
      for (int row = 0; row < rows; ++row) {
        float *to = out + (first + begin + row) * stride + head * each;
        for (int i = 0; i < each; ++i)
          to[i] /= sums[row];
      }
    }
  }
}

void GridNetwork::evaluate(const std::uint8_t *facts, std::size_t count, float *raw) {
  for (std::size_t begin = 0; begin < count; begin += most_states_) {
    const int states = static_cast<int>(std::min<std::size_t>(most_states_, count - begin));
    evaluate_some(facts + begin * this->facts(), states, raw + begin * sizes_.heads);
  }
}

void GridNetwork::evaluate_some(const std::uint8_t *facts, int states, float *raw) {
  const int channels = sizes_.channels, attention = sizes_.attention;
  const std::size_t count = static_cast<std::size_t>(states) * cells_;
  write_inputs(facts, states);
  // Rows are kept by their use, two of each that are read and written in turn.
  rows_.reserve(7);
  Rows *at = &rows_of(channels, 0);
  put_inputs(*at, states);
  int turn = 0;
  for (const Layer &layer : convolutions_) {
    Rows &next = rows_of(sizes_.filters + channels, 1 + turn);
    put_inputs(next, states);
    apply(layer, *at, count, next.row(0), next.width, true);
    at = &next;
    turn = 1 - turn;
  }
  for (const Block &block : blocks_) {
    Rows &next = rows_of(attention + sizes_.block_filters + channels, 3 + turn);
    Rows &seen = rows_of(3 * attention, 5), &mixed = rows_of(attention, 6);
    put_inputs(next, states);
    apply(block.convolution, *at, count, next.row(0) + attention, next.width, true);
    apply(block.seen, next, count, seen.row(0), seen.width, false, attention);
    for (int state = 0; state < states; ++state)
      attend(seen, state, mixed.row(0), mixed.width);
    apply(block.mixed, mixed, count, next.row(0), next.width, false);
    for (std::size_t row = 0; row < count; ++row) {
      float *to = next.row(row) + attention;
      const float *code = position_.data() + row % cells_ * sizes_.block_filters;
      for (int filter = 0; filter < sizes_.block_filters; ++filter)
        to[filter] += code[filter];
    }
    at = &next;
    turn = 1 - turn;
  }
  std::vector<float> means(static_cast<std::size_t>(states) * at->width);
  std::vector<float> hidden(static_cast<std::size_t>(states) * sizes_.hidden);
  for (std::size_t row = 0; row < count; ++row) {
    float *to = means.data() + row / cells_ * at->width;
    for (int i = 0; i < at->width; ++i)
      to[i] += at->row(row)[i];
  }
  for (float &mean : means)
    mean /= static_cast<float>(cells_);
  sources_.resize(states);
  for (int state = 0; state < states; ++state)
    sources_[state] = means.data() + static_cast<std::size_t>(state) * at->width;
  kernel_.multiply({states, 1, hidden_.inputs, hidden_.outputs, sources_.data(),
                    hidden_.weights.data(), hidden_.bias.data(), hidden.data(),
                    static_cast<std::size_t>(sizes_.hidden), true});
  for (int state = 0; state < states; ++state)
    sources_[state] = hidden.data() + static_cast<std::size_t>(state) * sizes_.hidden;
  kernel_.multiply({states, 1, output_.inputs, output_.outputs, sources_.data(),
                    output_.weights.data(), output_.bias.data(), raw,
                    static_cast<std::size_t>(sizes_.heads), false});
}

} // namespace beeline
