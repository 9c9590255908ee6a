// Heuristics by name: the one list of what exists.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/poll.h"
#include "state/evaluator.h"

namespace beeline {

// What each promises, by name in alphabetical order.
std::vector<HeuristicProperties> heuristic_properties();

// Throws std::invalid_argument for a name that does not exist, or costs that it cannot look at.
// `like` is the same heuristic with other costs, whose preparations are used again. The task must
// outlive the heuristic.
std::unique_ptr<Evaluator> make_heuristic(const std::string &name, const GroundTask &task,
                                          Poll &poll, CostType cost_type = CostType::plain,
                                          const Evaluator *like = nullptr);

} // namespace beeline
