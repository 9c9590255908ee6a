#include "bindings/rooms.h"

NB_MODULE(_native, module) {
  module.doc() = "Beeline's engine: grounding and everything that is done per state.";
  module.attr("__version__") = BEELINE_VERSION;
  // Torch may keep the graph of a training alive until the process ends, and objects of this module
  // with it; that is no mistake in the bindings.
  nanobind::set_leak_warnings(false);
  beeline::bindings::bind_task(module);
  beeline::bindings::bind_ground(module);
  beeline::bindings::bind_state(module);
  beeline::bindings::bind_heuristics(module);
  beeline::bindings::bind_features(module);
  beeline::bindings::bind_networks(module);
  beeline::bindings::bind_hypergraphs(module);
  beeline::bindings::bind_regression(module);
  beeline::bindings::bind_search(module);
}
