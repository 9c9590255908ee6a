#include "ground/grounder.h"

#include <algorithm>
#include <numeric>

#include "ground/axioms.h"
#include "ground/causal_graph.h"
#include "ground/encoding.h"
#include "ground/fact_table.h"
#include "ground/instantiate.h"
#include "ground/mutex_groups.h"
#include "ground/unwritten.h"
#include "ground/value_reachability.h"
#include "ground/value_renaming.h"
#include "task/axiom_evaluator.h"

namespace beeline {

namespace {

std::vector<int> initial_values(const LiftedProgram &program, const FactTable &facts,
                                const Encoding &encoding) {
  std::vector<int> result(encoding.variables().count());
  for (std::size_t variable = 0; variable < result.size(); ++variable)
    result[variable] = encoding.last_value(static_cast<int>(variable));
  for (std::size_t p = 0; p < program.predicates.size(); ++p)
    if (program.predicates[p].fluent)
      for (int atom = 0; atom < program.predicates[p].atom_count; ++atom) {
        const int value = encoding.value_of(facts.of_atom(static_cast<int>(p), atom));
        result[encoding.variables().variable_of[value]] = value;
      }
  return result;
}

// All groups, and a group of its own for each fact that is in none.
std::vector<FactGroup> with_single_facts(std::vector<FactGroup> groups, int facts) {
  std::vector<char> covered(facts, 0);
  for (const FactGroup &group : groups)
    for (int fact : group)
      covered[fact] = 1;
  for (int fact = 0; fact < facts; ++fact)
    if (!covered[fact])
      groups.push_back({fact});
  return groups;
}

Rows<int> groups_of_values(const std::vector<FactGroup> &groups, const Encoding &encoding) {
  Rows<int> result;
  for (const FactGroup &group : groups) {
    for (int fact : group)
      result.push(encoding.value_of(fact));
    result.close_row();
  }
  return result;
}

Rows<int> groups_across_variables(const Rows<int> &groups, const Variables &variables) {
  Rows<int> result;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const auto values = groups[group]; // ascending
    if (variables.variable_of[values.front()] != variables.variable_of[values.back()])
      result.add_row(values);
  }
  return result;
}

// Renumbers facts in the order of their values and copies their names.
void name_facts(GroundTask &task, const FactTable &facts, const std::vector<int> &group_size) {
  Variables &variables = task.variables;
  task.negated_fact.assign(variables.values(), -1);
  for (int value = 0; value < variables.values(); ++value) {
    const int fact = variables.fact_of[value];
    if (fact < 0)
      continue;
    // A variable made from one fact has two values: the fact and its negation.
    const int variable = variables.variable_of[value];
    if (group_size[fact] == 1)
      task.negated_fact[variables.offsets[variable + 1] - 1] =
          static_cast<int>(task.fact_values.size());
    variables.fact_of[value] = static_cast<int>(task.fact_values.size());
    task.fact_values.push_back(value);
    task.fact_predicates.push_back(facts.predicate(fact));
    task.fact_args.add_row(facts.args(fact));
  }
}

// Per fact, whether axioms make it true; empty without axioms.
std::vector<char> derived_facts(const LiftedProgram &program, const FactTable &facts) {
  std::vector<char> result;
  if (program.axioms.empty())
    return result;
  const std::vector<char> predicates = derived_predicates(program);
  for (int fact = 0; fact < facts.size(); ++fact)
    result.push_back(predicates[facts.predicate(fact)]);
  return result;
}

CausalArcs more_arcs(const UnwrittenGrounding &unwritten, const ValueRenaming &reachable,
                     const Variables &live) {
  if (unwritten.empty())
    return {};
  std::vector<int> variable_of;
  for (int value : reachable.new_value)
    variable_of.push_back(value < 0 ? -1 : live.variable_of[value]);
  return unwritten.causal_arcs(variable_of, live.count());
}

// Per value of the encoding: that of the task, or why it has none.
std::vector<int> both_renamings(const ValueRenaming &reachable, const ValueRenaming &relevant) {
  std::vector<int> result;
  for (int value : reachable.new_value)
    result.push_back(value < 0 ? value : relevant.new_value[value]);
  return result;
}

} // namespace

// Tells derived variables from others, and gives them their values in the initial state.
void Grounder::derive_initial_values(GroundTask &task) const {
  if (program_.axioms.empty())
    return;
  const std::vector<char> predicates = derived_predicates(program_);
  std::vector<char> derived;
  for (int variable = 0; variable < task.variables.count(); ++variable) {
    const int fact = task.variables.fact_of[task.variables.offsets[variable]];
    derived.push_back(fact >= 0 ? predicates[task.fact_predicates[fact]] : char{0});
  }
  task.axioms.layers = axiom_layers(task.variables, task.axioms, derived);
  AxiomEvaluator(task).run(
      [&](int variable) { return task.initial[variable]; },
      [&](int value) { task.initial[task.variables.variable_of[value]] = value; });
}

void Grounder::explore(double most, Poll &poll) {
  exploration_ = beeline::explore(program_, most, poll);
}

// A negative goal on an atom that is true and never changes. (Positive ones are unreachable.)
bool Grounder::goal_statically_false() const {
  return std::any_of(program_.goal.begin(), program_.goal.end(), [&](const LiftedLiteral &literal) {
    return literal.negated && !program_.predicates[literal.predicate].fluent &&
           find_atom(exploration_.relations[literal.predicate], literal, nullptr) >= 0;
  });
}

GroundTask Grounder::finish(const std::vector<LiftedInvariant> &invariants, bool inlined,
                            Poll &poll) {
  GroundTask task;
  const auto first = exploration_.instance_counts.begin();
  task.reachable_instances = static_cast<std::int64_t>(
      std::accumulate(first, first + static_cast<std::ptrdiff_t>(program_.actions.size()), 0.0));
  const auto unsolvable = [&](Solvability reason) {
    GroundTask result;
    result.solvability = reason;
    result.reachable_facts = task.reachable_facts;
    result.reachable_instances = task.reachable_instances;
    return result;
  };
  const FactTable facts(program_, exploration_);
  poll.now();
  task.reachable_facts = facts.size();
  if (!exploration_.goal_reachable)
    return unsolvable(Solvability::goal_unreached);
  if (goal_statically_false())
    return unsolvable(Solvability::goal_static);

  std::vector<int> goal_positive, goal_negative;
  std::vector<char> lonely(facts.size(), 0);
  for (const LiftedLiteral &literal : program_.goal)
    if (program_.predicates[literal.predicate].fluent) {
      const int fact = facts.find(literal, nullptr);
      if (fact >= 0) {
        (literal.negated ? goal_negative : goal_positive).push_back(fact);
        lonely[fact] = literal.negated;
      }
    }

  const std::vector<FactGroup> groups =
      instantiate_invariants(program_, exploration_, facts, invariants);
  poll.now();
  const std::vector<FactGroup> chosen = choose_variables(groups, facts.size(), lonely);
  const std::vector<FactGroup> mutexes = with_single_facts(groups, facts.size());
  std::vector<int> group_size(facts.size());
  for (const FactGroup &group : chosen)
    for (int fact : group)
      group_size[fact] = static_cast<int>(group.size());
  Encoding encoding(chosen, mutexes, facts.size());
  poll.now();

  const auto &goals = encoding.conditions(goal_positive, goal_negative);
  if (goals.empty())
    return unsolvable(Solvability::goal_mutex);
  const std::vector<int> goal = goals.front();
  const std::vector<int> initial = initial_values(program_, facts, encoding);
  const AxiomBodies bodies = axiom_bodies(program_, exploration_, facts, poll);
  AxiomInlining inlining(bodies, inlined ? derived_facts(program_, facts) : std::vector<char>(),
                         encoding);
  Operators operators =
      instantiate_operators(program_, exploration_, facts, encoding, inlining, poll);
  Axioms axioms = instantiate_axioms(bodies, facts, encoding, operators, goal, poll);

  const UnwrittenGrounding unwritten(program_, exploration_, facts, encoding);

  // Values that their variable can never take.
  Variables live;
  const auto reachable =
      ValueRenaming::keep_values(encoding.variables(),
                                 reachable_values(encoding.variables(), operators, axioms, initial,
                                                  unwritten.reached_values(), poll),
                                 live);
  reachable.apply(operators, poll);
  axioms = reachable.apply(axioms);
  std::vector<int> live_goal, live_initial;
  if (!reachable.apply_to_condition(goal, live_goal))
    return unsolvable(Solvability::goal_unreached);
  reachable.apply_to_condition(initial, live_initial);
  const Rows<int> live_groups =
      reachable.apply_to_mutex_groups(groups_of_values(mutexes, encoding));

  // Variables that the goal does not depend on.
  const auto relevant = ValueRenaming::keep_variables(
      live,
      relevant_variables_in_order(live, operators, axioms, more_arcs(unwritten, reachable, live),
                                  live_goal, poll),
      task.variables);
  relevant.apply(operators, poll);
  task.operators = std::move(operators);
  task.axioms = relevant.apply(axioms);
  relevant.apply_to_condition(live_goal, task.goal);
  relevant.apply_to_condition(live_initial, task.initial);
  task.mutex_groups =
      groups_across_variables(relevant.apply_to_mutex_groups(live_groups), task.variables);
  name_facts(task, facts, group_size);
  derive_initial_values(task);
  if (!unwritten.empty()) {
    task.unwritten = unwritten.schemas(both_renamings(reachable, relevant));
    task.written = WrittenOperators(*task.unwritten, task.operators.size());
  }
  return task;
}

} // namespace beeline
