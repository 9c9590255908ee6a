"""Samples of one task as a dataset directory: one instance, one shard, whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from beeline.data.schema import REGRESSION, STATE_SPACE
from beeline.data.shards import encode_shard
from beeline.sampling.regression import UNDEFINED, true_facts

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from beeline.sampling.regression import RegressionSamples
    from beeline.sampling.regression_settings import RegressionSettings
    from beeline.sampling.state_spaces import StateSpaceSamples
    from beeline.sampling.task_sets import TaskSet
    from beeline.task.ground_task import GroundTask

    Path = str | os.PathLike[str]

SPLIT = "all"


def write_regression(
    folder: Path,
    tasks: TaskSet,
    task: GroundTask,
    settings: RegressionSettings,
    samples: RegressionSamples,
) -> None:
    """Write regression samples; a directory that has other ones is refused."""
    from beeline import _native

    defined = samples.partial != UNDEFINED
    columns = {
        "state": _native.PartialStates(task.native).insert(samples.values),
        "facts": true_facts(task, samples.values),
        "h": samples.estimates,
        "depth": _nullable(samples.depths),
        "partial": (np.append(0, np.cumsum(defined.sum(axis=1))), samples.partial[defined]),
        "complete": samples.complete.astype(np.bool_),
        "is_random": samples.is_random,
        "preferred": samples.preferred,
    }
    config = {**settings.to_json(), "unit_costs": task.unit_costs}
    _write(folder, REGRESSION, tasks, task, config, settings.seed, columns)


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
    config = {"count": count, "seed": seed, "unit_costs": task.unit_costs}
    _write(folder, STATE_SPACE, tasks, task, config, seed, columns)


def _write(
    folder: Path,
    kind: str,
    tasks: TaskSet,
    task: GroundTask,
    config: Mapping[str, Any],
    seed: int,
    columns: Mapping[str, Any],
) -> None:
    from beeline._version import __version__
    from beeline.data.manifest import Manifest
    from beeline.data.writer import DatasetWriter

    manifest = Manifest(
        package_version=__version__,
        config={"sampler": kind, **tasks.description, **config},
        seed=seed,
        domain=tasks.signature,
        domain_text=tasks.domain_text,
        shards=1,
        splits=[SPLIT],
    )
    source = tasks.sources[0]
    row = {
        "instance": 0,
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
    states = len(columns["state"])
    rows = {"instance": np.zeros(states, np.int32), **columns}
    with DatasetWriter(folder, manifest) as writer:
        for number in writer.missing():
            writer.add(number, encode_shard(number, manifest.identity, [row], [rows], kind))
        writer.finish({"instances": 1, "states": states})


def _nullable(numbers: NDArray[np.int32]) -> NDArray[np.float64]:
    """NaN, which is nothing in a table, for what is not known."""
    return np.where(numbers == UNDEFINED, np.nan, numbers)
