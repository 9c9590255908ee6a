#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <stdexcept>

#include "bindings/rooms.h"
#include "bindings/signals.h"
#include "bindings/views.h"
#include "state/state_space.h"
#include "state/states.h"

namespace beeline::bindings {

namespace {

using Ids = nb::ndarray<const StateId, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class Item>
using Matrix = nb::ndarray<nb::numpy, Item, nb::ndim<2>>;
template <class Item>
using Vector = nb::ndarray<nb::numpy, Item, nb::ndim<1>>;

template <class Item>
nb::capsule owner_of(Item *items) {
  return nb::capsule(items, [](void *pointer) noexcept { delete[] static_cast<Item *>(pointer); });
}

template <class Item>
Vector<Item> vector_of(const std::vector<Item> &items) {
  auto *copy = new Item[items.size()];
  std::copy(items.begin(), items.end(), copy);
  return Vector<Item>(copy, {items.size()}, owner_of(copy));
}

using LongRows = nb::typed<nb::tuple, Vector<std::int64_t>, Vector<std::int32_t>>;

void check_ids(const States &states, const Ids &ids) {
  for (std::size_t i = 0; i < ids.shape(0); ++i)
    if (ids(i) >= states.registry.size())
      throw std::out_of_range("no state with this number");
}

Vector<StateId> insert(States &states, const Values &values) {
  const Variables &variables = states.registry.task().variables;
  if (values.shape(1) != static_cast<std::size_t>(variables.count()))
    throw std::invalid_argument("a state has one value per variable");
  std::vector<StateId> ids;
  std::vector<Word> buffer(states.registry.packer().words());
  for (std::size_t i = 0; i < values.shape(0); ++i) {
    const std::int32_t *row = values.data() + i * values.shape(1);
    for (int variable = 0; variable < variables.count(); ++variable)
      if (row[variable] < variables.offsets[variable] ||
          row[variable] >= variables.offsets[variable + 1])
        throw std::invalid_argument("a value that its variable does not have");
    states.registry.packer().pack(row, buffer.data());
    states.successors.derive(buffer.data());
    ids.push_back(states.registry.insert(buffer.data()).first);
  }
  return vector_of(ids);
}

using Columns = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Matrix<std::int32_t> values(const States &states, const Ids &ids,
                            const std::optional<Columns> &variables) {
  check_ids(states, ids);
  const StateRegistry &registry = states.registry;
  const auto all = static_cast<std::size_t>(registry.task().variables.count());
  const std::size_t width = variables ? variables->shape(0) : all;
  if (variables)
    for (std::size_t j = 0; j < width; ++j)
      if ((*variables)(j) < 0 || static_cast<std::size_t>((*variables)(j)) >= all)
        throw std::out_of_range("no variable with this number");
  auto *items = new std::int32_t[ids.shape(0) * width];
  for (std::size_t i = 0; i < ids.shape(0); ++i) {
    const Word *state = registry[ids(i)];
    std::int32_t *row = items + i * width;
    if (!variables) {
      registry.packer().unpack(state, row);
      continue;
    }
    for (std::size_t j = 0; j < width; ++j) {
      const std::int32_t variable = (*variables)(j);
      row[j] = registry.task().variables.offsets[variable] + registry.packer().get(state, variable);
    }
  }
  return Matrix<std::int32_t>(items, {ids.shape(0), width}, owner_of(items));
}

// Calls use(row, fact) for each true fact of each state.
template <class Use>
void for_each_fact(const States &states, const Ids &ids, const Use &use) {
  const GroundTask &task = states.registry.task();
  std::vector<int> row(task.variables.count());
  for (std::size_t i = 0; i < ids.shape(0); ++i) {
    states.registry.packer().unpack(states.registry[ids(i)], row.data());
    for (int value : row)
      if (task.variables.fact_of[value] >= 0)
        use(i, task.variables.fact_of[value]);
  }
}

Matrix<std::uint8_t> facts(const States &states, const Ids &ids) {
  check_ids(states, ids);
  const std::size_t width = states.registry.task().fact_values.size();
  auto *items = new std::uint8_t[ids.shape(0) * width]();
  for_each_fact(states, ids, [&](std::size_t i, int fact) { items[i * width + fact] = 1; });
  return Matrix<std::uint8_t>(items, {ids.shape(0), width}, owner_of(items));
}

auto true_facts(const States &states, const Ids &ids) {
  check_ids(states, ids);
  std::vector<std::int64_t> starts(ids.shape(0) + 1, 0);
  std::vector<std::int32_t> items;
  for_each_fact(states, ids, [&](std::size_t i, int fact) {
    items.push_back(fact);
    starts[i + 1] = static_cast<std::int64_t>(items.size());
  });
  for (std::size_t i = 1; i < starts.size(); ++i) // states without any true fact
    starts[i] = std::max(starts[i], starts[i - 1]);
  return nb::typed<nb::tuple, Vector<std::int64_t>, Vector<std::int32_t>>(
      nb::make_tuple(vector_of(starts), vector_of(items)));
}

Vector<std::int32_t> applicable(const States &states, StateId state, std::optional<Columns> kinds) {
  if (state >= states.registry.size())
    throw std::out_of_range("no state with this number");
  std::vector<int> operators;
  const auto &unwritten = states.registry.task().unwritten;
  if (kinds && (!unwritten || static_cast<int>(kinds->shape(0)) != unwritten->objects))
    throw std::invalid_argument("kinds are for all objects of a task with unwritten actions");
  if (kinds)
    states.successors.applicable_kinds(states.registry[state], {kinds->data(), kinds->shape(0)},
                                       operators);
  else
    states.successors.applicable(states.registry[state], operators);
  return vector_of(operators);
}

auto successors(States &states, StateId state) {
  if (state >= states.registry.size())
    throw std::out_of_range("no state with this number");
  std::vector<int> operators;
  states.successors.applicable(states.registry[state], operators);
  std::vector<Word> buffer(states.registry.packer().words());
  std::vector<StateId> ids;
  for (int op : operators) {
    states.successors.apply(op, states.registry[state], buffer.data());
    ids.push_back(states.registry.insert(buffer.data()).first);
  }
  return nb::typed<nb::tuple, Vector<std::int32_t>, Vector<StateId>>(
      nb::make_tuple(vector_of(operators), vector_of(ids)));
}

LongRows ideal_operators(const StateSpace &space, const Ids &ids) {
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> items;
  for (std::size_t i = 0; i < ids.shape(0); ++i) {
    if (ids(i) >= space.registry().size())
      throw std::out_of_range("no state with this number");
    space.ideal_operators(ids(i), items);
    starts.push_back(static_cast<std::int64_t>(items.size()));
  }
  return LongRows(nb::make_tuple(vector_of(starts), vector_of(items)));
}

Matrix<std::int32_t> space_values(const StateSpace &space, const Ids &ids) {
  const StateRegistry &registry = space.registry();
  const auto width = static_cast<std::size_t>(registry.task().variables.count());
  for (std::size_t i = 0; i < ids.shape(0); ++i)
    if (ids(i) >= registry.size())
      throw std::out_of_range("no state with this number");
  auto *items = new std::int32_t[ids.shape(0) * width];
  for (std::size_t i = 0; i < ids.shape(0); ++i)
    registry.packer().unpack(registry[ids(i)], items + i * width);
  return Matrix<std::int32_t>(items, {ids.shape(0), width}, owner_of(items));
}

} // namespace

void bind_state(nb::module_ &module) {
  nb::class_<States>(module, "States", "The registered states of a task, by number.")
      .def(nb::init<const GroundTask &>(), nb::arg("task"), nb::keep_alive<1, 2>())
      .def_ro("initial", &States::initial, "The number of the initial state.")
      .def("__len__", [](const States &states) { return states.registry.size(); })
      .def_prop_ro(
          "looked_at", [](const States &states) { return states.successors.looked_at(); },
          "What finding and making successors has looked at so far, some nanoseconds each.")
      .def_prop_ro(
          "has_products", [](const States &states) { return states.successors.has_products(); },
          "Whether some action has very many operators, all combinations of independent parts.")
      .def_prop_ro("bytes", [](const States &states) { return states.registry.bytes(); })
      .def("insert", &insert, nb::arg("values"),
           "Numbers of states given by their values: int32[n, variables] to uint32[n].")
      .def("values", &values, nb::arg("ids"), nb::arg("variables") = nb::none(),
           "Values of all variables, or of some: int32[n, variables].")
      .def("facts", &facts, nb::arg("ids"), "Which facts are true: uint8[n, facts].")
      .def("true_facts", &true_facts, nb::arg("ids"),
           "The true facts of each state, as (starts, items).")
      .def("applicable", &applicable, nb::arg("state"), nb::arg("kinds") = nb::none(),
           "Applicable operators, in the order of the successors: int32[k]. With the kinds of all "
           "objects, of those with the same action and arguments of the same kinds at least the "
           "first.")
      .def("successors", &successors, nb::arg("state"),
           "Applicable operators and the states they lead to: int32[k], uint32[k].");

  nb::class_<StateSpace>(module, "StateSpace",
                         "All states that are reachable from the initial one, in breadth-first "
                         "order.")
      .def(
          "__init__",
          [](StateSpace *self, const GroundTask &task, std::size_t max_states) {
            Poll poll = signal_poll();
            nb::gil_scoped_release unlocked;
            new (self) StateSpace(task, max_states, poll);
          },
          nb::arg("task"), nb::arg("max_states"), nb::keep_alive<1, 2>(),
          "Raises an error if there are more states.")
      .def("__len__", [](const StateSpace &space) { return space.registry().size(); })
      .def_prop_ro("arcs", &StateSpace::arcs)
      .def_prop_ro("dead_ends", &StateSpace::dead_ends)
      .def_prop_ro("largest_distance", &StateSpace::largest_distance,
                   "The largest distance to the goal, of states that reach it.")
      .def_prop_ro(
          "distances",
          [](nb::handle self) {
            return view(nb::cast<const StateSpace &>(self).goal_distances(), self);
          },
          "Cost of a cheapest plan, -1 for dead ends: int64[states].")
      .def("values", &space_values, nb::arg("ids"),
           "The value of each variable: uint32[n] to int32[n, variables].")
      .def("ideal_operators", &ideal_operators, nb::arg("ids"),
           "Operators that begin a cheapest plan, as (starts, items).");
}

} // namespace beeline::bindings
