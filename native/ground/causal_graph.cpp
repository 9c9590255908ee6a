#include "ground/causal_graph.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <queue>
#include <unordered_map>

#include "base/strong_components.h"

namespace beeline {

namespace {

struct Arc {
  int target;
  std::int64_t weight;
};

// Counts arcs: in a matrix where that is small, else in a hash map.
class ArcCounter {
public:
  explicit ArcCounter(int nodes) : nodes_(nodes) {
    if (static_cast<std::int64_t>(nodes) * nodes <= max_matrix_entries)
      matrix_.assign(static_cast<std::size_t>(nodes) * nodes, 0);
  }

  void count(int source, int target) {
    if (matrix_.empty())
      ++map_[static_cast<std::int64_t>(source) * nodes_ + target];
    else
      ++matrix_[static_cast<std::size_t>(source) * nodes_ + target];
  }

  // Per node: outgoing arcs by target.
  std::vector<std::vector<Arc>> arcs() const {
    std::vector<std::vector<Arc>> result(nodes_);
    for (std::size_t i = 0; i < matrix_.size(); ++i)
      if (matrix_[i] > 0)
        result[i / nodes_].push_back({static_cast<int>(i % nodes_), matrix_[i]});
    for (const auto &[arc, weight] : map_)
      result[arc / nodes_].push_back({static_cast<int>(arc % nodes_), weight});
    for (auto &row : result)
      std::sort(row.begin(), row.end(),
                [](const Arc &left, const Arc &right) { return left.target < right.target; });
    return result;
  }

private:
  static constexpr std::int64_t max_matrix_entries = 1 << 22;
  int nodes_;
  std::vector<int> matrix_;
  std::unordered_map<std::int64_t, int> map_;
};

std::vector<std::vector<Arc>> causal_arcs(const Variables &variables, const Operators &operators,
                                          const Axioms &axioms, Poll &poll) {
  ArcCounter counter(variables.count());
  const auto &variable_of = variables.variable_of;
  std::vector<int> sources;
  for (std::size_t op = 0; op < operators.size(); ++op) {
    poll.tick();
    const auto effects = operators.effects[op];
    sources.clear();
    for (int value : operators.conditions[op]) {
      // A tested variable counts once per change of it, and once if it is not changed.
      const auto changes = std::count_if(effects.begin(), effects.end(), [&](const Effect &effect) {
        return variable_of[effect.value] == variable_of[value];
      });
      sources.insert(sources.end(), std::max<std::size_t>(changes, 1), variable_of[value]);
    }
    for (const Effect &effect : effects) {
      for (int source : sources)
        if (source != variable_of[effect.value])
          counter.count(source, variable_of[effect.value]);
      for (int value : operators.condition_of(effect))
        counter.count(variable_of[value], variable_of[effect.value]);
    }
  }
  for (std::size_t axiom = 0; axiom < axioms.size(); ++axiom)
    for (int value : axioms.conditions[axiom])
      if (variable_of[value] != variable_of[axioms.values[axiom]])
        counter.count(variable_of[value], variable_of[axioms.values[axiom]]);
  return counter.arcs();
}

std::vector<char> influence_goal(const std::vector<std::vector<Arc>> &arcs,
                                 const std::vector<char> &in_goal) {
  std::vector<std::vector<int>> predecessors(arcs.size());
  for (std::size_t source = 0; source < arcs.size(); ++source)
    for (const Arc &arc : arcs[source])
      predecessors[arc.target].push_back(static_cast<int>(source));
  std::vector<char> relevant = in_goal;
  std::vector<int> open;
  for (std::size_t variable = 0; variable < in_goal.size(); ++variable)
    if (in_goal[variable])
      open.push_back(static_cast<int>(variable));
  while (!open.empty()) {
    const int variable = open.back();
    open.pop_back();
    for (int predecessor : predecessors[variable])
      if (!relevant[predecessor]) {
        relevant[predecessor] = 1;
        open.push_back(predecessor);
      }
  }
  return relevant;
}

// Orders one strong component: again and again the variable with the least incoming weight,
// taking its outgoing arcs away. Arcs into goal variables first count as very heavy, which
// keeps these variables for the end. Entries in the buckets are never removed when a weight
// falls; stale ones are passed over where a current one follows.
class ComponentOrder {
public:
  ComponentOrder(const std::vector<std::vector<Arc>> &arcs, const std::vector<char> &in_goal,
                 const std::vector<int> &component)
      : component_(component) {
    const std::vector<char> inside = membership(arcs.size(), component);
    for (int source : component)
      for (const Arc &arc : arcs[source])
        if (inside[arc.target]) {
          if (in_goal[arc.target]) {
            arcs_[source].push_back({arc.target, goal_weight + arc.weight});
          }
          arcs_[source].push_back(arc);
        }
    for (int source : component)
      for (const Arc &arc : arcs_[source])
        incoming_[arc.target] += arc.weight;
  }

  std::vector<int> run() {
    for (int variable : component_)
      file(variable);
    std::vector<int> order;
    while (!weights_.empty()) {
      const std::int64_t weight = weights_.top();
      std::deque<int> &bucket = buckets_[weight];
      int chosen = -1;
      while (!bucket.empty() && (chosen < 0 || done_[chosen] || weight > incoming_[chosen])) {
        chosen = bucket.front();
        bucket.pop_front();
      }
      if (bucket.empty()) {
        buckets_.erase(weight);
        weights_.pop();
      }
      if (chosen < 0 || done_[chosen])
        continue;
      done_[chosen] = true;
      order.push_back(chosen);
      for (const Arc &arc : arcs_[chosen]) {
        const std::int64_t weight_left = arc.weight % goal_weight;
        if (done_[arc.target] || weight_left == 0)
          continue;
        incoming_[arc.target] -= weight_left;
        file(arc.target);
      }
    }
    return order;
  }

private:
  static constexpr std::int64_t goal_weight = 100000;

  static std::vector<char> membership(std::size_t nodes, const std::vector<int> &component) {
    std::vector<char> inside(nodes, 0);
    for (int node : component)
      inside[node] = 1;
    return inside;
  }

  void file(int variable) {
    const std::int64_t weight = incoming_[variable];
    const auto [bucket, is_new] = buckets_.try_emplace(weight);
    if (is_new)
      weights_.push(weight);
    bucket->second.push_back(variable);
  }

  const std::vector<int> &component_;
  std::unordered_map<int, std::vector<Arc>> arcs_;
  std::unordered_map<int, std::int64_t> incoming_;
  std::unordered_map<int, bool> done_;
  std::unordered_map<std::int64_t, std::deque<int>> buckets_;
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> weights_;
};

} // namespace

std::vector<int> relevant_variables_in_order(const Variables &variables, const Operators &operators,
                                             const Axioms &axioms, const CausalArcs &more,
                                             const std::vector<int> &goal, Poll &poll) {
  auto arcs = causal_arcs(variables, operators, axioms, poll);
  arcs.resize(std::max(arcs.size(), static_cast<std::size_t>(more.nodes)));
  for (const auto &[source, target] : more.arcs)
    arcs[source].push_back({target, 1});
  std::vector<char> in_goal(arcs.size(), 0);
  for (int value : goal)
    in_goal[variables.variable_of[value]] = 1;
  poll.now();
  Rows<int> successors;
  for (const auto &row : arcs) {
    for (const Arc &arc : row)
      successors.push(arc.target);
    successors.close_row();
  }
  const std::vector<char> relevant = influence_goal(arcs, in_goal);
  std::vector<int> result;
  for (const std::vector<int> &component : strong_components(successors)) {
    std::vector<int> order =
        component.size() == 1 ? component : ComponentOrder(arcs, in_goal, component).run();
    for (int variable : order)
      if (relevant[variable] && variable < variables.count())
        result.push_back(variable);
  }
  return result;
}

} // namespace beeline
