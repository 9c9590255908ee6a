// One function per room; each adds its room's names to the extension.

#pragma once

#include <nanobind/nanobind.h>

#include <stdexcept>

#include "state/evaluator.h"

namespace beeline::bindings {

// Evaluators read packed states of their own task; those of another one mean something else.
inline void check_task(const Evaluator &evaluator, const StateRegistry &registry) {
  if (evaluator.task() != nullptr && evaluator.task() != &registry.task())
    throw std::invalid_argument("the heuristic and the states belong to different tasks");
}

void bind_task(nanobind::module_ &module);
void bind_ground(nanobind::module_ &module);
void bind_state(nanobind::module_ &module);
void bind_heuristics(nanobind::module_ &module);
void bind_features(nanobind::module_ &module);
void bind_networks(nanobind::module_ &module);
void bind_hypergraphs(nanobind::module_ &module);
void bind_regression(nanobind::module_ &module);
void bind_search(nanobind::module_ &module);

} // namespace beeline::bindings
