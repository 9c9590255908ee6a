#include "heuristics/relaxation.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace beeline {

template <class Number>
RelaxedExploration<Number>::RelaxedExploration(const GroundTask &task, const RelaxedTask &relaxed)
    : task_(task), relaxed_(relaxed), is_goal_(relaxed.propositions, 0),
      reached_(relaxed.propositions) {
  for (int value : task.goal)
    is_goal_[value] = 1;
  for (std::size_t op = 0; op < relaxed.size(); ++op) {
    costs_.push_back(static_cast<Number>(std::min<Cost>(relaxed.costs[op], ceiling)));
    fresh_.push_back({costs_[op], static_cast<int>(relaxed.conditions[op].size())});
  }
  progress_ = fresh_;
}

template <class Number>
template <class Combine>
bool RelaxedExploration<Number>::explore(const StatePacker &packer, const Word *state,
                                         const Combine &combine) {
  using Unsigned = std::make_unsigned_t<Number>;
  // This loop is where planners spend their time. Plain pointers tell the compiler that the
  // arrays themselves stay where they are.
  Reached *const reached = reached_.data();
  Progress *const progress = progress_.data();
  const Number *const operator_costs = costs_.data();
  const std::int64_t *const first_consumer = relaxed_.consumers.starts().data();
  const int *const consumers = relaxed_.consumers.items().data();
  const std::int64_t *const first_effect = relaxed_.effects.starts().data();
  const int *const effects = relaxed_.effects.items().data();
  const char *const is_goal = is_goal_.data();
  CostQueue<Number> &queue = queue_;
  const auto reach = [reached, &queue](int proposition, Number cost, int supporter) {
    Reached &entry = reached[proposition];
    if (static_cast<Unsigned>(entry.cost) > static_cast<Unsigned>(cost)) { // -1 is the largest
      entry = {cost, supporter};
      queue.push(cost, proposition);
    }
  };

  queue.clear();
  std::fill(reached_.begin(), reached_.end(), Reached{unreached, no_supporter});
  std::copy(fresh_.begin(), fresh_.end(), progress_.begin());
  for (int op : relaxed_.unconditional)
    for (int effect : relaxed_.effects[op])
      reach(effect, costs_[op], op);
  for (int variable = 0; variable < task_.variables.count(); ++variable)
    reach(task_.variables.offsets[variable] + packer.get(state, variable), 0, no_supporter);
  std::size_t open_goals = task_.goal.size();
  while (!queue.empty()) {
    const auto [cost, proposition] = queue.pop();
    if (reached[proposition].cost < cost)
      continue;
    if (sizeof(Number) < sizeof(Cost) && cost >= ceiling)
      return false;
    if (is_goal[proposition] && --open_goals == 0)
      return true;
    const int *const end = consumers + first_consumer[proposition + 1];
    for (const int *consumer = consumers + first_consumer[proposition]; consumer != end;
         ++consumer) {
      const int op = *consumer;
      const Number total = combine(progress[op].cost, operator_costs[op], cost);
      progress[op].cost = total;
      if (--progress[op].conditions == 0) {
        const int *const last = effects + first_effect[op + 1];
        for (const int *effect = effects + first_effect[op]; effect != last; ++effect)
          reach(*effect, total, op);
      }
    }
  }
  return true;
}

RelaxationHeuristic::RelaxationHeuristic(const GroundTask &task,
                                         const HeuristicProperties &properties)
    : StateHeuristic(task, properties), relaxed_(task),
      narrow_(std::make_unique<RelaxedExploration<std::int32_t>>(task, relaxed_)) {}

template <class Combine, class Join>
double RelaxationHeuristic::explore(const StatePacker &packer, const Word *state,
                                    const Combine &combine, const Join &join) {
  if (!wide_) {
    if (narrow_->explore(packer, state, combine))
      return joined_goals(*narrow_, join);
    narrow_.reset();
    wide_ = std::make_unique<RelaxedExploration<Cost>>(task_, relaxed_);
  }
  wide_->explore(packer, state, combine);
  return joined_goals(*wide_, join);
}

template <class Number, class Join>
double RelaxationHeuristic::joined_goals(const RelaxedExploration<Number> &exploration,
                                         const Join &join) const {
  Cost result = 0;
  for (int value : task_.goal) {
    const Number cost = exploration.cost(value);
    if (cost == RelaxedExploration<Number>::unreached)
      return dead_end;
    result = join(result, Cost{cost});
  }
  return static_cast<double>(result);
}

double MaxHeuristic::value(const StatePacker &packer, const Word *state) {
  return explore(
      packer, state,
      []<class Number>(Number total, Number operator_cost, Number cost) {
        return std::max(total, std::min(static_cast<Number>(operator_cost + cost),
                                        RelaxedExploration<Number>::ceiling));
      },
      [](Cost highest, Cost cost) { return std::max(highest, cost); });
}

double AddHeuristic::explore_additively(const StatePacker &packer, const Word *state) {
  return explore(
      packer, state,
      []<class Number>(Number total, Number, Number cost) {
        return std::min(static_cast<Number>(total + cost), RelaxedExploration<Number>::ceiling);
      },
      sum_of_costs);
}

double AddHeuristic::value(const StatePacker &packer, const Word *state) {
  return explore_additively(packer, state);
}

namespace {

// A delete effect shows as a change of a variable whose fact is known to hold before (by a
// condition or a guard), or as a change to "not the fact".
std::vector<int> count_deletes(const GroundTask &task) {
  std::vector<int> result;
  const auto &variable_of = task.variables.variable_of;
  for (std::size_t op = 0; op < task.operators.size(); ++op) {
    int deletes = 0;
    for (const Effect &effect : task.operators.effects[op]) {
      int before = effect.guard;
      for (int value : task.operators.conditions[op])
        if (variable_of[value] == variable_of[effect.value])
          before = value;
      if (before >= 0 ? task.variables.fact_of[before] >= 0 : task.negated_fact[effect.value] >= 0)
        ++deletes;
    }
    result.push_back(deletes);
  }
  return result;
}

} // namespace

FFHeuristic::FFHeuristic(const GroundTask &task)
    : AddHeuristic(task, properties), goal_(task), deletes_(count_deletes(task)),
      proposition_stamp_(relaxed_.propositions, 0), operator_stamp_(task.operators.size(), 0),
      preferred_stamp_(task.operators.size(), 0) {}

// Backwards from the goal, each proposition once.
template <class Exploration>
void FFHeuristic::collect_from(const Exploration &exploration, std::vector<int> *preferred) {
  constexpr int no_supporter = Exploration::no_supporter;
  ++stamp_;
  plan_.clear();
  stack_.assign(task_.goal.begin(), task_.goal.end());
  while (!stack_.empty()) {
    const int proposition = stack_.back();
    stack_.pop_back();
    if (proposition_stamp_[proposition] == stamp_)
      continue;
    proposition_stamp_[proposition] = stamp_;
    const int achiever = exploration.supporter(proposition);
    if (achiever == no_supporter)
      continue;
    bool applicable = true;
    for (int condition : relaxed_.conditions[achiever]) {
      stack_.push_back(condition);
      applicable = applicable && exploration.supporter(condition) == no_supporter;
    }
    const int op = relaxed_.original[achiever];
    if (operator_stamp_[op] != stamp_) {
      operator_stamp_[op] = stamp_;
      plan_.push_back(op);
    }
    if (preferred != nullptr && applicable && preferred_stamp_[op] != stamp_) {
      preferred_stamp_[op] = stamp_;
      preferred->push_back(op);
    }
  }
}

bool FFHeuristic::relaxed_plan(const StatePacker &packer, const Word *state,
                               std::vector<int> &operators) {
  if (explore_additively(packer, state) == dead_end)
    return false;
  collect(nullptr);
  operators = plan_;
  return true;
}

double FFHeuristic::value(const StatePacker &packer, const Word *state) {
  if (explore_additively(packer, state) == dead_end)
    return dead_end;
  collect(nullptr);
  Cost cost = 0;
  for (int op : plan_)
    cost = sum_of_costs(cost, task_.operators.costs[op]);
  return static_cast<double>(cost);
}

RelaxedPlanFeatures FFHeuristic::features(const StatePacker &packer, const Word *state) {
  RelaxedPlanFeatures result{static_cast<double>(goal_.unsatisfied(packer, state)),
                             value(packer, state), 0, 0};
  if (result.ff == dead_end) {
    result.ignored_effects = result.mean_ignored_effects = dead_end;
    return result;
  }
  for (int op : plan_)
    result.ignored_effects += deletes_[op];
  if (!plan_.empty())
    result.mean_ignored_effects = result.ignored_effects / static_cast<double>(plan_.size());
  return result;
}

void FFHeuristic::preferred(const StateRegistry &registry, StateId state,
                            std::vector<int> &operators) {
  if (explore_additively(registry.packer(), registry[state]) != dead_end)
    collect(&operators);
}

} // namespace beeline
