"""Learner and planner with the manners of the learning track of the planning competition.

`learn` writes domain knowledge to DK.1, DK.2, ... whenever there is better one, `plan` writes
plans to PLAN.1, PLAN.2, ..., each cheaper than the one before. Files appear whole, SIGTERM ends
either in good order, and both keep to one core. DK.1 is there from the first moment: it says
that nothing has been learned yet, and planners then search with h_FF
(Taitler et al., "The 2023 International Planning Competition", AI Magazine 45, 2024).
"""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.files import read_bytes
from beeline.core.memory_limit import limited_memory
from beeline.integrations.numbered_files import NumberedFiles, latest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from beeline.core.errors import WriteError
    from beeline.learned.model import Model
    from beeline.learned.model_file import AnyModel
    from beeline.learning.workshop import Progress as LearnProgress
    from beeline.planning.result import Result
    from beeline.planning.solve import Progress
    from beeline.task.ground_task import GroundTask

    AnyPath = str | os.PathLike[str]

GIB = 2**30
LEARN_MEMORY = 32 * GIB
PLAN_MEMORY = 8 * GIB
MEMORY_SHARE = 15 / 16  # the rest is for what no search can foresee
NOTHING_LEARNED = b"Beeline: nothing learned yet, search with h_FF\n"
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Learned(NamedTuple):
    """What learning left: the last model, None if there was no time for any, and all files.

    `failure` is why the last model is in none of them.
    """

    model: Model | None
    files: list[str]
    failure: WriteError | None = None


class Planned(NamedTuple):
    """How planning ended, the task, the plan files, and why the last plan is in none of them."""

    result: Result
    task: GroundTask
    files: list[str]
    failure: WriteError | None = None


def use_one_core() -> None:
    """Keep numerical libraries from starting threads; only before they are first imported."""
    for name in ONE_THREAD:
        os.environ[name] = "1"


def memory_limit(track_limit: int) -> int:
    """Bytes that a program may take under a limit of the track, or on a smaller machine.

    >>> memory_limit(2**20)
    983040
    """
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return int(min(track_limit, physical) * MEMORY_SHARE)


def learn(
    knowledge: AnyPath,
    domain: AnyPath,
    tasks: Sequence[AnyPath],
    *,
    seed: int = 0,
    time_limit: float | None = None,
    memory: int | None = None,
    progress: LearnProgress | None = None,
    warn: Callable[[str], None] | None = None,
    stop_signals: Iterable[int] = STOP_SIGNALS,
) -> Learned:
    """Learn how to search in a domain; `knowledge` is the prefix of the files to write.

    `memory` is in bytes, by default what the track allows.
    """
    from beeline.learned.model_file import to_bytes
    from beeline.learning.learn import NoModelError
    from beeline.learning.learn import learn as learn_model
    from beeline.learning.workshop import Stopped, stopping_by

    stop_signals = tuple(stop_signals)
    files = NumberedFiles(knowledge)
    files.forget_old()
    files.write(NOTHING_LEARNED)
    model: Model | None = None
    failure: WriteError | None = None

    def keep(better: Model) -> None:
        nonlocal model, failure
        model = better
        failure = files.try_to_write(to_bytes(better))

    try:
        with stopping_by(stop_signals):  # also while tasks are read
            keep(
                learn_model(
                    domain,
                    tasks,
                    seed=seed,
                    jobs=1,
                    time_limit=time_limit,
                    memory_limit=memory or memory_limit(LEARN_MEMORY),
                    progress=progress,
                    warn=warn,
                    on_model=keep,
                    stop_signals=stop_signals,
                )
            )
    except (NoModelError, Stopped) as event:
        if warn is not None and model is None:
            warn(f"{event}: planners will search with h_FF")
    return Learned(model, files.written, failure)


def plan(
    knowledge: AnyPath,
    domain: AnyPath,
    task: AnyPath,
    plans: AnyPath,
    *,
    seed: int = 0,
    memory: int | None = None,
    progress: Progress | None = None,
    stop_signals: Iterable[int] = STOP_SIGNALS,
) -> Planned:
    """Plan with the knowledge, until no plan can be cheaper or a signal ends it.

    `knowledge` is a file that `learn` wrote or the prefix of several, of which the last one
    counts; `plans` is the prefix of the plans. `memory` is in bytes, by default what the track
    allows.
    """
    from beeline.learned.planner import plan as plan_with
    from beeline.planning.solve import run
    from beeline.planning.specification import make_spec
    from beeline.task.grounding import load
    from beeline.task.plan_file import format_plan

    files = NumberedFiles(plans)
    model = load_knowledge(knowledge)
    files.forget_old()
    allowed = memory or memory_limit(PLAN_MEMORY)
    with limited_memory(allowed):
        ground_task = load(domain, task)
    failure: WriteError | None = None

    def write(steps: list[str], cost: int) -> None:
        nonlocal failure
        words = [step[1:-1].split() for step in steps]
        unit_cost = not ground_task.problem.minimize_cost
        text = format_plan(words, cost=cost, unit_cost=unit_cost)
        failure = files.try_to_write(text.encode())

    limits: dict[str, Any] = {
        "seed": seed,
        "memory_limit": allowed,
        "anytime": True,
    }
    manners: dict[str, Any] = {
        "progress": progress,
        "on_plan": write,
        "stop_signals": tuple(stop_signals),
    }
    if model is None:
        spec = make_spec("gbfs", "ff", preferred="ff", **limits)
        result = run(ground_task, spec, **manners)
    else:
        result = plan_with(model, ground_task, **limits, **manners)
    return Planned(result, ground_task, files.written, failure)


def load_knowledge(knowledge: AnyPath) -> AnyModel | None:
    """The model in a file of `learn`, None if nothing had been learned."""
    from beeline.learned.model_file import load

    path = latest(knowledge)
    beginning = read_bytes(path, "file with domain knowledge", len(NOTHING_LEARNED) + 1)
    return None if beginning == NOTHING_LEARNED else load(path)
