// The steps of STRIPS-HGN for one state after another: see hypergraph_network.h.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "networks/hypergraph_network.h"

namespace beeline {

namespace {

constexpr float leak = 0.01F;

// Four chains of multiplications at a time: one would wait for each of its steps.
std::uint64_t hash_of(const float *values, int count) {
  constexpr std::uint64_t factor = 0x9e3779b97f4a7c15ULL;
  std::array<std::uint64_t, 4> chains{1, 2, 3, 4};
  for (int i = 0; i < count; ++i)
    chains[i % 4] = (chains[i % 4] ^ std::bit_cast<std::uint32_t>(values[i])) * factor;
  std::uint64_t hash = 0;
  for (std::uint64_t chain : chains)
    hash = (hash ^ (chain >> 29)) * factor;
  return hash >> 32;
}

inline float rectified(float value) { return value < 0.0F ? leak * value : value; }

} // namespace

void HypergraphNetwork::evaluate(const std::uint8_t *facts, std::size_t states, float *raw) {
  const std::lock_guard locked(lock_);
  for (std::size_t state = 0; state < states; ++state) {
    if (change_to(facts + state * graph_.facts)) {
      share_inputs();
      for (int number = 0; number < steps_; ++number) {
        step_edges(number);
        step_vertices(number);
        if (!sizes_.empty() || number + 1 == steps_)
          update_state(number);
      }
      std::vector<float> vector = state_;
      two_layers(decode_first_, decode_second_, vector);
      for (int head = 0; head < heads_; ++head) {
        raw_[head] = output_.bias[head];
        for (int row = 0; row < hidden_; ++row)
          raw_[head] += vector[row] * output_.matrix[row * output_.width + head];
      }
      begun_ = true;
    }
    std::ranges::copy(raw_, raw + state * heads_);
  }
}

bool HypergraphNetwork::change_to(const std::uint8_t *facts) {
  kinds_changed_.clear();
  const auto vertices = static_cast<int>(graph_.kinds.size());
  for (int vertex = 0; vertex < vertices; ++vertex) {
    const bool negated = vertex >= graph_.facts;
    const int fact = negated ? graph_.negated[vertex - graph_.facts] : vertex;
    const int kind = graph_.kinds[vertex] + static_cast<int>((facts[fact] != 0) != negated);
    if (kind != kind_[vertex]) {
      kind_[vertex] = kind;
      kinds_changed_.add(vertex);
    }
  }
  return !kinds_changed_.members.empty() || !begun_;
}

// What inputs add to the first layer of hyperedges with a vertex of another kind now.
void HypergraphNetwork::share_inputs() {
  inputs_changed_.clear();
  if (!begun_)
    inputs_changed_.fill();
  else
    for (int vertex : kinds_changed_.members)
      for (int at = users_.starts[vertex]; at < users_.starts[vertex + 1]; ++at)
        inputs_changed_.add(users_.items[at]);
  const std::size_t pair = 2 * static_cast<std::size_t>(hidden_);
  std::vector<float> sums(pair);
  for (int edge : inputs_changed_.members) {
    std::copy_n(edge_shares_.data() + graph_.edge_kinds[edge] * pair, pair, sums.data());
    for (int at = graph_.arguments.starts[edge]; at < graph_.arguments.starts[edge + 1]; ++at) {
      const int argument = graph_.arguments.items[at];
      const int kind = kind_[argument / graph_.places];
      const float *share =
          place_shares_.data() + (kind * graph_.places + argument % graph_.places) * pair;
      for (std::size_t i = 0; i < pair; ++i)
        sums[i] += share[i];
    }
    float *base = edge_base_.data() + edge * stride_, *first = edge_first_.data() + edge * stride_;
    for (int i = 0; i < hidden_; ++i) {
      base[i] = sums[i];
      first[i] = sums[i] + sums[hidden_ + i];
    }
  }
}

AlignedFloats &HypergraphNetwork::sized(AlignedFloats &rows, std::size_t count) const {
  if (rows.size() < count * stride_)
    rows.resize(count * stride_);
  return rows;
}

void HypergraphNetwork::multiply(const Dense &dense, const AlignedFloats &left, std::size_t rows,
                                 AlignedFloats &target) const {
  sized(target, rows);
  const bool add = !dense.bias.empty();
  for (std::size_t row = 0; add && row < rows; ++row)
    std::ranges::copy(dense.bias, row_of(target, row));
  for (int begin = 0; begin < dense.outputs; begin += panel)
    kernel_.multiply(static_cast<int>(rows), dense.inputs, left.data(), stride_,
                     dense.matrix.data() + begin, dense.width, target.data() + begin, stride_,
                     std::min(panel, dense.outputs - begin), add);
}

void HypergraphNetwork::find_equal(std::size_t count) {
  const std::size_t bytes = hidden_ * sizeof(float);
  const std::size_t places = std::bit_ceil(2 * count + 1);
  table_.assign(places, -1);
  which_.resize(count);
  first_.clear();
  for (std::size_t row = 0; row < count; ++row) {
    const float *here = row_of(rows_, row);
    std::size_t place = hash_of(here, hidden_) & (places - 1);
    while (table_[place] >= 0 &&
           std::memcmp(row_of(rows_, first_[table_[place]]), here, bytes) != 0)
      place = (place + 1) & (places - 1);
    if (table_[place] < 0) {
      table_[place] = static_cast<int>(first_.size());
      first_.push_back(static_cast<int>(row));
    }
    which_[row] = table_[place];
  }
  sized(different_, first_.size());
  for (std::size_t row = 0; row < first_.size(); ++row)
    std::copy_n(row_of(rows_, first_[row]), stride_, row_of(different_, row));
}

void HypergraphNetwork::finish(const Dense &second) {
  const std::size_t count = first_.size();
  kernel_.rectify(leak, different_.data(), count * stride_);
  multiply(second, different_, count, vectors_);
  kernel_.rectify(leak, vectors_.data(), count * stride_);
}

void HypergraphNetwork::keep(AlignedFloats &kept, Set &changed) const {
  changed.clear();
  const std::size_t bytes = hidden_ * sizeof(float);
  for (std::size_t row = 0; row < computed_.members.size(); ++row) {
    const int number = computed_.members[row];
    const float *now = row_of(vectors_, which_[row]);
    float *before = row_of(kept, number);
    if (!begun_ || std::memcmp(before, now, bytes) != 0) {
      std::memcpy(before, now, bytes);
      changed.add(number);
    }
  }
}

void HypergraphNetwork::keep_products(const Dense &dense, const Set &changed, AlignedFloats &kept) {
  multiply(dense, vectors_, first_.size(), products_);
  for (int number : changed.members)
    std::copy_n(row_of(products_, which_[row_[number]]), stride_, row_of(kept, number));
}

void HypergraphNetwork::add_list(const AlignedFloats &rows, const IndexLists &lists, int list,
                                 float *sum) const {
  const int begin = lists.starts[list], end = lists.starts[list + 1];
  kernel_.add_rows(rows.data(), stride_, lists.items.data() + begin, end - begin, sum);
}

void HypergraphNetwork::step_edges(int number) {
  computed_.clear();
  for (int edge : inputs_changed_.members)
    computed_.add(edge);
  if (number > 0) {
    for (int edge : edges_changed_.members) // of the step before
      computed_.add(edge);
    for (int vertex : vertices_changed_.members)
      for (int at = users_.starts[vertex]; at < users_.starts[vertex + 1]; ++at)
        computed_.add(users_.items[at]);
  }
  const std::size_t count = computed_.members.size();
  sized(rows_, count);
  for (std::size_t row = 0; row < count; ++row) {
    const int edge = computed_.members[row];
    row_[edge] = static_cast<int>(row);
    float *sum = row_of(rows_, row);
    std::copy_n(row_of(number == 0 ? edge_first_ : edge_base_, edge), stride_, sum);
    if (number == 0)
      continue;
    const Step &before = kept_[number - 1];
    kernel_.add_rows(before.own_edges.data(), stride_, &edge, 1, sum);
    add_list(before.products, argument_products_, edge, sum);
  }
  find_equal(count);
  finish(edges_second_);
  Step &step = kept_[number];
  keep(step.edges, edges_changed_);
  keep_products(from_edges_, edges_changed_, step.received);
  if (number + 1 < steps_)
    keep_products(own_edge_, edges_changed_, step.own_edges);
}

void HypergraphNetwork::step_vertices(int number) {
  computed_.clear();
  for (int vertex : kinds_changed_.members)
    computed_.add(vertex);
  if (number > 0)
    for (int vertex : vertices_changed_.members) // of the step before
      computed_.add(vertex);
  for (int edge : edges_changed_.members)
    for (int at = received_by_.starts[edge]; at < received_by_.starts[edge + 1]; ++at)
      computed_.add(received_by_.items[at]);
  if (!begun_)
    for (int vertex = 0; vertex < static_cast<int>(graph_.kinds.size()); ++vertex)
      computed_.add(vertex);
  const std::size_t count = computed_.members.size();
  sized(rows_, count);
  const std::size_t pair = 2 * static_cast<std::size_t>(hidden_);
  Step &step = kept_[number];
  for (std::size_t row = 0; row < count; ++row) {
    const int vertex = computed_.members[row];
    row_[vertex] = static_cast<int>(row);
    float *sum = row_of(rows_, row);
    const float *share = vertex_shares_.data() + kind_[vertex] * pair;
    std::fill_n(sum, stride_, 0.0F);
    for (int i = 0; i < hidden_; ++i)
      sum[i] = number == 0 ? share[i] + share[hidden_ + i] : share[i];
    if (number > 0)
      kernel_.add_rows(kept_[number - 1].own_vertices.data(), stride_, &vertex, 1, sum);
    add_list(step.received, graph_.incoming, vertex, sum);
  }
  find_equal(count);
  finish(vertices_second_);
  keep(step.vertices, vertices_changed_);
  if (number + 1 == steps_)
    return;
  keep_products(own_vertex_, vertices_changed_, step.own_vertices);
  place_products(step);
}

// What vertices that have changed add to the hyperedges that have them in some place.
void HypergraphNetwork::place_products(Step &step) {
  std::vector<int> row_of_vector(first_.size(), -1), wanted;
  for (int place = 0; place < graph_.places; ++place) {
    const int begin = place_vertices_.starts[place], end = place_vertices_.starts[place + 1];
    wanted.clear();
    for (int at = begin; at < end; ++at) {
      const int vertex = place_vertices_.items[at];
      if (!vertices_changed_.has[vertex])
        continue;
      const int vector = which_[row_[vertex]];
      if (row_of_vector[vector] < 0) {
        row_of_vector[vector] = static_cast<int>(wanted.size());
        wanted.push_back(vector);
      }
    }
    sized(different_, wanted.size());
    for (std::size_t row = 0; row < wanted.size(); ++row)
      std::copy_n(row_of(vectors_, wanted[row]), stride_, row_of(different_, row));
    multiply(by_place_[place], different_, wanted.size(), products_);
    for (int at = begin; at < end; ++at) {
      const int vertex = place_vertices_.items[at];
      if (vertices_changed_.has[vertex])
        std::copy_n(row_of(products_, row_of_vector[which_[row_[vertex]]]), stride_,
                    row_of(step.products, at));
    }
    for (int vector : wanted)
      row_of_vector[vector] = -1;
  }
}

void HypergraphNetwork::two_layers(const Dense &first, const Dense &second,
                                   std::vector<float> &vector) const {
  for (const Dense *layer : {&first, &second}) {
    std::vector<float> result = layer->bias;
    for (int row = 0; row < layer->inputs; ++row)
      for (int column = 0; column < layer->outputs; ++column)
        result[column] += vector[row] * layer->matrix[row * layer->width + column];
    for (float &value : result)
      value = rectified(value);
    vector = std::move(result);
  }
}

void HypergraphNetwork::update_state(int number) {
  std::vector<float> vector(2 * static_cast<std::size_t>(hidden_), 0.0F);
  const AlignedFloats *parts[] = {&kept_[number].edges, &kept_[number].vertices};
  for (int part = 0; part < 2; ++part) {
    AlignedFloats &sum = sized(products_, 1);
    std::fill_n(sum.data(), stride_, 0.0F);
    kernel_.add_rows(parts[part]->data(), stride_, every_.data(), parts[part]->size() / stride_,
                     sum.data());
    std::copy_n(sum.data(), hidden_, vector.data() + part * hidden_);
  }
  if (!sizes_.empty()) {
    const std::vector<float> &latent = number == 0 ? sizes_ : state_;
    vector.insert(vector.end(), sizes_.begin(), sizes_.end());
    vector.insert(vector.end(), latent.begin(), latent.end());
  }
  two_layers(state_first_, state_second_, vector);
  state_ = std::move(vector);
}

} // namespace beeline
