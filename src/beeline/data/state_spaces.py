"""Whole state spaces: every reachable state with its distance and ideal preferred operators.

An ideal preferred operator leads to a successor that is nearest to the goal (definition 12 of
Minini, "Discovering and learning preferred operators for classical planning with neural
networks", 2023); where costs differ, it begins a cheapest plan.

Samples of one task as a dataset directory: one instance, one shard, whole or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from beeline import _native
from beeline.core.errors import BeelineError, ExitCode
from beeline.core.settings import keywords
from beeline.data.manifest import REGRESSION, STATE_SPACE
from beeline.data.regression import UNDEFINED, refuse_unsolvable, true_facts
from beeline.data.regression_settings import DEFAULT_MAX_STATES, StateSpaceSettings
from beeline.data.shards import DatasetWriter, encode_shard

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from beeline.data.manifest import Manifest
    from beeline.data.regression import RegressionSamples, Rows
    from beeline.data.regression_settings import RegressionSettings
    from beeline.data.shards import Shard
    from beeline.data.task_sets import Source, TaskSet
    from beeline.task.ground_task import GroundTask

    Path = str | os.PathLike[str]


DEAD_END = -1


class StateSpaceTooLargeError(BeelineError):
    """More states than one is willing to hold in memory."""

    exit_code = ExitCode.MEMORY_LIMIT


@dataclass(frozen=True, eq=False)
class StateSpaceSamples:
    """States of an enumerated state space, all or some, in breadth-first order.

    The first four figures are those of the whole space; `d_star`, the largest distance to the
    goal, is None if no state reaches it.
    """

    states: int
    arcs: int
    dead_ends: int
    d_star: int | None
    ids: NDArray[np.uint32]  # [n], numbers within the space; the initial state is 0
    values: NDArray[np.int32]  # [n, variables]
    h_star: NDArray[np.int64]  # [n], -1 for dead ends
    ideal: Rows  # ideal preferred operators, as (starts, items)

    def __len__(self) -> int:
        return len(self.ids)

    def summary(self) -> dict[str, int | float | None]:
        """Figures of the space, and of the samples."""
        return {
            "states": self.states,
            "arcs": self.arcs,
            "dead_ends": self.dead_ends,
            "d_star": self.d_star,
            "samples": len(self),
            "mean_preferred": round(len(self.ideal[1]) / len(self), 6),
        }


def enumerate_states(task: GroundTask, max_states: int = DEFAULT_MAX_STATES) -> _native.StateSpace:
    """All reachable states, with arcs and goal distances, in the engine."""
    refuse_unsolvable(task)
    if not 1 <= max_states < 2**32:
        raise BeelineError(f"the limit on states is {max_states}", hint="from 1 to 4294967295")
    try:
        return _native.StateSpace(task.native, max_states)
    except ValueError:
        message = f"the state space is too large: it has more than {max_states:,} states"
        hint = "allow more with --max-states, or sample with 'beeline data regression --count'"
        raise StateSpaceTooLargeError(message, hint=hint) from None


@keywords(StateSpaceSettings)
def state_space_samples(task: GroundTask, settings: StateSpaceSettings) -> StateSpaceSamples:
    """Enumerate the states of a task, and take all of them or a random `count`.

    Keyword arguments are the fields of `StateSpaceSettings`.

    >>> from beeline.generators import generate
    >>> from beeline.task.grounding import ground
    >>> space = state_space_samples(ground(generate("blocksworld", seed=1, blocks=3)))
    >>> space.states, space.dead_ends, int(space.h_star.max()) == space.d_star
    (22, 0, True)
    """
    space = enumerate_states(task, settings.max_states)
    ids = np.arange(len(space), dtype=np.uint32)
    if settings.count is not None and settings.count < len(space):
        generator = np.random.default_rng(settings.seed)
        chosen = generator.choice(len(space), settings.count, replace=False)
        ids = np.sort(chosen).astype(np.uint32)
    d_star = space.largest_distance
    return StateSpaceSamples(
        states=len(space),
        arcs=space.arcs,
        dead_ends=space.dead_ends,
        d_star=None if d_star == DEAD_END else d_star,
        ids=ids,
        values=space.values(ids),
        h_star=space.distances[ids],
        ideal=space.ideal_operators(ids),
    )


SPLIT = "all"


def write_regression(
    folder: Path,
    tasks: TaskSet,
    task: GroundTask,
    settings: RegressionSettings,
    samples: RegressionSamples,
) -> None:
    """Write regression samples; a directory that has other ones is refused."""
    columns = regression_columns(task, samples)
    _write(folder, REGRESSION, tasks, task, settings.to_json(), columns)


def regression_columns(task: GroundTask, samples: RegressionSamples) -> dict[str, Any]:
    """The columns of regression samples, by name."""
    defined = samples.partial != UNDEFINED
    return {
        "state": _native.PartialStates(task.native).insert(samples.values),
        "facts": true_facts(task, samples.values),
        "h": samples.estimates,
        "depth": np.where(samples.depths == UNDEFINED, np.nan, samples.depths),
        "partial": (np.append(0, np.cumsum(defined.sum(axis=1))), samples.partial[defined]),
        "complete": samples.complete.astype(np.bool_),
        "is_random": samples.is_random,
        "preferred": samples.preferred,
    }


def write_state_space(
    folder: Path,
    tasks: TaskSet,
    task: GroundTask,
    samples: StateSpaceSamples,
    *,
    count: int | None = None,
    seed: int = 0,
) -> None:
    """Write states of a state space; a directory that has other ones is refused."""
    columns = {
        "state": samples.ids,
        "facts": true_facts(task, samples.values),
        "h_star": np.where(samples.h_star < 0, np.inf, samples.h_star),
        "preferred": samples.ideal,
    }
    _write(folder, STATE_SPACE, tasks, task, {"count": count, "seed": seed}, columns)


def _write(
    folder: Path,
    kind: str,
    tasks: TaskSet,
    task: GroundTask,
    config: dict[str, Any],
    columns: Mapping[str, Any],
) -> None:
    seed = config["seed"]
    config["unit_costs"] = task.unit_costs
    manifest = sample_manifest(kind, tasks, config, seed)
    with DatasetWriter(folder, manifest) as writer:
        for number in writer.missing():
            source = tasks.sources[0]
            shard = sample_shard(number, manifest.identity, kind, source, task, seed, columns)
            writer.add(number, shard)
        writer.finish({"instances": 1, "states": len(columns["state"])})


def sample_manifest(
    kind: str, tasks: TaskSet, config: dict[str, Any], seed: int, shards: int = 1
) -> Manifest:
    """The manifest of a dataset of samples, with a shard for each instance."""
    return tasks.manifest(kind, config, seed=seed, shards=shards, splits=[SPLIT])


def sample_shard(
    number: int,
    identity: str,
    kind: str,
    source: Source,
    task: GroundTask,
    seed: int,
    columns: Mapping[str, Any],
    about: Mapping[str, Any] | None = None,
) -> Shard:
    """The shard of an instance with its samples; `about` is kept with it."""
    row = {
        "instance": number,
        "name": source.name,
        "split": SPLIT,
        "seed": seed,
        "objects": task.num_objects,
        "variables": task.num_variables,
        "facts": task.fact_names,
        "values": task.value_names,
        "operators": task.operator_names,
        "costs": task.costs.tolist(),
        "task": source.text,
    }
    rows = {"instance": np.full(len(columns["state"]), number, np.int32), **columns}
    return encode_shard(number, identity, [row], [rows], kind, about=about)
