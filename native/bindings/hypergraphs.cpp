#include <cmath>
#include <new>
#include <stdexcept>
#include <tuple>

#include "bindings/network_arrays.h"
#include "bindings/rooms.h"
#include "networks/hyperclass_network.h"
#include "networks/hypergraph_convolution.h"
#include "networks/hypergraph_network.h"

namespace beeline::bindings {

namespace {

using Lists = std::pair<Ints, Ints>;
using Layer = std::tuple<Floats, Floats, Floats, Floats>;

using Longs = Vector<std::int64_t>;
using LongLists = std::pair<Longs, Longs>;
using WeightedLists = std::tuple<Longs, Longs, Vector<float>>;
using ClassLayer =
    std::tuple<std::vector<std::tuple<int, int, Longs>>, LongLists, Longs, WeightedLists>;

// Classes are numbered with 64 bits where they are made, and with 32 where they are kept.
std::vector<int> narrowed(const Longs &array) {
  std::vector<int> result(array.shape(0));
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (array(i) != static_cast<int>(array(i)))
      throw std::bad_alloc();
    result[i] = static_cast<int>(array(i));
  }
  return result;
}

ShareLists shares_of(const WeightedLists &lists) {
  const auto &[starts, items, shares] = lists;
  return {{narrowed(starts), narrowed(items)}, {shares.data(), shares.data() + shares.shape(0)}};
}

void make_hyperclasses(Hyperclasses *self, const Longs &kinds, const Longs &edge_actions,
                       const Longs &edge_costs, const std::vector<ClassLayer> &layers,
                       const WeightedLists &states) {
  Hyperclasses made{narrowed(kinds), narrowed(edge_actions), {}, {}, shares_of(states)};
  for (int cost : narrowed(edge_costs))
    made.edge_costs.push_back(std::log1p(static_cast<float>(cost)));
  for (const auto &[groups, arguments, previous, incident] : layers) {
    HyperclassLayer layer;
    for (const auto &[first, end, slots] : groups)
      layer.groups.push_back({first, end, narrowed(slots)});
    layer.arguments = {narrowed(arguments.first), narrowed(arguments.second)};
    layer.previous = narrowed(previous);
    layer.incident = shares_of(incident);
    made.layers.push_back(std::move(layer));
  }
  made.complete();
  new (self) Hyperclasses(std::move(made));
}

void check_weights(const HyperclassNetwork &network, std::size_t count) {
  if (count != network.num_weights())
    throw std::invalid_argument("the network has another number of weights");
}

NewMatrix hyperclass_forward(HyperclassNetwork &network, const Vector<float> &weights,
                             const Hyperclasses &classes) {
  check_weights(network, weights.shape(0));
  const std::size_t count = classes.states.lists.count(), heads = network.heads();
  auto raw = new_floats<NewMatrix>(count * heads, {count, heads});
  const FlushedDenormals flushed;
  network.forward(weights.data(), classes, raw.data());
  return raw;
}

NewVector hyperclass_gradient(HyperclassNetwork &network, const Vector<float> &weights,
                              const Hyperclasses &classes, const Matrix &slopes) {
  check_weights(network, weights.shape(0));
  if (slopes.shape(0) != static_cast<std::size_t>(classes.states.lists.count()) ||
      slopes.shape(1) != static_cast<std::size_t>(network.heads()))
    throw std::invalid_argument("there is one slope for each raw output of the last batch");
  auto gradients = new_floats<NewVector>(network.num_weights(), {network.num_weights()});
  const FlushedDenormals flushed;
  network.gradient(weights.data(), classes, slopes.data(), gradients.data());
  return gradients;
}

IndexLists lists_of(const Lists &lists) {
  if (lists.first.shape(0) == 0)
    throw std::invalid_argument("the lists of a hypergraph do not fit it");
  return {ints_of(lists.first), ints_of(lists.second)};
}

void make_hypergraph_network(HypergraphNetwork *self, int steps, int facts, const Ints &negated,
                             const Ints &kinds, int places, const Lists &arguments,
                             const Lists &incoming, const Ints &edge_kinds,
                             const std::array<Floats, 3> &shares,
                             const std::array<Matrices, 10> &matrices, const Floats &by_place,
                             const Floats &sizes) {
  NetworkGraph graph{facts,
                     ints_of(negated),
                     ints_of(kinds),
                     places,
                     lists_of(arguments),
                     lists_of(incoming),
                     ints_of(edge_kinds)};
  std::array<NetworkMatrix, 10> of;
  for (std::size_t i = 0; i < of.size(); ++i)
    of[i] = {span_of(matrices[i].first), span_of(matrices[i].second)};
  const int hidden = static_cast<int>(of[0].bias.size());
  new (self) HypergraphNetwork(std::move(graph), hidden, steps,
                               {span_of(shares[0]), span_of(shares[1]), span_of(shares[2])},
                               {of[0], of[1], span_of(by_place), of[2], of[3], of[4], of[5], of[6],
                                of[7], of[8], of[9], span_of(sizes)});
}

} // namespace

void bind_hypergraphs(nb::module_ &module) {
  nb::class_<HypergraphConvolution>(
      module, "HypergraphConvolution",
      "A network over the facts and operators of one task, which knows the state before.")
      .def(
          "__init__",
          [](HypergraphConvolution *self, int facts, const Ints &negated, const Ints &kinds,
             const Lists &arguments, const Ints &slots, const Lists &received, const Lists &sent,
             const Floats &kind_vectors, const std::vector<Layer> &layers, const Layer &head,
             bool residual) {
            ConvolutionGraph graph{
                facts,          ints_of(negated),   ints_of(kinds), lists_of(arguments),
                ints_of(slots), lists_of(received), lists_of(sent)};
            std::vector<ConvolutionWeights> weights;
            for (const auto &[slot_matrices, biases, matrix, bias] : layers)
              weights.push_back(
                  {span_of(slot_matrices), span_of(biases), span_of(matrix), span_of(bias)});
            const auto &[hidden, hidden_bias, output, output_bias] = head;
            const int width = static_cast<int>(hidden_bias.size());
            new (self) HypergraphConvolution(
                std::move(graph), width, residual, span_of(kind_vectors), weights,
                {span_of(hidden), span_of(hidden_bias), span_of(output), span_of(output_bias)});
          },
          nb::arg("facts"), nb::arg("negated"), nb::arg("kinds"), nb::arg("arguments"),
          nb::arg("slots"), nb::arg("received"), nb::arg("sent"), nb::arg("kind_vectors"),
          nb::arg("layers"), nb::arg("head"), nb::arg("residual"),
          "Vertices are `facts` facts, then those `negated`; `kinds` has a row of `kind_vectors`\n"
          "for each that does not hold. Lists are pairs of starts and items: the vertices of each\n"
          "hyperedge, in `slots`, and the hyperedges that each vertex receives from and sends to.\n"
          "A layer has matrices of slots [slots, width, width], biases of hyperedges\n"
          "[edges, width], a matrix [5 * width, width] and a bias [width]; the head has a matrix\n"
          "[2 * width, width] and a bias, then a matrix [width, heads] and a bias.")
      .def_prop_ro("facts", &HypergraphConvolution::facts)
      .def_prop_ro("heads", &HypergraphConvolution::heads)
      .def("evaluate", &evaluate_facts<HypergraphConvolution>, nb::arg("facts"),
           "Raw outputs of states: uint8[n, facts] to float32[n, heads].");

  nb::class_<Hyperclasses>(module, "Hyperclasses",
                           "Vertices and hyperedges of many states, equal ones as one class.")
      .def("__init__", &make_hyperclasses, nb::arg("kinds"), nb::arg("edge_actions"),
           nb::arg("edge_costs"), nb::arg("layers"), nb::arg("states"),
           "Kinds of the first vertex classes; action and cost of each kind of hyperedges; the\n"
           "convolutions; starts, items and shares of the last vertex classes of each state. A\n"
           "convolution has groups (first, end, slots) of vertex classes; the products of these\n"
           "with the slots, then kinds, that each class of hyperedges sums up; the class before\n"
           "of each vertex class; and two lists of hyperedges, with shares, for each of these.")
      .def_prop_ro("bytes", &Hyperclasses::bytes, "Memory, more or less.")
      .def_prop_ro(
          "vertices",
          [](const Hyperclasses &classes) {
            std::vector<int> counts;
            for (const HyperclassLayer &layer : classes.layers)
              counts.push_back(layer.vertices());
            return counts;
          },
          "How many vertex classes there are after each convolution.");

  nb::class_<HyperclassNetwork>(module, "HyperclassNetwork",
                                "Hypergraph convolutions of classes, one batch at a time.")
      .def(
          "__init__",
          [](HyperclassNetwork *self, int layers, int width, int heads, int kinds, int slots,
             int actions, bool residual) {
            new (self) HyperclassNetwork({layers, width, heads, kinds, slots, actions, residual});
          },
          nb::arg("layers"), nb::arg("width"), nb::arg("heads"), nb::arg("kinds"), nb::arg("slots"),
          nb::arg("actions"), nb::arg("residual"))
      .def_prop_ro("num_weights", &HyperclassNetwork::num_weights)
      .def_prop_ro("runs", &HyperclassNetwork::runs, "How often `forward` was called.")
      .def("forward", &hyperclass_forward, nb::arg("weights"), nb::arg("classes"),
           "Raw outputs float32[n, heads], kept for `gradient`.")
      .def("gradient", &hyperclass_gradient, nb::arg("weights"), nb::arg("classes"),
           nb::arg("slopes"),
           "The gradient of a function of the last raw outputs, whose slopes are\n"
           "float32[n, heads]; weights and classes are those of that call.");

  nb::class_<HypergraphNetwork>(
      module, "HypergraphNetwork",
      "STRIPS-HGN over the facts and operators of one task, which knows the state before.")
      .def("__init__", &make_hypergraph_network, nb::arg("steps"), nb::arg("facts"),
           nb::arg("negated"), nb::arg("kinds"), nb::arg("places"), nb::arg("arguments"),
           nb::arg("incoming"), nb::arg("edge_kinds"), nb::arg("shares"), nb::arg("matrices"),
           nb::arg("by_place"), nb::arg("sizes"),
           "Vertices are `facts` facts, then those `negated`, with a kind for each that does not\n"
           "hold. Lists are pairs of starts and items: the arguments of each hyperedge, as\n"
           "vertex * places + place, and the hyperedges that each vertex receives from. `shares`\n"
           "of first layers are [edge kinds, 2, hidden], [4, places, 2, hidden] and\n"
           "[4, 2, hidden]. Matrices are [inputs, outputs], with a bias or an empty one: second\n"
           "layer of edges, edge to edge, edges to vertex, vertex to vertex, second layer of\n"
           "vertices, two of the state, two of the decoder, output; `by_place` has one for each\n"
           "place. `sizes` are encoded numbers of vertices and edges, or nothing.")
      .def_prop_ro("facts", &HypergraphNetwork::facts)
      .def_prop_ro("heads", &HypergraphNetwork::heads)
      .def("evaluate", &evaluate_facts<HypergraphNetwork>, nb::arg("facts"),
           "Raw outputs of states: uint8[n, facts] to float32[n, heads].");
}

} // namespace beeline::bindings
