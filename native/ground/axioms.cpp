#include "ground/axioms.h"

#include <algorithm>
#include <stdexcept>

#include "base/strong_components.h"
#include "ground/ground_condition.h"

namespace beeline {

namespace {

// Whether something asks for a derived fact, directly or not.
std::vector<char> needed_facts(const AxiomBodies &bodies, const Variables &variables,
                               const Operators &operators, const std::vector<int> &goal,
                               int facts) {
  std::vector<char> needed(facts, 0);
  std::vector<int> open;
  const auto need = [&](int fact) {
    if (needed[fact] == 0 && bodies.contains(fact)) {
      needed[fact] = 1;
      open.push_back(fact);
    }
  };
  const auto need_variable_of = [&](int value) {
    const int fact = variables.fact_of[variables.offsets[variables.variable_of[value]]];
    if (fact >= 0)
      need(fact); // the first one: derived facts share their variable with none
  };
  std::for_each(goal.begin(), goal.end(), need_variable_of);
  for (const std::vector<int> *values :
       {&operators.conditions.items(), &operators.effect_conditions.items()})
    std::for_each(values->begin(), values->end(), need_variable_of);
  while (!open.empty()) {
    const int fact = open.back();
    open.pop_back();
    for (const AxiomBody &body : bodies.at(fact))
      for (int other : body)
        need(other >= 0 ? other : ~other);
  }
  return needed;
}

} // namespace

std::vector<char> derived_predicates(const LiftedProgram &program) {
  std::vector<char> result(program.predicates.size(), 0);
  for (const LiftedAction &axiom : program.axioms)
    result[axiom.effects.front().literal.predicate] = 1;
  return result;
}

AxiomBodies axiom_bodies(const LiftedProgram &program, const Exploration &exploration,
                         const FactTable &facts, Poll &poll) {
  AxiomBodies result;
  std::vector<int> binding, positive, negative;
  for (std::size_t a = 0; a < program.axioms.size(); ++a) {
    const LiftedAction &axiom = program.axioms[a];
    const std::size_t index = program.actions.size() + a;
    const TupleList &instances = exploration.instances[index];
    binding.resize(axiom.parameter_types.size());
    for (std::size_t instance = 0; instance < instances.size(); ++instance) {
      poll.tick();
      instances.get(instance, binding.data());
      if (!ground_condition(program, exploration, facts, axiom.precondition, binding.data(),
                            positive, negative))
        continue;
      AxiomBody body = positive;
      for (int fact : negative)
        body.push_back(~fact);
      std::sort(body.begin(), body.end());
      body.erase(std::unique(body.begin(), body.end()), body.end());
      const int head = facts.find(axiom.effects.front().literal, binding.data());
      if (!std::binary_search(body.begin(), body.end(), head))
        result[head].push_back(std::move(body));
    }
  }
  for (auto &[fact, list] : result)
    drop_superfluous(list);
  return result;
}

void drop_superfluous(std::vector<AxiomBody> &bodies) {
  constexpr std::size_t most_compared = 3000;
  std::sort(bodies.begin(), bodies.end(), [](const AxiomBody &left, const AxiomBody &right) {
    return std::pair(left.size(), left) < std::pair(right.size(), right);
  });
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  if (bodies.size() > most_compared)
    return;
  std::vector<AxiomBody> kept;
  for (AxiomBody &body : bodies)
    if (std::none_of(kept.begin(), kept.end(), [&](const AxiomBody &less) {
          return std::includes(body.begin(), body.end(), less.begin(), less.end());
        }))
      kept.push_back(std::move(body));
  bodies = std::move(kept);
}

Axioms instantiate_axioms(const AxiomBodies &bodies, const FactTable &facts, Encoding &encoding,
                          const Operators &operators, const std::vector<int> &goal, Poll &poll) {
  Axioms result;
  if (bodies.empty())
    return result;
  const std::vector<char> needed =
      needed_facts(bodies, encoding.variables(), operators, goal, facts.size());
  std::vector<int> positive, negative;
  for (const auto &[fact, list] : bodies) {
    if (needed[fact] == 0)
      continue;
    for (const AxiomBody &body : list) {
      poll.tick();
      positive.clear();
      negative.clear();
      for (int other : body)
        (other >= 0 ? positive : negative).push_back(other >= 0 ? other : ~other);
      for (const std::vector<int> &condition : encoding.conditions(positive, negative)) {
        result.conditions.add_row(condition);
        result.values.push_back(encoding.value_of(fact));
      }
    }
  }
  return result;
}

std::vector<int> axiom_layers(const Variables &variables, const Axioms &axioms,
                              const std::vector<char> &derived) {
  if (std::find(derived.begin(), derived.end(), 1) == derived.end())
    return {};
  std::vector<std::vector<int>> used_by(variables.count()); // heads, per derived variable
  for (std::size_t axiom = 0; axiom < axioms.size(); ++axiom)
    for (int value : axioms.conditions[axiom])
      if (derived[variables.variable_of[value]] != 0)
        used_by[variables.variable_of[value]].push_back(
            variables.variable_of[axioms.values[axiom]]);
  Rows<int> successors;
  for (const auto &row : used_by)
    successors.add_row(row);
  std::vector<std::vector<std::size_t>> axioms_of(variables.count());
  for (std::size_t axiom = 0; axiom < axioms.size(); ++axiom)
    axioms_of[variables.variable_of[axioms.values[axiom]]].push_back(axiom);
  std::vector<int> layers(variables.count(), -1);
  std::vector<char> inside(variables.count(), 0);
  for (const std::vector<int> &component : strong_components(successors)) {
    if (derived[component.front()] == 0)
      continue;
    for (int variable : component)
      inside[variable] = 1;
    int layer = 0;
    for (int variable : component)
      for (std::size_t axiom : axioms_of[variable])
        for (int value : axioms.conditions[axiom]) {
          const int other = variables.variable_of[value];
          if (derived[other] == 0)
            continue;
          const bool negated = value == variables.offsets[other + 1] - 1;
          if (negated && inside[other] != 0)
            throw std::invalid_argument("a derived predicate depends on its own negation");
          if (inside[other] == 0)
            layer = std::max(layer, layers[other] + (negated ? 1 : 0));
        }
    for (int variable : component) {
      layers[variable] = layer;
      inside[variable] = 0;
    }
  }
  return layers;
}

} // namespace beeline
