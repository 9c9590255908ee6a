// Backchaining: from the goals to what must hold before them.
//
// For each landmark, a relaxed exploration that never reaches it tells which operators can be the
// first to achieve it. What these have in common as conditions are landmarks too; conditions with
// the same predicate, one in each of the operators, form a disjunctive landmark. The landmark's
// own variable gives more: a value on every path from its initial value. Whatever the exploration
// does not reach comes after the landmark.
//
// Source: Richter, Helmert and Westphal, "Landmarks revisited", AAAI 2008. Cost: one exploration
// for each landmark, over one counter per operator.

#include <algorithm>
#include <deque>

#include "heuristics/landmark_graph.h"
#include "heuristics/relaxed_reachability.h"

namespace beeline {

namespace {

constexpr std::size_t max_disjunction = 4;       // values
constexpr std::int64_t max_work = 3'000'000'000; // conditions touched in all explorations

class LandmarkSearch {
public:
  LandmarkSearch(const GroundTask &task, Poll &poll)
      : task_(task), poll_(poll), relaxed_(task, false), exploration_(task, relaxed_),
        simple_(relaxed_.propositions, -1), disjunctive_(relaxed_.propositions, -1),
        uses_(relaxed_.propositions, 0), transitions_(relaxed_.propositions) {
    std::vector<std::vector<int>> achievers(relaxed_.propositions);
    for (std::size_t op = 0; op < relaxed_.size(); ++op)
      for (int effect : relaxed_.effects[op])
        achievers[effect].push_back(static_cast<int>(op));
    for (const std::vector<int> &row : achievers)
      achievers_.add_row(row);
  }

  LandmarkGraph run() {
    for (int goal : task_.goal)
      graph_.landmarks[add_simple(goal)].is_goal = true;
    for (; !open_.empty(); open_.pop_front()) {
      poll_.now();
      const int landmark = open_.front();
      if (removed_[landmark] == 0 && !graph_.landmarks[landmark].holds_initially &&
          exploration_.work() < max_work)
        chain_back(landmark);
    }
    add_forward_orders();
    return compacted();
  }

private:
  bool holds_initially(int value) const {
    return task_.initial[task_.variables.variable_of[value]] == value;
  }

  int add(std::vector<int> values) {
    Landmark landmark;
    landmark.holds_initially = std::any_of(values.begin(), values.end(),
                                           [this](int value) { return holds_initially(value); });
    landmark.values = std::move(values);
    graph_.landmarks.push_back(std::move(landmark));
    removed_.push_back(0);
    unreached_.emplace_back();
    const int number = static_cast<int>(graph_.landmarks.size()) - 1;
    open_.push_back(number);
    return number;
  }

  int add_simple(int value) {
    if (simple_[value] >= 0)
      return simple_[value];
    if (disjunctive_[value] >= 0) // the simple one says more
      remove(disjunctive_[value]);
    return simple_[value] = add({value});
  }

  void remove(int landmark) {
    removed_[landmark] = 1;
    for (int value : graph_.landmarks[landmark].values)
      disjunctive_[value] = -1;
    std::erase_if(graph_.orders, [landmark](const auto &entry) {
      return entry.first.first == landmark || entry.first.second == landmark;
    });
  }

  void chain_back(int landmark) {
    const std::vector<int> values = graph_.landmarks[landmark].values;
    possible_.clear();
    for (int value : values)
      possible_.insert(possible_.end(), achievers_[value].begin(), achievers_[value].end());
    std::sort(possible_.begin(), possible_.end());
    possible_.erase(std::unique(possible_.begin(), possible_.end()), possible_.end());
    exploration_.run(values, possible_);

    std::erase_if(possible_, [this](int op) { return !exploration_.applicable(op); });
    std::vector<int> &first = graph_.landmarks[landmark].first_achievers;
    for (int op : possible_)
      if (!relaxed_.is_axiom(op))
        first.push_back(relaxed_.original[op]);
    first.erase(std::unique(first.begin(), first.end()), first.end());
    note_unreached(landmark);
    collect_conditions(values);

    for (int value : shared_conditions())
      graph_.add_order(add_simple(value), landmark, LandmarkOrder::greedy);
    if (values.size() == 1)
      for (int value : values_on_every_path(values.front()))
        graph_.add_order(add_simple(value), landmark, LandmarkOrder::natural);
    for (const std::vector<int> &set : shared_predicates())
      add_disjunctive(set, landmark);
  }

  // The conditions of each first achiever, in `conditions_`. An operator that sets a variable of
  // two values, whatever it was before, changes its initial value when it does so first.
  void collect_conditions(const std::vector<int> &values) {
    const Variables &variables = task_.variables;
    conditions_.clear();
    for (int op : possible_) {
      conditions_.emplace_back(relaxed_.conditions[op].begin(), relaxed_.conditions[op].end());
      for (int effect : relaxed_.effects[op]) {
        const int variable = variables.variable_of[effect];
        const auto is_on_variable = [&](int value) {
          return variables.variable_of[value] == variable;
        };
        if (variables.domain_size(variable) == 2 &&
            std::binary_search(values.begin(), values.end(), effect) &&
            std::none_of(relaxed_.conditions[op].begin(), relaxed_.conditions[op].end(),
                         is_on_variable))
          conditions_.back().push_back(task_.initial[variable]);
      }
    }
  }

  std::vector<int> shared_conditions() {
    std::vector<int> result;
    for (const auto &conditions : conditions_)
      for (int value : conditions)
        if (++uses_[value] == static_cast<int>(conditions_.size()))
          result.push_back(value);
    for (const auto &conditions : conditions_)
      for (int value : conditions)
        uses_[value] = 0;
    std::sort(result.begin(), result.end());
    return result;
  }

  // Sets of values with the same predicate, at least one a condition of each first achiever.
  std::vector<std::vector<int>> shared_predicates() {
    struct Found {
      std::vector<int> values;
      std::size_t operators = 0; // that have such a condition
    };
    std::map<int, Found> found; // by predicate
    for (std::size_t i = 0; i < conditions_.size(); ++i)
      for (int value : conditions_[i]) {
        const int predicate = predicate_of(value);
        if (predicate < 0 || simple_[value] >= 0)
          continue;
        Found &entry = found[predicate];
        if (entry.operators < i) // some operator before had none
          continue;
        entry.operators = i + 1;
        if (entry.values.size() <= max_disjunction &&
            std::find(entry.values.begin(), entry.values.end(), value) == entry.values.end())
          entry.values.push_back(value);
      }
    std::vector<std::vector<int>> result;
    for (auto &[predicate, entry] : found)
      if (entry.operators == conditions_.size() && entry.values.size() > 1 &&
          entry.values.size() <= max_disjunction) {
        std::sort(entry.values.begin(), entry.values.end());
        result.push_back(std::move(entry.values));
      }
    return result;
  }

  int predicate_of(int value) const {
    const int fact = task_.variables.fact_of[value] >= 0 ? task_.variables.fact_of[value]
                                                         : task_.negated_fact[value];
    return fact < 0 ? -1 : task_.fact_predicates[fact];
  }

  void add_disjunctive(const std::vector<int> &values, int after) {
    for (int value : values)
      if (holds_initially(value) || simple_[value] >= 0)
        return;
    const int known = disjunctive_[values.front()];
    if (known >= 0 && graph_.landmarks[known].values == values) {
      if (known != after)
        graph_.add_order(known, after, LandmarkOrder::greedy);
      return;
    }
    for (int value : values) // sets that overlap would count the same thing twice
      if (disjunctive_[value] >= 0)
        return;
    const int landmark = add(values);
    for (int value : values)
      disjunctive_[value] = landmark;
    graph_.add_order(landmark, after, LandmarkOrder::greedy);
  }

  // Values that the variable of `target` takes on every path from its initial value to it, as far
  // as the last exploration reached them.
  std::vector<int> values_on_every_path(int target) {
    const int variable = task_.variables.variable_of[target];
    collect_transitions(variable);
    const int start = task_.initial[variable];
    std::vector<int> result{start};
    for (int value : path(start, target, -1)) // a value on every path is on this one
      if (value != start && value != target && path(start, target, value).empty())
        result.push_back(value);
    return result;
  }

  // A shortest path within what was reached, avoiding one value; empty if there is none.
  std::vector<int> path(int start, int target, int avoided) {
    const int first = task_.variables.offsets[task_.variables.variable_of[target]];
    before_.assign(task_.variables.domain_size(task_.variables.variable_of[target]), -1);
    before_[start - first] = start;
    std::vector<int> queue{start};
    for (std::size_t i = 0; i < queue.size() && before_[target - first] < 0; ++i)
      for (int next : transitions_[queue[i]])
        if (before_[next - first] < 0 && next != avoided &&
            (next == target || exploration_.reached(next))) {
          before_[next - first] = queue[i];
          queue.push_back(next);
        }
    std::vector<int> result;
    if (before_[target - first] >= 0)
      for (int value = target; result.empty() || result.back() != start;
           value = before_[value - first])
        result.push_back(value);
    return result;
  }

  // Which values of a variable follow each of its values.
  void collect_transitions(int variable) {
    const Variables &variables = task_.variables;
    const int first = variables.offsets[variable], end = variables.offsets[variable + 1];
    if (collected_.empty())
      collected_.assign(variables.count(), 0);
    if (collected_[variable] != 0)
      return;
    collected_[variable] = 1;
    for (int value = first; value < end; ++value)
      for (int op : achievers_[value]) {
        int from = -1;
        for (int condition : relaxed_.conditions[op])
          if (variables.variable_of[condition] == variable)
            from = condition;
        for (int before = from < 0 ? first : from; before < (from < 0 ? end : from + 1); ++before)
          if (before != value)
            transitions_[before].push_back(value);
      }
    for (int value = first; value < end; ++value) {
      std::vector<int> &next = transitions_[value];
      std::sort(next.begin(), next.end());
      next.erase(std::unique(next.begin(), next.end()), next.end());
    }
  }

  // One bit per value: whether it comes after the landmark.
  void note_unreached(int landmark) {
    std::vector<bool> &bits = unreached_[landmark];
    bits.resize(relaxed_.propositions);
    for (int value = 0; value < relaxed_.propositions; ++value)
      bits[value] = !exploration_.reached(value);
  }

  // What is not reached without a landmark comes after it, unless both come at once.
  void add_forward_orders() {
    std::vector<int> stamps(relaxed_.originals, -1);
    const auto count = static_cast<int>(graph_.landmarks.size());
    for (int before = 0; before < count; ++before) {
      if (removed_[before] != 0 || unreached_[before].empty())
        continue;
      const std::vector<int> &values = graph_.landmarks[before].values;
      for (int value : values)
        for (int op : achievers_[value])
          stamps[relaxed_.original[op]] = before;
      for (int after = 0; after < count; ++after) {
        const Landmark &landmark = graph_.landmarks[after];
        if (after == before || removed_[after] != 0 || landmark.is_disjunctive() ||
            !unreached_[before][landmark.values.front()])
          continue;
        const auto achievers = achievers_[landmark.values.front()];
        if (std::none_of(achievers.begin(), achievers.end(),
                         [&](int op) { return stamps[relaxed_.original[op]] == before; }))
          graph_.add_order(before, after, LandmarkOrder::natural);
      }
      poll_.now();
    }
  }

  // Without the landmarks that were removed, and with all achievers.
  LandmarkGraph compacted() {
    LandmarkGraph result;
    std::vector<int> number(graph_.landmarks.size(), -1);
    for (std::size_t i = 0; i < graph_.landmarks.size(); ++i) {
      if (removed_[i] != 0)
        continue;
      number[i] = static_cast<int>(result.landmarks.size());
      Landmark &landmark = result.landmarks.emplace_back(std::move(graph_.landmarks[i]));
      for (int value : landmark.values)
        for (int op : achievers_[value]) {
          if (relaxed_.is_axiom(op))
            landmark.is_derived = true;
          else
            landmark.achievers.push_back(relaxed_.original[op]);
        }
      std::sort(landmark.achievers.begin(), landmark.achievers.end());
      landmark.achievers.erase(std::unique(landmark.achievers.begin(), landmark.achievers.end()),
                               landmark.achievers.end());
      if (!landmark.holds_initially && unreached_[i].empty()) // not looked at: out of work
        landmark.first_achievers = landmark.achievers;
    }
    for (const auto &[pair, order] : graph_.orders)
      result.orders[{number[pair.first], number[pair.second]}] = order;
    return result;
  }

  const GroundTask &task_;
  Poll &poll_;
  RelaxedTask relaxed_; // with all effects: a dominating operator may be blocked
  RelaxedReachability exploration_;
  Rows<int> achievers_; // per value: relaxed operators
  LandmarkGraph graph_;
  std::deque<int> open_;
  std::vector<char> removed_;                // per landmark
  std::vector<std::vector<bool>> unreached_; // per landmark, and per value; empty: not explored
  std::vector<int> simple_, disjunctive_;    // per value: the landmark that has it, or -1
  std::vector<int> possible_;                // first achievers, relaxed
  std::vector<std::vector<int>> conditions_; // of each of them
  std::vector<int> uses_;                    // per value
  std::vector<std::vector<int>> transitions_;
  std::vector<char> collected_; // per variable
  std::vector<int> before_;     // on a path
};

} // namespace

void LandmarkGraph::add_order(int before, int after, LandmarkOrder order) {
  if (before == after)
    return;
  LandmarkOrder &known = orders.try_emplace({before, after}, order).first->second;
  known = std::max(known, order);
}

LandmarkGraph find_landmarks(const GroundTask &task, Poll &poll) {
  return LandmarkSearch(task, poll).run();
}

} // namespace beeline
