#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>

#include "bindings/rooms.h"
#include "bindings/signals.h"
#include "ground/goal_orders.h"
#include "ground/grounder.h"

namespace beeline::bindings {

namespace nb = nanobind;

namespace {

// The lifted program arrives as plain tuples: it is small and built once per task. Only the
// initial atoms are many; they come as the bytes of int32 arrays, their values (costs) of int64.
using Literal = std::tuple<int, std::vector<int>, bool>;
using LiteralList = std::vector<Literal>;
using EffectTuple = std::tuple<std::vector<int>, LiteralList, Literal>;
using ActionTuple = std::tuple<int, int, std::vector<int>, LiteralList, std::vector<EffectTuple>,
                               Cost, int, std::vector<int>>;
using PredicateTuple = std::tuple<int, bool, int, nb::bytes, nb::bytes>;
using InvariantTuple = std::pair<int, std::vector<std::pair<int, std::vector<int>>>>;

template <class Item>
std::vector<Item> items_of(const nb::bytes &bytes) {
  std::vector<Item> result(bytes.size() / sizeof(Item));
  if (!result.empty())
    std::memcpy(result.data(), bytes.c_str(), result.size() * sizeof(Item));
  return result;
}

// The engine indexes by these numbers without further checks, so they are checked here.
class ProgramReader {
public:
  ProgramReader(int objects, const std::vector<PredicateTuple> &predicates) {
    program.objects = objects;
    for (const auto &[arity, fluent, count, atoms, values] : predicates) {
      Predicate predicate{arity, fluent, count, items_of<std::int32_t>(atoms),
                          items_of<Cost>(values)};
      require(arity >= 0 && count >= 0 &&
              predicate.atoms.size() == static_cast<std::size_t>(arity) * count);
      for (int object : predicate.atoms)
        require(object >= 0 && object < objects);
      for (Cost value : predicate.values)
        require(is_cost(value));
      program.predicates.push_back(std::move(predicate));
    }
  }

  LiftedLiteral literal(const Literal &literal, std::size_t variables) {
    const auto &[predicate, args, negated] = literal;
    require_predicate(predicate, args.size());
    for (int arg : args)
      require(arg < 0 ? ~arg < program.objects : static_cast<std::size_t>(arg) < variables);
    return {predicate, args, negated};
  }

  std::vector<LiftedLiteral> literals(const LiteralList &list, std::size_t variables) {
    std::vector<LiftedLiteral> result;
    for (const Literal &item : list)
      result.push_back(literal(item, variables));
    return result;
  }

  LiftedAction action(const ActionTuple &tuple) {
    const auto &[name, external, types, precondition, effects, cost, function, cost_args] = tuple;
    require(external >= 0 && static_cast<std::size_t>(external) <= types.size());
    require_types(types);
    LiftedAction result;
    result.name = name;
    result.external = external;
    result.parameter_types = types;
    result.precondition = literals(precondition, types.size());
    for (const auto &[own_types, condition, head] : effects) {
      require_types(own_types);
      const std::size_t variables = types.size() + own_types.size();
      result.effects.push_back(
          {own_types, literals(condition, variables), literal(head, variables)});
      require(program.predicates[result.effects.back().literal.predicate].fluent);
    }
    require(is_cost(cost));
    result.cost = cost;
    result.cost_function = function;
    if (function >= 0) {
      result.cost_args = literal({function, cost_args, false}, types.size()).args;
      const Predicate &values = program.predicates[function];
      require(values.values.size() == static_cast<std::size_t>(values.atom_count));
    }
    return result;
  }

  void require_predicate(int predicate, std::size_t arity) const {
    require(predicate >= 0 && static_cast<std::size_t>(predicate) < program.predicates.size() &&
            static_cast<std::size_t>(program.predicates[predicate].arity) == arity);
  }

  static bool is_cost(Cost value) { return value >= 0 && value < cost_limit; }

  static void require(bool condition) {
    if (!condition)
      throw std::invalid_argument("malformed lifted program");
  }

  LiftedProgram program;

private:
  void require_types(const std::vector<int> &types) const {
    for (int type : types) {
      require_predicate(type, 1);
      require(!program.predicates[type].fluent);
    }
  }
};

Grounder make_grounder(int objects, const std::vector<PredicateTuple> &predicates,
                       const std::vector<ActionTuple> &actions,
                       const std::vector<ActionTuple> &axioms, const LiteralList &goal) {
  ProgramReader reader(objects, predicates);
  for (const ActionTuple &action : actions)
    reader.program.actions.push_back(reader.action(action));
  std::vector<char> derived(predicates.size(), 0);
  for (const ActionTuple &axiom : axioms) {
    const LiftedAction &read = reader.program.axioms.emplace_back(reader.action(axiom));
    ProgramReader::require(read.effects.size() == 1);
    const LiftedEffect &effect = read.effects.front();
    ProgramReader::require(effect.parameter_types.empty() && effect.condition.empty() &&
                           !effect.literal.negated &&
                           reader.program.predicates[effect.literal.predicate].atom_count == 0);
    derived[effect.literal.predicate] = 1;
  }
  for (const LiftedAction &action : reader.program.actions)
    for (const LiftedEffect &effect : action.effects)
      ProgramReader::require(derived[effect.literal.predicate] == 0);
  reader.program.goal = reader.literals(goal, 0);
  return Grounder(std::move(reader.program));
}

using EqualPairs = std::optional<std::vector<std::pair<int, int>>>;

std::vector<EqualPairs> explore(Grounder &grounder, double most) {
  Poll poll = signal_poll();
  nb::gil_scoped_release unlocked;
  grounder.explore(most, poll);
  const Exploration &exploration = grounder.explored();
  std::vector<EqualPairs> result(grounder.program().actions.size());
  for (std::size_t action = 0; action < result.size(); ++action) {
    if (exploration.instance_counts[action] == 0)
      continue;
    result[action].emplace();
    const std::size_t parameters = grounder.program().actions[action].parameter_types.size();
    for (std::size_t p = 0; p < parameters; ++p)
      for (std::size_t q = p + 1; q < parameters; ++q)
        if (exploration.equal_parameters[action][p * parameters + q] != 0)
          result[action]->emplace_back(p, q);
  }
  return result;
}

GroundTask finish(Grounder &grounder, const std::vector<InvariantTuple> &invariants, bool inlined) {
  std::vector<LiftedInvariant> lifted;
  for (const auto &[parameters, parts] : invariants) {
    LiftedInvariant invariant{parameters, {}};
    for (const auto &[predicate, args] : parts) {
      ProgramReader::require(predicate >= 0 && static_cast<std::size_t>(predicate) <
                                                   grounder.program().predicates.size());
      const Predicate &declared = grounder.program().predicates[predicate];
      ProgramReader::require(declared.fluent &&
                             static_cast<std::size_t>(declared.arity) == args.size());
      for (int arg : args)
        ProgramReader::require(arg == InvariantPart::counted || (arg >= 0 && arg < parameters));
      invariant.parts.push_back({predicate, args});
    }
    lifted.push_back(std::move(invariant));
  }
  Poll poll = signal_poll();
  nb::gil_scoped_release unlocked;
  return grounder.finish(lifted, inlined, poll);
}

} // namespace

void bind_ground(nb::module_ &module) {
  module.def(
      "with_goal_orders",
      [](const GroundTask &task) {
        Poll poll = signal_poll();
        nb::gil_scoped_release unlocked;
        return with_goal_orders(task, poll);
      },
      nb::arg("task"),
      "The task with the same plans and fewer dead ends: operators whose effects last have those\n"
      "goals as conditions that could not be reached behind them. None if there is nothing to "
      "add.");
  nb::class_<Grounder>(module, "Grounder", "Makes a ground task from a lifted program.")
      .def(
          "__init__",
          [](Grounder *self, int objects, const std::vector<PredicateTuple> &predicates,
             const std::vector<ActionTuple> &actions, const std::vector<ActionTuple> &axioms,
             const LiteralList &goal) {
            new (self) Grounder(make_grounder(objects, predicates, actions, axioms, goal));
          },
          nb::arg("objects"), nb::arg("predicates"), nb::arg("actions"), nb::arg("axioms"),
          nb::arg("goal"))
      .def("explore", &explore, nb::arg("most") = std::numeric_limits<double>::infinity(),
           "Relaxed reachability. Per action: the pairs of parameters that are equal in some\n"
           "instance, or None if there is no instance. If the actions have more than `most`\n"
           "instances, those with a large share of them stay unwritten.")
      .def("finish", &finish, nb::arg("invariants"), nb::arg("inlined") = false,
           "The ground task, with mutex groups from these lifted invariants. If `inlined`,\n"
           "conditions on derived facts are replaced by what these stand for, unless that is too\n"
           "much.");
}

} // namespace beeline::bindings
