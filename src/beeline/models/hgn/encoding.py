"""States as hypergraphs with features, for STRIPS-HGN.

The hypergraph is that of `beeline.models.hgn.hypergraph`, made once per task; a state only says
which of its vertices hold. A batch is the disjoint union of one hypergraph per state. Nothing is
padded, so no state's result depends on the others. A union is made of copies of ranges of flat
arrays, without a Python loop over states.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline.core.errors import BeelineError
from beeline.models.families import require_options, require_torch, vocabulary_of
from beeline.models.hgn import Schemas, schema_slots
from beeline.models.hgn.hypergraph import hypergraph
from beeline.models.rows import Rows, fact_numbers, labelled_facts, starts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.data.instances import InstanceStates
    from beeline.models.families import Scorer, Shapes
    from beeline.models.hgn.hypergraph import Hypergraph
    from beeline.models.neural_model import NeuralModel
    from beeline.pddl.model import Domain
    from beeline.task.ground_task import GroundTask

    Ints = NDArray[np.int64]

EDGE_FEATURES = 3  # cost, senders, receivers


class Links(NamedTuple):
    """What sends to what in a union of hypergraphs.

    `arguments` has a row for each edge: vertex * places + place of its receivers and senders.
    `incoming` has a row for each vertex: the edges that it receives from.
    """

    arguments: Rows
    incoming: Rows


@dataclass(frozen=True, eq=False)
class HypergraphBatch:
    """The hypergraphs of n states, side by side; numbers run through all of them."""

    vertex_starts: Ints  # [n + 1]
    edge_starts: Ints  # [n + 1]
    vertex_kinds: Ints  # [vertices]: 1 if it holds, plus 2 if it is a goal
    edge_kinds: Ints  # [edges]: rows of `edge_features`
    edge_features: NDArray[np.float32]  # [kinds, 3]: cost, senders, receivers
    links: Links
    origin: tuple[HypergraphCollection, Ints]

    def __len__(self) -> int:
        return len(self.vertex_starts) - 1

    @cached_property
    def reversed_links(self) -> Links:
        """The transposed links, which gradients go along: edges by argument, vertices by edge."""
        collection, tasks = self.origin
        return Links(
            collection.union("arguments_back", tasks, "edges"),
            collection.union("incoming_back", tasks, "vertices"),
        )


class HypergraphCollection:
    """The hypergraphs of several tasks in flat arrays."""

    def __init__(self, places: int, receivers: int, graphs: Sequence[Hypergraph]) -> None:
        tables = [_tables(graph, places, receivers) for graph in graphs]
        self._flat = {name: _joined([each[name] for each in tables]) for name in tables[0]}
        features = np.concatenate([_edge_features(graph) for graph in graphs])
        self.edge_features, kinds = np.unique(features, axis=0, return_inverse=True)
        self.sizes = {
            "vertices": np.array([graph.vertices for graph in graphs], dtype=np.int64),
            "edges": np.array([graph.edges for graph in graphs], dtype=np.int64),
        }
        self.sizes["arguments"] = self.sizes["vertices"] * places
        self._flat["edge_kinds"] = Rows(starts_of(self.sizes["edges"]), kinds.reshape(-1))

    def take(self, name: str, tasks: Ints) -> Ints:
        """The entries of one table for these tasks, one after another."""
        return self._flat[name].at(tasks).items

    def offsets(self, name: str, tasks: Ints) -> Ints:
        """Where each task's vertices, edges or arguments begin in the union, and the end."""
        return starts_of(self.sizes[name][tasks])

    def union(self, name: str, tasks: Ints, target: str) -> Rows:
        """The rows of one table, with items that number the union's targets."""
        starts, items, _ = self._flat[name].at(tasks)
        items += np.repeat(self.offsets(target, tasks)[:-1], np.diff(starts))
        return Rows(starts_of(self.take(name + "_sizes", tasks)), items)

    def batch(self, tasks: Ints, starts: Ints, items: Ints) -> HypergraphBatch:
        """The union for states of these tasks, with their true facts as (starts, items)."""
        vertex_starts = self.offsets("vertices", tasks)
        links = Links(
            self.union("arguments", tasks, "arguments"), self.union("incoming", tasks, "edges")
        )
        return HypergraphBatch(
            vertex_starts,
            self.offsets("edges", tasks),
            self.vertex_kinds(tasks, vertex_starts, starts, items),
            self.take("edge_kinds", tasks),
            self.edge_features,
            links,
            (self, tasks),
        )

    def vertex_kinds(self, tasks: Ints, vertex_starts: Ints, starts: Ints, items: Ints) -> Ints:
        """What a state makes of the vertices: int64[vertices]."""
        kinds = self.take("kinds", tasks)
        state = np.repeat(np.arange(len(tasks)), np.diff(starts))
        kinds[vertex_starts[state] + items] += 1
        # Negations hold until their fact is seen.
        negations = self._flat["negations"]
        negation = negations.items[negations.starts[tasks[state]] + items]
        has = negation >= 0
        kinds[vertex_starts[state[has]] + negation[has]] -= 1
        return kinds


def _tables(graph: Hypergraph, places: int, receivers: int) -> dict[str, Ints]:
    """All index lists of one hypergraph, with the sizes of their rows."""
    negations = np.full(graph.vertices, -1, dtype=np.int64)
    negations[graph.negated] = graph.facts + np.arange(len(graph.negated))
    kinds = 2 * graph.in_goal.astype(np.int64)
    kinds[graph.facts :] += 1
    edge, vertex, place = np.concatenate([graph.receivers, graph.senders]).T
    place = place + receivers * (np.arange(len(place)) >= len(graph.receivers))
    argument = vertex * places + place
    tables = {"kinds": kinds, "negations": negations}
    received_by, received = graph.receivers[:, 0], graph.receivers[:, 1]
    for name, row, count, item in (
        ("arguments", edge, graph.edges, argument),
        ("arguments_back", argument, graph.vertices * places, edge),
        ("incoming", received, graph.vertices, received_by),
        ("incoming_back", received_by, graph.edges, received),
    ):
        tables[name] = item[np.argsort(row, kind="stable")]
        tables[name + "_sizes"] = np.bincount(row, minlength=count)
    return tables


def _edge_features(graph: Hypergraph) -> NDArray[np.float32]:
    ends = (graph.senders, graph.receivers)
    counts = [np.bincount(triples[:, 0], minlength=graph.edges) for triples in ends]
    return np.column_stack([graph.costs, *counts]).astype(np.float32)


def _joined(parts: list[Ints]) -> Rows:
    return Rows(starts_of([len(part) for part in parts]), np.concatenate(parts))


@dataclass(frozen=True)
class HypergraphVocabulary(Schemas):
    """How many places the senders and receivers of hyperedges have, and who takes them."""

    @property
    def receivers(self) -> int:
        """The largest number of receivers in an action: `receiver_k` of the paper."""
        return max((slots.receivers for slots in self.schemas.values()), default=0)

    @property
    def senders(self) -> int:
        """The largest number of senders in an action: `sender_k` of the paper."""
        return max((slots.senders for slots in self.schemas.values()), default=0)

    @property
    def places(self) -> int:
        """Places of receivers, then of senders; at least one each, for artificial operators."""
        return max(self.receivers, 1) + max(self.senders, 1)

    def collection(self, graphs: Sequence[Hypergraph]) -> HypergraphCollection:
        """Hypergraphs whose vertices have these places."""
        return HypergraphCollection(self.places, max(self.receivers, 1), graphs)


class HypergraphInputs:
    """The hypergraphs of the labelled states of a dataset."""

    def __init__(
        self, vocabulary: HypergraphVocabulary, instances: Sequence[InstanceStates]
    ) -> None:
        encode = partial(hypergraph, slots=vocabulary.schemas)
        graphs, self._tasks, self._facts = labelled_facts(instances, encode, task_facts)
        self._collection = vocabulary.collection(graphs)

    def __len__(self) -> int:
        return len(self._tasks)

    def batch(self, rows: Ints) -> HypergraphBatch:
        """The hypergraphs of these rows."""
        facts = self._facts.at(rows)
        return self._collection.batch(self._tasks[rows], facts.starts, facts.items)


def task_facts(task: GroundTask, instance: InstanceStates) -> Ints:
    """The task's number of each fact of the instance; -1 for those that cannot matter."""
    numbers = fact_numbers(task, instance)
    missing = np.setdiff1d(np.arange(task.num_facts), numbers)
    if len(missing):
        raise BeelineError(
            f"the dataset has no fact '{task.fact_names[missing[0]]}' of task"
            f" '{instance.problem.name}'",
            instance.problem.file,
            hint="make the dataset again from these tasks",
        )
    return numbers


class HypergraphSearchInputs:
    """The hypergraphs of registered states of one task.

    Batches of one task differ in the kinds of their vertices only, and a small union is the
    beginning of a large one: the largest so far is kept.
    """

    def __init__(self, vocabulary: HypergraphVocabulary, task: GroundTask, states: States) -> None:
        self._collection = vocabulary.collection([hypergraph(task, vocabulary.schemas)])
        self._states = states
        self._largest = self._union(1)

    def batch(self, ids: NDArray[np.uint32]) -> HypergraphBatch:
        """The hypergraphs of these states."""
        count = len(ids)
        if count > len(self._largest):
            self._largest = self._union(max(count, 2 * len(self._largest)))
        union, (collection, tasks) = self._largest, self._largest.origin
        tasks = tasks[:count]
        vertex_starts = union.vertex_starts[: count + 1]
        edge_starts = union.edge_starts[: count + 1]
        starts, items = self._states.true_facts(ids)
        return HypergraphBatch(
            vertex_starts,
            edge_starts,
            collection.vertex_kinds(tasks, vertex_starts, starts, items.astype(np.int64)),
            union.edge_kinds[: edge_starts[-1]],
            union.edge_features,
            Links(
                _beginning(union.links.arguments, int(edge_starts[-1])),
                _beginning(union.links.incoming, int(vertex_starts[-1])),
            ),
            (collection, tasks),
        )

    def _union(self, count: int) -> HypergraphBatch:
        nothing = np.zeros(0, dtype=np.int64)
        tasks = np.zeros(count, dtype=np.int64)
        return self._collection.batch(tasks, np.zeros(count + 1, dtype=np.int64), nothing)


def _beginning(rows: Rows, count: int) -> Rows:
    starts = rows.starts[: count + 1]
    return Rows(starts, rows.items[: starts[-1]])


def vocabulary(domain: Domain) -> HypergraphVocabulary:
    """The places of all actions of a domain.

    >>> from beeline.pddl import parse_domain
    >>> found = vocabulary(parse_domain('''(define (domain d) (:predicates (p ?x) (q))
    ...   (:action a :parameters (?x) :precondition (p ?x) :effect (and (q) (not (p ?x)))))'''))
    >>> found.senders, found.receivers, HypergraphVocabulary.from_json(found.to_json()) == found
    (1, 1, True)
    """
    return HypergraphVocabulary(schema_slots(domain))


vocabulary_from_json = HypergraphVocabulary.from_json
dataset_inputs = HypergraphInputs
search_inputs = HypergraphSearchInputs


def shapes(model: NeuralModel) -> Shapes:
    """The shapes of the weights by name; an error of any kind if the sizes make no sense."""
    heads = model.distribution.heads
    hidden, steps, sizes = require_options(model, "hidden", "steps", "sizes")
    if not (type(hidden) is type(steps) is int and type(sizes) is bool and min(hidden, steps) > 0):
        raise ValueError(f"it has {hidden} hidden units, {steps} steps, sizes {sizes}")
    inputs = {
        "encode_vertices": 2,
        "encode_edges": EDGE_FEATURES,
        "update_edges": 2 * hidden * (1 + vocabulary_of(model).places),
        "update_vertices": 3 * hidden,
        "update_state": (4 if sizes else 2) * hidden,
        "decode": hidden,
        **({"encode_sizes": 2} if sizes else {}),
    }
    expected: Shapes = {"output.weight": (heads, hidden), "output.bias": (heads,)}
    for name, width in inputs.items():
        expected[f"{name}.first.weight"] = (hidden, width)
        expected[f"{name}.second.weight"] = (hidden, hidden)
        expected[f"{name}.first.bias"] = expected[f"{name}.second.bias"] = (hidden,)
    return expected


def bind(model: NeuralModel, task: GroundTask, states: States) -> Scorer:
    """The network, ready for the states of one search."""
    require_torch()
    from beeline.models.network import frozen_network

    words, heads = vocabulary_of(model), model.distribution.heads
    network = frozen_network(model.network, words, heads, model.options, model.weights)
    inputs = search_inputs(words, task, states)
    return lambda ids: network(inputs.batch(ids))


def work(task: GroundTask) -> float:
    """What a state costs on a usual machine, in microseconds."""
    return 2000.0 + 1.0 * (task.num_operators + task.num_facts)
