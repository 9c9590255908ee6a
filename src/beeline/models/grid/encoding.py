"""States as channels over the cells of a grid (see `beeline.models.grid.channels`), the sizes of
convolution-attention networks with the shapes of their weights, and such networks at planning
time, in the engine: the formulas are those of `beeline.models.grid.network`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline import _native
from beeline.core.errors import BeelineError, look_up
from beeline.models.families import require_options, vocabulary_of
from beeline.models.grid.channels import GridTask, GridWords, grid_words, position_code
from beeline.models.rows import Rows, by_task, starts_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.data.instances import InstanceStates
    from beeline.models.families import Scorer, Shapes
    from beeline.models.neural_model import NeuralModel
    from beeline.task.ground_task import GroundTask

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float32]
    Weights = Mapping[str, Floats]

MOST = 4096


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
        self._facts: list[NDArray[np.uint8]] = [
            Rows(each.starts, each.items).dense(len(each.facts)) for each in instances
        ]
        self._starts = starts_of([len(each) for each in self._facts])

    def __len__(self) -> int:
        return int(self._starts[-1])

    def batch(self, rows: Ints) -> GridBatch:
        """These rows."""
        parts, order = by_task(self._starts, rows)
        tasks = ((self._tasks[task], self._facts[task][own]) for task, own in parts)
        return GridBatch([GridPart(task, task.inputs(facts)) for task, facts in tasks], order)


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


vocabulary = grid_words
vocabulary_from_json = GridWords.from_json
dataset_inputs = GridInputs
search_inputs = GridSearchInputs


def shapes(model: NeuralModel) -> Shapes:
    """The shapes of the weights by name; an error of any kind if the sizes make no sense."""
    require_options(model, *GridSizes._fields)
    sizes = GridSizes(**model.options).checked()
    return sizes.weight_shapes(vocabulary_of(model).channels, model.distribution.heads)


def bind(model: NeuralModel, task: GroundTask, states: States) -> Scorer:
    """The network, ready for the states of one search."""

    grid, sizes = grid_task(vocabulary_of(model), task), GridSizes(**model.options)
    network = FrozenGridNetwork(model.weights, grid, sizes)
    return lambda ids: network(states.facts(ids))


def work(task: GroundTask) -> float:
    """What a state costs on a usual machine, in microseconds; sizes of networks vary widely."""
    return 20.0 + 1.0 * task.num_facts


class GridSizes(NamedTuple):
    """How many layers there are, and how wide they are.

    `convolutions` of `filters` each come first, then `blocks` of a convolution of `block_filters`
    and attention of `attention` dimensions in all, which `attention_heads` share; `hidden` is the
    width of the dense layer.
    """

    convolutions: int
    filters: int
    blocks: int
    block_filters: int
    attention: int
    attention_heads: int
    hidden: int

    def checked(self) -> GridSizes:
        """The sizes, if they make sense."""
        for name, value in self._asdict().items():
            least = 0 if name in ("convolutions", "blocks") else 1
            if type(value) is not int or not least <= value <= MOST:
                raise BeelineError(
                    f"{name} is {value}", hint=f"it is a whole number from {least} to {MOST}"
                )
        if not self.convolutions + self.blocks:
            raise BeelineError("a network without layers", hint="convolutions or blocks")
        if self.attention % self.attention_heads:
            raise BeelineError(
                f"{self.attention} dimensions of attention for {self.attention_heads} heads",
                hint="each head has as many",
            )
        return self

    def weight_shapes(self, channels: int, heads: int) -> dict[str, tuple[int, ...]]:
        """The shape of each weight.

        >>> PRESETS["small"].weight_shapes(7, 1)["convolutions.1.weight"]
        (16, 23, 3, 3)
        """
        result: dict[str, tuple[int, ...]] = {}
        width = channels
        for number in range(self.convolutions):
            result[f"convolutions.{number}.weight"] = (self.filters, width, 3, 3)
            result[f"convolutions.{number}.bias"] = (self.filters,)
            width = self.filters + channels
        for number in range(self.blocks):
            prefix = f"blocks.{number}."
            result[prefix + "convolution.weight"] = (self.block_filters, width, 3, 3)
            result[prefix + "convolution.bias"] = (self.block_filters,)
            for name in ("queries", "keys", "values"):
                result[f"{prefix}{name}.weight"] = (self.attention, self.block_filters)
                result[f"{prefix}{name}.bias"] = (self.attention,)
            result[prefix + "mixed.weight"] = (self.attention, self.attention)
            result[prefix + "mixed.bias"] = (self.attention,)
            width = self.attention + self.block_filters + channels
        result["hidden.weight"], result["hidden.bias"] = (self.hidden, width), (self.hidden,)
        result["output.weight"], result["output.bias"] = (heads, self.hidden), (heads,)
        return result


PRESETS = {
    "small": GridSizes(3, 16, 2, 32, 16, 2, 32),
    "medium": GridSizes(5, 32, 3, 64, 32, 2, 64),
    "paper": GridSizes(7, 64, 4, 180, 60, 2, 256),
}


def grid_sizes(preset: str, **changes: int) -> GridSizes:
    """The sizes of a preset, some of them changed.

    >>> grid_sizes("small", blocks=1).blocks
    1
    """
    unknown = [name for name in changes if name not in GridSizes._fields]
    if unknown:
        raise TypeError(f"unknown size '{unknown[0][:60]}'")
    return look_up("preset", preset, PRESETS)._replace(**changes).checked()


class FrozenGridNetwork:
    """Facts of a task to raw outputs; `weights` are those of the torch module, by name.

    Channels that are 0 in all states of the task are left out, with their weights.
    """

    def __init__(self, weights: Weights, task: GridTask, sizes: GridSizes) -> None:
        channels = task.words.channels
        live = np.any(task.base != 0, axis=0)
        live[task.entries % channels] = True
        kept = np.flatnonzero(live)
        new_channel = np.cumsum(live) - 1
        entries = task.entries // channels * len(kept) + new_channel[task.entries % channels]
        dead = channels - len(kept)

        def without_dead(matrix: Floats, before: int) -> Floats:
            """The columns [outputs, inputs, ...] of the layer before, and of the channels kept."""
            chosen = np.concatenate([np.arange(before), before + kept])
            assert matrix.shape[1] == before + len(kept) + dead
            return matrix[:, chosen]

        def convolution(name: str, before: int) -> tuple[Floats, Floats]:
            matrix = without_dead(weights[f"{name}.weight"], before)  # [outputs, inputs, 3, 3]
            return _floats(matrix.transpose(0, 2, 3, 1)), _floats(weights[f"{name}.bias"])

        width, layers, blocks = 0, [], []
        for number in range(sizes.convolutions):
            layers.append(convolution(f"convolutions.{number}", width))
            width = sizes.filters
        for number in range(sizes.blocks):
            prefix = f"blocks.{number}."
            blocks.append(
                (
                    convolution(f"{prefix}convolution", width),
                    _seen(weights, prefix, sizes),
                    _pair(weights, f"{prefix}mixed"),
                )
            )
            width = sizes.attention + sizes.block_filters
        hidden = without_dead(weights["hidden.weight"], width)
        self._network = _native.GridNetwork(
            sizes=(
                len(kept),
                sizes.filters,
                sizes.block_filters,
                sizes.attention,
                sizes.attention_heads,
                sizes.hidden,
                len(weights["output.bias"]),
            ),
            beside=_ints(task.beside.reshape(-1)),
            position=position_code(task.places, sizes.block_filters),
            base=_floats(task.base[:, kept]),
            facts=(_ints(task.starts), _ints(entries), _floats(task.values)),
            convolutions=layers,
            blocks=blocks,
            hidden=(_floats(hidden), _floats(weights["hidden.bias"])),
            output=_pair(weights, "output"),
        )

    def __call__(self, facts: NDArray[np.uint8]) -> Floats:
        """Raw outputs of states: uint8[n, facts] to float32[n, heads]."""
        return self._network.evaluate(np.ascontiguousarray(facts))


def _seen(weights: Weights, prefix: str, sizes: GridSizes) -> tuple[Floats, Floats]:
    """Queries, which are scaled here once and for all, keys and values as one layer."""
    scale = np.float32((sizes.attention // sizes.attention_heads) ** -0.5)
    factors = {"queries": scale, "keys": np.float32(1), "values": np.float32(1)}
    matrix, bias = (
        np.concatenate(
            [factor * weights[f"{prefix}{name}.{part}"] for name, factor in factors.items()]
        )
        for part in ("weight", "bias")
    )
    return _floats(matrix), _floats(bias)


def _pair(weights: Weights, name: str) -> tuple[Floats, Floats]:
    return _floats(weights[f"{name}.weight"]), _floats(weights[f"{name}.bias"])


def _ints(numbers: NDArray[np.int64]) -> NDArray[np.int32]:
    return np.ascontiguousarray(numbers, dtype=np.int32)


def _floats(numbers: NDArray[Any]) -> Floats:
    return np.ascontiguousarray(numbers, dtype=np.float32)
