#include "heuristics/lmcut.h"

#include <algorithm>
#include <utility>

namespace beeline {

namespace {

// Among equally dear conditions the first becomes the supporter; this is Fast Downward's order.
std::vector<int> unchanged_first(const GroundTask &task, const RelaxedTask &relaxed,
                                 std::size_t op) {
  const auto conditions = relaxed.conditions[op];
  const auto effects = relaxed.effects[op];
  std::vector<int> result(conditions.begin(), conditions.end());
  std::stable_partition(result.begin(), result.end(), [&](int condition) {
    return std::none_of(effects.begin(), effects.end(), [&](int effect) {
      return task.variables.variable_of[effect] == task.variables.variable_of[condition];
    });
  });
  return result;
}

} // namespace

template <class Number>
LMCutHeuristic<Number>::LMCutHeuristic(const GroundTask &task) : StateHeuristic(task, properties) {
  const RelaxedTask relaxed(task, false);
  start_ = relaxed.propositions;
  goal_ = start_ + 1;
  const int propositions = goal_ + 1;
  const int always[] = {start_};
  for (std::size_t op = 0; op < relaxed.size(); ++op) {
    // Every operator needs a condition, so that it can have a supporter.
    if (relaxed.conditions[op].empty())
      conditions_.add_row(always);
    else
      conditions_.add_row(unchanged_first(task, relaxed, op));
    effects_.add_row(relaxed.effects[op]);
    fresh_.push_back({static_cast<Number>(relaxed.costs[op]), 0, -1, 0});
  }
  conditions_.add_row(task.goal.empty() ? std::span<const int>(always) : task.goal);
  effects_.add_row({&goal_, 1});
  fresh_.push_back({0, 0, -1, 0});

  std::vector<std::vector<int>> consumers(propositions), achievers(propositions);
  for (std::size_t op = 0; op < fresh_.size(); ++op) {
    fresh_[op].unsatisfied = static_cast<int>(conditions_[op].size());
    for (int condition : conditions_[op])
      consumers[condition].push_back(static_cast<int>(op));
    for (int effect : effects_[op])
      achievers[effect].push_back(static_cast<int>(op));
  }
  for (int proposition = 0; proposition < propositions; ++proposition) {
    consumers_.add_row(consumers[proposition]);
    achievers_.add_row(achievers[proposition]);
  }
  std::vector<std::vector<int>> parts(relaxed.originals);
  for (std::size_t op = 0; op < relaxed.size(); ++op)
    parts[relaxed.original[op]].push_back(static_cast<int>(op));
  if (std::any_of(parts.begin(), parts.end(), [](const auto &row) { return row.size() > 1; })) {
    for (std::size_t op = 0; op < relaxed.size(); ++op) {
      for (int part : parts[relaxed.original[op]])
        if (part != static_cast<int>(op))
          other_parts_.push(part);
      other_parts_.close_row();
    }
    other_parts_.close_row(); // of the goal
  }
  nodes_ = fresh_;
  cost_.resize(propositions);
  in_zone_.assign(propositions, 0);
  op_stamp_.assign(fresh_.size(), 0);
  free_stamp_.assign(propositions, 0);
  not_free_stamp_.assign(propositions, 0);
  walk_stamp_.assign(propositions, 0);
  walk_from_.assign(propositions, -1);
  outside_stamp_.assign(propositions, 0);
  lost_stamp_.assign(propositions, 0);
}

template <class Number>
template <class Visit>
void LMCutHeuristic<Number>::for_each_start(const StatePacker &packer, const Word *state,
                                            const Visit &visit) const {
  for (int variable = 0; variable < task_.variables.count(); ++variable)
    visit(task_.variables.offsets[variable] + packer.get(state, variable));
  visit(start_);
}

template <class Number>
double LMCutHeuristic<Number>::value(const StatePacker &packer, const Word *state) {
  explore(packer, state);
  if (cost_[goal_] == unreached)
    return dead_end;
  Cost total = 0;
  while (cost_[goal_] != 0 && total < cost_limit) {
    mark_goal_zone();
    find_cut();
    Number cheapest = nodes_[cut_.front()].cost;
    for (int op : cut_)
      cheapest = std::min(cheapest, nodes_[op].cost);
    if (other_parts_.size() > 0)
      add_other_parts();
    for (int op : cut_)
      nodes_[op].cost -= cheapest;
    total = sum_of_costs(total, cheapest);
    for (int proposition : zone_)
      in_zone_[proposition] = 0;
    repair(cut_);
  }
  return static_cast<double>(total);
}

template <class Number>
void LMCutHeuristic<Number>::explore(const StatePacker &packer, const Word *state) {
  Node *const nodes = nodes_.data();
  const std::int64_t *const first_consumer = consumers_.starts().data();
  const int *const consumers = consumers_.items().data();
  const std::int64_t *const first_effect = effects_.starts().data();
  const int *const effects = effects_.items().data();
  queue_.clear();
  std::fill(cost_.begin(), cost_.end(), unreached);
  std::copy(fresh_.begin(), fresh_.end(), nodes_.begin());
  for_each_start(packer, state, [&](int proposition) { reach(proposition, 0); });
  while (!queue_.empty()) {
    const auto [cost, proposition] = queue_.pop();
    if (cost_[proposition] < cost)
      continue;
    const int *const end = consumers + first_consumer[proposition + 1];
    for (const int *consumer = consumers + first_consumer[proposition]; consumer != end;
         ++consumer) {
      Node &node = nodes[*consumer];
      if (--node.unsatisfied == 0) { // the last condition to be reached is the dearest
        node.supporter = proposition;
        node.support_cost = cost;
        const Number target = sum(cost, node.cost);
        const int *const last = effects + first_effect[*consumer + 1];
        for (const int *effect = effects + first_effect[*consumer]; effect != last; ++effect)
          reach(*effect, target);
      }
    }
  }
}

// After the costs of the cut's operators fell.
template <class Number>
void LMCutHeuristic<Number>::repair(const std::vector<int> &cut) {
  Node *const nodes = nodes_.data();
  const std::int64_t *const first_consumer = consumers_.starts().data();
  const int *const consumers = consumers_.items().data();
  queue_.add_virtual_pushes(static_cast<int>(cost_.size())); // it is empty
  for (int op : cut)
    for (int effect : effects_[op])
      reach(effect, sum(nodes[op].support_cost, nodes[op].cost));
  while (!queue_.empty()) {
    const auto [cost, proposition] = queue_.pop();
    if (cost_[proposition] < cost)
      continue;
    const int *const end = consumers + first_consumer[proposition + 1];
    for (const int *consumer = consumers + first_consumer[proposition]; consumer != end;
         ++consumer) {
      Node &node = nodes[*consumer];
      if (node.supporter != proposition || node.support_cost <= cost)
        continue;
      const Number before = node.support_cost;
      choose_supporter(*consumer);
      if (node.support_cost != before)
        for (int effect : effects_[*consumer])
          reach(effect, sum(node.support_cost, node.cost));
    }
  }
}

template <class Number>
void LMCutHeuristic<Number>::choose_supporter(int op) {
  Node &node = nodes_[op];
  for (int condition : conditions_[op])
    if (cost_[condition] > cost_[node.supporter])
      node.supporter = condition;
  node.support_cost = cost_[node.supporter];
}

// The propositions from which free operators lead to the goal along supporters, depth first, and
// all other operators that achieve one of them.
template <class Number>
void LMCutHeuristic<Number>::mark_goal_zone() {
  ++round_;
  zone_.clear();
  entrances_.clear();
  visit_zone(goal_);
  while (!frames_.empty()) {
    Frame &frame = frames_.back();
    const auto achievers = achievers_[frame.proposition];
    if (frame.next_achiever == achievers.size()) {
      frames_.pop_back();
      continue;
    }
    const int op = achievers[frame.next_achiever++];
    const Node &node = nodes_[op];
    if (node.unsatisfied != 0)
      continue;
    if (node.cost == 0) {
      break_tie(op);
      if (in_zone_[node.supporter] == 0)
        visit_zone(node.supporter);
    } else if (op_stamp_[op] != round_) {
      op_stamp_[op] = round_;
      entrances_.push_back(op);
    }
  }
}

template <class Number>
void LMCutHeuristic<Number>::visit_zone(int proposition) {
  in_zone_[proposition] = 1;
  zone_.push_back(proposition);
  frames_.push_back({proposition, 0});
}

template <class Number>
void LMCutHeuristic<Number>::break_tie(int op) {
  Node &node = nodes_[op];
  for (int condition : conditions_[op])
    if (cost_[condition] == node.support_cost &&
        (in_zone_[condition] != 0 || !has_free_achiever(condition))) {
      node.supporter = condition;
      return;
    }
}

template <class Number>
bool LMCutHeuristic<Number>::has_free_achiever(int proposition) {
  if (free_stamp_[proposition] == round_)
    return true;
  if (not_free_stamp_[proposition] == round_)
    return false;
  const auto achievers = achievers_[proposition];
  const bool result =
      std::any_of(achievers.begin(), achievers.end(), [&](int op) { return nodes_[op].cost == 0; });
  (result ? free_stamp_ : not_free_stamp_)[proposition] = round_;
  return result;
}

// The entrances whose supporter is reached from the state without passing through the zone.
template <class Number>
void LMCutHeuristic<Number>::find_cut() {
  cut_.clear();
  for (int op : entrances_) {
    const int supporter = nodes_[op].supporter;
    if (in_zone_[supporter] == 0 && reached_outside_zone(supporter))
      cut_.push_back(op);
  }
}

// Operators of the cut whose other parts are not in it: these, if reached, become cheaper, too.
template <class Number>
void LMCutHeuristic<Number>::add_other_parts() {
  ++walk_;
  part_stamp_.resize(nodes_.size(), 0);
  for (int op : cut_)
    part_stamp_[op] = walk_;
  for (std::size_t i = 0, end = cut_.size(); i < end; ++i)
    for (int part : other_parts_[cut_[i]])
      if (nodes_[part].unsatisfied == 0 && std::exchange(part_stamp_[part], walk_) != walk_)
        cut_.push_back(part);
}

template <class Number>
bool LMCutHeuristic<Number>::enters_zone(int op) const {
  const auto effects = effects_[op];
  return std::any_of(effects.begin(), effects.end(),
                     [&](int effect) { return in_zone_[effect] != 0; });
}

// Backwards along supporters, until something turns up that is known to be outside.
template <class Number>
bool LMCutHeuristic<Number>::reached_outside_zone(int proposition) {
  if (known_outside_zone(proposition))
    return true;
  if (lost_stamp_[proposition] == round_)
    return false;
  ++walk_;
  open_.assign(1, proposition);
  walked_.assign(1, proposition);
  walk_stamp_[proposition] = walk_;
  walk_from_[proposition] = -1;
  while (!open_.empty()) {
    int current = open_.back();
    open_.pop_back();
    const auto achievers = achievers_[current];
    const auto arrives = std::find_if(achievers.begin(), achievers.end(), [&](int op) {
      return nodes_[op].unsatisfied == 0 && known_outside_zone(nodes_[op].supporter) &&
             !enters_zone(op);
    });
    if (arrives != achievers.end()) {
      for (; current >= 0; current = walk_from_[current])
        outside_stamp_[current] = round_;
      return true;
    }
    for (int op : achievers) {
      const int supporter = nodes_[op].supporter;
      if (nodes_[op].unsatisfied != 0 || in_zone_[supporter] != 0 ||
          walk_stamp_[supporter] == walk_ || lost_stamp_[supporter] == round_ ||
          known_outside_zone(supporter) || enters_zone(op))
        continue;
      walk_stamp_[supporter] = walk_;
      walk_from_[supporter] = current;
      walked_.push_back(supporter);
      open_.push_back(supporter);
    }
  }
  for (int visited : walked_)
    lost_stamp_[visited] = round_;
  return false;
}

std::unique_ptr<Evaluator> make_lmcut(const GroundTask &task) {
  // The dearest way to a proposition goes through each other one, and each operator, once at most.
  const OperatorCosts &costs = task.operators.costs;
  const Cost dearest = costs.empty() ? 0 : costs.highest();
  const auto steps =
      std::min(static_cast<double>(task.variables.values()), static_cast<double>(costs.size()));
  if (static_cast<double>(dearest) * steps < LMCutHeuristic<std::int32_t>::ceiling)
    return std::make_unique<LMCutHeuristic<std::int32_t>>(task);
  return std::make_unique<LMCutHeuristic<Cost>>(task);
}

} // namespace beeline
