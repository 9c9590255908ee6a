"""`learn_task`: one task in, a model of its state space out.

Samples for the heuristic are drawn by FSM, with a fifth of random states; those for preferred
operators by XRS, without. Each network is trained with its own samples. After Minini, "Discovering
and learning preferred operators for classical planning with neural networks" (2023), section 4.1.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from beeline.core.errors import BeelineError
from beeline.learned.task_model import TaskModel
from beeline.learning.settings import check_limit
from beeline.models.resnet_layout import HIDDEN
from beeline.sampling.regression import facts_of, regression_samples
from beeline.sampling.regression_settings import RegressionSettings, share_of_states

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from pathlib import Path

    from beeline.sampling.regression import RegressionSamples
    from beeline.task.ground_task import GroundTask
    from beeline.training.task_networks import EpochProgress, TaskNetwork, TaskTraining

    Progress = Callable[["TaskGlance"], None]
    Warn = Callable[[str], None]

DEFAULT_PERCENT = 1.0
LEAST_SAMPLES = 500  # where nobody says how many
DEFAULT_COUNT = 10_000  # of a state space that is too large to be enumerated
MOST_STATES = 2_000_000  # to enumerate only in order to count them
RANDOM_SHARE = 0.2  # of the samples for the heuristic
NETWORKS = ("heuristic", "operators")
_AT_ONCE = 1e-9  # seconds: a training that goes on for so long ends with what it has


class TaskGlance(NamedTuple):
    """Where learning stands: the network in training, its epoch, and the last losses."""

    network: str
    epoch: int
    losses: dict[str, float]


def learn_task(
    task: GroundTask,
    *,
    count: int | None = None,
    percent: float | None = None,
    networks: tuple[str, ...] = NETWORKS,
    patience: int = 100,
    epochs: int = 100_000,
    learning_rate: float = 1e-4,
    hidden: int = HIDDEN,
    seed: int = 0,
    time_limit: float | None = None,
    folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    warn: Warn | None = None,
) -> TaskModel:
    """Learn a heuristic and preferred operators of a task, for any initial state of it.

    Each network is trained with `count` samples, or with `percent` of the state space, which is
    enumerated to know its size; by default with 1 percent, at least 500, and with 10,000 where
    the state space is too large. Training ends after `patience` epochs without a smaller
    validation loss, after `epochs` in any case, and at the `time_limit`, in seconds for all of
    learning; Ctrl-C ends it, too, and the best weights so far count. With a `folder`, a training
    that was killed goes on there. Equal calls give equal models unless time is up.

    >>> from beeline.generators import generate
    >>> from beeline.task.grounding import ground
    >>> task = ground(generate("blocksworld", seed=1, blocks=3))
    >>> learn_task(task, count=40, epochs=2, hidden=8)
    <TaskModel blocksworld: 16 facts, heuristic and operators>
    """
    from beeline.models.registry import require_torch

    require_torch()
    from beeline.training.task_networks import TaskTraining

    check_limit("time limit", time_limit)
    unknown = [name for name in networks if name not in NETWORKS]
    if unknown or not networks:
        raise BeelineError(f"networks {networks}", hint=f"there are {', '.join(NETWORKS)}")
    settings = TaskTraining(
        hidden=hidden, learning_rate=learning_rate, epochs=epochs, patience=patience, seed=seed
    )
    course = _Course(task, settings, time_limit, folder, progress, warn or _python_warning)
    return course.run(_sample_count(task, count, percent), networks)


def _sample_count(task: GroundTask, count: int | None, percent: float | None) -> int:
    from beeline.sampling.state_spaces import StateSpaceTooLargeError, enumerate_states

    if count is not None and percent is not None:
        raise BeelineError("a count and a percentage", hint="leave one of them out")
    if count is not None:
        return count
    if percent is not None:
        return share_of_states(len(enumerate_states(task)), percent)
    try:
        states = len(enumerate_states(task, MOST_STATES))
    except StateSpaceTooLargeError:
        return DEFAULT_COUNT
    return max(share_of_states(states, DEFAULT_PERCENT), LEAST_SAMPLES)


class _Course:
    """One network after the other, until time is up."""

    def __init__(
        self,
        task: GroundTask,
        settings: TaskTraining,
        time_limit: float | None,
        folder: str | os.PathLike[str] | None,
        progress: Progress | None,
        warn: Warn,
    ) -> None:
        self._task = task
        self._settings = settings
        self._deadline = math.inf if time_limit is None else perf_counter() + time_limit
        self._folder = folder
        self._progress = progress
        self._warn = warn
        self._stopped = False

    def run(self, count: int, names: tuple[str, ...]) -> TaskModel:
        """Sample and train."""
        from pathlib import Path
        from tempfile import TemporaryDirectory

        if self._folder is not None:
            return self._learn(count, names, Path(self._folder))
        with TemporaryDirectory(prefix="beeline-") as place:
            return self._learn(count, names, Path(place))

    def _learn(self, count: int, names: tuple[str, ...], folder: Path) -> TaskModel:
        from beeline import __version__
        from beeline.encode.propositional import vocabulary
        from beeline.pddl.signature import domain_signature

        trained: dict[str, TaskNetwork] = {}
        samples: dict[str, RegressionSamples] = {}
        for place, name in enumerate(names):
            if self._stopped or (trained and perf_counter() >= self._deadline):
                self._warn(f"there was no time to learn the network for the {name}")
                continue
            samples[name] = self._sample(name, count)
            share = 1.0 / (len(names) - place)  # of the time that is left
            trained[name] = self._train(name, samples[name], folder / name, share)
        return TaskModel(
            signature=domain_signature(self._task.problem.domain),
            vocabulary=vocabulary(self._task),
            hidden=self._settings.hidden,
            heuristic=trained["heuristic"].weights if "heuristic" in trained else None,
            operators=trained["operators"].weights if "operators" in trained else None,
            summary={
                "unit_costs": self._task.unit_costs,
                "samples": {name: each.summary() for name, each in samples.items()},
                "networks": {name: each.summary() for name, each in trained.items()},
            },
            seed=self._settings.seed,
            package_version=__version__,
        )

    def _sample(self, name: str, count: int) -> RegressionSamples:
        settings = RegressionSettings(count, "xrs", seed=self._settings.seed)
        if name == "heuristic":
            settings = replace(settings, strategy="fsm", random_share=RANDOM_SHARE)
        return regression_samples(self._task, settings)

    def _train(
        self, name: str, samples: RegressionSamples, folder: Path, share: float
    ) -> TaskNetwork:
        from beeline.training.task_networks import train_heuristic, train_operators

        facts = facts_of(self._task, samples.values)
        settings = self._settings
        if math.isfinite(self._deadline):
            left = max(_AT_ONCE, (self._deadline - perf_counter()) * share)
            settings = replace(settings, time_limit=left)

        def train(settings: TaskTraining, progress: EpochProgress | None) -> TaskNetwork:
            if name == "heuristic":
                return train_heuristic(facts, samples.estimates, settings, folder, progress)
            return train_operators(
                facts, samples.preferred, self._task.num_operators, settings, folder, progress
            )

        def glance(epoch: int, _: int, losses: dict[str, float]) -> None:
            if self._progress is not None:
                self._progress(TaskGlance(name, epoch, losses))

        try:
            return train(settings, glance)
        except KeyboardInterrupt:
            self._stopped = True
            self._warn(f"interrupted: the weights for the {name} are the best ones so far")
            return train(replace(settings, time_limit=_AT_ONCE), None)


def _python_warning(message: str) -> None:
    warnings.warn(message, stacklevel=3)
