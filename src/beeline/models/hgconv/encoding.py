"""States as classes of vertices and hyperedges, for hypergraph convolutions.

The hypergraph is that of `beeline.models.hgn.hypergraph`, its hyperedges labelled by their action.
Nearly all states of a plan differ in a few facts only, so that few neighbourhoods are different:
see `beeline.models.hgconv.colours`. Classes of ranges of rows, such as all states of one instance,
are kept: training asks for them again and again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from beeline.models.families import require_options, vocabulary_of
from beeline.models.hgconv.colours import ColouredTask
from beeline.models.hgconv.layers import ClassLayers, class_layers
from beeline.models.hgconv.slots import SlotWords, weight_shapes
from beeline.models.hgn.encoding import task_facts
from beeline.models.hgn.slots import schema_slots

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.data.instances import InstanceStates
    from beeline.models.families import Scorer, Shapes
    from beeline.models.neural_model import NeuralModel
    from beeline.pddl.model import Domain
    from beeline.task.ground_task import GroundTask

    Ints = NDArray[np.int64]

KEPT_BYTES = 1 << 30


class HyperclassBatch:
    """n states, task by task, with their true facts; classes are made when they are asked for.

    `order` has the place of each state among the states of all tasks.
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
        self._made: dict[int, ClassLayers] = {}

    def __len__(self) -> int:
        return sum(len(each) for each in self._facts)

    def layers(self, count: int, *, shared: bool = True) -> ClassLayers:
        """The classes for so many convolutions; without `shared`, each is of its own."""
        if not shared:
            return class_layers(self._words, self._tasks, self._facts, count, shared=False)
        if count not in self._made:
            self._made[count] = class_layers(self._words, self._tasks, self._facts, count)
        return self._made[count]

    @property
    def size(self) -> int:
        """Bytes of the classes, more or less."""
        return sum(each.size for each in self._made.values())


class HyperclassInputs:
    """The labelled states of a dataset."""

    def __init__(self, words: SlotWords, instances: Sequence[InstanceStates]) -> None:
        from beeline.task.grounding import ground

        self._words = words
        self._tasks: list[ColouredTask] = []
        self._facts: list[NDArray[np.uint8]] = []
        for instance in instances:
            task = ground(instance.problem, unit_costs=instance.unit_costs)
            self._tasks.append(ColouredTask(task, words))
            numbers = task_facts(task, instance)[instance.items]
            state = np.repeat(np.arange(len(instance)), np.diff(instance.starts))
            facts = np.zeros((len(instance), task.num_facts), dtype=np.uint8)
            facts[state[numbers >= 0], numbers[numbers >= 0]] = 1
            self._facts.append(facts)
        self._starts = np.cumsum([0, *(len(each) for each in self._facts)])
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
        task = np.searchsorted(self._starts, rows, side="right") - 1
        chosen = np.unique(task)
        order = np.argsort(np.argsort(task, kind="stable"), kind="stable")
        facts = [self._facts[each][rows[task == each] - self._starts[each]] for each in chosen]
        return HyperclassBatch(self._words, [self._tasks[each] for each in chosen], facts, order)


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


def vocabulary_from_json(content: dict[str, Any]) -> SlotWords:
    """The vocabulary that a model file stores."""
    return SlotWords.from_json(content)


def dataset_inputs(vocabulary: SlotWords, instances: Sequence[InstanceStates]) -> HyperclassInputs:
    """The inputs of labelled states, instance after instance."""
    return HyperclassInputs(vocabulary, instances)


def search_inputs(
    vocabulary: SlotWords, task: GroundTask, states: States
) -> HyperclassSearchInputs:
    """The inputs of the states of a running search."""
    return HyperclassSearchInputs(vocabulary, task, states)


def shapes(model: NeuralModel) -> Shapes:
    """The shapes of the weights by name; an error of any kind if the sizes make no sense."""
    options = model.options
    require_options(model, "layers", "width", "residual")
    layers, width, residual = options["layers"], options["width"], options["residual"]
    sensible = type(layers) is type(width) is int and type(residual) is bool
    if not (sensible and 0 < layers < len(model.weights) and width > 0):
        raise ValueError(f"it has {layers} layers of width {width}, residual {residual}")
    return weight_shapes(vocabulary_of(model), model.distribution.heads, layers, width)


def bind(model: NeuralModel, task: GroundTask, states: States) -> Scorer:
    """The network, ready for the states of one search."""
    from beeline.models.hgconv.inference import FrozenConvolution

    options, words = model.options, vocabulary_of(model)
    network = FrozenConvolution(
        model.weights,
        ColouredTask(task, words),
        layers=options["layers"],
        residual=options["residual"],
    )

    def score(ids: NDArray[np.uint32]) -> NDArray[np.float32]:
        return network(states.facts(ids))

    return score


def work(task: GroundTask) -> float:
    """What a state costs on a usual machine, in microseconds."""
    return 5.0 + 0.05 * (task.num_operators + task.num_facts)
