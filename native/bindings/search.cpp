#include <nanobind/stl/function.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings/rooms.h"
#include "bindings/signals.h"
#include "search/best_first.h"
#include "state/states.h"

namespace beeline::bindings {

namespace nb = nanobind;

namespace {

void check(const SearchConfig &config) {
  if (config.queues.empty())
    throw std::invalid_argument("a search needs a queue");
  for (const QueueSpec &queue : config.queues) {
    if (queue.keys.empty() || queue.keys.size() > max_keys)
      throw std::invalid_argument("a queue has one to four keys");
    for (const KeySpec &key : queue.keys)
      if (key.beta != 0 && (key.evaluator < 0 ||
                            static_cast<std::size_t>(key.evaluator) >= config.evaluators.size()))
        throw std::invalid_argument("a key names an evaluator that does not exist");
  }
  for (const auto &list : {config.evaluators, config.preferred})
    for (const Evaluator *evaluator : list)
      if (evaluator == nullptr)
        throw std::invalid_argument("an evaluator is missing");
}

SearchResult run(States &states, StateId initial, SearchConfig &config, const nb::object &watch) {
  check(config);
  if (initial >= states.registry.size())
    throw std::out_of_range("no state with this number");
  config.watch = [&watch](const SearchProgress &progress) {
    nb::gil_scoped_acquire lock;
    // A signal handler that raises ends the search; what was found out so far is kept.
    if (PyErr_CheckSignals() != 0) {
      PyErr_Clear();
      return false;
    }
    return watch.is_none() || nb::cast<bool>(watch(progress));
  };
  nb::gil_scoped_release unlocked;
  return search(config, states.registry, states.successors, initial);
}

} // namespace

void bind_search(nb::module_ &module) {
  nb::enum_<TieOrder>(module, "TieOrder", "Which of several equally good entries comes first.")
      .value("FIFO", TieOrder::fifo)
      .value("LIFO", TieOrder::lifo)
      .value("RANDOM", TieOrder::random);

  nb::enum_<SearchStatus>(module, "SearchStatus", "How a search ended.")
      .value("SOLVED", SearchStatus::solved)
      .value("UNSOLVABLE", SearchStatus::unsolvable)
      .value("INCOMPLETE", SearchStatus::incomplete)
      .value("TIME_LIMIT", SearchStatus::time_limit)
      .value("MEMORY_LIMIT", SearchStatus::memory_limit)
      .value("EVALUATION_LIMIT", SearchStatus::evaluation_limit)
      .value("EXPANSION_LIMIT", SearchStatus::expansion_limit);

  nb::class_<KeySpec>(module, "KeySpec", "alpha * g + beta * h of an evaluator.")
      .def(
          "__init__",
          [](KeySpec *self, double alpha, double beta, int evaluator, bool round) {
            new (self) KeySpec{alpha, beta, evaluator, round};
          },
          nb::arg("alpha") = 0.0, nb::arg("beta") = 1.0, nb::arg("evaluator") = 0,
          nb::arg("round") = false);

  nb::class_<QueueSpec>(module, "QueueSpec", "A queue: merit first, then tie-breakers.")
      .def(
          "__init__",
          [](QueueSpec *self, std::vector<KeySpec> keys, bool preferred_only) {
            new (self) QueueSpec{std::move(keys), preferred_only};
          },
          nb::arg("keys"), nb::arg("preferred_only") = false);

  nb::class_<SearchCounters>(module, "SearchCounters")
      .def_ro("expanded", &SearchCounters::expanded)
      .def_ro("evaluated", &SearchCounters::evaluated)
      .def_ro("generated", &SearchCounters::generated)
      .def_ro("reopened", &SearchCounters::reopened)
      .def_ro("dead_ends", &SearchCounters::dead_ends);

  nb::class_<SearchProgress>(module, "SearchProgress", "A glance at a running search.")
      .def_ro("counters", &SearchProgress::counters)
      .def_ro("seconds", &SearchProgress::seconds)
      .def_ro("best_h", &SearchProgress::best_h)
      .def_ro("queue_sizes", &SearchProgress::queue_sizes)
      .def_ro("states", &SearchProgress::states);

  nb::class_<SearchConfig>(module, "SearchConfig", "All settings of a best-first search.")
      .def(nb::init<>())
      .def_rw("evaluators", &SearchConfig::evaluators)
      .def_rw("preferred", &SearchConfig::preferred)
      .def_rw("queues", &SearchConfig::queues)
      .def_rw("tie_order", &SearchConfig::tie_order)
      .def_rw("seed", &SearchConfig::seed)
      .def_rw("boost", &SearchConfig::boost)
      .def_rw("reopen", &SearchConfig::reopen)
      .def_rw("requeue", &SearchConfig::requeue,
              "Whether open states that are reached at lower cost are queued once more.")
      .def_rw("deferred", &SearchConfig::deferred)
      .def_rw("goal_at_generation", &SearchConfig::goal_at_generation)
      .def_rw("batch", &SearchConfig::batch)
      .def_rw("bound", &SearchConfig::bound)
      .def_rw("bound_with_h", &SearchConfig::bound_with_h,
              "Whether g + h of the first evaluator, which is admissible, must be below it.")
      .def_rw("keep_first_parent", &SearchConfig::keep_first_parent,
              "Whether a state stays where it was found first, even if dearer.")
      .def_prop_rw(
          "max_evaluations", [](const SearchConfig &c) { return c.limits.evaluations; },
          [](SearchConfig &c, std::int64_t limit) { c.limits.evaluations = limit; })
      .def_prop_rw(
          "max_expansions", [](const SearchConfig &c) { return c.limits.expansions; },
          [](SearchConfig &c, std::int64_t limit) { c.limits.expansions = limit; })
      .def_prop_rw(
          "max_seconds", [](const SearchConfig &c) { return c.limits.seconds; },
          [](SearchConfig &c, double limit) { c.limits.seconds = limit; })
      .def_prop_rw(
          "max_bytes", [](const SearchConfig &c) { return c.limits.bytes; },
          [](SearchConfig &c, std::size_t limit) { c.limits.bytes = limit; });

  nb::class_<SearchResult>(module, "SearchResult")
      .def_ro("status", &SearchResult::status)
      .def_ro("plan", &SearchResult::plan, "Operators, in order.")
      .def_ro("cost", &SearchResult::cost)
      .def_ro("counters", &SearchResult::counters)
      .def_ro("initial_h", &SearchResult::initial_h, "Values of the initial state.")
      .def_ro("seconds", &SearchResult::seconds)
      .def_ro("states", &SearchResult::states)
      .def_ro("bytes", &SearchResult::bytes, "States, their hash table and search nodes.")
      .def_ro("interrupted", &SearchResult::interrupted);

  module.def("search", &run, nb::arg("states"), nb::arg("initial"), nb::arg("config"),
             nb::arg("watch").none() = nb::none(),
             "Best-first search from a registered state. The watch function is called about ten\n"
             "times a second; the search stops when it returns False.");
}

} // namespace beeline::bindings
