"""States as channels over the cells of a grid: see `beeline.models.grid.channels`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.models.families import require_options, vocabulary_of
from beeline.models.grid.channels import GridTask, GridWords, grid_words
from beeline.models.grid.sizes import GridSizes

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


class GridPart(NamedTuple):
    """States of one task: their channels, float32[n, cells, channels]."""

    task: GridTask
    inputs: NDArray[np.float32]


class GridBatch(NamedTuple):
    """States, task by task; `order` has the place of each state among those of all tasks."""

    parts: Sequence[GridPart]
    order: Ints | None = None


class GridInputs:
    """The labelled states of a dataset."""

    def __init__(self, words: GridWords, instances: Sequence[InstanceStates]) -> None:
        self._tasks = [GridTask(each.problem, words, each.facts) for each in instances]
        self._facts: list[NDArray[np.uint8]] = []
        for instance in instances:
            facts = np.zeros((len(instance), len(instance.facts)), dtype=np.uint8)
            state = np.repeat(np.arange(len(instance)), np.diff(instance.starts))
            facts[state, instance.items] = 1
            self._facts.append(facts)
        self._starts = np.cumsum([0, *(len(each) for each in self._facts)])

    def __len__(self) -> int:
        return int(self._starts[-1])

    def batch(self, rows: Ints) -> GridBatch:
        """These rows."""
        task = np.searchsorted(self._starts, rows, side="right") - 1
        order = np.argsort(np.argsort(task, kind="stable"), kind="stable")
        parts = []
        for each in np.unique(task):
            facts = self._facts[each][rows[task == each] - self._starts[each]]
            parts.append(GridPart(self._tasks[each], self._tasks[each].inputs(facts)))
        return GridBatch(parts, order)


class GridSearchInputs:
    """Registered states of one task."""

    def __init__(self, words: GridWords, task: GroundTask, states: States) -> None:
        self._task, self._states = grid_task(words, task), states

    def batch(self, ids: NDArray[np.uint32]) -> GridBatch:
        """These states."""
        return GridBatch([GridPart(self._task, self._task.inputs(self._states.facts(ids)))])


def grid_task(words: GridWords, task: GroundTask) -> GridTask:
    """The grid of a ground task."""
    names = (tuple(name.strip("()").split()) for name in task.fact_names)
    return GridTask(task.problem, words, names)


def vocabulary(domain: Domain) -> GridWords:
    """The channels of a domain."""
    return grid_words(domain)


def vocabulary_from_json(content: dict[str, Any]) -> GridWords:
    """The vocabulary that a model file stores."""
    return GridWords.from_json(content)


def dataset_inputs(vocabulary: GridWords, instances: Sequence[InstanceStates]) -> GridInputs:
    """The inputs of labelled states, instance after instance."""
    return GridInputs(vocabulary, instances)


def search_inputs(vocabulary: GridWords, task: GroundTask, states: States) -> GridSearchInputs:
    """The inputs of the states of a running search."""
    return GridSearchInputs(vocabulary, task, states)


def shapes(model: NeuralModel) -> Shapes:
    """The shapes of the weights by name; an error of any kind if the sizes make no sense."""
    require_options(model, *GridSizes._fields)
    sizes = GridSizes(**model.options).checked()
    return sizes.weight_shapes(vocabulary_of(model).channels, model.distribution.heads)


def bind(model: NeuralModel, task: GroundTask, states: States) -> Scorer:
    """The network, ready for the states of one search."""
    from beeline.models.grid.inference import FrozenGridNetwork

    network = FrozenGridNetwork(
        model.weights, grid_task(vocabulary_of(model), task), GridSizes(**model.options)
    )

    def score(ids: NDArray[np.uint32]) -> NDArray[np.float32]:
        return network(states.facts(ids))

    return score


def work(task: GroundTask) -> float:
    """What a state costs on a usual machine, in microseconds; sizes of networks vary widely."""
    return 20.0 + 1.0 * task.num_facts
