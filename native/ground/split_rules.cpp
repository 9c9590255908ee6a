#include "ground/split_rules.h"

#include <algorithm>
#include <utility>

namespace beeline {

namespace {

bool mentions(const LiftedLiteral &literal, int variable) {
  return std::find(literal.args.begin(), literal.args.end(), variable) != literal.args.end();
}

std::vector<int> variables_of(const std::vector<LiftedLiteral> &literals) {
  std::vector<int> result;
  for (const LiftedLiteral &literal : literals)
    for (int arg : literal.args)
      if (arg >= 0)
        result.push_back(arg);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

class Splitter {
public:
  Splitter(LiftedProgram &program, std::size_t action)
      : program_(program), types_(program.actions[action].parameter_types) {
    const LiftedAction &schema = program.actions[action];
    for (const LiftedLiteral &literal : schema.precondition)
      if (!literal.negated)
        body_.push_back(literal);
    if (schema.cost_function >= 0)
      body_.push_back({schema.cost_function, schema.cost_args, false});
  }

  void derive(const LiftedLiteral &head) {
    std::vector<LiftedLiteral> body = body_;
    std::vector<int> open; // variables to be eliminated
    for (int variable = 0; variable < static_cast<int>(types_.size()); ++variable)
      if (!mentions(head, variable))
        open.push_back(variable);
    while (!open.empty()) {
      const auto width = [&](int variable) {
        std::vector<LiftedLiteral> around;
        std::copy_if(body.begin(), body.end(), std::back_inserter(around),
                     [&](const LiftedLiteral &literal) { return mentions(literal, variable); });
        return std::pair(variables_of(around).size(), variable);
      };
      const auto next = std::min_element(open.begin(), open.end(), [&](int left, int right) {
        return width(left) < width(right);
      });
      eliminate(*next, body);
      open.erase(next);
    }
    add_rule(head, body, variables_of({head}));
  }

private:
  void eliminate(int variable, std::vector<LiftedLiteral> &body) {
    std::vector<LiftedLiteral> joined;
    std::erase_if(body, [&](const LiftedLiteral &literal) {
      const bool taken = mentions(literal, variable);
      if (taken)
        joined.push_back(literal);
      return taken;
    });
    const auto same = [&](const Known &known) {
      return known.variable == variable &&
             std::equal(known.body.begin(), known.body.end(), joined.begin(), joined.end(),
                        [](const LiftedLiteral &left, const LiftedLiteral &right) {
                          return left.predicate == right.predicate && left.args == right.args;
                        });
    };
    const auto known = std::find_if(known_.begin(), known_.end(), same);
    if (known != known_.end()) {
      body.push_back(known->head);
      return;
    }
    std::vector<int> all = variables_of(joined);
    if (all.empty())
      all.push_back(variable); // its type is all that is known
    std::vector<int> rest = all;
    std::erase(rest, variable);
    const LiftedLiteral head{static_cast<int>(program_.predicates.size()), rest, false};
    program_.predicates.push_back({static_cast<int>(rest.size()), true, 0, {}, {}});
    add_rule(head, joined, all);
    known_.push_back({variable, joined, head});
    body.push_back(head);
  }

  // Parameters of the rule are the variables that it mentions.
  void add_rule(LiftedLiteral head, std::vector<LiftedLiteral> body,
                const std::vector<int> &variables) {
    LiftedAction rule;
    for (int variable : variables)
      rule.parameter_types.push_back(types_[variable]);
    const auto rename = [&](LiftedLiteral &literal) {
      for (int &arg : literal.args)
        if (arg >= 0)
          arg = static_cast<int>(std::lower_bound(variables.begin(), variables.end(), arg) -
                                 variables.begin());
    };
    std::for_each(body.begin(), body.end(), rename);
    rename(head);
    rule.precondition = std::move(body);
    rule.effects = {{{}, {}, std::move(head)}};
    program_.actions.push_back(std::move(rule));
  }

  struct Known {
    int variable;
    std::vector<LiftedLiteral> body;
    LiftedLiteral head;
  };
  LiftedProgram &program_;
  const std::vector<int> types_;
  std::vector<LiftedLiteral> body_;
  std::vector<Known> known_; // smaller rules, which several atoms may share
};

} // namespace

bool can_be_split(const LiftedAction &action) {
  return std::all_of(action.effects.begin(), action.effects.end(), [](const LiftedEffect &effect) {
    return effect.parameter_types.empty() && effect.condition.empty();
  });
}

void append_split_rules(LiftedProgram &program, std::size_t action) {
  Splitter splitter(program, action);
  const std::vector<LiftedEffect> effects = program.actions[action].effects;
  for (const LiftedEffect &effect : effects)
    if (!effect.literal.negated)
      splitter.derive(effect.literal);
}

} // namespace beeline
