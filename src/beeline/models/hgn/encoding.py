"""States as hypergraphs with features, for STRIPS-HGN.

The hypergraph is that of `beeline.models.hgn.hypergraph`, made once per task; a state only says
which of its vertices hold. A batch is the disjoint union of one hypergraph per state, folded: equal
colours share a row (see `beeline.models.hgn.colours`). No state's result depends on the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from beeline.core.errors import BeelineError
from beeline.models.families import require_options, vocabulary_of
from beeline.models.hgn import Schemas, schema_slots
from beeline.models.hgn.batch import VERTEX_KINDS
from beeline.models.hgn.colours import ColouredStates, LinkedTasks, TaskLinks
from beeline.models.hgn.hypergraph import hypergraph
from beeline.models.rows import fact_numbers, labelled_facts

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.data.instances import InstanceStates
    from beeline.models.families import Scorer, Shapes
    from beeline.models.hgn.batch import HypergraphBatch
    from beeline.models.hgn.hypergraph import Hypergraph
    from beeline.models.neural_model import NeuralModel
    from beeline.models.rows import Rows
    from beeline.pddl.model import Domain
    from beeline.task.ground_task import GroundTask

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float32]

EDGE_FEATURES = 3  # cost, senders, receivers
LEAK = 0.01  # slope of rectifiers below 0


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

    def links(self, graph: Hypergraph) -> TaskLinks:
        """The links of a hypergraph, by these places."""
        return TaskLinks(graph, max(self.receivers, 1))


class HypergraphInputs(ColouredStates):
    """The hypergraphs of the labelled states of a dataset."""

    def __init__(
        self,
        vocabulary: HypergraphVocabulary,
        instances: Sequence[InstanceStates],
        *,
        shared: bool = True,
    ) -> None:
        encode = partial(hypergraph, slots=vocabulary.schemas)
        graphs, task_of, true = labelled_facts(instances, encode, task_facts)
        facts = [
            true.at(np.flatnonzero(task_of == number)).dense(graph.facts)
            for number, graph in enumerate(graphs)
        ]
        linked = LinkedTasks([vocabulary.links(graph) for graph in graphs], vocabulary.places)
        super().__init__(linked, facts, shared=shared)


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
    """The hypergraphs of registered states of one task."""

    def __init__(self, vocabulary: HypergraphVocabulary, task: GroundTask, states: States) -> None:
        links = vocabulary.links(hypergraph(task, vocabulary.schemas))
        self._linked, self._states = LinkedTasks([links], vocabulary.places), states

    def batch(self, ids: NDArray[np.uint32]) -> HypergraphBatch:
        """The hypergraphs of these states."""
        states = ColouredStates(self._linked, [self._states.facts(ids)])
        return states.batch(np.arange(len(ids)))


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
    links = words.links(graph)
    features, edge_kinds = np.unique(links.edge_features, axis=0, return_inverse=True)
    arguments = links.arguments.items * places + links.places

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

    def lists(rows: Rows) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        return rows.starts.astype(np.int32), rows.items.astype(np.int32)

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
        arguments=lists(links.arguments._replace(items=arguments)),
        incoming=lists(links.incoming),
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
