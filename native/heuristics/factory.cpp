#include "heuristics/factory.h"

#include <stdexcept>

#include "heuristics/context_additive.h"
#include "heuristics/goal_distance.h"
#include "heuristics/goal_heuristics.h"
#include "heuristics/goal_stages.h"
#include "heuristics/landmark_count.h"
#include "heuristics/lmcut.h"
#include "heuristics/perfect.h"
#include "heuristics/relaxation.h"

namespace beeline {

namespace {

constexpr std::size_t max_enumerated_states = 20'000'000;

struct Entry {
  HeuristicProperties properties;
  std::unique_ptr<Evaluator> (*make)(const GroundTask &task, Poll &poll, CostType type,
                                     const Evaluator *like) = nullptr;
};

template <class Heuristic>
std::unique_ptr<Evaluator> make(const GroundTask &task, Poll &, CostType, const Evaluator *) {
  return std::make_unique<Heuristic>(task);
}

template <class Heuristic>
std::unique_ptr<Evaluator> make_with_costs(const GroundTask &task, Poll &, CostType type,
                                           const Evaluator *) {
  return std::make_unique<Heuristic>(task, type);
}

constexpr Entry entries[] = {
    {AddHeuristic::properties, make_with_costs<AddHeuristic>},
    {BlindHeuristic::properties, make<BlindHeuristic>},
    {ContextAdditiveHeuristic::properties, make_with_costs<ContextAdditiveHeuristic>},
    {GoalDistanceHeuristic::properties, make<GoalDistanceHeuristic>},
    {FFHeuristic::properties, make_with_costs<FFHeuristic>},
    {GoalCountHeuristic::properties, make<GoalCountHeuristic>},
    {LandmarkCountHeuristic::properties,
     [](const GroundTask &task, Poll &poll, CostType type,
        const Evaluator *like) -> std::unique_ptr<Evaluator> {
       const auto *known = dynamic_cast<const LandmarkCountHeuristic *>(like);
       return std::make_unique<LandmarkCountHeuristic>(
           task, known != nullptr ? known->graph() : find_ordered_landmarks(task, poll), type);
     }},
    {LMCutHeuristic<Cost>::properties,
     [](const GroundTask &task, Poll &, CostType, const Evaluator *) { return make_lmcut(task); }},
    {MaxHeuristic::properties, make_with_costs<MaxHeuristic>},
    {GoalPairHeuristic::properties, make<GoalPairHeuristic>},
    {PerfectHeuristic::properties,
     [](const GroundTask &task, Poll &poll, CostType,
        const Evaluator *) -> std::unique_ptr<Evaluator> {
       return std::make_unique<PerfectHeuristic>(task, max_enumerated_states, poll);
     }},
    {GoalStagesHeuristic::properties, make<GoalStagesHeuristic>},
};

} // namespace

std::vector<HeuristicProperties> heuristic_properties() {
  std::vector<HeuristicProperties> result;
  for (const Entry &entry : entries)
    result.push_back(entry.properties);
  return result;
}

std::unique_ptr<Evaluator> make_heuristic(const std::string &name, const GroundTask &task,
                                          Poll &poll, CostType cost_type, const Evaluator *like) {
  for (const Entry &entry : entries)
    if (name == entry.properties.name) {
      if (cost_type != CostType::plain && entry.properties.uses_costs &&
          !entry.properties.any_costs)
        throw std::invalid_argument("it looks at the plain costs of operators only");
      if (entry.properties.all_operators)
        task.require_operators("it");
      return entry.make(task, poll, cost_type, like);
    }
  throw std::invalid_argument("no heuristic named " + name);
}

} // namespace beeline
