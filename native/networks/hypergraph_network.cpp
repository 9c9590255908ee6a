#include "networks/hypergraph_network.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "base/processor.h"

namespace beeline {

namespace {

constexpr int vertex_kinds = 4;

void require(bool holds, const char *what) {
  if (!holds)
    throw std::invalid_argument(what);
}

// The lists that each of `count` items is in; item i of the lists counts as `divide`d.
IndexLists transposed(const IndexLists &lists, int count, int divide) {
  std::vector<std::vector<int>> found(count);
  for (int list = 0; list < lists.count(); ++list)
    for (int at = lists.starts[list]; at < lists.starts[list + 1]; ++at) {
      std::vector<int> &owners = found[lists.items[at] / divide];
      if (owners.empty() || owners.back() != list)
        owners.push_back(list);
    }
  IndexLists result{{0}, {}};
  for (const std::vector<int> &owners : found) {
    result.items.insert(result.items.end(), owners.begin(), owners.end());
    result.starts.push_back(static_cast<int>(result.items.size()));
  }
  return result;
}

} // namespace

void HypergraphNetwork::Set::clear() {
  for (int member : members)
    has[member] = 0;
  members.clear();
}

void HypergraphNetwork::Set::fill() {
  std::ranges::fill(has, 1);
  members.resize(has.size());
  std::iota(members.begin(), members.end(), 0);
}

HypergraphNetwork::HypergraphNetwork(NetworkGraph graph, int hidden, int steps,
                                     const NetworkShares &shares, const NetworkWeights &weights)
    : graph_(std::move(graph)), hidden_(hidden), steps_(steps),
      heads_(static_cast<int>(weights.output.bias.size())),
      stride_((static_cast<std::size_t>(hidden) + 15) / 16 * 16), kernel_(best<DenseKernel>()),
      edge_shares_(shares.edges.begin(), shares.edges.end()),
      place_shares_(shares.places.begin(), shares.places.end()),
      vertex_shares_(shares.vertices.begin(), shares.vertices.end()),
      sizes_(weights.sizes.begin(), weights.sizes.end()) {
  check(shares, weights);
  const int of_state = (sizes_.empty() ? 2 : 4) * hidden;
  edges_second_ = dense(weights.edges_second, hidden, hidden);
  own_edge_ = dense(weights.own_edge, hidden, hidden);
  from_edges_ = dense(weights.from_edges, hidden, hidden);
  own_vertex_ = dense(weights.own_vertex, hidden, hidden);
  vertices_second_ = dense(weights.vertices_second, hidden, hidden);
  state_first_ = dense(weights.state_first, of_state, hidden);
  state_second_ = dense(weights.state_second, hidden, hidden);
  decode_first_ = dense(weights.decode_first, hidden, hidden);
  decode_second_ = dense(weights.decode_second, hidden, hidden);
  output_ = dense(weights.output, hidden, heads_);
  const std::size_t square = static_cast<std::size_t>(hidden) * hidden;
  for (int place = 0; place < graph_.places; ++place)
    by_place_.push_back(
        dense({weights.by_place.subspan(place * square, square), {}}, hidden, hidden));
  const std::size_t vertices = graph_.kinds.size(), edges = graph_.edge_kinds.size();
  received_by_ = transposed(graph_.incoming, static_cast<int>(edges), 1);
  users_ = transposed(graph_.arguments, static_cast<int>(vertices), graph_.places);
  number_products();
  edge_base_.resize(edges * stride_);
  edge_first_.resize(edges * stride_);
  kept_.resize(steps);
  for (Step &step : kept_) {
    for (AlignedFloats *kept : {&step.edges, &step.own_edges, &step.received})
      kept->resize(edges * stride_);
    for (AlignedFloats *kept : {&step.vertices, &step.own_vertices})
      kept->resize(vertices * stride_);
    step.products.resize(place_vertices_.items.size() * stride_);
  }
  kind_.assign(vertices, -1);
  state_.resize(hidden);
  raw_.resize(heads_);
  kinds_changed_ = vertices_changed_ = Set(vertices);
  inputs_changed_ = edges_changed_ = Set(edges);
  computed_ = Set(std::max(vertices, edges));
  row_.resize(std::max(vertices, edges));
  every_.resize(row_.size());
  std::iota(every_.begin(), every_.end(), 0);
}

void HypergraphNetwork::check(const NetworkShares &shares, const NetworkWeights &weights) const {
  const int vertices = static_cast<int>(graph_.kinds.size());
  const int edges = static_cast<int>(graph_.edge_kinds.size());
  require(hidden_ > 0 && steps_ > 0 && heads_ > 0 && graph_.places > 0,
          "all sizes of a network are positive");
  require(vertices == graph_.facts + static_cast<int>(graph_.negated.size()),
          "each fact and each negated fact has a kind");
  for (int kind : graph_.kinds)
    require(0 <= kind && kind + 1 < vertex_kinds, "a vertex has an unknown kind");
  for (int fact : graph_.negated)
    require(0 <= fact && fact < graph_.facts, "an unknown fact is negated");
  graph_.arguments.check(edges, vertices * graph_.places);
  graph_.incoming.check(vertices, edges);
  const std::size_t pair = 2 * static_cast<std::size_t>(hidden_);
  for (int kind : graph_.edge_kinds)
    require(0 <= kind && (kind + 1) * pair <= shares.edges.size(), "an edge has an unknown kind");
  require(shares.places.size() == vertex_kinds * graph_.places * pair &&
              shares.vertices.size() == vertex_kinds * pair,
          "the shares of inputs do not fit the network");
  require(weights.by_place.size() == static_cast<std::size_t>(graph_.places) * hidden_ * hidden_,
          "there is a matrix for each place");
  require(weights.sizes.empty() || weights.sizes.size() == static_cast<std::size_t>(hidden_),
          "the encoded sizes are a vector");
}

HypergraphNetwork::Dense HypergraphNetwork::dense(const NetworkMatrix &matrix, int inputs,
                                                  int outputs) const {
  require(matrix.weights.size() == static_cast<std::size_t>(inputs) * outputs &&
              (matrix.bias.empty() || matrix.bias.size() == static_cast<std::size_t>(outputs)),
          "a matrix does not fit the network");
  const std::size_t width = static_cast<std::size_t>(outputs + panel - 1) / panel * panel;
  Dense result{inputs,
               outputs,
               width,
               AlignedFloats(inputs * width, 0.0F),
               {matrix.bias.begin(), matrix.bias.end()}};
  for (int row = 0; row < inputs; ++row)
    std::copy_n(matrix.weights.data() + static_cast<std::size_t>(row) * outputs, outputs,
                result.matrix.data() + row * width);
  return result;
}

// A product for each vertex and place that some hyperedge has it in; those of a place follow each
// other.
void HypergraphNetwork::number_products() {
  std::vector<int> wanted = graph_.arguments.items;
  const auto order = [this](int left, int right) {
    return std::pair(left % graph_.places, left / graph_.places) <
           std::pair(right % graph_.places, right / graph_.places);
  };
  std::ranges::sort(wanted, order);
  wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
  place_vertices_.starts.assign(graph_.places + 1, 0);
  for (int argument : wanted) {
    ++place_vertices_.starts[argument % graph_.places + 1];
    place_vertices_.items.push_back(argument / graph_.places);
  }
  for (int place = 0; place < graph_.places; ++place)
    place_vertices_.starts[place + 1] += place_vertices_.starts[place];
  argument_products_.starts = graph_.arguments.starts;
  for (int argument : graph_.arguments.items)
    argument_products_.items.push_back(
        static_cast<int>(std::ranges::lower_bound(wanted, argument, order) - wanted.begin()));
}

} // namespace beeline
