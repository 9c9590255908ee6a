// One function per room; each adds its room's names to the extension.

#pragma once

#include <nanobind/nanobind.h>

namespace beeline::bindings {

void bind_task(nanobind::module_ &module);
void bind_ground(nanobind::module_ &module);
void bind_state(nanobind::module_ &module);
void bind_heuristics(nanobind::module_ &module);
void bind_features(nanobind::module_ &module);
void bind_relational(nanobind::module_ &module);
void bind_dense(nanobind::module_ &module);
void bind_convolution(nanobind::module_ &module);
void bind_sampling(nanobind::module_ &module);
void bind_search(nanobind::module_ &module);

} // namespace beeline::bindings
