"""`learn_task`: one task in, a model of its state space out.

Samples for the heuristic are drawn by FSM, with a fifth of random states; those for preferred
operators by XRS, without. Each network is trained with its own samples. After Minini, "Discovering
and learning preferred operators for classical planning with neural networks" (2023), section 4.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline._version import __version__
from beeline.core.errors import BeelineError
from beeline.core.settings import keywords, setting
from beeline.data.regression import RegressionSamples, facts_of, regression_samples
from beeline.data.regression_settings import RegressionSettings, share_of_states
from beeline.learning.settings import check_limit, python_warning
from beeline.models.families import require_torch
from beeline.models.resnet.encoding import HIDDEN
from beeline.models.resnet.model import TaskModel
from beeline.pddl.model import domain_signature

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from beeline.fitting.task_networks import EpochProgress, TaskNetwork, TaskTraining
    from beeline.learning.settings import AnyPath, Warn
    from beeline.task.ground_task import GroundTask

    Progress = Callable[["TaskGlance"], None]

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
    require_torch()
    from beeline.fitting.task_networks import TaskTraining

    check_limit("time limit", call.time_limit)
    unknown = [name for name in call.networks if name not in NETWORKS]
    if unknown or not call.networks:
        raise BeelineError(f"networks {call.networks}", hint=f"there are {', '.join(NETWORKS)}")
    names = ("hidden", "learning_rate", "epochs", "patience", "seed")
    training = TaskTraining(**{name: getattr(call, name) for name in names})
    deadline = math.inf if call.time_limit is None else perf_counter() + call.time_limit
    count = _sample_count(task, call.count, call.percent)
    learn = partial(_learn, task, call, training, count, deadline)
    if call.folder is not None:
        return learn(Path(call.folder))
    with TemporaryDirectory(prefix="beeline-") as scratch:
        return learn(Path(scratch))


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


def _learn(
    task: GroundTask,
    call: TaskCall,
    training: TaskTraining,
    count: int,
    deadline: float,
    folder: Path,
) -> TaskModel:
    """Sample for one network after the other and train it, until time is up."""
    warn = call.warn or python_warning
    trained: dict[str, TaskNetwork] = {}
    summaries: dict[str, dict[str, Any]] = {}
    stopped = False
    for place, name in enumerate(call.networks):
        if stopped or (trained and perf_counter() >= deadline):
            warn(f"there was no time to learn the network for the {name}")
            continue
        settings = RegressionSettings(count, "xrs", seed=training.seed)
        if name == "heuristic":
            settings = replace(settings, strategy="fsm", random_share=RANDOM_SHARE)
        samples = regression_samples(task, settings)
        summaries[name] = samples.summary()
        limited = training
        if math.isfinite(deadline):
            share = (deadline - perf_counter()) / (len(call.networks) - place)
            limited = replace(training, time_limit=max(_AT_ONCE, share))
        train = partial(_train, task, name, samples, folder / name)
        try:
            trained[name] = train(limited, partial(_glance, call, name))
        except KeyboardInterrupt:
            stopped = True
            warn(f"interrupted: the weights for the {name} are the best ones so far")
            trained[name] = train(replace(limited, time_limit=_AT_ONCE), None)
    return task_model(task, training, trained, summaries)


def _glance(call: TaskCall, name: str, epoch: int, _: int, losses: dict[str, float]) -> None:
    if call.progress is not None:
        call.progress(TaskGlance(name, epoch, losses))


def _train(
    task: GroundTask,
    name: str,
    samples: RegressionSamples,
    folder: Path,
    settings: TaskTraining,
    progress: EpochProgress | None,
) -> TaskNetwork:
    from beeline.fitting.task_networks import train_heuristic, train_operators

    facts = facts_of(task, samples.values)
    if name == "heuristic":
        return train_heuristic(facts, samples.estimates, settings, folder, progress)
    operators = task.num_operators
    return train_operators(facts, samples.preferred, operators, settings, folder, progress)


def task_model(
    task: GroundTask,
    settings: TaskTraining,
    trained: Mapping[str, TaskNetwork],
    samples: Mapping[str, Mapping[str, Any]],
) -> TaskModel:
    """The model of the networks that were trained for a task, with what their samples were."""
    from beeline.models.resnet.encoding import vocabulary

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
