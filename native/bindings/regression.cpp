#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings/rooms.h"
#include "bindings/signals.h"
#include "bindings/views.h"
#include "state/completion.h"
#include "state/sample_graph.h"
#include "state/samplers.h"

namespace beeline::bindings {

namespace {

template <class Item>
using Vector = nb::ndarray<const Item, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class Item>
using NewVector = nb::ndarray<nb::numpy, Item, nb::ndim<1>>;
using NewMatrix = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>;

template <class Item>
NewVector<Item> new_vector(std::vector<Item> items) {
  return array_of<NewVector<Item>>(std::move(items));
}

template <class Item>
std::vector<Item> vector_of(const Vector<Item> &array) {
  return {array.data(), array.data() + array.shape(0)};
}

void check_ids(const PartialStates &states, const Vector<StateId> &ids) {
  for (std::size_t i = 0; i < ids.shape(0); ++i)
    if (ids(i) >= states.size())
      throw std::out_of_range("no partial state with this number");
}

// Value numbers of the task, -1 where a variable is undefined.
void write_values(const GroundTask &task, const PartialState &state, std::int32_t *row) {
  for (std::size_t variable = 0; variable < state.size(); ++variable)
    row[variable] =
        state[variable] == undefined ? -1 : task.variables.offsets[variable] + state[variable];
}

NewMatrix values(const PartialStates &states, const Vector<StateId> &ids) {
  check_ids(states, ids);
  const auto width = static_cast<std::size_t>(states.variables());
  std::vector<std::int32_t> result(ids.shape(0) * width);
  PartialState state;
  for (std::size_t i = 0; i < ids.shape(0); ++i) {
    states.read(ids(i), state);
    write_values(states.task(), state, result.data() + i * width);
  }
  return array_of<NewMatrix>(std::move(result), {ids.shape(0), width});
}

PartialState read_values(const GroundTask &task, const std::int32_t *row) {
  PartialState state(task.variables.count(), undefined);
  for (int variable = 0; variable < task.variables.count(); ++variable) {
    if (row[variable] == -1)
      continue;
    if (row[variable] < task.variables.offsets[variable] ||
        row[variable] >= task.variables.offsets[variable + 1])
      throw std::invalid_argument("a value that its variable does not have");
    state[variable] = row[variable] - task.variables.offsets[variable];
  }
  return state;
}

NewVector<StateId> insert(PartialStates &states, const Values &rows) {
  const auto width = static_cast<std::size_t>(states.variables());
  if (rows.shape(1) != width)
    throw std::invalid_argument("a partial state has one value or -1 per variable");
  std::vector<StateId> ids;
  for (std::size_t i = 0; i < rows.shape(0); ++i)
    ids.push_back(states.insert(read_values(states.task(), rows.data() + i * width)).first);
  return new_vector(std::move(ids));
}

using Sampled = nb::typed<nb::tuple, NewVector<StateId>, NewVector<Cost>, NewVector<std::int32_t>>;

Sampled sample(PartialStates &states, const std::string &strategy, std::size_t count, double share,
               int depth, std::uint64_t seed) {
  if (!(share >= 0.0 && share <= 1.0))
    throw std::invalid_argument("a share lies between 0 and 1");
  Samples samples;
  {
    Poll poll = signal_poll();
    nb::gil_scoped_release unlocked;
    Regression regression(states.task());
    Sampler sampler(states, regression, seed, poll);
    const SamplerLimits limits{count, depth};
    if (strategy == "xrs")
      samples = sampler.xrs(count, share);
    else if (strategy == "fsm")
      samples = sampler.fsm(limits, share);
    else if (strategy == "breadth-first")
      samples = sampler.breadth_first(count);
    else if (strategy == "depth-first")
      samples = sampler.depth_first(limits);
    else if (strategy == "random-walk")
      samples = sampler.random_walks(limits);
    else
      throw std::invalid_argument("unknown strategy");
  }
  return Sampled(nb::make_tuple(new_vector(std::move(samples.states)),
                                new_vector(std::move(samples.estimates)),
                                new_vector(std::move(samples.depths))));
}

using Predecessors = nb::typed<nb::tuple, NewVector<std::int32_t>, NewVector<StateId>>;

Predecessors predecessors(PartialStates &states, StateId id) {
  if (id >= states.size())
    throw std::out_of_range("no partial state with this number");
  Regression regression(states.task());
  PartialState state, predecessor;
  states.read(id, state);
  std::vector<int> cases;
  std::vector<std::int32_t> operators;
  std::vector<StateId> found;
  regression.applicable(state, cases);
  for (int number : cases)
    if (regression.regress(number, state, predecessor)) {
      operators.push_back(regression.operator_of(number));
      found.push_back(states.insert(predecessor).first);
    }
  return Predecessors(
      nb::make_tuple(new_vector(std::move(operators)), new_vector(std::move(found))));
}

using Completed = nb::typed<nb::tuple, NewMatrix, NewVector<std::uint8_t>>;

Completed complete(const GroundTask &task, const Values &rows, int attempts, std::uint64_t seed) {
  const auto width = static_cast<std::size_t>(task.variables.count());
  if (rows.shape(1) != width)
    throw std::invalid_argument("a partial state has one value or -1 per variable");
  std::vector<std::int32_t> result(rows.shape(0) * width);
  std::vector<std::uint8_t> whole(rows.shape(0));
  {
    Poll poll = signal_poll();
    nb::gil_scoped_release unlocked;
    Completion completion(task, attempts);
    Random random(seed);
    for (std::size_t i = 0; i < rows.shape(0); ++i) {
      for (int tick = 0; tick < 64; ++tick)
        poll.tick();
      PartialState state = read_values(task, rows.data() + i * width);
      whole[i] = completion.complete(state, random) ? 1 : 0;
      write_values(task, state, result.data() + i * width);
    }
  }
  return Completed(nb::make_tuple(array_of<NewMatrix>(std::move(result), {rows.shape(0), width}),
                                  new_vector(std::move(whole))));
}

std::vector<Cost> checked(const SampleGraph &graph, const Vector<Cost> &estimates) {
  if (estimates.shape(0) != graph.size())
    throw std::invalid_argument("there is one estimate for each sample");
  for (std::size_t i = 0; i < estimates.shape(0); ++i)
    if (estimates(i) < 0 || estimates(i) > cost_limit)
      throw std::invalid_argument("an estimate that is no cost");
  return vector_of(estimates);
}

} // namespace

void bind_regression(nb::module_ &module) {
  nb::class_<PartialStates>(module, "PartialStates", "Partial states of a task, by number.")
      .def(nb::init<const GroundTask &>(), nb::arg("task"), nb::keep_alive<1, 2>())
      .def("__len__", &PartialStates::size)
      .def_prop_ro("goal", [](PartialStates &states) { return states.insert(states.goal()).first; })
      .def("values", &values, nb::arg("ids"),
           "Values of the task, -1 where undefined: uint32[n] to int32[n, variables].")
      .def("insert", &insert, nb::arg("values"), "Numbers of partial states: int32[n, variables].")
      .def("predecessors", &predecessors, nb::arg("id"),
           "Backward applicable operators and where they come from; mutexes are left out.")
      .def("sample", &sample, nb::arg("strategy"), nb::arg("count"), nb::arg("share") = 0.1,
           nb::arg("depth") = 1 << 30, nb::arg("seed") = 0,
           "States, costs and steps to the goal, by xrs, fsm, breadth-first, depth-first or\n"
           "random-walk.");

  nb::class_<SampleGraph>(module, "SampleGraph", "Which operators lead from sample to sample.")
      .def(
          "__init__",
          [](SampleGraph *self, const PartialStates &states, const Vector<StateId> &ids) {
            check_ids(states, ids);
            std::vector<StateId> members = vector_of(ids), sorted = members;
            std::sort(sorted.begin(), sorted.end());
            if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
              throw std::invalid_argument("a sample is there twice");
            Poll poll = signal_poll();
            nb::gil_scoped_release unlocked;
            new (self) SampleGraph(states, std::move(members), poll);
          },
          nb::arg("states"), nb::arg("ids"), nb::keep_alive<1, 2>())
      .def("__len__", &SampleGraph::size)
      .def_prop_ro("arcs", [](const SampleGraph &graph) { return graph.arcs().items().size(); })
      .def(
          "improved",
          [](const SampleGraph &graph, const Vector<Cost> &estimates) {
            return new_vector(graph.improved(checked(graph, estimates)));
          },
          nb::arg("estimates"), "Estimates lowered to what the arcs allow: int64[n].")
      .def(
          "preferred",
          [](const SampleGraph &graph, const Vector<Cost> &estimates) {
            const Rows<int> rows = graph.preferred(checked(graph, estimates));
            return nb::typed<nb::tuple, NewVector<std::int64_t>, NewVector<std::int32_t>>(
                nb::make_tuple(new_vector(std::vector<std::int64_t>(rows.starts())),
                               new_vector(std::vector<std::int32_t>(rows.items()))));
          },
          nb::arg("estimates"), "Operators at the beginning of shortest ways, as (starts, items).");

  module.def("complete", &complete, nb::arg("task"), nb::arg("values"), nb::arg("attempts") = 10000,
             nb::arg("seed") = 0,
             "Random values for undefined variables that respect mutexes, and which states could\n"
             "be completed: int32[n, variables], uint8[n].");
  module.def("regression_limit", &Regression::depth_limit, nb::arg("task"),
             "The number of facts over the mean number of effects, rounded up.");
}

} // namespace beeline::bindings
