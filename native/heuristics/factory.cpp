#include "heuristics/factory.h"

#include <stdexcept>

#include "heuristics/goal_heuristics.h"
#include "heuristics/lmcut.h"
#include "heuristics/perfect.h"
#include "heuristics/relaxation.h"

namespace beeline {

namespace {

constexpr std::size_t max_enumerated_states = 20'000'000;

struct Entry {
  HeuristicProperties properties;
  std::unique_ptr<Evaluator> (*make)(const GroundTask &task, Poll &poll) = nullptr;
};

template <class Heuristic>
std::unique_ptr<Evaluator> make(const GroundTask &task, Poll &) {
  return std::make_unique<Heuristic>(task);
}

constexpr Entry entries[] = {
    {AddHeuristic::properties, make<AddHeuristic>},
    {BlindHeuristic::properties, make<BlindHeuristic>},
    {FFHeuristic::properties, make<FFHeuristic>},
    {GoalCountHeuristic::properties, make<GoalCountHeuristic>},
    {LMCutHeuristic<Cost>::properties,
     [](const GroundTask &task, Poll &) { return make_lmcut(task); }},
    {MaxHeuristic::properties, make<MaxHeuristic>},
    {PerfectHeuristic::properties,
     [](const GroundTask &task, Poll &poll) -> std::unique_ptr<Evaluator> {
       return std::make_unique<PerfectHeuristic>(task, max_enumerated_states, poll);
     }},
};

} // namespace

std::vector<HeuristicProperties> heuristic_properties() {
  std::vector<HeuristicProperties> result;
  for (const Entry &entry : entries)
    result.push_back(entry.properties);
  return result;
}

std::unique_ptr<Evaluator> make_heuristic(const std::string &name, const GroundTask &task,
                                          Poll &poll) {
  for (const Entry &entry : entries)
    if (name == entry.properties.name)
      return entry.make(task, poll);
  throw std::invalid_argument("no heuristic named " + name);
}

} // namespace beeline
