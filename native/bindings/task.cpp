#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>

#include "bindings/rooms.h"
#include "bindings/views.h"
#include "task/archive.h"
#include "task/ground_task.h"

namespace beeline::bindings {

namespace {

GroundTask &task_of(nb::handle self) { return nb::cast<GroundTask &>(self); }

// The operators of a task that has them all: others come while one looks.
const Operators &operators_of(nb::handle self) {
  const GroundTask &task = task_of(self);
  task.require_operators("an array of operators");
  return task.operators;
}

bool goal_holds_initially(const GroundTask &task) {
  return task.solvability == Solvability::open &&
         std::all_of(task.goal.begin(), task.goal.end(), [&](int value) {
           return task.initial[task.variables.variable_of[value]] == value;
         });
}

std::vector<std::pair<int, std::vector<int>>> initial_atoms(const GroundTask &task) {
  std::vector<std::pair<int, std::vector<int>>> atoms;
  for (int value : task.initial)
    if (const int fact = task.variables.fact_of[value]; fact >= 0) {
      const auto args = task.fact_args[fact];
      atoms.emplace_back(task.fact_predicates[fact], std::vector<int>(args.begin(), args.end()));
    }
  return atoms;
}

// What relaxed plans grow with.
std::size_t bulk(const GroundTask &task) {
  const EffectRows &effects = task.operators.effects;
  std::size_t conditional = 0;
  if (!effects.others().empty())
    for (std::size_t op = 0; op < effects.size(); ++op)
      conditional += static_cast<std::size_t>(std::count_if(effects.codes()[op].begin(),
                                                            effects.codes()[op].end(),
                                                            [](int code) { return code < 0; }));
  return static_cast<std::size_t>(task.operator_count()) + conditional + task.axioms.size();
}

EffectView effects_array(const EffectRows &rows) {
  std::vector<std::int32_t> items;
  items.reserve(3 * rows.count());
  for (std::size_t op = 0; op < rows.size(); ++op)
    for (const Effect &effect : rows[op])
      items.insert(items.end(), {effect.guard, effect.value, effect.condition});
  return array_of<EffectView>(std::move(items), {rows.count(), 3});
}

void check_operator(const GroundTask &task, std::size_t op) {
  if (op >= task.operators.size())
    throw std::out_of_range("no operator with this number");
}

std::vector<int> operator_conditions(const GroundTask &task, std::size_t op) {
  check_operator(task, op);
  const auto values = task.operators.conditions[op];
  return {values.begin(), values.end()};
}

std::vector<std::pair<std::vector<int>, int>> operator_effects(const GroundTask &task,
                                                               std::size_t op) {
  check_operator(task, op);
  std::vector<std::pair<std::vector<int>, int>> result;
  for (const Effect &effect : task.operators.effects[op]) {
    std::vector<int> needed;
    if (effect.guard >= 0)
      needed.push_back(effect.guard);
    const auto others = task.operators.condition_of(effect);
    needed.insert(needed.end(), others.begin(), others.end());
    result.emplace_back(std::move(needed), effect.value);
  }
  return result;
}

} // namespace

void bind_task(nb::module_ &module) {
  nb::enum_<Solvability>(module, "Solvability", "What grounding found out about the goal.")
      .value("OPEN", Solvability::open, "Nothing speaks against a plan.")
      .value("GOAL_STATIC", Solvability::goal_static, "A goal literal is false for ever.")
      .value("GOAL_UNREACHED", Solvability::goal_unreached,
             "Not even reachable without delete effects.")
      .value("GOAL_MUTEX", Solvability::goal_mutex, "Two goal literals exclude each other.");

  nb::class_<GroundTask>(module, "GroundTask",
                         "Finite-domain variables, operators, goal: numbers only, no names.")
      .def_ro("solvability", &GroundTask::solvability)
      .def_ro("reachable_facts", &GroundTask::reachable_facts,
              "Relaxed reachable fluent atoms, before any of them was removed.")
      .def_ro("reachable_instances", &GroundTask::reachable_instances,
              "Relaxed reachable action instances, before any of them was removed.")
      .def_prop_ro("num_variables", [](const GroundTask &t) { return t.variables.count(); })
      .def_prop_ro("num_values", [](const GroundTask &t) { return t.variables.values(); })
      .def_prop_ro("num_facts", [](const GroundTask &t) { return t.fact_values.size(); })
      .def_prop_ro(
          "num_operators",
          [](const GroundTask &t) { return static_cast<std::int64_t>(t.operator_count()); },
          "How many there are; those of unwritten actions as reachable without delete effects.")
      .def_prop_ro(
          "unwritten_actions",
          [](const GroundTask &t) {
            std::vector<int> actions;
            if (t.unwritten)
              for (const UnwrittenAction &action : t.unwritten->actions)
                actions.push_back(action.action);
            return actions;
          },
          "Actions that have more operators than fit, which are written down when they are met.")
      .def_prop_ro(
          "num_written", [](const GroundTask &t) { return t.operators.size(); },
          "Operators that are written down by now.")
      .def_prop_ro("bulk", &bulk, "Operators, effects with conditions, and axioms.")
      .def_prop_ro("num_mutex_groups", [](const GroundTask &t) { return t.mutex_groups.size(); })
      .def_prop_ro("num_goals", [](const GroundTask &t) { return t.goal.size(); })
      .def_prop_ro("goal_holds_initially", &goal_holds_initially)
      .def_prop_ro(
          "domain_sizes",
          [](const GroundTask &t) {
            std::vector<int> sizes;
            for (int variable = 0; variable < t.variables.count(); ++variable)
              sizes.push_back(t.variables.domain_size(variable));
            return sizes;
          },
          "Number of values of each variable.")
      .def_prop_ro(
          "offsets", [](nb::handle self) { return view(task_of(self).variables.offsets, self); },
          "First value of each variable, and the end: int32[variables + 1].")
      .def_prop_ro(
          "variable_of",
          [](nb::handle self) { return view(task_of(self).variables.variable_of, self); },
          "int32[values].")
      .def_prop_ro(
          "fact_of", [](nb::handle self) { return view(task_of(self).variables.fact_of, self); },
          "The fact of each value, or -1: int32[values].")
      .def_prop_ro("initial_atoms", &initial_atoms,
                   "The facts of the initial state, as pairs of a predicate and objects.")
      .def_prop_ro(
          "negated_fact", [](nb::handle self) { return view(task_of(self).negated_fact, self); },
          "The fact that a value negates, or -1: int32[values].")
      .def_prop_ro(
          "fact_values", [](nb::handle self) { return view(task_of(self).fact_values, self); },
          "The value of each fact: int32[facts].")
      .def_prop_ro(
          "fact_predicates",
          [](nb::handle self) { return view(task_of(self).fact_predicates, self); },
          "int32[facts].")
      .def_prop_ro(
          "fact_args", [](nb::handle self) { return rows_view(task_of(self).fact_args, self); },
          "Objects of each fact, as (starts, items).")
      .def_prop_ro(
          "initial", [](nb::handle self) { return view(task_of(self).initial, self); },
          "A value per variable: int32[variables].")
      .def_prop_ro(
          "goal", [](nb::handle self) { return view(task_of(self).goal, self); },
          "Values that must hold, ascending: int32[goals].")
      .def_prop_ro(
          "conditions",
          [](nb::handle self) { return rows_view(operators_of(self).conditions, self); },
          "Values that each operator needs, ascending, as (starts, items).")
      .def_prop_ro(
          "effects",
          [](nb::handle self) {
            const EffectRows &effects = operators_of(self).effects;
            return nb::typed<nb::tuple, LongView, EffectView>(
                nb::make_tuple(long_starts(effects.codes().starts()), effects_array(effects)));
          },
          "(guard or -1, new value, row of `effect_conditions` or -1) of each effect of each\n"
          "operator, as (starts, int32[n, 3]).")
      .def_prop_ro(
          "effect_conditions",
          [](nb::handle self) { return rows_view(operators_of(self).effect_conditions, self); },
          "Values of other variables that conditional effects need, as (starts, items).")
      .def_prop_ro("num_axioms", [](const GroundTask &t) { return t.axioms.size(); })
      .def_prop_ro(
          "has_axioms", [](const GroundTask &t) { return !t.axioms.empty(); },
          "Whether some variable is derived.")
      .def_prop_ro(
          "axiom_conditions",
          [](nb::handle self) { return rows_view(task_of(self).axioms.conditions, self); },
          "Values that each axiom needs, ascending, as (starts, items).")
      .def_prop_ro(
          "axiom_values", [](nb::handle self) { return view(task_of(self).axioms.values, self); },
          "The value that each axiom makes true: int32[axioms].")
      .def_prop_ro(
          "axiom_layers", [](nb::handle self) { return view(task_of(self).axioms.layers, self); },
          "The layer of each variable, -1 if it is not derived: int32[variables], or int32[0].")
      .def_prop_ro(
          "costs",
          [](nb::handle self) { return array_of<LongView>(operators_of(self).costs.list()); },
          nb::rv_policy::automatic, "int64[operators].")
      .def_prop_ro("lowest_cost", &GroundTask::lowest_cost, "Of all operators; 0 if there is none.")
      .def_prop_ro("highest_cost", &GroundTask::highest_cost,
                   "Of all operators; 0 if there is none.")
      .def_prop_ro(
          "operator_actions",
          [](nb::handle self) { return view(operators_of(self).actions, self); },
          "The lifted action of each operator: int32[operators].")
      .def_prop_ro(
          "operator_args", [](nb::handle self) { return rows_view(operators_of(self).args, self); },
          "Objects in each operator's name, as (starts, items).")
      .def_prop_ro(
          "mutex_groups",
          [](nb::handle self) { return rows_view(task_of(self).mutex_groups, self); },
          "Values of which at most one holds, across variables, as (starts, items).")
      .def(
          "operator_words",
          [](const GroundTask &task, std::size_t op) {
            check_operator(task, op);
            const auto args = task.operators.args[op];
            return std::pair(task.operators.actions[op],
                             std::vector<int>(args.begin(), args.end()));
          },
          nb::arg("operator"), "The action and the objects in an operator's name.")
      .def("operator_conditions", &operator_conditions, nb::arg("operator"),
           "The values that one operator needs, ascending.")
      .def("operator_effects", &operator_effects, nb::arg("operator"),
           "The effects of one operator: the values that each needs before, and its new value.")
      .def(
          "operator_cost",
          [](const GroundTask &task, std::size_t op) {
            check_operator(task, op);
            return task.operators.costs[op];
          },
          nb::arg("operator"), "The cost of one operator.")
      .def("__getstate__",
           [](const GroundTask &task) {
             const std::string bytes = to_bytes(task);
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def("__setstate__", [](GroundTask &task, const nb::bytes &bytes) {
        new (&task) GroundTask(from_bytes({bytes.c_str(), bytes.size()}));
      });
}

} // namespace beeline::bindings
