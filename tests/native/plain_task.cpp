#include "plain_task.h"

#include <algorithm>

namespace beeline::testing {

namespace {

// Two derived variables share a layer: each may need what lies below, and that the other is true.
void add_axioms(GroundTask &task, const RandomTaskOptions &options, Random &random) {
  const auto below = [&](int count) { return static_cast<int>(random.below(count)); };
  task.axioms.layers.assign(task.variables.count(), -1);
  for (int i = 0; i < options.derived; ++i) {
    const int head = options.variables + i;
    task.axioms.layers[head] = i / 2;
    for (int axioms = below(3); axioms >= 0; --axioms) {
      for (int variable = 0; variable < options.variables + options.derived; ++variable) {
        const int first = task.variables.offsets[variable];
        const bool is_below = variable < options.variables + i / 2 * 2;
        const bool is_beside =
            !is_below && variable != head && variable < options.variables + i / 2 * 2 + 2;
        if (is_below && below(3) == 0)
          task.axioms.conditions.push(first + below(task.variables.domain_size(variable)));
        else if (is_beside && below(3) == 0)
          task.axioms.conditions.push(first);
      }
      task.axioms.conditions.close_row();
      task.axioms.values.push_back(task.variables.offsets[head]);
    }
  }
}

} // namespace

PlainState derived_from(const GroundTask &task, PlainState state) {
  const Axioms &axioms = task.axioms;
  const int layers =
      axioms.empty() ? 0 : 1 + *std::max_element(axioms.layers.begin(), axioms.layers.end());
  for (int layer = 0; layer < layers; ++layer) {
    for (int variable = 0; variable < task.variables.count(); ++variable)
      if (axioms.layers[variable] == layer)
        state[variable] = task.variables.offsets[variable + 1] - 1;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t axiom = 0; axiom < axioms.size(); ++axiom) {
        const int head = task.variables.variable_of[axioms.values[axiom]];
        const auto conditions = axioms.conditions[axiom];
        if (axioms.layers[head] == layer && state[head] != axioms.values[axiom] &&
            std::all_of(conditions.begin(), conditions.end(), [&](int value) {
              return state[task.variables.variable_of[value]] == value;
            })) {
          state[head] = axioms.values[axiom];
          changed = true;
        }
      }
    }
  }
  return state;
}

GroundTask random_task(std::uint64_t seed, const RandomTaskOptions &options) {
  Random random(seed);
  const auto below = [&](int count) { return static_cast<int>(random.below(count)); };
  GroundTask task;
  for (int variable = 0; variable < options.variables; ++variable) {
    std::vector<int> facts(2 + below(options.largest_domain - 1));
    for (int &fact : facts) {
      fact = static_cast<int>(task.fact_values.size());
      task.fact_values.push_back(fact);
      task.fact_predicates.push_back(0);
    }
    task.variables.add(facts);
    task.initial.push_back(task.variables.offsets[variable]);
  }
  for (int i = 0; i < options.derived; ++i) {
    const auto fact = static_cast<int>(task.fact_values.size());
    task.fact_values.push_back(task.variables.values());
    task.fact_predicates.push_back(1);
    task.variables.add({fact, -1});
    task.initial.push_back(task.variables.values() - 1);
  }
  task.negated_fact.assign(task.variables.values(), -1);
  const auto value_of = [&](int variable) {
    return task.variables.offsets[variable] + below(task.variables.domain_size(variable));
  };
  const int variables = options.variables + options.derived;
  if (options.derived > 0) {
    add_axioms(task, options, random);
    task.initial = derived_from(task, task.initial);
  }
  for (int variable = 0; variable < variables; ++variable)
    if (below(2) == 0)
      task.goal.push_back(value_of(variable));
  for (int op = 0; op < options.operators; ++op) {
    for (int variable = 0; variable < variables; ++variable)
      if (below(3) == 0)
        task.operators.conditions.push(value_of(variable));
    task.operators.conditions.close_row();
    for (int variable = 0; variable < options.variables; ++variable)
      if (below(3) == 0) {
        const auto conditions = task.operators.conditions[op];
        const bool known = std::any_of(conditions.begin(), conditions.end(), [&](int value) {
          return task.variables.variable_of[value] == variable;
        });
        const int guard = options.guards && !known && below(4) == 0 ? value_of(variable) : -1;
        Effect effect{guard, value_of(variable)};
        if (options.guards && below(4) == 0) {
          for (int other = 0; other < variables; ++other)
            if (other != variable && below(3) == 0 &&
                std::none_of(conditions.begin(), conditions.end(),
                             [&](int value) { return task.variables.variable_of[value] == other; }))
              task.operators.effect_conditions.push(value_of(other));
          effect.condition = static_cast<int>(task.operators.effect_conditions.size());
          task.operators.effect_conditions.close_row();
        }
        task.operators.effects.push(effect);
      }
    task.operators.effects.close_row();
    task.operators.costs.push_back(options.costs[below(static_cast<int>(options.costs.size()))]);
    task.operators.actions.push_back(0);
    task.operators.args.close_row();
  }
  return task;
}

bool is_applicable(const GroundTask &task, int op, const PlainState &state) {
  const auto conditions = task.operators.conditions[op];
  return std::all_of(conditions.begin(), conditions.end(),
                     [&](int value) { return state[task.variables.variable_of[value]] == value; });
}

PlainState successor(const GroundTask &task, int op, const PlainState &state) {
  PlainState result = state;
  for (const Effect &effect : task.operators.effects[op]) {
    const int variable = task.variables.variable_of[effect.value];
    const auto others = task.operators.condition_of(effect);
    if ((effect.guard < 0 || state[variable] == effect.guard) &&
        std::all_of(others.begin(), others.end(),
                    [&](int value) { return state[task.variables.variable_of[value]] == value; }))
      result[variable] = effect.value;
  }
  return derived_from(task, std::move(result));
}

bool is_goal(const GroundTask &task, const PlainState &state) {
  return std::all_of(task.goal.begin(), task.goal.end(),
                     [&](int value) { return state[task.variables.variable_of[value]] == value; });
}

std::map<PlainState, Cost> goal_distances(const GroundTask &task) {
  std::map<PlainState, Cost> result;
  std::vector<PlainState> open{task.initial};
  result[task.initial] = no_plan;
  const int operators = static_cast<int>(task.operators.size());
  while (!open.empty()) {
    const PlainState state = open.back();
    open.pop_back();
    for (int op = 0; op < operators; ++op)
      if (is_applicable(task, op, state)) {
        const PlainState next = successor(task, op, state);
        if (result.emplace(next, no_plan).second)
          open.push_back(next);
      }
  }
  for (auto &[state, distance] : result)
    if (is_goal(task, state))
      distance = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto &[state, distance] : result)
      for (int op = 0; op < operators; ++op) {
        if (!is_applicable(task, op, state))
          continue;
        const Cost rest = result.at(successor(task, op, state));
        if (rest == no_plan)
          continue;
        const Cost through = rest + task.operators.costs[op];
        if (distance == no_plan || through < distance) {
          distance = through;
          changed = true;
        }
      }
  }
  return result;
}

std::vector<Cost> relaxed_costs(const GroundTask &task, const PlainState &state, Joined joined) {
  std::vector<Cost> result(task.variables.values(), no_plan);
  for (int value : state)
    result[value] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t op = 0; op < task.operators.size(); ++op)
      for (const Effect &effect : task.operators.effects[op]) {
        std::vector<int> conditions(task.operators.conditions[op].begin(),
                                    task.operators.conditions[op].end());
        const auto others = task.operators.condition_of(effect);
        conditions.insert(conditions.end(), others.begin(), others.end());
        if (effect.guard >= 0)
          conditions.push_back(effect.guard);
        Cost before = 0;
        bool reached = true;
        for (int condition : conditions) {
          reached = reached && result[condition] != no_plan;
          before = joined == Joined::sum ? sum_of_costs(before, result[condition])
                                         : std::max(before, result[condition]);
        }
        const Cost cost = sum_of_costs(before, task.operators.costs[op]);
        if (reached && (result[effect.value] == no_plan || cost < result[effect.value])) {
          result[effect.value] = cost;
          changed = true;
        }
      }
  }
  return result;
}

} // namespace beeline::testing
