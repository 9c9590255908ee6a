#include "ground/join_plan.h"

#include <algorithm>

namespace beeline {

namespace {

bool is_bound(int arg, const std::vector<bool> &bound) { return arg < 0 || bound[arg]; }

} // namespace

// A parameter's type matters as a condition of its own unless it holds for every object and
// some other precondition binds the parameter anyway.
std::vector<LiftedLiteral> positive_conditions(const LiftedProgram &program,
                                               const LiftedAction &action) {
  std::vector<LiftedLiteral> result;
  std::vector<bool> mentioned(action.parameter_types.size(), false);
  for (const LiftedLiteral &literal : action.precondition) {
    if (literal.negated)
      continue;
    result.push_back(literal);
    for (int arg : literal.args)
      if (arg >= 0)
        mentioned[arg] = true;
  }
  for (std::size_t variable = 0; variable < mentioned.size(); ++variable) {
    const int type = action.parameter_types[variable];
    const bool universal =
        program.predicates[type].atoms.size() == static_cast<std::size_t>(program.objects);
    if (!universal || !mentioned[variable])
      result.push_back({type, {static_cast<int>(variable)}, false});
  }
  if (action.cost_function >= 0) // a cost that is not defined makes the action inapplicable
    result.push_back({action.cost_function, action.cost_args, false});
  return result;
}

std::vector<JoinPlan> JoinPlanner::plans(int action) {
  const auto positives = positive_conditions(program_, program_.actions[action]);
  std::vector<JoinPlan> result;
  for (std::size_t i = 0; i < positives.size(); ++i)
    if (program_.predicates[positives[i].predicate].fluent)
      result.push_back(plan(action, positives, static_cast<int>(i)));
  if (result.empty())
    result.push_back(plan(action, positives, -1));
  return result;
}

JoinPlan JoinPlanner::plan(int action, const std::vector<LiftedLiteral> &positives, int trigger) {
  const LiftedAction &schema = program_.actions[action];
  std::vector<bool> bound(schema.parameter_types.size(), false);
  JoinPlan result{action, {-1, {}, false}, {}};
  std::vector<int> open;
  for (int i = 0; i < static_cast<int>(positives.size()); ++i)
    if (i != trigger)
      open.push_back(i);
  if (trigger >= 0) {
    result.trigger = positives[trigger];
    for (int arg : result.trigger.args)
      if (arg >= 0)
        bound[arg] = true;
  }
  while (!open.empty()) {
    const auto cheaper = [&](int left, int right) {
      return expected_matches(positives[left], bound, schema) <
             expected_matches(positives[right], bound, schema);
    };
    const auto best = std::min_element(open.begin(), open.end(), cheaper);
    const LiftedLiteral &literal = positives[*best];
    JoinStep next = step(literal, bound);
    // Each instance is found once: by its youngest atom, in its first place.
    next.before_trigger =
        trigger >= 0 && *best < trigger && literal.predicate == positives[trigger].predicate;
    result.steps.push_back(std::move(next));
    open.erase(best);
  }
  return result;
}

JoinStep JoinPlanner::step(const LiftedLiteral &literal, std::vector<bool> &bound) {
  JoinStep result;
  result.predicate = literal.predicate;
  std::vector<int> key_positions;
  std::vector<int> binder(bound.size(), -1); // argument position that binds a variable
  for (int position = 0; position < static_cast<int>(literal.args.size()); ++position) {
    const int arg = literal.args[position];
    if (is_bound(arg, bound)) {
      key_positions.push_back(position);
      result.key.push_back(arg);
    } else if (binder[arg] >= 0) {
      result.repeats.emplace_back(binder[arg], position);
    } else {
      binder[arg] = position;
      result.binds.emplace_back(position, arg);
    }
  }
  for (const auto &[position, variable] : result.binds)
    bound[variable] = true;
  if (result.binds.empty()) {
    result.kind = JoinStep::Kind::check;
  } else if (key_positions.empty()) {
    result.kind = JoinStep::Kind::scan;
  } else {
    result.kind = JoinStep::Kind::lookup;
    result.index = &relations_[literal.predicate].index(key_positions);
  }
  return result;
}

// Static atoms: the mean size of a bucket. Fluent atoms: not known yet, so all combinations of
// objects that the types of the unbound variables allow.
double JoinPlanner::expected_matches(const LiftedLiteral &literal, const std::vector<bool> &bound,
                                     const LiftedAction &action) {
  std::vector<int> key_positions;
  std::vector<int> unbound;
  for (int position = 0; position < static_cast<int>(literal.args.size()); ++position) {
    const int arg = literal.args[position];
    if (is_bound(arg, bound))
      key_positions.push_back(position);
    else if (std::find(unbound.begin(), unbound.end(), arg) == unbound.end())
      unbound.push_back(arg);
  }
  const bool fluent = program_.predicates[literal.predicate].fluent;
  if (unbound.empty())
    return fluent ? -1 : -2; // look-ups first, those in fixed relations before all
  if (fluent) {
    double combinations = 1;
    for (int variable : unbound)
      combinations *=
          static_cast<double>(program_.predicates[action.parameter_types[variable]].atoms.size());
    return combinations * 0.75; // a fluent atom says more than the types of its arguments
  }
  Relation &relation = relations_[literal.predicate];
  if (relation.known() == 0)
    return 0;
  if (key_positions.empty())
    return relation.known();
  return static_cast<double>(relation.known()) / relation.index(key_positions).distinct_keys();
}

} // namespace beeline
