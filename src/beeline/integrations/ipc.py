"""Learner and planner with the manners of the learning track of the planning competition.

`learn` writes domain knowledge to DK.1, DK.2, ... whenever there is better one, `plan` writes
plans to PLAN.1, PLAN.2, ..., each cheaper than the one before. Files appear whole, SIGTERM ends
either in good order, and both keep to one core. DK.1 is there from the first moment: it says
that nothing has been learned yet, and planners then search with h_FF
(Taitler et al., "The 2023 International Planning Competition", AI Magazine 45, 2024).

Files that replace each other: PREFIX.1, PREFIX.2, ..., each better than the one before.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import WriteError
from beeline.core.files import check_output, read_bytes, write_bytes_atomically
from beeline.core.limits import limited_memory, memory_size
from beeline.core.settings import setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from beeline.learning.workshop import Progress as LearnProgress
    from beeline.models.colours.model import ColourModel
    from beeline.planning.model import Model
    from beeline.planning.result import Result
    from beeline.planning.solve import Progress
    from beeline.task.ground_task import GroundTask
    from beeline.task.plan_file import Plan

    AnyPath = str | os.PathLike[str]

GIB = 2**30
LEARN_MEMORY = 32 * GIB
PLAN_MEMORY = 8 * GIB
MEMORY_SHARE = 15 / 16  # the rest is for what no search can foresee
MEMORY_VARIABLE = "BEELINE_MEMORY_LIMIT"
NOTHING_LEARNED = b"Beeline: nothing learned yet, search with h_FF\n"
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, kw_only=True)
class PlannerSettings:
    """What the planner of the track can be told."""

    seed: int = setting(0, "Seed for random tie-breaking.", "N")
    memory_limit: int | str | None = setting(
        None, "Such as 200M or 2G; a plain number means MB.", "SIZE"
    )

    def memory(self, track_limit: int) -> int:
        """Bytes that are allowed: by the setting, by the environment, or by the track.

        A limit of the track is meant for all of the machine, which may be smaller.

        >>> PlannerSettings(memory_limit="2G").memory(2**20), PlannerSettings().memory(2**20)
        (2147483648, 983040)
        """
        for name, word in (
            ("--memory-limit", self.memory_limit),
            (MEMORY_VARIABLE, os.environ.get(MEMORY_VARIABLE)),
        ):
            if size := memory_size(name, word):
                return size
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return int(min(track_limit, physical) * MEMORY_SHARE)


@dataclass(frozen=True, kw_only=True)
class LearnerSettings(PlannerSettings):
    """What the learner of the track can be told."""

    seed: int = setting(0, "Decides which states are drawn at random.", "N")
    time_limit: float | None = setting(
        None, "Write the best model so far after this time.", "SECONDS"
    )


class NumberedFiles:
    """The numbered files of a prefix. Each appears under its name when it is whole.

    >>> import tempfile
    >>> files = NumberedFiles(Path(tempfile.mkdtemp()) / "plan")
    >>> files.write(b"(long way)"), files.write(b"(short cut)")
    (True, True)
    >>> files.write(b"(short cut)")
    False
    >>> [Path(name).name for name in files.written]
    ['plan.1', 'plan.2']
    """

    def __init__(self, prefix: str | os.PathLike[str]) -> None:
        self._prefix = Path(prefix)
        self._last: bytes | None = None
        self.written: list[str] = []
        self.failure: WriteError | None = None  # of the last file that was tried
        check_output(self._path(1))

    def write(self, data: bytes) -> bool:
        """Write the next file, unless the last one says the same."""
        if data == self._last:
            return False
        path = self._path(len(self.written) + 1)
        write_bytes_atomically(path, data)
        self.written.append(str(path))
        self._last = data
        return True

    def try_to_write(self, data: bytes) -> None:
        """The same, except that what fails is noted: the next file may be luckier."""
        self.failure = None
        try:
            self.write(data)
        except WriteError as error:
            self.failure = error

    def forget_old(self) -> None:
        """Remove the files of an earlier run, which would be taken for better ones."""
        for number in numbers(self._prefix):
            self._path(number).unlink()

    def _path(self, number: int) -> Path:
        return self._prefix.with_name(f"{self._prefix.name}.{number}")


def numbers(prefix: Path) -> list[int]:
    """The numbers of the files that a prefix has, ascending."""
    start = f"{prefix.name}."
    names = os.listdir(prefix.parent) if prefix.parent.is_dir() else []
    ends = [name.removeprefix(start) for name in names if name.startswith(start)]
    return sorted(int(end) for end in ends if end.isdecimal() and end == str(int(end)))


def latest(path_or_prefix: str | os.PathLike[str]) -> Path:
    """The file itself, or if there is none of this name the last one that it is the prefix of."""
    path = Path(path_or_prefix)
    found = [] if path.exists() else numbers(path)
    return path.with_name(f"{path.name}.{found[-1]}") if found else path


class Learned(NamedTuple):
    """What learning left: the last model, None if there was no time for any, and all files.

    `failure` is why the last model is in none of them.
    """

    model: ColourModel | None
    files: list[str]
    failure: WriteError | None = None


class Planned(NamedTuple):
    """How planning ended, the task, and the plan files."""

    result: Result
    task: GroundTask
    files: NumberedFiles


def use_one_core() -> None:
    """Keep numerical libraries from starting threads; only before they are first imported."""
    for name in ONE_THREAD:
        os.environ[name] = "1"


def learn(
    knowledge: AnyPath,
    domain: AnyPath,
    tasks: Sequence[AnyPath],
    settings: LearnerSettings | None = None,
    *,
    progress: LearnProgress | None = None,
    warn: Callable[[str], None] | None = None,
    stop_signals: Iterable[int] = STOP_SIGNALS,
) -> Learned:
    """Learn how to search in a domain; `knowledge` is the prefix of the files to write."""
    from beeline.learning.learn import NoModelError
    from beeline.learning.learn import learn as learn_model
    from beeline.learning.workshop import Stopped, stopping_by
    from beeline.models.model_file import to_bytes

    settings = settings or LearnerSettings()
    allowed = settings.memory(LEARN_MEMORY)
    stop_signals = tuple(stop_signals)
    files = NumberedFiles(knowledge)
    files.forget_old()
    files.write(NOTHING_LEARNED)
    model: ColourModel | None = None

    def keep(better: ColourModel) -> None:
        nonlocal model
        model = better
        files.try_to_write(to_bytes(better))

    try:
        with stopping_by(stop_signals):  # also while tasks are read
            keep(
                learn_model(
                    domain,
                    tasks,
                    seed=settings.seed,
                    jobs=1,
                    time_limit=settings.time_limit,
                    memory_limit=allowed,
                    progress=progress,
                    warn=warn,
                    on_model=keep,
                    stop_signals=stop_signals,
                )
            )
    except (NoModelError, Stopped) as event:
        if warn is not None and model is None:
            warn(f"{event}: planners will search with h_FF")
    return Learned(model, files.written, files.failure)


def plan(
    knowledge: AnyPath,
    domain: AnyPath,
    task: AnyPath,
    plans: AnyPath,
    settings: PlannerSettings | None = None,
    *,
    progress: Progress | None = None,
    stop_signals: Iterable[int] = STOP_SIGNALS,
) -> Planned:
    """Plan with the knowledge, until no plan can be cheaper or a signal ends it.

    `knowledge` is a file that `learn` wrote or the prefix of several, of which the last one
    counts; `plans` is the prefix of the plans.
    """
    from beeline.planning.plan import plan as plan_with
    from beeline.planning.solve import run
    from beeline.planning.specification import make_spec
    from beeline.task.grounding import load
    from beeline.task.plan_file import format_plan

    settings = settings or PlannerSettings()
    allowed = settings.memory(PLAN_MEMORY)
    files = NumberedFiles(plans)
    model = load_knowledge(knowledge)
    files.forget_old()
    with limited_memory(allowed):
        ground_task = load(domain, task)

    def write(better: Plan, cost: int) -> None:
        files.try_to_write(format_plan(better).encode())

    limits: dict[str, Any] = {"seed": settings.seed, "memory_limit": allowed, "anytime": True}
    manners: dict[str, Any] = {"progress": progress, "on_plan": write}
    manners["stop_signals"] = tuple(stop_signals)
    if model is None:
        spec = make_spec("gbfs", "ff", preferred="ff", **limits)
        result = run(ground_task, spec, **manners)
    else:
        result = plan_with(model, ground_task, **limits, **manners)
    return Planned(result, ground_task, files)


def load_knowledge(knowledge: AnyPath) -> Model | None:
    """The model in a file of `learn`, None if nothing had been learned."""
    from beeline.models.model_file import load

    path = latest(knowledge)
    beginning = read_bytes(path, "file with domain knowledge", len(NOTHING_LEARNED) + 1)
    return None if beginning == NOTHING_LEARNED else load(path)
