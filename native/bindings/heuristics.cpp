#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings/rooms.h"
#include "bindings/signals.h"
#include "bindings/views.h"
#include "heuristics/context_additive.h"
#include "heuristics/factory.h"
#include "heuristics/landmark_count.h"
#include "heuristics/novelty.h"
#include "heuristics/relaxation.h"
#include "state/states.h"

namespace beeline::bindings {

namespace {

using Ids = nb::ndarray<const StateId, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

// A Python function over batches: uint32[n] state numbers to n floats.
class PythonEvaluator : public Evaluator {
public:
  PythonEvaluator(nb::object function, nb::object preferred, bool proves_dead_ends)
      : function_(std::move(function)), preferred_(std::move(preferred)),
        proves_dead_ends_(proves_dead_ends) {}

  void evaluate(const StateRegistry &, std::span<const StateId> states,
                std::span<double> values) override {
    nb::gil_scoped_acquire lock;
    auto *ids = new StateId[states.size()];
    std::copy(states.begin(), states.end(), ids);
    const nb::capsule owner(
        ids, [](void *pointer) noexcept { delete[] static_cast<StateId *>(pointer); });
    const auto array = nb::ndarray<nb::numpy, StateId, nb::ndim<1>>(ids, {states.size()}, owner);
    const auto result =
        nb::cast<nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(
            function_(array));
    if (result.shape(0) != states.size())
      throw std::invalid_argument("an evaluator returned a wrong number of values");
    for (std::size_t i = 0; i < states.size(); ++i) {
      values[i] = result(i);
      if (values[i] != values[i])
        throw std::invalid_argument("an evaluator returned a value that is not a number");
    }
  }

  bool proves_dead_ends() const override { return proves_dead_ends_; }
  bool has_preferred() const override { return !preferred_.is_none(); }
  void preferred(const StateRegistry &registry, StateId state,
                 std::vector<int> &operators) override {
    if (preferred_.is_none())
      return;
    nb::gil_scoped_acquire lock;
    for (int op : nb::cast<std::vector<int>>(preferred_(state))) {
      if (op < 0 || static_cast<std::size_t>(op) >= registry.task().operators.size())
        throw std::out_of_range("an evaluator prefers an operator that does not exist");
      operators.push_back(op);
    }
  }

  // For the garbage collector: a function may refer to its evaluator.
  static int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    if (nb::inst_ready(self)) {
      const auto *evaluator = nb::inst_ptr<PythonEvaluator>(self);
      Py_VISIT(evaluator->function_.ptr());
      Py_VISIT(evaluator->preferred_.ptr());
    }
    return 0;
  }
  static int clear(PyObject *self) {
    auto *evaluator = nb::inst_ptr<PythonEvaluator>(self);
    evaluator->function_.reset();
    evaluator->preferred_.reset();
    return 0;
  }

private:
  nb::object function_, preferred_;
  bool proves_dead_ends_;
};

PyType_Slot python_evaluator_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void *>(PythonEvaluator::traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(PythonEvaluator::clear)},
    {0, nullptr},
};

void check_ids(const States &states, const Ids &ids) {
  for (std::size_t i = 0; i < ids.shape(0); ++i)
    if (ids(i) >= states.registry.size())
      throw std::out_of_range("no state with this number");
}

nb::ndarray<nb::numpy, double, nb::shape<-1, 4>> features(FFHeuristic &heuristic,
                                                          const States &states, const Ids &ids) {
  static_assert(sizeof(RelaxedPlanFeatures) == 4 * sizeof(double));
  check_task(heuristic, states.registry);
  check_ids(states, ids);
  const std::size_t count = ids.shape(0);
  auto *rows = new RelaxedPlanFeatures[count];
  nb::capsule owner(
      rows, [](void *pointer) noexcept { delete[] static_cast<RelaxedPlanFeatures *>(pointer); });
  {
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < count; ++i)
      rows[i] = heuristic.features(states.registry.packer(), states.registry[ids(i)]);
  }
  return {&rows->goal_count, {count, 4}, owner};
}

Doubles evaluate(Evaluator &evaluator, const States &states, const Ids &ids) {
  check_task(evaluator, states.registry);
  check_ids(states, ids);
  const std::size_t count = ids.shape(0);
  auto *values = new double[count];
  nb::capsule owner(values,
                    [](void *pointer) noexcept { delete[] static_cast<double *>(pointer); });
  {
    nb::gil_scoped_release unlocked;
    evaluator.evaluate(states.registry, {ids.data(), count}, {values, count});
  }
  return Doubles(values, {count}, owner);
}

} // namespace

void bind_heuristics(nb::module_ &module) {
  nb::class_<Evaluator>(module, "Evaluator", "A heuristic, as searches see it.")
      .def("evaluate", &evaluate, nb::arg("states"), nb::arg("ids"),
           "Values of states, infinity for dead ends: uint32[n] to float64[n].")
      .def_prop_ro("has_preferred", &Evaluator::has_preferred)
      .def_prop_ro(
          "work", &Evaluator::work,
          "What its values have cost so far, in microseconds of a usual machine: counted,\n"
          "not timed. 0 if it does not count.")
      .def_prop_ro("proves_dead_ends", &Evaluator::proves_dead_ends,
                   "Whether infinity is a proof that no plan starts in a state.")
      .def(
          "preferred",
          [](Evaluator &evaluator, const States &states, StateId state) {
            check_task(evaluator, states.registry);
            if (state >= states.registry.size())
              throw std::out_of_range("no state with this number");
            std::vector<int> operators;
            if (!evaluator.ranks_operators()) {
              evaluator.preferred(states.registry, state, operators);
              return operators;
            }
            std::vector<int> applicable;
            states.successors.applicable(states.registry[state], applicable);
            std::vector<double> ranks(applicable.size());
            evaluator.rank(states.registry, state, applicable, ranks);
            append_highest(applicable, ranks, operators);
            return operators;
          },
          nb::arg("states"), nb::arg("state"), "Operators that look promising in a state.");

  nb::class_<FFHeuristic, Evaluator>(module, "FFHeuristic", "h_FF with its relaxed plans.")
      .def(nb::init<const GroundTask &>(), nb::arg("task"), nb::keep_alive<1, 2>())
      .def(
          "relaxed_plan",
          [](FFHeuristic &heuristic, const States &states, StateId state) {
            check_task(heuristic, states.registry);
            if (state >= states.registry.size())
              throw std::out_of_range("no state with this number");
            std::vector<int> plan;
            if (!heuristic.relaxed_plan(states.registry.packer(), states.registry[state], plan))
              throw std::invalid_argument("the state has no relaxed plan");
            return plan;
          },
          nb::arg("states"), nb::arg("state"), "The operators of the relaxed plan, each once.")
      .def("features", &features, nb::arg("states"), nb::arg("ids"),
           "Goal count, h_FF, and the delete effects of the relaxed plan, summed and per\n"
           "operator: uint32[n] to float64[n, 4].");

  module.def(
      "goals_are_ordered",
      [](const GroundTask &task) { return ContextAdditiveHeuristic(task).is_ordered(); },
      nb::arg("task"),
      "Whether no goal depends on variables that depend on each other in circles, which makes\n"
      "the heuristic cea cheap.");

  nb::class_<PythonEvaluator, Evaluator>(module, "PythonEvaluator",
                                         "A Python function over state numbers as a heuristic.",
                                         nb::type_slots(python_evaluator_slots))
      .def(nb::init<nb::object, nb::object, bool>(), nb::arg("function"),
           nb::arg("preferred") = nb::none(), nb::arg("proves_dead_ends") = false);

  nb::enum_<CostType>(module, "CostType", "What a heuristic takes for the cost of an operator.")
      .value("PLAIN", CostType::plain)
      .value("ONE", CostType::one)
      .value("PLUSONE", CostType::plusone);

  nb::class_<LandmarkCountHeuristic, Evaluator>(module, "LandmarkCountHeuristic",
                                                "Landmarks that are still to be reached.")
      .def_prop_ro(
          "landmarks",
          [](const LandmarkCountHeuristic &heuristic) {
            std::vector<std::vector<int>> values;
            for (const Landmark &landmark : heuristic.graph()->landmarks)
              values.push_back(landmark.values);
            return values;
          },
          "The values of each landmark, of which one must hold at some time in every plan.")
      .def_prop_ro(
          "orders",
          [](const LandmarkCountHeuristic &heuristic) {
            std::vector<std::tuple<int, int, std::string>> orders;
            constexpr const char *names[] = {"reasonable", "natural", "greedy"};
            for (const auto &[pair, order] : heuristic.graph()->orders)
              orders.emplace_back(pair.first, pair.second, names[static_cast<int>(order)]);
            return orders;
          },
          "(before, after, kind): numbers of landmarks, and reasonable, natural or greedy.");

  nb::class_<Novelty, Evaluator>(
      module, "Novelty", "How much of a state is new to the evaluators in front of it: 1, 2 or 3.")
      .def(nb::init<const GroundTask &, int>(), nb::arg("task"), nb::arg("width") = 2,
           nb::keep_alive<1, 2>());

  using Properties = HeuristicProperties;
  nb::class_<Properties>(module, "HeuristicProperties", "What a heuristic promises in every task.")
      .def_ro("name", &Properties::name)
      .def_ro("summary", &Properties::summary)
      .def_ro("work", &Properties::work,
              "The cost of one evaluation, in explorations of the relaxed task.")
      .def_ro("admissible", &Properties::admissible, "Never above the cost of a cheapest plan.")
      .def_ro("consistent", &Properties::consistent,
              "Falls by no more than the cost of an operator that is applied.")
      .def_ro("safe", &Properties::safe, "Infinity is a proof that no plan starts in a state.")
      .def_ro("integral", &Properties::integral, "All values are integers.")
      .def_ro("preferred", &Properties::preferred, "Has preferred operators.")
      .def_ro("uses_costs", &Properties::uses_costs, "Looks at the costs of operators.")
      .def_ro("all_operators", &Properties::all_operators,
              "Looks at all operators: it cannot do with unwritten actions.")
      .def_ro("any_costs", &Properties::any_costs, "Can take costs for 1, or for one more.");
  module.def("heuristic_properties", &heuristic_properties, "Those of all heuristics, by name.");
  module.def(
      "make_heuristic",
      [](const std::string &name, const GroundTask &task, CostType costs, const Evaluator *like) {
        Poll poll = signal_poll();
        nb::gil_scoped_release unlocked;
        return make_heuristic(name, task, poll, costs, like);
      },
      nb::arg("name"), nb::arg("task"), nb::arg("costs") = CostType::plain,
      nb::arg("like").none() = nb::none(), nb::keep_alive<0, 2>(),
      "A native heuristic by name; `like` is the same one with other costs.");
}

} // namespace beeline::bindings
