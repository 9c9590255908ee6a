"""Where the jobs of learning run: in parallel, with progress, until time is up or someone says so.

Results come in the order of the jobs, not in that of their ends: nothing that is learned depends
on timing unless a limit on time is reached. The phases of learning share an `Experience`: the tasks
with their plans, the workers, the settings.
"""

from __future__ import annotations

import math
import signal
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.backends import LOCAL, Workers
from beeline.core.errors import BeelineError, Status
from beeline.core.limits import TimeIsUp, alarm
from beeline.core.records import Glance, Job, Values, run_jobs
from beeline.learning.derived_tasks import (
    TWICE,
    CrowdJob,
    JoinJob,
    VariantJob,
    crowd,
    find_variant,
    join,
)
from beeline.learning.task_set import (
    ENOUGH_TASKS,
    TRIVIAL,
    PlanJob,
    PlannedTask,
    TrainingSet,
    TrainingTask,
    find_plan,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import FrameType

    from typing_extensions import Self

    from beeline.core.records import Executor, WorkerDiedError
    from beeline.learning.selection import Diary
    from beeline.learning.settings import LearnSettings, Warn

    Progress = Callable[["Phase"], None]


OUT_OF_TIME = "the time limit was reached"


class Stopped(BaseException):  # an event, not an error: no handler of errors may take it
    """Learning ends here, by a limit on time or a signal."""

    def __init__(self, reason: str, number: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.number = number  # of the signal


class Phase(NamedTuple):
    """What learning is doing, and how far it is."""

    name: str
    done: int
    total: int


class _Values(Values):
    """None stands for what a worker that died should have found."""

    def fail(self, job: Job, error: BeelineError | WorkerDiedError) -> None:
        """A worker that dies costs its own job only."""
        if isinstance(error, BeelineError):
            raise error


class Workshop:
    """Workers, a clock, and someone to tell how it goes."""

    def __init__(
        self,
        workers: Workers = LOCAL,
        *,
        time_limit: float | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.workers = workers
        self._start = perf_counter()
        self._time_limit = time_limit
        self._progress = progress
        self._executor: Executor | None = None
        self.cut_short = False  # whether jobs were given up because time was up

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._executor is not None:
            self._executor.close()
            self._executor = None

    def run(
        self, name: str, function: Callable[..., Any], jobs: Sequence[Any], *, share: float = 1.0
    ) -> list[Any]:
        """The value of the function for each job; None where its worker died or time ran out.

        `share` is the part of the time limit that may have passed when this ends; the last part
        of the limit raises `Stopped`.
        """
        values = _Values(len(jobs))
        done = 0

        def say() -> None:
            if self._progress is not None:
                self._progress(Phase(name, done, len(jobs)))

        say()
        if self._executor is None:
            self._executor = self.workers.executor()

        def progress(glance: Glance) -> None:
            nonlocal done
            done = glance.done
            say()
            if self._is_over(share):  # the alarm does not ring in every thread
                raise TimeIsUp

        work = [Job(str(number), {}, function, (job,)) for number, job in enumerate(jobs)]
        try:
            with alarm(self._seconds_left(share)):
                run_jobs(work, values, self._executor, progress)
        except TimeIsUp:
            self._executor.give_up()
            self.cut_short = done < len(jobs)
            if self._is_over(1.0):
                raise Stopped(OUT_OF_TIME) from None
        except BaseException:
            self._executor.give_up()  # what it has queued belongs to nobody
            raise
        return values.values

    def _is_over(self, share: float) -> bool:
        left = self._seconds_left(share)
        return left is not None and left <= 0

    def _seconds_left(self, share: float) -> float | None:
        if self._time_limit is None:
            return None
        return self._start + share * self._time_limit - perf_counter()


@contextmanager
def stopping_by(signals: Iterable[int]) -> Iterator[None]:
    """While the block runs, these signals raise `Stopped` in it; only the main thread has any.

    >>> import os
    >>> try:
    ...     with stopping_by([signal.SIGTERM]):
    ...         os.kill(os.getpid(), signal.SIGTERM)
    ... except Stopped as event:
    ...     print(event.reason)
    SIGTERM was received
    """

    def stop(number: int, _: FrameType | None) -> None:
        raise Stopped(f"{signal.Signals(number).name} was received", number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = {number: signal.signal(number, stop) for number in signals}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


PLANNING_SHARE = 0.4  # of the time limit, if there is one
SECONDS_PER_SEARCH = 60.0  # safety net
EFFORTS = (1.0, 4.0, 16.0)  # for tasks without plans, while there are not enough
LIMIT_REACHED = [  # more effort may help
    each.value for each in (Status.EVALUATION_LIMIT, Status.TIME_LIMIT, Status.MEMORY_LIMIT)
]
MANY_TASKS = 40  # with plans: where there are fewer, more are made from them
MANY_OPERATORS = 300_000  # such tasks, and what is made from them, take long: only if all are so
TRAINING_SHARE = 0.5  # of the tasks with plans, the smaller ones; the others are held out
TRAINING_TASKS = 12  # or as many as this, if there are
HELD_OUT = 4  # tasks with plans are held out, at least, unless there are too few to learn from
CROWDS = (4, 8, 16)  # times as much to do as in a given task, in exams
HELD_OUT_UNSOLVED = (6, 14)  # tasks without plans in trials, and all tasks if there are many


@dataclass(frozen=True)
class Experience:
    """All tasks from small to large, some with plans, and the means to work on them."""

    training: TrainingSet
    settings: LearnSettings
    workshop: Workshop
    memory_limit: int | None  # bytes of one worker
    tasks: tuple[PlannedTask, ...] = ()
    exams: tuple[
        PlannedTask, ...
    ] = ()  # larger tasks, made from these; nothing is learned from them
    diary: Diary | None = None  # of whoever wants to know how it went
    lengths: dict[str, int] = field(default_factory=dict)  # of the shortest plans, by task

    @property
    def planned(self) -> list[PlannedTask]:
        """The tasks that have plans."""
        return [task for task in self.tasks if task.plan is not None]

    @property
    def smaller(self) -> list[PlannedTask]:
        """The tasks to learn from while candidates are compared."""
        planned = self.planned
        if len(planned) <= HELD_OUT:
            return planned
        most = len(planned) - HELD_OUT
        return planned[: max(round(len(planned) * TRAINING_SHARE), min(most, TRAINING_TASKS))]

    @property
    def held_out(self) -> list[PlannedTask]:
        """Larger tasks, and some without plans, to compare candidates on."""
        seen = {task.name for task in self.smaller}
        larger = [task for task in self.planned if task.name not in seen] or self.planned[-2:]
        count = max(HELD_OUT_UNSOLVED[0], HELD_OUT_UNSOLVED[1] - len(larger))
        unsolved = [task for task in self.tasks if task.plan is None][:count]
        return sorted([*larger, *unsolved, *self.exams], key=lambda task: task.size)

    @property
    def made(self) -> list[PlannedTask]:
        """The tasks that nobody has given."""
        known = {task.name for task in self.given}
        return [task for task in (*self.tasks, *self.exams) if task.name not in known]

    @property
    def given(self) -> list[PlannedTask]:
        """The tasks of the user."""
        names = {task.name for task in self.training.tasks}
        return [task for task in self.tasks if task.name in names]

    @property
    def unseen(self) -> bool:
        """Whether any task is held out that candidates have not learned from."""
        return len(self.smaller) < len(self.tasks) or bool(self.exams)

    def shortest_plan(self, task: PlannedTask, found: Iterable[int | None]) -> int | None:
        """Steps of the shortest plan for a task that is known, with those just found."""
        known = [self.lengths.get(task.name), None if task.plan is None else len(task.plan), *found]
        lengths = [each for each in known if each is not None]
        if lengths:
            self.lengths[task.name] = min(lengths)
        return min(lengths, default=None)

    def with_plans(self, better: Iterable[PlannedTask]) -> Experience:
        """The same with some tasks exchanged for versions of them with better plans."""
        by_name = {task.name: task for task in better}
        return replace(self, tasks=tuple(by_name.get(task.name, task) for task in self.tasks))


def find_plans(experience: Experience, warn: Warn) -> Experience:
    """A plan for each task, as far as limits allow; tasks that teach nothing are left out.

    Efforts grow until there are enough plans. Where they are not many, variants of the tasks join
    them. The largest ones together make an exam.
    """
    training = experience.training
    known = _searched(experience, training.tasks)
    for status, what in (
        (TRIVIAL, "nothing to do: the goal holds in the beginning"),
        (Status.UNSOLVABLE.value, "no plan"),
    ):
        names = sorted(task.name for task in known if task.status == status)
        if names:
            more = f" and {len(names) - 1} more have" if len(names) > 1 else " has"
            warn(f"{names[0]}{more} {what}; left out")
    hopeless = (TRIVIAL, Status.UNSOLVABLE.value)
    usable = {task.name: task for task in known if task.status not in hopeless}
    made = _variants(experience, [each for each in training.tasks if each.name in usable], usable)
    usable |= {task.name: task for task in made}
    if not any(task.plan for task in usable.values()):
        if experience.workshop.cut_short:
            raise Stopped(OUT_OF_TIME)
        message = f"no plan was found for any of the {len(training.tasks)} tasks"
        hint = "add smaller tasks, or give plans with --plans"
        raise BeelineError(message, training.domain_file, hint=hint)
    tasks = tuple(sorted(usable.values(), key=lambda task: task.size))
    return _with_exams(replace(experience, tasks=tasks))


def _searched(experience: Experience, tasks: Sequence[TrainingTask]) -> list[PlannedTask]:
    """What became of the tasks, with more effort for some of them while plans are few."""
    known: dict[str, PlannedTask] = {}
    unsolved = sorted(tasks, key=lambda task: (-task.objects, task.name))
    for effort in EFFORTS:
        found = experience.workshop.run(
            "planning" if effort == 1 else f"planning, {effort:g} times the effort",
            find_plan,
            [_plan_job(experience, task, effort) for task in unsolved],
            share=PLANNING_SHARE,
        )
        known |= {task.name: task for task in found if task is not None}
        solved = sum(task.plan is not None for task in known.values())
        unsolved = [
            task
            for task in unsolved
            if task.name in known and known[task.name].status in LIMIT_REACHED
        ][-ENOUGH_TASKS:]  # the smaller ones
        if solved >= ENOUGH_TASKS or not unsolved or experience.workshop.cut_short:
            break
    return list(known.values())


def _plan_job(experience: Experience, task: TrainingTask, effort: float = 1.0) -> PlanJob:
    domain, unit_costs = experience.training.domain_text, experience.settings.unit_costs
    return PlanJob(domain, task, unit_costs, SECONDS_PER_SEARCH, experience.memory_limit, effort)


def _variants(
    experience: Experience, tasks: Sequence[TrainingTask], known: Mapping[str, PlannedTask]
) -> list[PlannedTask]:
    """Tasks made from these, the same number from each, so that many have plans."""
    missing = MANY_TASKS - sum(task.plan is not None for task in known.values())
    tasks = [each for each in tasks if known[each.name].operators <= MANY_OPERATORS] or tasks
    if missing <= 0 or not tasks:
        return []
    count, seed = math.ceil(missing / len(tasks)), experience.settings.seed
    jobs = [
        VariantJob(_plan_job(experience, replace(task, plan=None)), number, count, seed)
        for number in range(count)
        for task in tasks
    ]
    found = experience.workshop.run("making more tasks", find_variant, jobs, share=PLANNING_SHARE)
    return [task for task in found if task is not None]


def _with_exams(experience: Experience) -> Experience:
    """Larger tasks than any that has a plan, made from the largest of these."""
    largest = experience.planned[-4:]
    domain, unit_costs = experience.training.domain_text, experience.settings.unit_costs
    sets = [tuple(largest[-2:]), tuple(largest)] if len(largest) == 4 else [tuple(largest)]
    joins = [JoinJob(domain, each, unit_costs) for each in sets if len(each) > 1]
    exams = experience.workshop.run("making larger tasks", join, joins)
    jobs = [(_plan_job(experience, task.as_given), task.operators) for task in largest[-3:]]
    crowds = [CrowdJob(*job, TWICE) for job in jobs]
    solved = experience.workshop.run("making larger tasks", crowd, crowds)
    good = [job for job, task in zip(crowds, solved, strict=True) if task is not None][-2:]
    more = [replace(job, times=times) for job in good for times in CROWDS]
    exams += solved
    exams += experience.workshop.run("making larger tasks", crowd, more)
    return replace(experience, exams=tuple(task for task in exams if task is not None))
