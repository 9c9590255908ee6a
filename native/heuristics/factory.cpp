#include "heuristics/factory.h"

#include <functional>
#include <map>
#include <stdexcept>

#include "heuristics/goal_heuristics.h"
#include "heuristics/lmcut.h"
#include "heuristics/perfect.h"
#include "heuristics/relaxation.h"

namespace beeline {

namespace {

constexpr std::size_t max_enumerated_states = 20'000'000;

using Maker = std::function<std::unique_ptr<Evaluator>(const GroundTask &, Poll &)>;

template <class Heuristic>
Maker maker() {
  return [](const GroundTask &task, Poll &) { return std::make_unique<Heuristic>(task); };
}

const std::map<std::string, Maker> &makers() {
  static const std::map<std::string, Maker> result = {
      {"add", maker<AddHeuristic>()},
      {"blind", maker<BlindHeuristic>()},
      {"ff", maker<FFHeuristic>()},
      {"goalcount", maker<GoalCountHeuristic>()},
      {"lmcut", [](const GroundTask &task, Poll &) { return make_lmcut(task); }},
      {"max", maker<MaxHeuristic>()},
      {"perfect",
       [](const GroundTask &task, Poll &poll) {
         return std::make_unique<PerfectHeuristic>(task, max_enumerated_states, poll);
       }},
  };
  return result;
}

} // namespace

std::vector<std::string> heuristic_names() {
  std::vector<std::string> names;
  for (const auto &[name, maker] : makers())
    names.push_back(name);
  return names;
}

std::unique_ptr<Evaluator> make_heuristic(const std::string &name, const GroundTask &task,
                                          Poll &poll) {
  const auto found = makers().find(name);
  if (found == makers().end())
    throw std::invalid_argument("no heuristic named " + name);
  return found->second(task, poll);
}

} // namespace beeline
