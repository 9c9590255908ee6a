#include "ground/instantiate.h"

#include <algorithm>
#include <numeric>

#include "ground/conditional_effects.h"
#include "ground/effect_instances.h"
#include "ground/ground_condition.h"
#include "ground/operator_order.h"

namespace beeline {

namespace {

class Instantiator {
public:
  Instantiator(const LiftedProgram &program, Exploration &exploration, const FactTable &facts,
               Encoding &encoding, AxiomInlining &inlining, Poll &poll)
      : program_(program), exploration_(exploration), facts_(facts), encoding_(encoding),
        inlining_(inlining), poll_(poll), conditional_effects_(encoding) {}

  Operators run() {
    std::vector<int> order(program_.actions.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int left, int right) {
      return program_.actions[left].name < program_.actions[right].name;
    });
    reserve();
    for (int action : order)
      instantiate_action(action);
    return in_name_order(program_, encoding_.variables(), std::move(result_));
  }

private:
  // Vectors that grow by themselves take up to three times their room. A few instances of each
  // action tell how much room millions of them need.
  void reserve() {
    constexpr std::size_t many = 1 << 20, samples = 64;
    double operators = 0, conditions = 0, effects = 0, objects = 0;
    std::size_t all = 0;
    for (std::size_t index = 0; index < program_.actions.size(); ++index)
      all += exploration_.instances[index].size();
    if (all < many)
      return;
    for (int index = 0; index < static_cast<int>(program_.actions.size()); ++index) {
      const TupleList &tuples = exploration_.instances[index];
      const std::size_t step = std::max<std::size_t>(1, tuples.size() / samples);
      begin_action(index);
      for (std::size_t instance = 0; instance < tuples.size(); instance += step)
        instantiate(index, tuples, instance);
      const auto share = static_cast<double>(step) * 1.02;
      operators += share * static_cast<double>(result_.size());
      conditions += share * static_cast<double>(result_.conditions.items().size());
      effects += share * static_cast<double>(result_.effects.count());
      objects += share * static_cast<double>(result_.args.items().size());
      result_ = {};
    }
    const auto rows = static_cast<std::size_t>(operators);
    result_.conditions.reserve(rows, static_cast<std::size_t>(conditions));
    result_.effects.reserve(rows, static_cast<std::size_t>(effects));
    result_.args.reserve(rows, static_cast<std::size_t>(objects));
    result_.actions.reserve(rows);
  }

  void begin_action(int index) {
    const LiftedAction &action = program_.actions[index];
    std::size_t variables = action.parameter_types.size();
    for (const LiftedEffect &effect : action.effects)
      variables =
          std::max(variables, action.parameter_types.size() + effect.parameter_types.size());
    binding_.assign(variables, 0);
    conditional_ = has_fluent_conditions(action);
  }

  void instantiate_action(int index) {
    TupleList tuples = std::move(exploration_.instances[index]);
    tuples.sort();
    begin_action(index);
    inlining_.begin_action(tuples.size());
    for (std::size_t instance = 0; instance < tuples.size(); ++instance)
      instantiate(index, tuples, instance);
  }

  void instantiate(int index, const TupleList &tuples, std::size_t instance) {
    poll_.tick();
    const LiftedAction &action = program_.actions[index];
    tuples.get(instance, binding_.data());
    if (!ground_condition(program_, exploration_, facts_, action.precondition, binding_.data(),
                          positive_, negative_))
      return;
    if (conditional_)
      collect_conditional_effects(action);
    else
      collect_effects(action);
    if (inlining_.empty())
      return add_operators(index, positive_, negative_);
    for (const GroundLiterals &each : inlining_.cases(positive_, negative_))
      add_operators(index, each.positive, each.negative);
  }

  void add_operators(int index, const std::vector<int> &positive,
                     const std::vector<int> &negative) {
    for (const std::vector<int> &condition : encoding_.conditions(positive, negative))
      if (!conditional_)
        add_operator(index, condition);
      else if (conditional_effects_.add_row(condition, result_))
        complete_operator(index, condition);
  }

  bool has_fluent_conditions(const LiftedAction &action) const {
    return std::any_of(action.effects.begin(), action.effects.end(),
                       [&](const LiftedEffect &effect) {
                         return std::any_of(effect.condition.begin(), effect.condition.end(),
                                            [&](const LiftedLiteral &literal) {
                                              return program_.predicates[literal.predicate].fluent;
                                            });
                       });
  }

  void collect_conditional_effects(const LiftedAction &action) {
    std::vector<ConditionalFact> added, deleted;
    for (const LiftedEffect &effect : action.effects)
      for_each_effect_instance<Negated::fluent_hold>(
          program_, exploration_.relations, effect, action.parameter_types.size(), binding_.data(),
          [&] {
            const int fact = facts_.find(effect.literal, binding_.data());
            if (fact < 0)
              return;
            ConditionalFact item{{}, {}, fact};
            ground_condition(program_, exploration_, facts_, effect.condition, binding_.data(),
                             item.positive, item.negative);
            std::vector<ConditionalFact> &list = effect.literal.negated ? deleted : added;
            if (inlining_.empty())
              return list.push_back(std::move(item));
            for (GroundLiterals &each : inlining_.cases(item.positive, item.negative))
              list.push_back({std::move(each.positive), std::move(each.negative), fact});
          });
    conditional_effects_.compile(added, deleted);
  }

  void collect_effects(const LiftedAction &action) {
    added_.clear();
    deleted_.clear();
    for (const LiftedEffect &effect : action.effects)
      for_each_effect_instance<Negated::fluent_hold>(
          program_, exploration_.relations, effect, action.parameter_types.size(), binding_.data(),
          [&] {
            const int fact = facts_.find(effect.literal, binding_.data());
            if (fact >= 0)
              (effect.literal.negated ? deleted_ : added_).push_back(fact);
          });
    std::erase_if(deleted_, [&](int fact) {
      return std::find(added_.begin(), added_.end(), fact) != added_.end();
    });
  }

  void add_operator(int index, const std::vector<int> &condition) {
    effects_.clear();
    for (int fact : added_)
      add_effect(condition, {-1, encoding_.value_of(fact)});
    for (int fact : deleted_) {
      const int guard = encoding_.value_of(fact);
      const int variable = encoding_.variables().variable_of[guard];
      const bool replaced = std::any_of(added_.begin(), added_.end(), [&](int other) {
        return encoding_.variables().variable_of[encoding_.value_of(other)] == variable;
      });
      // In a binary variable, "set to false" needs no guard.
      const bool binary = encoding_.variables().domain_size(variable) == 2;
      if (!replaced)
        add_effect(condition, {binary ? -1 : guard, encoding_.last_value(variable)});
    }
    if (effects_.empty())
      return;
    std::sort(effects_.begin(), effects_.end(), [&](const Effect &left, const Effect &right) {
      return std::pair(left.value, left.guard) < std::pair(right.value, right.guard);
    });
    effects_.erase(std::unique(effects_.begin(), effects_.end()), effects_.end());
    result_.effects.add_row(effects_);
    complete_operator(index, condition);
  }

  // All but its effects.
  void complete_operator(int index, const std::vector<int> &condition) {
    result_.conditions.add_row(condition);
    const LiftedAction &action = program_.actions[index];
    result_.actions.push_back(index);
    result_.costs.push_back(cost(action));
    result_.args.add_row({binding_.data(), static_cast<std::size_t>(action.external)});
  }

  void add_effect(const std::vector<int> &condition, Effect effect) {
    const std::vector<int> &variable_of = encoding_.variables().variable_of;
    for (int value : condition)
      if (variable_of[value] == variable_of[effect.value]) {
        if (value == effect.value || (effect.guard >= 0 && effect.guard != value))
          return; // changes nothing
        effect.guard = -1;
      }
    effects_.push_back(effect);
  }

  Cost cost(const LiftedAction &action) const {
    if (action.cost_function < 0)
      return action.cost;
    const Predicate &function = program_.predicates[action.cost_function];
    const LiftedLiteral literal{action.cost_function, action.cost_args, false};
    return function
        .values[find_atom(exploration_.relations[action.cost_function], literal, binding_.data())];
  }

  const LiftedProgram &program_;
  Exploration &exploration_;
  const FactTable &facts_;
  Encoding &encoding_;
  AxiomInlining &inlining_;
  Poll &poll_;
  ConditionalEffects conditional_effects_;
  Operators result_;
  std::vector<int> binding_, positive_, negative_, added_, deleted_;
  std::vector<Effect> effects_;
  bool conditional_ = false; // whether the action has effects under conditions that change
};

} // namespace

Operators instantiate_operators(const LiftedProgram &program, Exploration &exploration,
                                const FactTable &facts, Encoding &encoding, AxiomInlining &inlining,
                                Poll &poll) {
  return Instantiator(program, exploration, facts, encoding, inlining, poll).run();
}

} // namespace beeline
