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
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import WriteError
from beeline.core.files import check_output, read_bytes, write_bytes_atomically
from beeline.core.limits import limited_memory

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

    def try_to_write(self, data: bytes) -> WriteError | None:
        """The same, except that what fails is returned: the next file may be luckier."""
        try:
            self.write(data)
        except WriteError as error:
            return error
        return None

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

    model: ColourModel | None
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
    from beeline.learning.learn import NoModelError
    from beeline.learning.learn import learn as learn_model
    from beeline.learning.workshop import Stopped, stopping_by
    from beeline.models.model_file import to_bytes

    stop_signals = tuple(stop_signals)
    files = NumberedFiles(knowledge)
    files.forget_old()
    files.write(NOTHING_LEARNED)
    model: ColourModel | None = None
    failure: WriteError | None = None

    def keep(better: ColourModel) -> None:
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
    from beeline.planning.plan import plan as plan_with
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

    def write(better: Plan, cost: int) -> None:
        nonlocal failure
        failure = files.try_to_write(format_plan(better).encode())

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


def load_knowledge(knowledge: AnyPath) -> Model | None:
    """The model in a file of `learn`, None if nothing had been learned."""
    from beeline.models.model_file import load

    path = latest(knowledge)
    beginning = read_bytes(path, "file with domain knowledge", len(NOTHING_LEARNED) + 1)
    return None if beginning == NOTHING_LEARNED else load(path)
