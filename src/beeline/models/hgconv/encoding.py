"""States as classes of vertices and hyperedges, for hypergraph convolutions.

The hypergraph is that of `beeline.models.hgn.hypergraph`, its hyperedges labelled by their action.
Nearly all states of a plan differ in a few facts only, so that few neighbourhoods are different:
see `beeline.models.hgconv.slots`. Classes of ranges of rows, such as all states of one instance,
are kept: training asks for them again and again.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from beeline.models.families import require_options, vocabulary_of
from beeline.models.hgconv.layers import class_layers
from beeline.models.hgconv.slots import ColouredTask, SlotWords, weight_shapes
from beeline.models.hgn import schema_slots
from beeline.models.hgn.encoding import task_facts
from beeline.models.rows import by_task, labelled_facts, starts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from beeline._native import Hyperclasses, States
    from beeline.data.instances import InstanceStates
    from beeline.models.families import Scorer, Shapes
    from beeline.models.neural_model import NeuralModel
    from beeline.models.rows import Rows
    from beeline.pddl.model import Domain
    from beeline.task.ground_task import GroundTask

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float32]

KEPT_BYTES = 1 << 30


class HyperclassBatch:
    """n states, task by task, with their true facts; classes are made when they are asked for.

    `order` has the place of each state among the states of all tasks, None if that is its own.
    """

    def __init__(
        self,
        words: SlotWords,
        tasks: Sequence[ColouredTask],
        facts: Sequence[NDArray[np.uint8]],
        order: Ints | None = None,
    ) -> None:
        self._words, self._tasks, self._facts = words, tasks, facts
        self.order = order
        self._made: dict[int, Hyperclasses] = {}

    def __len__(self) -> int:
        return sum(len(each) for each in self._facts)

    def layers(self, count: int, *, shared: bool = True) -> Hyperclasses:
        """The classes for so many convolutions; without `shared`, each is of its own."""
        if not shared:
            return class_layers(self._words, self._tasks, self._facts, count, shared=False)
        if count not in self._made:
            self._made[count] = class_layers(self._words, self._tasks, self._facts, count)
        return self._made[count]

    @property
    def size(self) -> int:
        """Bytes of the classes, more or less."""
        return sum(each.bytes for each in self._made.values())


class HyperclassInputs:
    """The labelled states of a dataset."""

    def __init__(self, words: SlotWords, instances: Sequence[InstanceStates]) -> None:
        encode = partial(ColouredTask, words=words)
        self._words = words
        self._tasks, task_of, facts = labelled_facts(instances, encode, task_facts)
        self._facts: list[NDArray[np.uint8]] = [
            facts.at(np.flatnonzero(task_of == number)).dense(task.facts)
            for number, task in enumerate(self._tasks)
        ]
        self._starts = starts_of(np.bincount(task_of, minlength=len(self._tasks)))
        self._kept: dict[tuple[int, int], HyperclassBatch] = {}

    def __len__(self) -> int:
        return int(self._starts[-1])

    def batch(self, rows: Ints) -> HyperclassBatch:
        """These rows."""
        if not len(rows) or not np.array_equal(rows, np.arange(rows[0], rows[0] + len(rows))):
            return self._make(rows)
        key = (int(rows[0]), len(rows))
        if key not in self._kept:
            if sum(each.size for each in self._kept.values()) > KEPT_BYTES:
                return self._make(rows)
            self._kept[key] = self._make(rows)
        return self._kept[key]

    def _make(self, rows: Ints) -> HyperclassBatch:
        parts, order = by_task(self._starts, rows)
        tasks = [self._tasks[task] for task, _ in parts]
        facts = [self._facts[task][own] for task, own in parts]
        plain = np.array_equal(order, np.arange(len(order)))
        return HyperclassBatch(self._words, tasks, facts, None if plain else order)


class HyperclassSearchInputs:
    """Registered states of one task."""

    def __init__(self, words: SlotWords, task: GroundTask, states: States) -> None:
        self._words, self._states = words, states
        self._task = ColouredTask(task, words)

    def batch(self, ids: NDArray[np.uint32]) -> HyperclassBatch:
        """These states."""
        return HyperclassBatch(self._words, [self._task], [self._states.facts(ids)])


def vocabulary(domain: Domain) -> SlotWords:
    """The sorts and slots of a domain."""
    return SlotWords(schema_slots(domain))


vocabulary_from_json = SlotWords.from_json
dataset_inputs = HyperclassInputs
search_inputs = HyperclassSearchInputs


def shapes(model: NeuralModel) -> Shapes:
    """The shapes of the weights by name; an error of any kind if the sizes make no sense."""
    layers, width, residual = require_options(model, "layers", "width", "residual")
    sensible = type(layers) is type(width) is int and type(residual) is bool
    if not (sensible and 0 < layers < len(model.weights) and width > 0):
        raise ValueError(f"it has {layers} layers of width {width}, residual {residual}")
    return weight_shapes(vocabulary_of(model), model.distribution.heads, layers, width)


def bind(model: NeuralModel, task: GroundTask, states: States) -> Scorer:
    """The network, ready for the states of one search."""
    layers, residual = model.options["layers"], model.options["residual"]
    coloured = ColouredTask(task, vocabulary_of(model))
    network = frozen_convolution(model.weights, coloured, layers=layers, residual=residual)
    return lambda ids: network(states.facts(ids))


def frozen_convolution(
    weights: Mapping[str, Floats], task: ColouredTask, *, layers: int, residual: bool
) -> Callable[[NDArray[np.uint8]], Floats]:
    """The network of a task in the engine: uint8[n, facts] to raw outputs float32[n, heads].

    The formulas are those of `beeline.models.hgconv.network`, `weights` those of the torch module,
    by name. The engine keeps the vectors of the state before, and computes only those again that
    depend on facts which are different now.
    """
    from beeline import _native

    def floats(name: str) -> Floats:
        return np.ascontiguousarray(weights[name], dtype=np.float32)

    def linear(name: str) -> tuple[Floats, Floats]:
        return np.ascontiguousarray(floats(f"{name}.weight").T), floats(f"{name}.bias")

    def edge_biases(name: str) -> Floats:
        """b_a + c_a log(1 + cost) of each hyperedge: float32[edges, width]."""
        constant, slope = floats(name)
        costs = np.log1p(task.costs.astype(np.float32))[:, None]
        return np.ascontiguousarray(constant[task.actions] + slope[task.actions] * costs)

    def lists(rows: Rows) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        return rows.starts.astype(np.int32), rows.items.astype(np.int32)

    parts = [f"convolutions.{number}." for number in range(layers)]
    network = _native.HypergraphConvolution(
        facts=task.facts,
        negated=task.negated.astype(np.int32),
        kinds=task.first_kinds.astype(np.int32),
        arguments=lists(task.arguments),
        slots=task.argument_slots.astype(np.int32),
        received=lists(task.received),
        sent=lists(task.sent),
        kind_vectors=floats("kinds"),
        layers=[
            (floats(part + "slots"), edge_biases(part + "actions"), *linear(part + "vertices"))
            for part in parts
        ],
        head=(*linear("hidden"), *linear("output")),
        residual=residual,
    )
    return network.evaluate


def work(task: GroundTask) -> float:
    """What a state costs on a usual machine, in microseconds."""
    return 5.0 + 0.05 * (task.num_operators + task.num_facts)
