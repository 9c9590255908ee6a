#include "heuristics/relaxation.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace beeline {

namespace {

constexpr std::size_t large_task = 5000; // relaxed operators

} // namespace

template <class Number>
RelaxedExploration<Number>::RelaxedExploration(const GroundTask &task, const RelaxedTask &relaxed,
                                               bool first_supporters)
    : task_(task), relaxed_(relaxed), first_supporters_(first_supporters),
      is_goal_(relaxed.propositions, 0), reached_(relaxed.propositions) {
  for (int value : task.goal)
    is_goal_[value] = 1;
  costs_.reserve(relaxed.size());
  effects_.reserve(relaxed.size());
  fresh_.reserve(relaxed.size());
  for (std::size_t op = 0; op < relaxed.size(); ++op) {
    costs_.push_back(static_cast<Number>(std::min<Cost>(relaxed.costs[op], ceiling)));
    fresh_.push_back({costs_[op], static_cast<int>(relaxed.conditions[op].size())});
    const auto effects = relaxed.effects[op]; // at least one
    effects_.push_back({effects[0], effects.size() == 1   ? none
                                    : effects.size() == 2 ? effects[1]
                                                          : several});
  }
  progress_ = fresh_;
}

template <class Number>
template <bool first_supporters, class Combine>
bool RelaxedExploration<Number>::explore_with(const StatePacker &packer, const Word *state,
                                              const Combine &combine) {
  using Unsigned = std::make_unsigned_t<Number>;
  // This loop is where planners spend their time. Plain pointers tell the compiler that the
  // arrays themselves stay where they are.
  Reached *const reached = reached_.data();
  Progress *const progress = progress_.data();
  const Number *const operator_costs = costs_.data();
  const std::int64_t *const first_consumer = relaxed_.consumers.starts().data();
  const int *const consumers = relaxed_.consumers.items().data();
  const Effects *const effects = effects_.data();
  const char *const is_goal = is_goal_.data();
  CostQueue<Number> &queue = queue_;
  const auto reach = [=, this](int proposition, Number cost, int supporter) {
    Reached &entry = reached[proposition];
    if (static_cast<Unsigned>(entry.cost) > static_cast<Unsigned>(cost)) { // -1 is the largest
      improve(proposition, cost, supporter);
    } else if constexpr (first_supporters) {
      if (entry.cost == cost && supporter < entry.supporter)
        entry.supporter = supporter;
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
  std::int64_t work = static_cast<std::int64_t>(relaxed_.size()) / 4;
  bool enough = true;
  while (!queue.empty()) {
    const auto [cost, proposition] = queue.pop();
    if (reached[proposition].cost < cost)
      continue;
    if (sizeof(Number) < sizeof(Cost) && cost >= ceiling) {
      enough = false;
      break;
    }
    if (is_goal[proposition] && --open_goals == 0)
      break;
    const int *const end = consumers + first_consumer[proposition + 1];
    work += first_consumer[proposition + 1] - first_consumer[proposition];
    for (const int *consumer = consumers + first_consumer[proposition]; consumer != end;
         ++consumer) {
      const int op = *consumer;
      const Number total = combine(progress[op].cost, operator_costs[op], cost);
      progress[op].cost = total;
      if (--progress[op].conditions == 0) {
        const auto [first, second] = effects[op];
        reach(first, total, op);
        if (second >= 0)
          reach(second, total, op);
        else if (second == several)
          for (int effect : relaxed_.effects[op].subspan(1))
            reach(effect, total, op);
      }
    }
  }
  work_ = work;
  return enough;
}

RelaxationHeuristic::RelaxationHeuristic(const GroundTask &task,
                                         const HeuristicProperties &properties, CostType cost_type)
    : StateHeuristic(task, properties), relaxed_(task, true, cost_type),
      first_supporters_(relaxed_.size() >= large_task && RepairedCosts::can_handle(relaxed_)),
      narrow_(
          std::make_unique<RelaxedExploration<std::int32_t>>(task, relaxed_, first_supporters_)) {}

template <class Combine, class Join>
double RelaxationHeuristic::explore(const StatePacker &packer, const Word *state,
                                    const Combine &combine, const Join &join) {
  if (!wide_) {
    const bool enough = narrow_->explore(packer, state, combine);
    count(narrow_->work());
    if (enough)
      return joined_goals(*narrow_, join);
    narrow_.reset();
    wide_ = std::make_unique<RelaxedExploration<Cost>>(task_, relaxed_, first_supporters_);
  }
  wide_->explore(packer, state, combine);
  count(wide_->work());
  return joined_goals(*wide_, join);
}

template <class Costs, class Join>
double RelaxationHeuristic::joined_goals(const Costs &costs, const Join &join) const {
  Cost result = 0;
  for (int value : task_.goal) {
    const auto cost = costs.cost(value);
    if (cost == Costs::unreached)
      return dead_end;
    result = join(result, Cost{cost});
  }
  return static_cast<double>(result);
}

double MaxHeuristic::value(const StatePacker &packer, const Word *state) {
  return explore(
      packer, state,
      []<class Number>(Number total, Number operator_cost, Number cost) {
        const auto sum = static_cast<Number>(operator_cost + cost);
        if constexpr (sizeof(Number) < sizeof(Cost)) // ends before it adds to the ceiling
          return std::max(total, sum);
        else
          return std::max(total, std::min(sum, RelaxedExploration<Number>::ceiling));
      },
      [](Cost highest, Cost cost) { return std::max(highest, cost); });
}

double AddHeuristic::explore_additively(const StatePacker &packer, const Word *state) {
  if (last_state_.empty())
    last_state_.resize(packer.words());
  else if (std::equal(last_state_.begin(), last_state_.end(), state))
    return last_value_;
  std::copy_n(state, last_state_.size(), last_state_.begin());
  if (can_repair_ && fresh_turns_ == 0) {
    last_value_ = repair(packer, state);
  } else {
    last_repaired_ = nullptr;
    last_value_ = explore_afresh(packer, state);
    fresh_work_ = exploration_work();
    fresh_turns_ = std::max(0, fresh_turns_ - 1);
  }
  return last_value_;
}

// Repairs costs, and weighs now and then whether that is less work than to explore afresh.
double AddHeuristic::repair(const StatePacker &packer, const Word *state) {
  constexpr int window = 32, pause = 1024; // explorations
  constexpr double dearer = 1.4;           // than a look at a condition in an exploration afresh
  RepairedCosts &costs = nearest_costs(packer, state);
  const std::int64_t work_before = costs.work();
  if (!costs.explore(packer, state)) { // numbers that are too narrow will be so again
    can_repair_ = false;
    last_repaired_ = nullptr;
    repaired_.clear();
    return explore_afresh(packer, state);
  }
  last_repaired_ = &costs;
  const std::int64_t work = costs.work() - work_before;
  count(work);
  window_work_ += work;
  if (++window_ == window) {
    if (static_cast<double>(window_work_) * dearer > static_cast<double>(fresh_work_) * window)
      fresh_turns_ = pause;
    window_work_ = 0;
    window_ = 0;
  }
  return joined_goals(costs, sum_of_costs);
}

// The costs of the state that is most like this one; of a state far from all others, those that
// were not used for longest.
RepairedCosts &AddHeuristic::nearest_costs(const StatePacker &packer, const Word *state) {
  constexpr int near = 6; // variables
  constexpr std::size_t most = 4;
  if (achievers_.size() == 0)
    achievers_ = RepairedCosts::achievers_in(relaxed_);
  std::size_t best = 0;
  int smallest = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < repaired_.size(); ++i) {
    const int distance = repaired_[i]->distance(packer, state);
    if (distance < smallest) {
      smallest = distance;
      best = i;
    }
  }
  if (smallest > near) {
    if (repaired_.size() < most)
      repaired_.push_back(std::make_unique<RepairedCosts>(task_, relaxed_, achievers_));
    best = repaired_.size() - 1;
  }
  std::rotate(repaired_.begin(), repaired_.begin() + static_cast<std::ptrdiff_t>(best),
              repaired_.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  return *repaired_.front();
}

double AddHeuristic::explore_afresh(const StatePacker &packer, const Word *state) {
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

FFHeuristic::FFHeuristic(const GroundTask &task, CostType cost_type)
    : AddHeuristic(task, properties, cost_type), goal_(task), deletes_(count_deletes(task)),
      proposition_stamp_(relaxed_.propositions, 0), operator_stamp_(task.operators.size(), 0),
      preferred_stamp_(task.operators.size(), 0) {}

// Backwards from the goal, each proposition once.
template <class Exploration>
void FFHeuristic::collect_from(const Exploration &exploration, std::vector<int> *preferred) {
  constexpr int no_supporter = Exploration::no_supporter;
  ++stamp_;
  plan_.clear();
  plan_cost_ = 0;
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
      applicable = applicable &&
                   (exploration.supporter(condition) == no_supporter || holds_for_free(condition));
    }
    if (relaxed_.is_axiom(achiever))
      continue;
    const int op = relaxed_.original[achiever];
    if (operator_stamp_[op] != stamp_) {
      operator_stamp_[op] = stamp_;
      plan_.push_back(op);
      plan_cost_ = sum_of_costs(plan_cost_, relaxed_.costs[achiever]);
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
  return static_cast<double>(plan_cost_);
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
  met_dead_end_ = explore_additively(registry.packer(), registry[state]) == dead_end;
  if (met_dead_end_)
    return;
  for (int op : relaxed_.unconditional)
    if (relaxed_.is_axiom(op)) {
      free_holds_.resize(relaxed_.propositions, 0);
      for (int effect : relaxed_.effects[op]) {
        const int variable = task_.variables.variable_of[effect];
        const int local = registry.packer().get(registry[state], variable);
        free_holds_[effect] = task_.variables.offsets[variable] + local == effect ? 1 : 0;
      }
    }
  collect(&operators);
}

} // namespace beeline
