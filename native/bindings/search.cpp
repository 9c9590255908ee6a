#include <nanobind/stl/function.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings/rooms.h"
#include "bindings/signals.h"
#include "search/best_first.h"
#include "search/plan_improvement.h"
#include "state/states.h"

namespace beeline::bindings {

namespace nb = nanobind;

namespace {

// A configuration that keeps its evaluators alive.
struct PythonSearchConfig : SearchConfig {
  nb::tuple evaluator_objects, preferred_objects;

  // For the garbage collector: a Python function behind an evaluator may refer to anything.
  static int traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    if (nb::inst_ready(self)) {
      const auto *config = nb::inst_ptr<PythonSearchConfig>(self);
      Py_VISIT(config->evaluator_objects.ptr());
      Py_VISIT(config->preferred_objects.ptr());
    }
    return 0;
  }
  static int clear(PyObject *self) {
    auto *config = nb::inst_ptr<PythonSearchConfig>(self);
    config->evaluators.clear();
    config->preferred.clear();
    config->evaluator_objects.reset();
    config->preferred_objects.reset();
    return 0;
  }
};

PyType_Slot search_config_slots[] = {
    {Py_tp_traverse, reinterpret_cast<void *>(PythonSearchConfig::traverse)},
    {Py_tp_clear, reinterpret_cast<void *>(PythonSearchConfig::clear)},
    {0, nullptr},
};

using EvaluatorTuple = nb::typed<nb::tuple, Evaluator, nb::ellipsis>;

std::vector<Evaluator *> evaluators_in(const nb::tuple &objects) {
  std::vector<Evaluator *> result;
  for (nb::handle object : objects)
    result.push_back(nb::cast<Evaluator *>(object));
  return result;
}

void check(const SearchConfig &config, const States &states, StateId initial) {
  if (initial >= states.registry.size())
    throw std::out_of_range("no state with this number");
  if (config.queues.empty())
    throw std::invalid_argument("a search needs a queue");
  for (const QueueSpec &queue : config.queues) {
    if (queue.keys.empty() || queue.keys.size() > max_keys)
      throw std::invalid_argument("a queue has one to four keys");
    for (const KeySpec &key : queue.keys)
      if (key.beta != 0 && (key.evaluator < 0 ||
                            static_cast<std::size_t>(key.evaluator) >= config.evaluators.size() ||
                            key.sigma >= static_cast<int>(config.evaluators.size())))
        throw std::invalid_argument("a key names an evaluator that does not exist");
  }
  if (config.policy != PolicyMerit::none && config.evaluators.size() != 2)
    throw std::invalid_argument("a policy-guided search has two evaluators: values and logits");
  for (const auto &list : {config.evaluators, config.preferred})
    for (const Evaluator *evaluator : list) {
      if (evaluator == nullptr)
        throw std::invalid_argument("an evaluator is missing");
      check_task(*evaluator, states.registry);
    }
}

std::function<bool(const SearchProgress &)> watched_by(const nb::object &watch) {
  return [&watch](const SearchProgress &progress) {
    nb::gil_scoped_acquire lock;
    // A signal handler that raises ends the search; what was found out so far is kept.
    if (PyErr_CheckSignals() != 0) {
      PyErr_Clear();
      return false;
    }
    return watch.is_none() || nb::cast<bool>(watch(progress));
  };
}

SearchResult run(States &states, StateId initial, PythonSearchConfig &config,
                 const nb::object &watch) {
  check(config, states, initial);
  config.watch = watched_by(watch);
  nb::gil_scoped_release unlocked;
  return search(config, states.registry, states.successors, initial);
}

// A search that takes turns with others.
class PythonSearch {
public:
  PythonSearch(States &states, StateId initial, PythonSearchConfig &config)
      : initial_(initial), config_(config) {
    check(config, states, initial);
    search_ = make_search(config, states.registry, states.successors);
  }

  SearchResult advance(std::int64_t evaluations, double seconds, const nb::object &watch) {
    config_.watch = watched_by(watch);
    nb::gil_scoped_release unlocked;
    return search_->advance(initial_, {evaluations, seconds});
  }

private:
  StateId initial_;
  PythonSearchConfig &config_;
  std::unique_ptr<SearchBase> search_;
};

// A plan that gets better, with all that it refers to except the states.
struct PythonPlanImprover {
  PythonPlanImprover(States &states, std::vector<int> plan)
      : world(states.registry.task(), states.registry.packer(), states.successors, plan.size()),
        improver(world, std::move(checked(states, plan))) {}

  PythonPlanImprover(const PythonPlanImprover &) = delete; // the improver refers to the world

  static std::vector<int> &checked(const States &states, std::vector<int> &plan) {
    for (int op : plan)
      if (op < 0 || static_cast<std::size_t>(op) >= states.registry.task().operators.size())
        throw std::out_of_range("no operator with this number");
    return plan;
  }

  void advance(std::int64_t generated, double seconds, std::size_t bytes, bool until_better,
               const nb::object &watch) {
    const auto watching = watched_by(watch);
    nb::gil_scoped_release unlocked;
    improver.advance(generated, seconds, bytes, watching, until_better);
  }

  PlanWorld world;
  PlanImprover improver;
};

} // namespace

void bind_search(nb::module_ &module) {
  nb::enum_<TieOrder>(module, "TieOrder", "Which of several equally good entries comes first.")
      .value("FIFO", TieOrder::fifo)
      .value("LIFO", TieOrder::lifo)
      .value("RANDOM", TieOrder::random);

  nb::enum_<PolicyMerit>(module, "PolicyMerit", "How a policy orders the open states, if at all.")
      .value("NONE", PolicyMerit::none)
      .value("LEVIN", PolicyMerit::levin)
      .value("PHS", PolicyMerit::phs);

  nb::enum_<SearchStatus>(module, "SearchStatus", "How a search ended.")
      .value("SOLVED", SearchStatus::solved)
      .value("UNSOLVABLE", SearchStatus::unsolvable)
      .value("INCOMPLETE", SearchStatus::incomplete)
      .value("TIME_LIMIT", SearchStatus::time_limit)
      .value("MEMORY_LIMIT", SearchStatus::memory_limit)
      .value("EVALUATION_LIMIT", SearchStatus::evaluation_limit)
      .value("EXPANSION_LIMIT", SearchStatus::expansion_limit)
      .value("PAUSED", SearchStatus::paused);

  nb::class_<KeySpec>(module, "KeySpec", "alpha * g + beta * h of an evaluator.")
      .def(
          "__init__",
          [](KeySpec *self, double alpha, double beta, int evaluator, bool round, int sigma,
             double margin, bool share) {
            new (self) KeySpec{alpha, beta, evaluator, round, sigma, margin, share};
          },
          nb::arg("alpha") = 0.0, nb::arg("beta") = 1.0, nb::arg("evaluator") = 0,
          nb::arg("round") = false, nb::arg("sigma") = -1, nb::arg("margin") = 0.0,
          nb::arg("share") = false,
          "With `sigma`, h is the mean of a Gaussian, mu and sigma being two evaluators, between\n"
          "the value of the first evaluator, less `margin`, and what a plan may still cost; a\n"
          "`share` is h over that, without alpha, beta and rounding.");
  module.def("truncated_mean", &truncated_mean, nb::arg("mu"), nb::arg("sigma"), nb::arg("lower"),
             nb::arg("upper"), "The mean of a Gaussian cut off at two bounds.");

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

  nb::class_<PythonSearchConfig>(module, "SearchConfig", "All settings of a best-first search.",
                                 nb::type_slots(search_config_slots))
      .def(nb::init<>())
      .def_prop_rw(
          "evaluators",
          [](const PythonSearchConfig &config) { return EvaluatorTuple(config.evaluator_objects); },
          [](PythonSearchConfig &config, const nb::typed<nb::sequence, Evaluator> &objects) {
            config.evaluator_objects = nb::tuple(objects);
            config.evaluators = evaluators_in(config.evaluator_objects);
          })
      .def_prop_rw(
          "preferred",
          [](const PythonSearchConfig &config) { return EvaluatorTuple(config.preferred_objects); },
          [](PythonSearchConfig &config, const nb::typed<nb::sequence, Evaluator> &objects) {
            config.preferred_objects = nb::tuple(objects);
            config.preferred = evaluators_in(config.preferred_objects);
          })
      .def_rw("queues", &PythonSearchConfig::queues)
      .def_rw("tie_order", &PythonSearchConfig::tie_order)
      .def_rw("seed", &PythonSearchConfig::seed)
      .def_rw("boost", &PythonSearchConfig::boost)
      .def_rw("reopen", &PythonSearchConfig::reopen)
      .def_rw("requeue", &PythonSearchConfig::requeue,
              "Whether open states that are reached at lower cost are queued once more.")
      .def_rw("deferred", &PythonSearchConfig::deferred)
      .def_rw("goal_at_generation", &PythonSearchConfig::goal_at_generation)
      .def_rw("batch", &PythonSearchConfig::batch)
      .def_rw(
          "beam", &PythonSearchConfig::beam,
          "Whether only the `batch` best states of each layer are expanded; more if that fails.")
      .def_prop_rw(
          "bound", [](const PythonSearchConfig &config) { return config.bound; },
          [](PythonSearchConfig &config, Cost bound) {
            config.bound = std::min(bound, cost_limit);
          },
          "Plans must cost less.")
      .def_rw("bound_with_h", &PythonSearchConfig::bound_with_h,
              "Whether g + h of the first evaluator, which is admissible, must be below it.")
      .def_rw("symmetry", &PythonSearchConfig::symmetry,
              "Look at one of all states that differ only in the names of objects.")
      .def_rw("put_off_lookalikes", &PythonSearchConfig::put_off_lookalikes,
              "Whether of operators that look alike to the first evaluator all but one wait.")
      .def_rw("put_off_unpreferred", &PythonSearchConfig::put_off_unpreferred,
              "Whether operators that are not preferred wait where others are.")
      .def_rw("rollout", &PythonSearchConfig::rollout,
              "Expansions that follow the best child after each new best value.")
      .def_rw("policy", &PythonSearchConfig::policy,
              "Whether the second evaluator gives logits of a policy that guides the search.")
      .def_rw("log", &PythonSearchConfig::log,
              "A log is kept of so many evaluated states, and of expansions until then.")
      .def_rw("keep_first_parent", &PythonSearchConfig::keep_first_parent,
              "Whether a state stays where it was found first, even if dearer.")
      .def_prop_rw(
          "max_evaluations", [](const PythonSearchConfig &c) { return c.limits.evaluations; },
          [](PythonSearchConfig &c, std::int64_t limit) { c.limits.evaluations = limit; })
      .def_prop_rw(
          "max_expansions", [](const PythonSearchConfig &c) { return c.limits.expansions; },
          [](PythonSearchConfig &c, std::int64_t limit) { c.limits.expansions = limit; })
      .def_prop_rw(
          "max_seconds", [](const PythonSearchConfig &c) { return c.limits.seconds; },
          [](PythonSearchConfig &c, double limit) { c.limits.seconds = limit; })
      .def_prop_rw(
          "max_bytes", [](const PythonSearchConfig &c) { return c.limits.bytes; },
          [](PythonSearchConfig &c, std::size_t limit) { c.limits.bytes = limit; });

  nb::class_<SearchLog>(module, "SearchLog", "What a search has looked at, in order.")
      .def_ro("evaluated", &SearchLog::evaluated)
      .def_ro("values", &SearchLog::values, "Of the first evaluator; none if there is none.")
      .def_ro("expanded", &SearchLog::expanded)
      .def_ro("clock", &SearchLog::clock, "States that had been evaluated by each expansion.")
      .def_ro("parents", &SearchLog::parents, "Of evaluated states, when the search is over.")
      .def_ro("operators", &SearchLog::operators, "From the parents; -1 where a search begins.")
      .def_ro("costs", &SearchLog::costs, "Of the paths to evaluated states.")
      .def_ro("path", &SearchLog::path, "States of the plan.");

  nb::class_<SearchResult>(module, "SearchResult")
      .def_ro("status", &SearchResult::status)
      .def_ro("plan", &SearchResult::plan, "Operators, in order.")
      .def_ro("cost", &SearchResult::cost)
      .def_ro("counters", &SearchResult::counters)
      .def_ro("initial_h", &SearchResult::initial_h, "Values of the initial state.")
      .def_ro("seconds", &SearchResult::seconds)
      .def_ro("states", &SearchResult::states)
      .def_ro("bytes", &SearchResult::bytes, "States, their hash table and search nodes.")
      .def_ro("interrupted", &SearchResult::interrupted)
      .def_prop_ro(
          "log",
          [](const SearchResult &result) -> const SearchLog & {
            if (!result.log)
              throw std::invalid_argument("no log was asked for");
            return *result.log;
          },
          nb::rv_policy::reference_internal)
      .def_ro("unproven_dead_ends", &SearchResult::unproven_dead_ends,
              "Whether states were given up by evaluators that prove nothing.")
      .def_ro("since_progress", &SearchResult::since_progress,
              "Expansions since the last new best value.")
      .def_ro("best_h", &SearchResult::best_h, "The lowest value of the first evaluator.");

  nb::class_<PythonSearch>(module, "Search", "A search that takes turns with others.")
      .def(nb::init<States &, StateId, PythonSearchConfig &>(), nb::arg("states"),
           nb::arg("initial"), nb::arg("config"), nb::keep_alive<1, 2>(), nb::keep_alive<1, 4>())
      .def("advance", &PythonSearch::advance,
           nb::arg("evaluations") = std::numeric_limits<std::int64_t>::max(),
           nb::arg("seconds") = std::numeric_limits<double>::infinity(),
           nb::arg("watch").none() = nb::none(),
           "Go on for a turn. The status is PAUSED if nothing but the turn has ended; counters\n"
           "are sums over all turns.");

  nb::class_<PythonPlanImprover>(module, "PlanImprover", "A plan that gets better.")
      .def(nb::init<States &, std::vector<int>>(), nb::arg("states"), nb::arg("plan"),
           nb::keep_alive<1, 2>())
      .def(
          "eliminate", [](PythonPlanImprover &self) { return self.improver.eliminate(); },
          "Take out useless steps; whether there were any.")
      .def("advance", &PythonPlanImprover::advance,
           nb::arg("generated") = std::numeric_limits<std::int64_t>::max(),
           nb::arg("seconds") = std::numeric_limits<double>::infinity(),
           nb::arg("bytes") = std::numeric_limits<std::size_t>::max(),
           nb::arg("until_better") = false, nb::arg("watch").none() = nb::none(),
           "Go on until about that many states have been generated, or nothing is left to try.")
      .def(
          "offer",
          [](PythonPlanImprover &self, std::vector<int> plan) {
            return self.improver.offer(std::move(plan));
          },
          nb::arg("plan"), "Take a plan from elsewhere if it is cheaper.")
      .def_prop_ro(
          "plan", [](const PythonPlanImprover &self) { return self.improver.plan(); },
          "Operators, in order.")
      .def_prop_ro("cost", [](const PythonPlanImprover &self) { return self.improver.cost(); })
      .def_prop_ro("generated",
                   [](const PythonPlanImprover &self) { return self.improver.generated(); })
      .def_prop_ro(
          "finished", [](const PythonPlanImprover &self) { return self.improver.finished(); },
          "Whether nothing is left to try.")
      .def_prop_ro(
          "stopped",
          [](const PythonPlanImprover &self) {
            return self.improver.stop() != WorkBudget::Stop::none;
          },
          "Whether time, memory or the watch function has ended the last turn.")
      .def_prop_ro(
          "optimal", [](const PythonPlanImprover &self) { return self.improver.optimal(); },
          "Whether no plan can be cheaper.");

  module.def("search", &run, nb::arg("states"), nb::arg("initial"), nb::arg("config"),
             nb::arg("watch").none() = nb::none(),
             "Best-first search from a registered state. The watch function is called about ten\n"
             "times a second; the search stops when it returns False.");
}

} // namespace beeline::bindings
