"""States as hypergraphs with features, for STRIPS-HGN.

The hypergraph is that of `beeline.models.hgn.hypergraph`, made once per task; a state only says
which of its vertices hold. A batch is the disjoint union of one hypergraph per state. Nothing is
padded, so no state's result depends on the others. A union is made of copies of ranges of flat
arrays, without a Python loop over states.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.core.errors import BeelineError
from beeline.models.families import require_options, vocabulary_of
from beeline.models.hgn import Schemas, schema_slots
from beeline.models.hgn.hypergraph import hypergraph
from beeline.models.rows import Rows, fact_numbers, labelled_facts, starts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.data.instances import InstanceStates
    from beeline.models.families import Scorer, Shapes
    from beeline.models.hgn.hypergraph import Hypergraph
    from beeline.models.neural_model import NeuralModel
    from beeline.pddl.model import Domain
    from beeline.task.ground_task import GroundTask

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float32]

EDGE_FEATURES = 3  # cost, senders, receivers
VERTEX_KINDS = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0))  # (in the state, in the goal)
LEAK = 0.01  # slope of rectifiers below 0


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
    network = frozen_hgn(model.weights, vocabulary_of(model), task, steps=model.options["steps"])
    return lambda ids: network(states.facts(ids))


def frozen_hgn(
    weights: Mapping[str, Floats], words: HypergraphVocabulary, task: GroundTask, *, steps: int
) -> Callable[[NDArray[np.uint8]], Floats]:
    """The network of a task in the engine: uint8[n, facts] to raw outputs float32[n, heads].

    The formulas are those of `beeline.models.hgn.network`, `weights` those of the torch module, by
    name. What does not depend on the state is computed here, once.
    """
    from beeline import _native

    graph, places = hypergraph(task, words.schemas), words.places
    tables = _tables(graph, places, max(words.receivers, 1))
    features, edge_kinds = np.unique(_edge_features(graph), axis=0, return_inverse=True)

    def linear(name: str) -> tuple[Floats, Floats]:
        return _whole(weights[f"{name}.weight"].T), _whole(weights[f"{name}.bias"])

    def unbiased(matrix: Floats) -> tuple[Floats, Floats]:
        return _whole(matrix.T), np.zeros(0, dtype=np.float32)

    def encoded(name: str, inputs: Floats) -> Floats:
        for layer in ("first", "second"):
            matrix, bias = linear(f"{name}.{layer}")
            inputs = inputs @ matrix + bias
            inputs = np.where(inputs < 0, np.float32(LEAK) * inputs, inputs)
        return inputs

    def lists(name: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        starts = starts_of(tables[name + "_sizes"])
        return starts.astype(np.int32), tables[name].astype(np.int32)

    hidden = len(weights["output.weight"][0])
    # [hidden, edge and places, input and latent, hidden] and [hidden, (edges, input, latent), ...]
    of_edges = weights["update_edges.first.weight"].reshape(hidden, 1 + places, 2, hidden)
    of_vertices = weights["update_vertices.first.weight"].reshape(hidden, 3, hidden)
    edges = encoded("encode_edges", features)
    vertices = encoded("encode_vertices", np.array(VERTEX_KINDS, dtype=np.float32))
    edge_shares = np.einsum("ki,owi->kwo", edges, of_edges[:, 0])
    edge_shares[:, 0] += weights["update_edges.first.bias"]
    vertex_shares = np.einsum("ki,owi->kwo", vertices, of_vertices[:, 1:])
    vertex_shares[:, 0] += weights["update_vertices.first.bias"]
    place_shares = np.einsum("ki,opwi->kpwo", vertices, of_edges[:, 1:])
    sizes = np.zeros((1, 0), dtype=np.float32)
    if "encode_sizes.first.weight" in weights:
        counts = np.array([[graph.vertices, graph.edges]], dtype=np.float32)
        sizes = encoded("encode_sizes", counts)
    network = _native.HypergraphNetwork(
        steps=steps,
        facts=graph.facts,
        negated=graph.negated.astype(np.int32),
        kinds=2 * graph.in_goal.astype(np.int32),
        places=places,
        arguments=lists("arguments"),
        incoming=lists("incoming"),
        edge_kinds=edge_kinds.reshape(-1).astype(np.int32),
        shares=[_whole(each) for each in (edge_shares, place_shares, vertex_shares)],
        matrices=[
            linear("update_edges.second"),
            unbiased(of_edges[:, 0, 1]),
            unbiased(of_vertices[:, 0]),
            unbiased(of_vertices[:, 2]),
            *(linear(f"update_{name}") for name in ("vertices.second", "state.first")),
            *(linear(name) for name in ("update_state.second", "decode.first", "decode.second")),
            linear("output"),
        ],
        by_place=_whole(of_edges[:, 1:, 1].transpose(1, 2, 0)),
        sizes=sizes[0],
    )
    return network.evaluate


def _whole(array: NDArray[Any]) -> Floats:
    return np.ascontiguousarray(array, dtype=np.float32)


def work(task: GroundTask) -> float:
    """What a state costs on a usual machine, in microseconds."""
    return 10.0 + 0.5 * (task.num_operators + task.num_facts)
