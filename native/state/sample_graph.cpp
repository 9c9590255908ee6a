#include "state/sample_graph.h"

#include <algorithm>
#include <queue>

namespace beeline {

namespace {

// The operators that are applicable in every state that a partial one stands for.
class Applicable {
public:
  explicit Applicable(const GroundTask &task)
      : task_(task), by_value_(task.variables.values()), open_(task.operators.size()),
        stamps_(task.operators.size(), 0) {
    for (std::size_t op = 0; op < task.operators.size(); ++op) {
      if (task.operators.conditions[op].empty())
        always_.push_back(static_cast<int>(op));
      for (int value : task.operators.conditions[op])
        by_value_[value].push_back(static_cast<int>(op));
    }
  }

  void find(const PartialState &state, std::vector<int> &operators) {
    operators = always_;
    ++stamp_;
    for (std::size_t variable = 0; variable < state.size(); ++variable) {
      if (state[variable] == undefined)
        continue;
      for (int op : by_value_[task_.variables.offsets[variable] + state[variable]]) {
        if (stamps_[op] != stamp_) {
          stamps_[op] = stamp_;
          open_[op] = static_cast<int>(task_.operators.conditions[op].size());
        }
        if (--open_[op] == 0)
          operators.push_back(op);
      }
    }
    std::sort(operators.begin(), operators.end());
  }

  // False if an effect depends on a value that is not known.
  bool apply(int op, const PartialState &state, PartialState &successor) const {
    successor = state;
    for (const Effect &effect : task_.operators.effects[op]) {
      const int variable = task_.variables.variable_of[effect.value];
      const int offset = task_.variables.offsets[variable];
      if (effect.guard >= 0) {
        if (state[variable] == undefined)
          return false;
        if (state[variable] != effect.guard - offset)
          continue;
      }
      bool fires = true;
      for (int value : task_.operators.condition_of(effect)) {
        const int other = task_.variables.variable_of[value];
        if (state[other] == undefined)
          return false;
        fires = fires && state[other] == value - task_.variables.offsets[other];
      }
      if (fires)
        successor[variable] = effect.value - offset;
    }
    return true;
  }

private:
  const GroundTask &task_;
  std::vector<std::vector<int>> by_value_; // operators with this condition
  std::vector<int> always_;
  std::vector<int> open_; // per operator: conditions that are not met yet
  std::vector<unsigned> stamps_;
  unsigned stamp_ = 0;
};

} // namespace

SampleGraph::SampleGraph(const PartialStates &states, std::vector<StateId> members, Poll &poll)
    : task_(states.task()), members_(std::move(members)) {
  task_.require_operators("a graph of samples");
  const Generalisations index(states, members_);
  Applicable applicable(task_);
  PartialState state, successor;
  std::vector<int> operators, places;
  for (std::size_t place = 0; place < members_.size(); ++place) {
    states.read(members_[place], state);
    applicable.find(state, operators);
    for (int op : operators) {
      for (int i = 0; i < 16; ++i) // a query is much work
        poll.tick();
      if (!applicable.apply(op, state, successor))
        continue;
      places.clear();
      index.find(successor, places);
      std::sort(places.begin(), places.end());
      for (int target : places)
        if (target != static_cast<int>(place))
          arcs_.push({target, op});
    }
    arcs_.close_row();
  }
}

std::vector<Cost> SampleGraph::improved(const std::vector<Cost> &estimates) const {
  // Arcs by target.
  std::vector<std::int64_t> first(members_.size() + 1, 0);
  for (const Arc &arc : arcs_.items())
    ++first[arc.target + 1];
  for (std::size_t i = 1; i < first.size(); ++i)
    first[i] += first[i - 1];
  struct Incoming {
    int source;
    Cost cost;
  };
  std::vector<Incoming> incoming(arcs_.items().size());
  std::vector<std::int64_t> next(first.begin(), first.end() - 1);
  for (std::size_t source = 0; source < members_.size(); ++source)
    for (const Arc &arc : arcs_[source])
      incoming[next[arc.target]++] = {static_cast<int>(source), task_.operators.costs[arc.op]};
  std::vector<Cost> costs = estimates;
  using Entry = std::pair<Cost, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::size_t place = 0; place < costs.size(); ++place)
    queue.emplace(costs[place], static_cast<int>(place));
  while (!queue.empty()) {
    const auto [cost, place] = queue.top();
    queue.pop();
    if (cost > costs[place])
      continue;
    for (std::int64_t at = first[place]; at < first[place + 1]; ++at) {
      const Cost through = sum_of_costs(cost, incoming[at].cost);
      if (through < costs[incoming[at].source]) {
        costs[incoming[at].source] = through;
        queue.emplace(through, incoming[at].source);
      }
    }
  }
  return costs;
}

Rows<int> SampleGraph::preferred(const std::vector<Cost> &estimates) const {
  Rows<int> result;
  std::vector<int> row;
  for (std::size_t place = 0; place < members_.size(); ++place) {
    row.clear();
    for (const Arc &arc : arcs_[place])
      if (estimates[place] == sum_of_costs(estimates[arc.target], task_.operators.costs[arc.op]))
        row.push_back(arc.op);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    result.add_row(row);
  }
  return result;
}

} // namespace beeline
