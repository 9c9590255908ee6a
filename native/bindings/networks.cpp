#include <cmath>
#include <stdexcept>
#include <tuple>

#include "base/processor.h"
#include "bindings/network_arrays.h"
#include "bindings/rooms.h"
#include "networks/grid_network.h"
#include "networks/nlm.h"
#include "networks/resnet.h"
#include "state/states.h"

namespace beeline::bindings {

namespace {

using Encodings = std::vector<const RelationalEncoding *>;
using Atoms = std::vector<std::pair<int, std::vector<int>>>;

std::vector<RelationalAtom> atoms_of(const Atoms &pairs) {
  std::vector<RelationalAtom> result;
  result.reserve(pairs.size());
  for (const auto &[channel, objects] : pairs)
    result.push_back({channel, objects});
  return result;
}

NewMatrix nlm_forward(const NeuralLogicMachine &network, const Vector<float> &parameters,
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

NewVector nlm_backward(const NeuralLogicMachine &network, const Vector<float> &parameters,
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

NewMatrix nlm_evaluate(const NeuralLogicMachine &network, const Vector<float> &parameters,
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

void check_weights(const ResNet &network, std::size_t count) {
  if (count != network.num_weights())
    throw std::invalid_argument("the network has another number of weights");
}

NewMatrix resnet_forward(ResNet &network, const Vector<float> &weights, const Matrix &facts) {
  check_weights(network, weights.shape(0));
  if (facts.shape(1) != static_cast<std::size_t>(network.inputs()))
    throw std::invalid_argument("the network has another number of inputs");
  const std::size_t count = facts.shape(0), heads = network.heads();
  auto raw = new_floats<NewMatrix>(count * heads, {count, heads});
  nb::gil_scoped_release unlocked;
  network.forward(weights.data(), facts.data(), static_cast<int>(count), raw.data());
  return raw;
}

void resnet_gradient(ResNet &network, const Vector<float> &weights, const Matrix &slopes,
                     Written gradients) {
  check_weights(network, weights.shape(0));
  check_weights(network, gradients.shape(0));
  if (slopes.shape(0) != static_cast<std::size_t>(network.states()) ||
      slopes.shape(1) != static_cast<std::size_t>(network.heads()))
    throw std::invalid_argument("there is one slope for each raw output of the last batch");
  nb::gil_scoped_release unlocked;
  network.gradient(weights.data(), slopes.data(), gradients.data());
}

std::pair<double, NewMatrix> cross_entropy_slopes(const Matrix &raw,
                                                  const Vector<std::int64_t> &starts,
                                                  const Vector<std::int64_t> &wanted) {
  const std::size_t rows = raw.shape(0), heads = raw.shape(1);
  if (starts.shape(0) != rows + 1 || starts(0) != 0 ||
      starts(rows) != static_cast<std::int64_t>(wanted.shape(0)))
    throw std::invalid_argument("there is one list of heads for each row");
  for (std::size_t row = 0; row < rows; ++row)
    if (starts(row) > starts(row + 1))
      throw std::invalid_argument("there is one list of heads for each row");
  for (std::size_t i = 0; i < wanted.shape(0); ++i)
    if (wanted(i) < 0 || wanted(i) >= static_cast<std::int64_t>(heads))
      throw std::invalid_argument("there is no such head");
  auto slopes = new_floats<NewMatrix>(rows * heads, {rows, heads});
  const double value =
      cross_entropy(raw.data(), rows, heads, span_of(starts), span_of(wanted), slopes.data());
  return {value, slopes};
}

void adamw_step(Written weights, Written gradients, Written first, Written second, int number,
                double learning_rate, double weight_decay, double beta_1, double beta_2,
                double epsilon) {
  const std::size_t count = weights.shape(0);
  if (gradients.shape(0) != count || first.shape(0) != count || second.shape(0) != count)
    throw std::invalid_argument("there is one gradient and one moment for each weight");
  const AdamStep step{static_cast<float>(1.0 - learning_rate * weight_decay),
                      static_cast<float>(1.0 - beta_1),
                      static_cast<float>(1.0 - beta_2),
                      static_cast<float>(learning_rate / (1.0 - std::pow(beta_1, number))),
                      static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(beta_2, number))),
                      static_cast<float>(epsilon)};
  nb::gil_scoped_release unlocked;
  const FlushedDenormals flushed;
  best<DenseKernel>().adam(step, weights.data(), gradients.data(), first.data(), second.data(),
                           count);
}

GridWeights grid_weights(const Matrices &weights) {
  return {span_of(weights.first), span_of(weights.second)};
}

void make_grid_network(GridNetwork *self, std::array<int, 7> sizes, const Ints &beside,
                       const Matrix &position, const Matrix &base,
                       const std::tuple<Ints, Ints, Vector<float>> &facts,
                       const std::vector<Matrices> &convolutions,
                       const std::vector<std::array<Matrices, 3>> &blocks, const Matrices &hidden,
                       const Matrices &output) {
  const auto &[starts, entries, values] = facts;
  std::vector<GridWeights> layers;
  for (const Matrices &weights : convolutions)
    layers.push_back(grid_weights(weights));
  std::vector<GridBlock> parts;
  for (const auto &[convolution, seen, mixed] : blocks)
    parts.push_back({grid_weights(convolution), grid_weights(seen), grid_weights(mixed)});
  const auto [channels, filters, block_filters, attention, attention_heads, dense, heads] = sizes;
  for (int size : sizes)
    if (size < 1)
      throw std::invalid_argument("all sizes are positive");
  new (self) GridNetwork(
      {channels, filters, block_filters, attention, attention_heads, dense, heads},
      static_cast<int>(base.shape(0)), span_of(beside), {position.data(), position.size()},
      {{base.data(), base.size()}, span_of(starts), span_of(entries), span_of(values)}, layers,
      parts, grid_weights(hidden), grid_weights(output));
}

} // namespace

void bind_networks(nb::module_ &module) {
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
      .def("forward", &nlm_forward, nb::arg("parameters"), nb::arg("encodings"),
           nb::arg("encoding_of"), nb::arg("starts"), nb::arg("items"), nb::arg("threads") = 1,
           "Values of a batch: float32[n, heads]. The true facts of state i are\n"
           "items[starts[i]:starts[i + 1]], of the task encodings[encoding_of[i]].")
      .def("backward", &nlm_backward, nb::arg("parameters"), nb::arg("encodings"),
           nb::arg("encoding_of"), nb::arg("starts"), nb::arg("items"), nb::arg("slopes"),
           nb::arg("threads") = 1,
           "The gradient of sum(slopes * values) by the parameters, slopes being\n"
           "float32[n, heads].")
      .def("evaluate", &nlm_evaluate, nb::arg("parameters"), nb::arg("encoding"), nb::arg("states"),
           nb::arg("ids"), nb::arg("threads") = 1,
           "Values of states of a task: uint32[n] to float32[n, heads].");

  nb::class_<ResNet>(module, "ResNet", "A residual network of dense layers, one batch at a time.")
      .def(nb::init<int, int, int>(), nb::arg("inputs"), nb::arg("heads"), nb::arg("hidden"))
      .def_prop_ro("num_weights", &ResNet::num_weights)
      .def("forward", &resnet_forward, nb::arg("weights"), nb::arg("facts"),
           "Raw outputs float32[n, heads] of facts float32[n, inputs], kept for `gradient`.")
      .def("gradient", &resnet_gradient, nb::arg("weights"), nb::arg("slopes"),
           nb::arg("gradients"),
           "Write the gradient of a function of the last raw outputs, whose slopes are "
           "float32[n, heads].");
  module.def("cross_entropy", &cross_entropy_slopes, nb::arg("raw"), nb::arg("starts"),
             nb::arg("wanted"),
             "The binary cross-entropy of sigmoid(raw), mean over rows and heads, and its slopes;\n"
             "wanted of row i are the heads wanted[starts[i]:starts[i + 1]], each once.");
  module.def("adamw_step", &adamw_step, nb::arg("weights"), nb::arg("gradients"), nb::arg("first"),
             nb::arg("second"), nb::arg("number"), nb::arg("learning_rate"),
             nb::arg("weight_decay"), nb::arg("beta_1"), nb::arg("beta_2"), nb::arg("epsilon"),
             "Step number 1, 2, ... of AdamW; the gradients are zero afterwards.");

  nb::class_<GridNetwork>(module, "GridNetwork",
                          "Convolutions and attention over the cells of one task.")
      .def("__init__", &make_grid_network, nb::arg("sizes"), nb::arg("beside"), nb::arg("position"),
           nb::arg("base"), nb::arg("facts"), nb::arg("convolutions"), nb::arg("blocks"),
           nb::arg("hidden"), nb::arg("output"),
           "`sizes` are channels, filters, filters of blocks, dimensions of attention, its heads,\n"
           "units of the dense layer, and heads. `beside` is int32[9 * cells], `position`\n"
           "float32[cells, block filters], `base` float32[cells, channels]; `facts` are starts,\n"
           "entries and values of what each adds to it. Weights are pairs of a matrix\n"
           "[outputs, taps, inputs] and a bias; a block has a convolution, queries with keys and\n"
           "values, and what mixes them.")
      .def_prop_ro("facts", &GridNetwork::facts)
      .def("evaluate", &evaluate_facts<GridNetwork>, nb::arg("facts"),
           "Raw outputs of states: uint8[n, facts] to float32[n, heads].");
}

} // namespace beeline::bindings
