#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>

#include "bindings/rooms.h"
#include "bindings/signals.h"
#include "bindings/views.h"
#include "features/colour_score.h"
#include "state/states.h"

namespace beeline::bindings {

namespace {

using Ids = nb::ndarray<const StateId, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Longs = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using LongArray = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;
using IntArray = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;
using IntMatrix = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>;

std::vector<LiftedAtom> atoms_of(const std::vector<std::pair<int, std::vector<int>>> &pairs) {
  std::vector<LiftedAtom> result;
  result.reserve(pairs.size());
  for (const auto &[predicate, args] : pairs)
    result.push_back({predicate, args});
  return result;
}

using Embedding = nb::typed<nb::tuple, LongArray, IntArray, IntArray, IntMatrix>;

Embedding embed(ColourTable &table, const ColourGraph &graph, const States &states, const Ids &ids,
                bool collect) {
  if (&graph.task() != &states.registry.task())
    throw std::invalid_argument("the graph and the states belong to different tasks");
  table.check_fits(graph.base_colours());
  for (std::size_t i = 0; i < ids.shape(0); ++i)
    if (ids(i) >= states.registry.size())
      throw std::out_of_range("no state with this number");
  const std::size_t count = ids.shape(0), rounds = static_cast<std::size_t>(table.rounds());
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> colours, counts, unseen_counts(count * (rounds + 1), 0);
  {
    Poll poll = signal_poll();
    nb::gil_scoped_release unlocked;
    FullColouring colouring(graph);
    std::vector<std::int32_t> tally, present;
    for (std::size_t i = 0; i < count; ++i) {
      poll.tick();
      const auto &nodes =
          colouring.compute(states.registry.packer(), states.registry[ids(i)], table, collect);
      tally.resize(static_cast<std::size_t>(table.size()), 0);
      present.clear();
      for (std::size_t node = 0; node < nodes.size(); ++node) {
        if (nodes[node] == unseen)
          ++unseen_counts[i * (rounds + 1) + node / colouring.nodes()];
        else if (tally[nodes[node]]++ == 0)
          present.push_back(nodes[node]);
      }
      std::sort(present.begin(), present.end());
      for (std::int32_t colour : present) {
        colours.push_back(colour);
        counts.push_back(tally[colour]);
        tally[colour] = 0;
      }
      starts.push_back(static_cast<std::int64_t>(colours.size()));
    }
  }
  return Embedding(
      nb::make_tuple(array_of<LongArray>(std::move(starts)), array_of<IntArray>(std::move(colours)),
                     array_of<IntArray>(std::move(counts)),
                     array_of<IntMatrix>(std::move(unseen_counts), {count, rounds + 1})));
}

using Slots = std::vector<std::tuple<int, int, int, std::vector<int>>>;

std::vector<OperatorSlot> slots_of(const Slots &tuples) {
  std::vector<OperatorSlot> result;
  result.reserve(tuples.size());
  for (const auto &[action, number, predicate, args] : tuples)
    result.push_back({action, number, predicate, args});
  return result;
}

using OperatorEmbedding = nb::typed<nb::tuple, LongArray, IntArray, IntArray>;

OperatorEmbedding embed_operators(ColourTable &table, const ColourGraph &graph, const Slots &slots,
                                  const States &states, const Ids &ids, const Longs &first,
                                  const Ints &operators, bool collect) {
  if (&graph.task() != &states.registry.task())
    throw std::invalid_argument("the graph and the states belong to different tasks");
  table.check_fits(graph.base_colours());
  const std::size_t count = ids.shape(0);
  const auto last = static_cast<std::int64_t>(operators.shape(0));
  if (first.shape(0) != count + 1 || first(0) != 0 || first(count) != last)
    throw std::invalid_argument("the operators do not fit the states");
  for (std::size_t i = 0; i < count; ++i)
    if (ids(i) >= states.registry.size() || first(i) > first(i + 1))
      throw std::out_of_range("no state with this number");
  for (std::int64_t i = 0; i < last; ++i)
    if (operators(i) < 0 || operators(i) >= static_cast<int>(graph.task().operators.size()))
      throw std::out_of_range("no operator with this number");
  std::vector<std::int64_t> starts{0};
  std::vector<std::int32_t> numbers, colours;
  {
    Poll poll = signal_poll();
    nb::gil_scoped_release unlocked;
    FullColouring colouring(graph);
    const OperatorNodes nodes(graph, slots_of(slots));
    const std::size_t stride = static_cast<std::size_t>(table.rounds()) + 1;
    for (std::size_t i = 0; i < count; ++i) {
      poll.tick();
      colouring.compute(states.registry.packer(), states.registry[ids(i)], table, collect);
      const std::vector<int> by_node = colouring.by_node();
      const auto around = colouring.around();
      const auto add = [&](int slot, int colour) {
        numbers.push_back(slot);
        colours.push_back(colour);
      };
      for (std::int64_t j = first(i); j < first(i + 1); ++j) {
        nodes.for_each(operators(j), [&](int slot, int node, bool is_around) {
          if (node == no_node || by_node[node * stride] == absent)
            return add(slot, absent);
          for (std::size_t round = 0; round < stride; ++round) {
            if (is_around)
              for (const Neighbour &item : around[node * stride + round])
                add(slot, item.key);
            else if (by_node[node * stride + round] != unseen)
              add(slot, by_node[node * stride + round]);
          }
        });
        starts.push_back(static_cast<std::int64_t>(colours.size()));
      }
    }
  }
  return OperatorEmbedding(nb::make_tuple(array_of<LongArray>(std::move(starts)),
                                          array_of<IntArray>(std::move(numbers)),
                                          array_of<IntArray>(std::move(colours))));
}

template <class Array>
auto vector_of(const Array &array) {
  return std::vector(array.data(), array.data() + array.shape(0));
}

} // namespace

void bind_features(nb::module_ &module) {
  nb::class_<ColourGraph>(module, "ColourGraph", "The states of a task as coloured graphs.")
      .def(
          "__init__",
          [](ColourGraph *self, const GroundTask &task, std::vector<int> object_colours,
             int object_kinds, const std::vector<int> &predicates,
             const std::vector<std::pair<int, std::vector<int>>> &constant_atoms,
             const std::vector<std::pair<int, std::vector<int>>> &goal,
             const std::vector<std::pair<int, std::vector<int>>> &negative_goal) {
            new (self)
                ColourGraph(task, std::move(object_colours), object_kinds, predicates,
                            atoms_of(constant_atoms), atoms_of(goal), atoms_of(negative_goal));
          },
          nb::arg("task"), nb::arg("object_colours"), nb::arg("object_kinds"),
          nb::arg("predicates"), nb::arg("constant_atoms"), nb::arg("goal"),
          nb::arg("negative_goal"), nb::keep_alive<1, 2>(),
          "Atoms are pairs of a predicate of the domain and objects; `predicates` gives the\n"
          "domain's predicate for each of the task's, or -1.")
      .def("add_chains", &ColourGraph::add_chains, nb::arg("goals"), nb::arg("predicate"),
           "Adds nodes for goals about two objects, given as pairs, where a third one is related\n"
           "to both by true atoms; once, before the graph is used.")
      .def_prop_ro("objects", &ColourGraph::objects)
      .def_prop_ro("atoms", &ColourGraph::atoms,
                   "Facts of the task, atoms that never change, and chains.");

  nb::class_<ColourTable>(module, "ColourTable", "Colours of refinement, each with its number.")
      .def(nb::init<int, int, bool>(), nb::arg("base_colours"), nb::arg("rounds"),
           nb::arg("multiset"))
      .def_static(
          "from_rows",
          [](int base_colours, int rounds, bool multiset, const Longs &starts, const Ints &items) {
            return ColourTable(base_colours, rounds, multiset, vector_of(starts), vector_of(items));
          },
          nb::arg("base_colours"), nb::arg("rounds"), nb::arg("multiset"), nb::arg("starts"),
          nb::arg("items"), "The table that `rows` described; ValueError if it is none.")
      .def_prop_ro("base_colours", &ColourTable::base_colours)
      .def_prop_ro("rounds", &ColourTable::rounds)
      .def_prop_ro("multiset", &ColourTable::multiset)
      .def_prop_ro("size", &ColourTable::size, "Base colours and rows.")
      .def(
          "rows",
          [](const ColourTable &table) {
            return nb::typed<nb::tuple, LongArray, IntArray>(
                nb::make_tuple(array_of<LongArray>(table.rows().starts()),
                               array_of<IntArray>(table.rows().items())));
          },
          "Rows of the colours after the base colours: own colour before, then pairs of\n"
          "neighbour's colour before * 16 + position, and count.")
      .def(
          "rounds_of",
          [](const ColourTable &table) { return array_of<IntArray>(table.rounds_of()); },
          "The round of each colour: int32[size].")
      .def("embed", &embed, nb::arg("graph"), nb::arg("states"), nb::arg("ids"),
           nb::arg("collect") = false,
           "Colour counts of states as sparse rows (starts, colours, counts), and nodes with a\n"
           "colour that the table does not have: int32[n, rounds + 1]. With `collect` such\n"
           "colours join the table instead.")
      .def(
          "embed_operators", &embed_operators, nb::arg("graph"), nb::arg("slots"),
          nb::arg("states"), nb::arg("ids"), nb::arg("first"), nb::arg("operators"),
          nb::arg("collect") = false,
          "What operators look like in states, as sparse rows (starts, slots, colours), colour -1\n"
          "where there is no node: `operators[first[i]:first[i + 1]]` are those of state i. Slots\n"
          "are (action of the task, number, predicate, arguments: places or ~object); with the\n"
          "predicate -1 they are for an argument itself, and with -2 for all atoms around it,\n"
          "whose colours come as colour * 16 + position of the argument.");

  nb::class_<ColourScore, Evaluator>(module, "ColourScore",
                                     "A linear function of colour counts as a heuristic.")
      .def(
          "__init__",
          [](ColourScore *self, const ColourGraph &graph, const ColourTable &table,
             const Longs &weights, int shift, std::int64_t extra_weight, Evaluator *extra,
             bool incremental, int new_colours, int fold_from) {
            new (self) ColourScore(graph, table, vector_of(weights), extra,
                                   {.shift = shift,
                                    .extra_weight = extra_weight,
                                    .incremental = incremental,
                                    .new_colours = new_colours,
                                    .fold_from = fold_from});
          },
          nb::arg("graph"), nb::arg("table"), nb::arg("weights"), nb::arg("shift") = 0,
          nb::arg("extra_weight") = 0, nb::arg("extra").none() = nb::none(),
          nb::arg("incremental") = true, nb::arg("new_colours") = ColourScoreOptions{}.new_colours,
          nb::arg("fold_from") = ColourScoreOptions{}.fold_from, nb::keep_alive<1, 2>(),
          nb::keep_alive<1, 7>(),
          "value = (sum of weights[colour] + extra_weight * extra heuristic) / 2**shift\n"
          "Objects that differ by name alone are coloured once if there are `fold_from` of them.")
      .def(
          "approach",
          [](ColourScore &score, const States &states, StateId parent) {
            check_task(score, states.registry);
            if (parent >= states.registry.size())
              throw std::out_of_range("no state with this number");
            score.approach(states.registry, parent);
          },
          nb::arg("states"), nb::arg("parent"),
          "Says that the next batch are successors of this state.")
      .def(
          "rank_operators",
          [](ColourScore &score, const Slots &slots, const Ints &numbers, const Ints &colours,
             const Longs &weights, int shift, double margin) {
            score.rank_operators(slots_of(slots),
                                 OperatorWeights({numbers.data(), numbers.shape(0)},
                                                 {colours.data(), colours.shape(0)},
                                                 {weights.data(), weights.shape(0)}),
                                 shift, margin);
          },
          nb::arg("slots"), nb::arg("numbers"), nb::arg("colours"), nb::arg("weights"),
          nb::arg("shift"), nb::arg("margin") = 0.0,
          "Makes it rank operators, by the sum of weights of (slot, colour) / 2**shift; slots are\n"
          "those of `ColourTable.embed_operators`.")
      .def(
          "rank",
          [](ColourScore &score, const States &states, StateId state, const Ints &operators) {
            check_task(score, states.registry);
            if (!score.ranks_operators())
              throw std::invalid_argument("the score has no weights of operators");
            if (state >= states.registry.size())
              throw std::out_of_range("no state with this number");
            const std::vector<int> list = vector_of(operators);
            for (int op : list)
              if (op < 0 || op >= static_cast<int>(states.registry.task().operators.size()))
                throw std::out_of_range("no operator with this number");
            std::vector<double> ranks(list.size());
            score.rank(states.registry, state, list, ranks);
            return ranks;
          },
          nb::arg("states"), nb::arg("state"), nb::arg("operators"),
          "Ranks of operators in a state: the highest ones are preferred.");
}

} // namespace beeline::bindings
