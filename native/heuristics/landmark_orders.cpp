// Reasonable orders: what to reach first, so as not to undo it.
//
// Landmark A comes reasonably before B if both are needed at the same time (B is a goal, or
// needed in the step before some landmark that comes after A), and whoever reaches A gives up B:
// they exclude each other, or all achievers of A have an effect that excludes B.
//
// Source: Hoffmann, Porteous and Sebastia, "Ordered landmarks in planning", JAIR 2004.

#include <algorithm>
#include <span>

#include "base/rows.h"
#include "heuristics/landmark_graph.h"

namespace beeline {

namespace {

class ReasonableOrders {
public:
  ReasonableOrders(const GroundTask &task, LandmarkGraph &graph)
      : task_(task), graph_(graph), groups_(task.variables.values()),
        before_(graph.landmarks.size()), after_greedily_(graph.landmarks.size()) {
    for (std::size_t group = 0; group < task.mutex_groups.size(); ++group)
      for (int value : task.mutex_groups[group])
        groups_[value].push_back(static_cast<int>(group));
    for (const auto &[pair, order] : graph.orders) {
      if (order >= LandmarkOrder::natural)
        before_[pair.second].push_back(pair.first);
      if (order == LandmarkOrder::greedy)
        after_greedily_[pair.first].push_back(pair.second);
    }
    for (const Landmark &landmark : graph.landmarks)
      shared_.push_back(landmark.is_disjunctive() ? std::vector<int>{} : shared_effects(landmark));
  }

  void add() {
    const auto count = static_cast<int>(graph_.landmarks.size());
    for (int later = 0; later < count; ++later) {
      const Landmark &landmark = graph_.landmarks[later];
      if (landmark.is_disjunctive())
        continue;
      std::vector<char> candidates(count, landmark.is_goal ? 1 : 0);
      if (!landmark.is_goal)
        mark_needed_together(later, candidates);
      for (int earlier = 0; earlier < count; ++earlier)
        if (candidates[earlier] != 0 && earlier != later &&
            !graph_.landmarks[earlier].is_disjunctive() && interferes(earlier, later))
          graph_.add_order(earlier, later, LandmarkOrder::reasonable);
    }
  }

private:
  // Landmarks that come before something that needs `landmark` in the step before it.
  void mark_needed_together(int landmark, std::vector<char> &marks) const {
    std::vector<int> stack;
    for (int needing : after_greedily_[landmark])
      for (int other : before_[needing])
        if (other != landmark && !graph_.landmarks[other].is_disjunctive())
          stack.push_back(other);
    while (!stack.empty()) {
      const int other = stack.back();
      stack.pop_back();
      if (marks[other] != 0)
        continue;
      marks[other] = 1;
      stack.insert(stack.end(), before_[other].begin(), before_[other].end());
    }
  }

  bool exclude(int left, int right) const {
    if (left == right)
      return false;
    if (task_.variables.variable_of[left] == task_.variables.variable_of[right])
      return true;
    return std::any_of(groups_[left].begin(), groups_[left].end(), [&](int group) {
      return std::binary_search(groups_[right].begin(), groups_[right].end(), group);
    });
  }

  bool interferes(int earlier, int later) const {
    const int kept = graph_.landmarks[later].values.front();
    return exclude(graph_.landmarks[earlier].values.front(), kept) ||
           std::any_of(shared_[earlier].begin(), shared_[earlier].end(),
                       [&](int effect) { return exclude(effect, kept); });
  }

  // Effects on other variables that all achievers have, whatever the state.
  std::vector<int> shared_effects(const Landmark &landmark) {
    const int variable = task_.variables.variable_of[landmark.values.front()];
    std::vector<int> result, next, both;
    bool is_first = true;
    for (int op : landmark.achievers) {
      next.clear();
      for (const Effect &effect : task_.operators.effects[op])
        if (effect.guard < 0 && effect.condition < 0 &&
            task_.variables.variable_of[effect.value] != variable)
          next.push_back(effect.value);
      std::sort(next.begin(), next.end());
      if (is_first) {
        result = next;
      } else {
        both.clear();
        std::set_intersection(result.begin(), result.end(), next.begin(), next.end(),
                              std::back_inserter(both));
        result.swap(both);
      }
      is_first = false;
      if (result.empty())
        break;
    }
    return result;
  }

  const GroundTask &task_;
  LandmarkGraph &graph_;
  std::vector<std::vector<int>> groups_; // per value: its mutex groups, ascending
  std::vector<std::vector<int>> before_, after_greedily_, shared_; // per landmark
};

} // namespace

void add_reasonable_orders(const GroundTask &task, LandmarkGraph &graph) {
  ReasonableOrders(task, graph).add();
}

std::shared_ptr<const LandmarkGraph> find_ordered_landmarks(const GroundTask &task, Poll &poll) {
  auto graph = std::make_shared<LandmarkGraph>(find_landmarks(task, poll));
  add_reasonable_orders(task, *graph);
  return graph;
}

} // namespace beeline
