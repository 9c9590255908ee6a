"""`learn_task`: one task in, a model of its state space out.

Samples for the heuristic are drawn by FSM, with a fifth of random states; those for preferred
operators by XRS, without. Each network is trained with its own samples. After Minini, "Discovering
and learning preferred operators for classical planning with neural networks" (2023), section 4.1.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError
from beeline.core.settings import keywords, setting
from beeline.data.regression import facts_of, regression_samples
from beeline.data.regression_settings import RegressionSettings, share_of_states
from beeline.learning.settings import check_limit
from beeline.models.resnet.encoding import HIDDEN
from beeline.models.resnet.model import TaskModel

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from beeline.data.regression import RegressionSamples
    from beeline.fitting.task_networks import EpochProgress, TaskNetwork, TaskTraining
    from beeline.learning.task_set import AnyPath
    from beeline.task.ground_task import GroundTask

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


@dataclass(frozen=True, kw_only=True)
class TaskSettings:
    """How one task is learned, with --per-task on the command line."""

    count: int | None = setting(None, "How many samples, random ones included.", "N")
    percent: float | None = setting(
        None,
        "So many percent of the state space instead, which is enumerated to know its size.",
        "P",
    )
    hidden: int = setting(HIDDEN, "Neurons in each hidden layer.", "N")
    epochs: int = setting(100_000, "How often all samples are learned at most.", "N")
    patience: int = setting(100, "Epochs without a smaller validation loss that end it.", "N")
    learning_rate: float = setting(1e-4, "How far each step goes.", "X")
    folder: AnyPath | None = setting(
        None, "Keep checkpoints here: training that was killed goes on from them.", "DIR"
    )
    seed: int = setting(0, "Decides which states are drawn at random, and on first weights.", "N")
    time_limit: float | None = setting(
        None, "The best weights so far are the result after this time.", "SECONDS"
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TaskCall(TaskSettings):
    """Settings, and what only Python can say; `networks` are those to be trained."""

    networks: tuple[str, ...] = NETWORKS
    progress: Progress | None = None
    warn: Warn | None = None


@keywords(TaskCall)
def learn_task(task: GroundTask, call: TaskCall) -> TaskModel:
    """Learn a heuristic and preferred operators of a task, for any initial state of it.

    Keyword arguments are the fields of `TaskSettings` and `TaskCall`.
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
    from beeline.models.families import require_torch

    require_torch()
    from beeline.fitting.task_networks import TaskTraining

    check_limit("time limit", call.time_limit)
    unknown = [name for name in call.networks if name not in NETWORKS]
    if unknown or not call.networks:
        raise BeelineError(f"networks {call.networks}", hint=f"there are {', '.join(NETWORKS)}")
    training = TaskTraining(
        hidden=call.hidden,
        learning_rate=call.learning_rate,
        epochs=call.epochs,
        patience=call.patience,
        seed=call.seed,
    )
    course = _Course(task, training, call)
    return course.run(_sample_count(task, call.count, call.percent), call.networks)


def _sample_count(task: GroundTask, count: int | None, percent: float | None) -> int:
    from beeline.data.state_spaces import StateSpaceTooLargeError, enumerate_states

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

    def __init__(self, task: GroundTask, settings: TaskTraining, call: TaskCall) -> None:
        self._task = task
        self._settings = settings
        self._deadline = math.inf if call.time_limit is None else perf_counter() + call.time_limit
        self._folder = call.folder
        self._progress = call.progress
        self._warn = call.warn or _python_warning
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
        trained: dict[str, TaskNetwork] = {}
        samples: dict[str, RegressionSamples] = {}
        for place, name in enumerate(names):
            if self._stopped or (trained and perf_counter() >= self._deadline):
                self._warn(f"there was no time to learn the network for the {name}")
                continue
            samples[name] = self._sample(name, count)
            share = 1.0 / (len(names) - place)  # of the time that is left
            trained[name] = self._train(name, samples[name], folder / name, share)
        summaries = {name: each.summary() for name, each in samples.items()}
        return task_model(self._task, self._settings, trained, summaries)

    def _sample(self, name: str, count: int) -> RegressionSamples:
        settings = RegressionSettings(count, "xrs", seed=self._settings.seed)
        if name == "heuristic":
            settings = replace(settings, strategy="fsm", random_share=RANDOM_SHARE)
        return regression_samples(self._task, settings)

    def _train(
        self, name: str, samples: RegressionSamples, folder: Path, share: float
    ) -> TaskNetwork:
        from beeline.fitting.task_networks import train_heuristic, train_operators

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


def task_model(
    task: GroundTask,
    settings: TaskTraining,
    trained: Mapping[str, TaskNetwork],
    samples: Mapping[str, Mapping[str, Any]],
) -> TaskModel:
    """The model of the networks that were trained for a task, with what their samples were."""
    from beeline import __version__
    from beeline.models.resnet.encoding import vocabulary
    from beeline.pddl.model import domain_signature

    return TaskModel(
        signature=domain_signature(task.problem.domain),
        vocabulary=vocabulary(task),
        hidden=settings.hidden,
        heuristic=trained["heuristic"].weights if "heuristic" in trained else None,
        operators=trained["operators"].weights if "operators" in trained else None,
        summary={
            "unit_costs": task.unit_costs,
            "samples": {name: dict(each) for name, each in samples.items()},
            "networks": {name: each.summary() for name, each in trained.items()},
        },
        seed=settings.seed,
        package_version=__version__,
    )


def _python_warning(message: str) -> None:
    warnings.warn(message, stacklevel=3)
