#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <tuple>

#include "bindings/rooms.h"
#include "bindings/views.h"
#include "convolution/hypergraph_convolution.h"

namespace beeline::bindings {

namespace {

using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Facts = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NewMatrix = nb::ndarray<nb::numpy, float, nb::ndim<2>>;
using Lists = std::pair<Ints, Ints>;
using Layer = std::tuple<Floats, Floats, Floats, Floats>;

std::vector<int> ints_of(const Ints &array) {
  return {array.data(), array.data() + array.shape(0)};
}

IndexLists lists_of(const Lists &lists) {
  if (lists.first.shape(0) == 0)
    throw std::invalid_argument("the lists of a hypergraph do not fit it");
  return {ints_of(lists.first), ints_of(lists.second)};
}

std::span<const float> span_of(const Floats &array) { return {array.data(), array.size()}; }

NewMatrix evaluate(HypergraphConvolution &network, const Facts &facts) {
  if (facts.shape(1) != static_cast<std::size_t>(network.facts()))
    throw std::invalid_argument("the states belong to another task");
  const std::size_t count = facts.shape(0), heads = network.heads();
  auto *raw = new float[count * heads];
  const nb::capsule owner(raw,
                          [](void *pointer) noexcept { delete[] static_cast<float *>(pointer); });
  {
    nb::gil_scoped_release unlocked;
    network.evaluate(facts.data(), count, raw);
  }
  return NewMatrix(raw, {count, heads}, owner);
}

} // namespace

void bind_convolution(nb::module_ &module) {
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
      .def("evaluate", &evaluate, nb::arg("facts"),
           "Raw outputs of states: uint8[n, facts] to float32[n, heads].");
}

} // namespace beeline::bindings
