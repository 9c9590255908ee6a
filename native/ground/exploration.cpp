#include "ground/exploration.h"

#include <algorithm>
#include <new>
#include <numeric>

#include "ground/effect_instances.h"
#include "ground/instance_count.h"
#include "ground/split_rules.h"

namespace beeline {

namespace {

// Whether the atom of an effect is reachable only if others are, besides those that make the
// action applicable.
bool waits_for_atoms(const LiftedProgram &program, const LiftedEffect &effect) {
  return !effect.literal.negated &&
         std::any_of(effect.condition.begin(), effect.condition.end(),
                     [&](const LiftedLiteral &literal) {
                       return !literal.negated && program.predicates[literal.predicate].fluent;
                     });
}

bool has_rules(const LiftedProgram &program) {
  return !program.axioms.empty() ||
         std::any_of(program.actions.begin(), program.actions.end(), [&](const auto &action) {
           return std::any_of(action.effects.begin(), action.effects.end(),
                              [&](const auto &effect) { return waits_for_atoms(program, effect); });
         });
}

// The program with axioms as actions, and with effects that wait as actions of their own behind
// all others. Their first precondition is a new atom that says that the action is applicable, with
// its parameters.
LiftedProgram with_rules_as_actions(LiftedProgram program) {
  const std::size_t actions = program.actions.size(); // those that follow have no such effects
  program.actions.insert(program.actions.end(), program.axioms.begin(), program.axioms.end());
  for (std::size_t a = 0; a < actions; ++a) {
    std::vector<LiftedEffect> waiting;
    std::erase_if(program.actions[a].effects, [&](const LiftedEffect &effect) {
      const bool waits = waits_for_atoms(program, effect);
      if (waits)
        waiting.push_back(effect);
      return waits;
    });
    if (waiting.empty())
      continue;
    LiftedAction &action = program.actions[a];
    LiftedLiteral applicable{static_cast<int>(program.predicates.size()),
                             std::vector<int>(action.parameter_types.size()), false};
    std::iota(applicable.args.begin(), applicable.args.end(), 0);
    program.predicates.push_back(
        {static_cast<int>(action.parameter_types.size()), true, 0, {}, {}});
    action.effects.push_back({{}, {}, applicable});
    for (LiftedEffect &effect : waiting) {
      LiftedAction rule;
      rule.parameter_types = program.actions[a].parameter_types;
      rule.parameter_types.insert(rule.parameter_types.end(), effect.parameter_types.begin(),
                                  effect.parameter_types.end());
      rule.precondition = {applicable};
      rule.precondition.insert(rule.precondition.end(), effect.condition.begin(),
                               effect.condition.end());
      rule.effects = {{{}, {}, effect.literal}};
      program.actions.push_back(std::move(rule));
    }
  }
  return program;
}

// Per action, whether it may have more instances than this, as far as types and other static
// conditions tell; empty if none does.
std::vector<char> large_actions(const LiftedProgram &program, double most, Poll &poll) {
  std::vector<char> result(program.actions.size(), 0);
  std::vector<Relation> relations; // of static predicates, if they are needed
  bool any = false;
  for (std::size_t a = 0; a < program.actions.size() && program.axioms.empty(); ++a) {
    const LiftedAction &action = program.actions[a];
    double instances = 1;
    for (int type : action.parameter_types)
      instances *= static_cast<double>(program.predicates[type].atom_count);
    if (instances <= most || !can_be_split(action))
      continue;
    if (relations.empty())
      for (const Predicate &predicate : program.predicates) {
        Relation &relation = relations.emplace_back(predicate.arity, program.objects);
        const int *atom = predicate.atoms.data();
        for (int i = 0; i < predicate.atom_count && !predicate.fluent; ++i, atom += predicate.arity)
          relation.derive(atom);
      }
    std::vector<LiftedLiteral> atoms = positive_conditions(program, action);
    std::erase_if(atoms, [&](const LiftedLiteral &atom) {
      return program.predicates[atom.predicate].fluent;
    });
    for (int parameter = 0; parameter < static_cast<int>(action.parameter_types.size());
         ++parameter)
      atoms.push_back({action.parameter_types[parameter], {parameter}, false});
    result[a] = static_cast<char>(count_instances(atoms, relations, program.objects, poll) > most);
    any = any || result[a] != 0;
  }
  return any ? result : std::vector<char>{};
}

LiftedProgram with_split_rules(LiftedProgram program, const std::vector<char> &large) {
  for (std::size_t a = 0; a < large.size(); ++a)
    if (large[a] != 0)
      append_split_rules(program, a);
  return program;
}

class Explorer {
public:
  Explorer(const LiftedProgram &program, double most, Poll &poll)
      : predicates_(program.predicates.size()),
        actions_(program.actions.size() + program.axioms.size()), most_(most),
        large_(large_actions(program, most * large_share, poll)),
        extended_(with_split_rules(
            has_rules(program) ? with_rules_as_actions(program) : copy_if_split(program), large_)),
        program_(has_rules(program) || !large_.empty() ? extended_ : program), poll_(poll) {}

  Exploration run() {
    load_initial_atoms();
    make_plans();
    for (const JoinPlan &plan : start_plans_)
      match(plan, 0, -1);
    while (head_ < queue_.size())
      process(queue_[head_++]);
    result_.unwritten.assign(actions_, 0);
    if (!large_.empty())
      count_or_list_large_actions();
    result_.goal_reachable = goal_reachable();
    result_.relations.erase(result_.relations.begin() + static_cast<std::ptrdiff_t>(predicates_),
                            result_.relations.end());
    result_.instances.erase(result_.instances.begin() + static_cast<std::ptrdiff_t>(actions_),
                            result_.instances.end());
    result_.instance_counts.resize(actions_);
    result_.equal_parameters.resize(actions_);
    return std::move(result_);
  }

private:
  LiftedProgram copy_if_split(const LiftedProgram &program) const {
    return large_.empty() ? LiftedProgram{} : program;
  }

  bool is_large(std::size_t action) const { return action < large_.size() && large_[action] != 0; }

  void count_or_list_large_actions() {
    double all = 0;
    for (std::size_t a = 0; a < actions_; ++a) {
      if (is_large(a))
        result_.instance_counts[a] = count(static_cast<int>(a), -1, -1);
      all += result_.instance_counts[a];
    }
    JoinPlanner planner(program_, result_.relations);
    for (std::size_t a = 0; a < large_.size(); ++a) {
      if (!is_large(a))
        continue;
      if (all > most_ && result_.instance_counts[a] > most_ * large_share) {
        result_.unwritten[a] = 1;
        find_equal_parameters(static_cast<int>(a));
      } else {
        result_.instance_counts[a] = 0;
        match(planner.plan_at_once(static_cast<int>(a)), 0, -1);
      }
    }
  }

  // Instances of an action, or those in which two parameters are equal.
  double count(int index, int first, int second) {
    std::vector<LiftedLiteral> atoms = positive_conditions(program_, program_.actions[index]);
    for (LiftedLiteral &atom : atoms)
      std::replace(atom.args.begin(), atom.args.end(), second, first);
    return count_instances(atoms, result_.relations, program_.objects, poll_);
  }

  void find_equal_parameters(int index) {
    const LiftedAction &action = program_.actions[index];
    const std::size_t parameters = action.parameter_types.size();
    for (std::size_t p = 0; p < parameters; ++p)
      for (std::size_t q = p + 1; q < parameters; ++q) {
        const Relation &first = result_.relations[action.parameter_types[p]];
        const Relation &second = result_.relations[action.parameter_types[q]];
        bool overlap = false;
        for (int atom = 0; atom < first.known() && !overlap; ++atom)
          overlap = second.find(first[atom]) >= 0;
        if (overlap && count(index, static_cast<int>(p), static_cast<int>(q)) > 0)
          result_.equal_parameters[index][p * parameters + q] = 1;
      }
  }

  void load_initial_atoms() {
    for (const Predicate &predicate : program_.predicates)
      result_.relations.emplace_back(predicate.arity, program_.objects);
    for (std::size_t p = 0; p < program_.predicates.size(); ++p) {
      const Predicate &predicate = program_.predicates[p];
      const int *atom = predicate.atoms.data();
      for (int i = 0; i < predicate.atom_count; ++i, atom += predicate.arity)
        if (predicate.fluent)
          derive(static_cast<int>(p), atom);
        else if (result_.relations[p].derive(atom).second)
          result_.relations[p].process_next();
    }
  }

  void make_plans() {
    JoinPlanner planner(program_, result_.relations);
    triggered_.resize(program_.predicates.size());
    std::size_t variables = 0;
    for (std::size_t a = 0; a < program_.actions.size(); ++a) {
      const LiftedAction &action = program_.actions[a];
      const std::size_t parameters = action.parameter_types.size();
      variables = std::max(variables, parameters);
      for (const LiftedEffect &effect : action.effects)
        variables = std::max(variables, parameters + effect.parameter_types.size());
      result_.equal_parameters.emplace_back(parameters * parameters, 0);
      result_.instances.emplace_back(static_cast<int>(parameters), program_.objects);
      if (is_large(a))
        continue;
      for (JoinPlan &plan : planner.plans(static_cast<int>(a)))
        if (plan.trigger.predicate < 0)
          start_plans_.push_back(std::move(plan));
        else
          triggered_[plan.trigger.predicate].push_back(std::move(plan));
    }
    result_.instance_counts.assign(program_.actions.size(), 0);
    binding_.assign(variables, 0);
  }

  void derive(int predicate, const int *tuple) {
    if (result_.relations[predicate].derive(tuple).second)
      queue_.push_back(predicate); // which atom follows from the order of derivation
  }

  void process(int predicate) {
    Relation &relation = result_.relations[predicate];
    const int atom = relation.visible();
    relation.process_next();
    for (const JoinPlan &plan : triggered_[predicate])
      if (bind(plan.trigger, relation[atom]))
        match(plan, 0, atom);
  }

  bool bind(const LiftedLiteral &literal, const int *tuple) {
    // Two passes: the first binds, the second checks constants and repeated variables.
    for (std::size_t i = 0; i < literal.args.size(); ++i)
      if (literal.args[i] >= 0)
        binding_[literal.args[i]] = tuple[i];
    for (std::size_t i = 0; i < literal.args.size(); ++i)
      if (value(literal.args[i]) != tuple[i])
        return false;
    return true;
  }

  int value(int arg) const { return arg >= 0 ? binding_[arg] : ~arg; }

  // Atoms from this number on may not be used in the step.
  int limit(const JoinStep &step, int trigger_atom) const {
    return step.before_trigger ? trigger_atom : result_.relations[step.predicate].visible();
  }

  void match(const JoinPlan &plan, std::size_t depth, int trigger_atom) {
    for (; depth < plan.steps.size(); ++depth) {
      const JoinStep &step = plan.steps[depth];
      if (step.kind != JoinStep::Kind::check)
        break;
      const int atom = result_.relations[step.predicate].find(key_of(step));
      if (atom < 0 || atom >= limit(step, trigger_atom))
        return;
    }
    if (depth == plan.steps.size()) {
      emit(plan.action);
      return;
    }
    const JoinStep &step = plan.steps[depth];
    const int end = limit(step, trigger_atom);
    if (step.kind == JoinStep::Kind::scan) {
      for (int atom = 0; atom < end; ++atom)
        if (bind_free(step, result_.relations[step.predicate][atom]))
          match(plan, depth + 1, trigger_atom);
    } else {
      for (int atom = step.index->first(key_of(step)); atom >= 0 && atom < end;
           atom = step.index->next(atom))
        if (bind_free(step, result_.relations[step.predicate][atom]))
          match(plan, depth + 1, trigger_atom);
    }
  }

  const int *key_of(const JoinStep &step) {
    key_.resize(std::max(key_.size(), step.key.size()));
    for (std::size_t i = 0; i < step.key.size(); ++i)
      key_[i] = value(step.key[i]);
    return key_.data();
  }

  bool bind_free(const JoinStep &step, const int *tuple) {
    poll_.tick();
    for (const auto &[first, second] : step.repeats)
      if (tuple[first] != tuple[second])
        return false;
    for (const auto &[position, variable] : step.binds)
      binding_[variable] = tuple[position];
    return true;
  }

  void emit(int index) {
    const LiftedAction &action = program_.actions[index];
    const std::size_t parameters = action.parameter_types.size();
    if (static_cast<std::size_t>(index) >= actions_) { // an effect
      add(action.effects.front().literal);
      return;
    }
    stored_ += parameters + 1;
    if (stored_ > max_stored)
      throw std::bad_alloc();
    result_.instances[index].append(binding_.data());
    ++result_.instance_counts[index];
    char *equal = result_.equal_parameters[index].data();
    for (std::size_t p = 0; p < parameters; ++p)
      for (std::size_t q = p + 1; q < parameters; ++q)
        equal[p * parameters + q] |= static_cast<char>(binding_[p] == binding_[q]);
    for (const LiftedEffect &effect : action.effects)
      if (!effect.literal.negated)
        for_each_effect_instance<Negated::all_hold>(program_, result_.relations, effect, parameters,
                                                    binding_.data(), [&] { add(effect.literal); });
  }

  void add(const LiftedLiteral &literal) {
    key_.resize(std::max(key_.size(), literal.args.size()));
    for (std::size_t i = 0; i < literal.args.size(); ++i)
      key_[i] = value(literal.args[i]);
    derive(literal.predicate, key_.data());
  }

  bool goal_reachable() const {
    return std::all_of(program_.goal.begin(), program_.goal.end(),
                       [&](const LiftedLiteral &literal) {
                         return literal.negated || find_atom(result_.relations[literal.predicate],
                                                             literal, nullptr) >= 0;
                       });
  }

  // Four gigabytes of instances: no search could use so many operators.
  static constexpr std::size_t max_stored = std::size_t{1} << 30;

  // Of all instances that fit: an action with fewer of them is always listed.
  static constexpr double large_share = 1.0 / 16;

  const std::size_t predicates_, actions_; // of the program as it came; with axioms
  const double most_;                      // instances
  const std::vector<char> large_;          // per action that comes as split rules; or empty
  const LiftedProgram extended_;
  const LiftedProgram &program_;
  Poll &poll_;
  std::size_t stored_ = 0; // integers in the instances so far
  Exploration result_;
  std::vector<JoinPlan> start_plans_;
  std::vector<std::vector<JoinPlan>> triggered_; // per predicate
  std::vector<int> queue_;                       // predicates of derived atoms
  std::size_t head_ = 0;
  std::vector<int> binding_; // per variable
  std::vector<int> key_;
};

} // namespace

int find_atom(const Relation &relation, const LiftedLiteral &literal, const int *binding) {
  constexpr std::size_t usual_arity = 16; // wider atoms take the slow way
  int tuple[usual_arity];
  std::vector<int> wide;
  int *args = tuple;
  if (literal.args.size() > usual_arity) {
    wide.resize(literal.args.size());
    args = wide.data();
  }
  for (std::size_t i = 0; i < literal.args.size(); ++i)
    args[i] = literal.args[i] >= 0 ? binding[literal.args[i]] : ~literal.args[i];
  return relation.find(args);
}

Exploration explore(const LiftedProgram &program, double most, Poll &poll) {
  return Explorer(program, most, poll).run();
}

} // namespace beeline
