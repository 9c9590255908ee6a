#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings/rooms.h"
#include "bindings/views.h"
#include "relational/nlm.h"
#include "state/states.h"

namespace beeline::bindings {

namespace {

template <class Item>
using Vector = nb::ndarray<const Item, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using NewVector = nb::ndarray<nb::numpy, float, nb::ndim<1>>;
using NewMatrix = nb::ndarray<nb::numpy, float, nb::ndim<2>>;
using Encodings = std::vector<const RelationalEncoding *>;
using Atoms = std::vector<std::pair<int, std::vector<int>>>;

template <class Item>
std::span<const Item> span_of(const Vector<Item> &array) {
  return {array.data(), array.shape(0)};
}

std::vector<RelationalAtom> atoms_of(const Atoms &pairs) {
  std::vector<RelationalAtom> result;
  result.reserve(pairs.size());
  for (const auto &[channel, objects] : pairs)
    result.push_back({channel, objects});
  return result;
}

template <class Array>
Array new_floats(std::size_t count, std::initializer_list<std::size_t> shape) {
  auto *values = new float[count]();
  const nb::capsule owner(values,
                          [](void *pointer) noexcept { delete[] static_cast<float *>(pointer); });
  return Array(values, shape, owner);
}

NewMatrix forward(const NeuralLogicMachine &network, const Vector<float> &parameters,
                  const Encodings &encodings, const Vector<std::int32_t> &encoding_of,
                  const Vector<std::int64_t> &starts, const Vector<std::int32_t> &items,
                  int threads) {
  const auto heads = static_cast<std::size_t>(network.shape().heads);
  const std::size_t count = encoding_of.shape(0);
  auto values = new_floats<NewMatrix>(count * heads, {count, heads});
  const RelationalBatch batch{encodings, span_of(encoding_of), span_of(starts), span_of(items)};
  nb::gil_scoped_release unlocked;
  network.forward(span_of(parameters), batch, {values.data(), count * heads}, threads);
  return values;
}

NewVector backward(const NeuralLogicMachine &network, const Vector<float> &parameters,
                   const Encodings &encodings, const Vector<std::int32_t> &encoding_of,
                   const Vector<std::int64_t> &starts, const Vector<std::int32_t> &items,
                   const Matrix &slopes, int threads) {
  if (slopes.shape(0) != encoding_of.shape(0) ||
      slopes.shape(1) != static_cast<std::size_t>(network.shape().heads))
    throw std::invalid_argument("there is one slope for each state and head");
  auto gradient = new_floats<NewVector>(network.parameters(), {network.parameters()});
  const RelationalBatch batch{encodings, span_of(encoding_of), span_of(starts), span_of(items)};
  nb::gil_scoped_release unlocked;
  network.backward(span_of(parameters), batch, {slopes.data(), slopes.size()},
                   {gradient.data(), network.parameters()}, threads);
  return gradient;
}

NewMatrix evaluate(const NeuralLogicMachine &network, const Vector<float> &parameters,
                   const RelationalEncoding &encoding, const States &states,
                   const Vector<StateId> &ids, int threads) {
  const GroundTask &task = states.registry.task();
  if (encoding.facts() != task.fact_values.size())
    throw std::invalid_argument("the encoding and the states belong to different tasks");
  const auto heads = static_cast<std::size_t>(network.shape().heads);
  const std::size_t count = ids.shape(0);
  for (std::size_t i = 0; i < count; ++i)
    if (ids(i) >= states.registry.size())
      throw std::out_of_range("no state with this number");
  auto values = new_floats<NewMatrix>(count * heads, {count, heads});
  nb::gil_scoped_release unlocked;
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> items, encoding_of(count, 0);
  std::vector<int> row(task.variables.count());
  for (std::size_t i = 0; i < count; ++i) {
    states.registry.packer().unpack(states.registry[ids(i)], row.data());
    for (int value : row)
      if (task.variables.fact_of[value] >= 0)
        items.push_back(task.variables.fact_of[value]);
    starts.push_back(static_cast<std::int64_t>(items.size()));
  }
  const RelationalEncoding *only = &encoding;
  network.forward(span_of(parameters), {{&only, 1}, encoding_of, starts, items},
                  {values.data(), count * heads}, threads);
  return values;
}

} // namespace

void bind_relational(nb::module_ &module) {
  nb::class_<RelationalEncoding>(module, "RelationalEncoding",
                                 "The states of a task as tensors over objects.")
      .def(
          "__init__",
          [](RelationalEncoding *self, int objects, std::array<int, most_arity + 1> channels,
             const Atoms &facts, const Atoms &constants) {
            new (self) RelationalEncoding(objects, channels, atoms_of(facts), atoms_of(constants));
          },
          nb::arg("objects"), nb::arg("channels"), nb::arg("facts"), nb::arg("constants"),
          "`channels` counts input predicates by arity. Atoms are pairs of a channel and objects;\n"
          "a fact with channel -1 is not shown.")
      .def_prop_ro("objects", &RelationalEncoding::objects)
      .def_prop_ro("facts", &RelationalEncoding::facts);

  nb::class_<NeuralLogicMachine>(module, "NeuralLogicMachine",
                                 "A network over relational tensors; parameters are given to each "
                                 "call.")
      .def(
          "__init__",
          [](NeuralLogicMachine *self, std::array<int, most_arity + 1> inputs, int width,
             int breadth, int depth, int heads, bool distinct) {
            new (self) NeuralLogicMachine(NlmShape{inputs, width, breadth, depth, heads, distinct});
          },
          nb::arg("inputs"), nb::arg("width") = 8, nb::arg("breadth") = 3, nb::arg("depth") = 5,
          nb::arg("heads") = 1, nb::arg("distinct") = false)
      .def_prop_ro("parameters", &NeuralLogicMachine::parameters, "How many there are.")
      .def_prop_ro(
          "matrices",
          [](const NeuralLogicMachine &network) {
            std::vector<std::array<std::int64_t, 5>> result;
            const auto &layers = network.layers();
            for (std::size_t number = 0; number < layers.size(); ++number)
              for (int arity = 0; arity <= most_arity; ++arity)
                if (layers[number].outputs[arity] > 0)
                  result.push_back({static_cast<std::int64_t>(number), arity,
                                    static_cast<std::int64_t>(layers[number].weights[arity]),
                                    layers[number].rows[arity], layers[number].outputs[arity]});
            return result;
          },
          "For each linear map: layer, arity, place among the parameters, rows and columns; a\n"
          "bias of one row follows each matrix.")
      .def("forward", &forward, nb::arg("parameters"), nb::arg("encodings"), nb::arg("encoding_of"),
           nb::arg("starts"), nb::arg("items"), nb::arg("threads") = 1,
           "Values of a batch: float32[n, heads]. The true facts of state i are\n"
           "items[starts[i]:starts[i + 1]], of the task encodings[encoding_of[i]].")
      .def("backward", &backward, nb::arg("parameters"), nb::arg("encodings"),
           nb::arg("encoding_of"), nb::arg("starts"), nb::arg("items"), nb::arg("slopes"),
           nb::arg("threads") = 1,
           "The gradient of sum(slopes * values) by the parameters, slopes being\n"
           "float32[n, heads].")
      .def("evaluate", &evaluate, nb::arg("parameters"), nb::arg("encoding"), nb::arg("states"),
           nb::arg("ids"), nb::arg("threads") = 1,
           "Values of states of a task: uint32[n] to float32[n, heads].");
}

} // namespace beeline::bindings
