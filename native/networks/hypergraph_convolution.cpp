#include "networks/hypergraph_convolution.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/processor.h"

namespace beeline {

namespace {

void require(bool holds, const char *what) {
  if (!holds)
    throw std::invalid_argument(what);
}

} // namespace

void IndexLists::check(int lists, int largest) const {
  require(count() == lists && starts.front() == 0 &&
              starts.back() == static_cast<int>(items.size()) &&
              std::is_sorted(starts.begin(), starts.end()),
          "the lists of a hypergraph do not fit it");
  for (int item : items)
    require(0 <= item && item < largest, "a list of a hypergraph has an unknown member");
}

HypergraphConvolution::HypergraphConvolution(ConvolutionGraph graph, int width, bool residual,
                                             std::span<const float> kinds,
                                             std::span<const ConvolutionWeights> convolutions,
                                             const ConvolutionHead &head)
    : graph_(std::move(graph)), width_(width), blocks_((width + block_size - 1) / block_size),
      heads_(static_cast<int>(head.output_bias.size())), residual_(residual),
      stride_(static_cast<std::size_t>(blocks_) * block_size), kernel_(best<ConvolutionKernel>()) {
  check(kinds, convolutions, head);
  number_products();
  const std::size_t vertices = graph_.kinds.size();
  const std::size_t edges = graph_.arguments.count();
  kinds_ = padded(kinds);
  for (float &value : kinds_)
    value = value < 0.0f ? 0.0f : value;
  first_.resize(vertices * stride_);
  for (const ConvolutionWeights &weights : convolutions) {
    Convolution made;
    made.slots = padded(weights.slots);
    made.edge_biases = padded(weights.edge_biases);
    made.matrix = padded(weights.matrix);
    made.bias = padded(weights.bias);
    made.products.resize(vertex_slots_.items.size() * stride_);
    made.edges.resize(edges * stride_);
    made.after.resize(vertices * stride_);
    convolutions_.push_back(std::move(made));
  }
  hidden_matrix_ = padded(head.hidden_matrix);
  hidden_bias_ = padded(head.hidden_bias);
  output_matrix_.assign(head.output_matrix.begin(), head.output_matrix.end());
  output_bias_.assign(head.output_bias.begin(), head.output_bias.end());
  pools_.resize(2 * stride_);
  scratch_.resize(6 * stride_);
  kind_.assign(vertices, -1);
  raw_.resize(heads_);
  changed_.resize(vertices);
  vertices_.resize(vertices);
  edges_.resize(edges);
  changed_edges_.resize(edges);
  marked_vertices_.assign(vertices, 0);
  marked_edges_.assign(edges, 0);
}

void HypergraphConvolution::check(std::span<const float> kinds,
                                  std::span<const ConvolutionWeights> convolutions,
                                  const ConvolutionHead &head) const {
  require(width_ > 0 && width_ <= 4096 && heads_ > 0, "a network of this shape is not possible");
  const std::size_t width = width_;
  const int vertices = static_cast<int>(graph_.kinds.size());
  const int edges = graph_.arguments.count();
  require(graph_.facts >= 0 &&
              static_cast<std::size_t>(vertices) == graph_.facts + graph_.negated.size(),
          "each vertex is a fact or negates one");
  for (int fact : graph_.negated)
    require(0 <= fact && fact < graph_.facts, "there is no such fact to negate");
  graph_.arguments.check(edges, vertices);
  graph_.received.check(vertices, edges);
  graph_.sent.check(vertices, edges);
  require(graph_.slots.size() == graph_.arguments.items.size(), "each argument has a slot");
  require(kinds.size() % width == 0, "each kind has a vector");
  const auto num_kinds = static_cast<int>(kinds.size() / width);
  for (int kind : graph_.kinds)
    require(0 <= kind && kind + 1 < num_kinds, "there is no such kind of vertices");
  const int most = graph_.slots.empty() ? -1 : *std::ranges::max_element(graph_.slots);
  require(graph_.slots.empty() || *std::ranges::min_element(graph_.slots) >= 0,
          "slots are numbered from 0");
  for (const ConvolutionWeights &weights : convolutions)
    require(weights.slots.size() % (width * width) == 0 &&
                most < static_cast<int>(weights.slots.size() / (width * width)) &&
                weights.edge_biases.size() == edges * width &&
                weights.matrix.size() == 5 * width * width && weights.bias.size() == width,
            "the weights of a convolution do not fit");
  require(head.hidden_matrix.size() == 2 * width * width && head.hidden_bias.size() == width &&
              head.output_matrix.size() == width * heads_,
          "the weights of the last layers do not fit");
}

// A product for each slot of each vertex.
void HypergraphConvolution::number_products() {
  const IndexLists &arguments = graph_.arguments;
  std::vector<std::pair<int, int>> wanted; // vertex, slot
  for (std::size_t at = 0; at < arguments.items.size(); ++at)
    wanted.emplace_back(arguments.items[at], graph_.slots[at]);
  std::vector<std::pair<int, int>> distinct = wanted;
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  vertex_slots_.starts.assign(graph_.kinds.size() + 1, 0);
  for (const auto &[vertex, slot] : distinct) {
    ++vertex_slots_.starts[vertex + 1];
    vertex_slots_.items.push_back(slot);
  }
  for (std::size_t vertex = 0; vertex < graph_.kinds.size(); ++vertex)
    vertex_slots_.starts[vertex + 1] += vertex_slots_.starts[vertex];
  argument_products_.starts = arguments.starts;
  for (const auto &each : wanted)
    argument_products_.items.push_back(
        static_cast<int>(std::ranges::lower_bound(distinct, each) - distinct.begin()));
}

// Rows of `width` numbers, each filled up with zeros.
AlignedFloats HypergraphConvolution::padded(std::span<const float> rows) const {
  AlignedFloats result(rows.size() / width_ * stride_, 0.0f);
  for (std::size_t row = 0; row < rows.size() / width_; ++row)
    std::copy_n(rows.data() + row * width_, width_, result.data() + row * stride_);
  return result;
}

void HypergraphConvolution::evaluate(const std::uint8_t *facts, std::size_t states, float *raw) {
  const std::lock_guard locked(lock_);
  for (std::size_t state = 0; state < states; ++state) {
    change_to(facts + state * graph_.facts);
    if (num_changed_ > 0 || !begun_) {
      for (std::size_t number = 0; number < convolutions_.size(); ++number)
        convolve(number);
      if (num_changed_ > 0 || !begun_)
        finish(raw_.data());
      begun_ = true;
    }
    std::ranges::copy(raw_, raw + state * heads_);
  }
}

void HypergraphConvolution::change_to(const std::uint8_t *facts) {
  num_changed_ = 0;
  const auto vertices = static_cast<int>(graph_.kinds.size());
  for (int vertex = 0; vertex < vertices; ++vertex) {
    const bool negated = vertex >= graph_.facts;
    const int fact = negated ? graph_.negated[vertex - graph_.facts] : vertex;
    const int kind = graph_.kinds[vertex] + static_cast<int>((facts[fact] != 0) != negated);
    if (kind != kind_[vertex]) {
      kind_[vertex] = kind;
      std::copy_n(kinds_.data() + kind * stride_, stride_, first_.data() + vertex * stride_);
      changed_[num_changed_++] = vertex;
    }
  }
}

// The members of the lists of those chosen, each once, after the first `size` in `into`.
int HypergraphConvolution::collect(const IndexLists &lists, const int *chosen, int count,
                                   std::vector<char> &marked, std::vector<int> &into,
                                   int size) const {
  for (int i = 0; i < count; ++i)
    for (int at = lists.starts[chosen[i]]; at < lists.starts[chosen[i] + 1]; ++at) {
      const int member = lists.items[at];
      if (!marked[member]) {
        marked[member] = 1;
        into[size++] = member;
      }
    }
  return size;
}

void HypergraphConvolution::convolve(std::size_t number) {
  Convolution &here = convolutions_[number];
  const AlignedFloats &before = number == 0 ? first_ : convolutions_[number - 1].after;
  const ConvolutionView view{width_,
                             blocks_,
                             residual_,
                             vertex_slots_.view(),
                             here.slots.data(),
                             argument_products_.view(),
                             here.edge_biases.data(),
                             graph_.received.view(),
                             graph_.sent.view(),
                             here.matrix.data(),
                             here.bias.data(),
                             before.data(),
                             here.products.data(),
                             here.edges.data(),
                             here.after.data(),
                             scratch_.data()};
  kernel_.products(view, changed_.data(), num_changed_);
  int edges = 0, changed_edges = 0, vertices = 0;
  if (begun_) {
    edges = collect(graph_.received, changed_.data(), num_changed_, marked_edges_, edges_, 0);
    edges = collect(graph_.sent, changed_.data(), num_changed_, marked_edges_, edges_, edges);
    for (int i = 0; i < edges; ++i)
      marked_edges_[edges_[i]] = 0;
    changed_edges = kernel_.edges(view, edges_.data(), edges, changed_edges_.data());
    for (int i = 0; i < num_changed_; ++i) {
      marked_vertices_[changed_[i]] = 1;
      vertices_[vertices++] = changed_[i];
    }
    vertices = collect(graph_.arguments, changed_edges_.data(), changed_edges, marked_vertices_,
                       vertices_, vertices);
    for (int i = 0; i < vertices; ++i)
      marked_vertices_[vertices_[i]] = 0;
  } else { // the kept vectors mean nothing yet
    edges = graph_.arguments.count();
    vertices = static_cast<int>(graph_.kinds.size());
    for (int edge = 0; edge < edges; ++edge)
      edges_[edge] = edge;
    for (int vertex = 0; vertex < vertices; ++vertex)
      vertices_[vertex] = vertex;
    kernel_.edges(view, edges_.data(), edges, changed_edges_.data());
  }
  num_changed_ = kernel_.vertices(view, vertices_.data(), vertices, changed_.data());
}

void HypergraphConvolution::finish(float *raw) {
  const AlignedFloats &last = convolutions_.empty() ? first_ : convolutions_.back().after;
  kernel_.pool(blocks_, last.data(), static_cast<int>(graph_.kinds.size()), pools_.data());
  float *hidden = scratch_.data();
  std::copy_n(hidden_bias_.data(), stride_, hidden);
  for (int half = 0; half < 2; ++half)
    for (int row = 0; row < width_; ++row) {
      const float factor = pools_[half * stride_ + row];
      const float *weights = hidden_matrix_.data() + (half * width_ + row) * stride_;
      for (std::size_t column = 0; column < stride_; ++column)
        hidden[column] += factor * weights[column];
    }
  std::ranges::copy(output_bias_, raw);
  for (int row = 0; row < width_; ++row) {
    const float value = hidden[row] < 0.0f ? 0.0f : hidden[row];
    for (int head = 0; head < heads_; ++head)
      raw[head] += value * output_matrix_[row * heads_ + head];
  }
}

} // namespace beeline
