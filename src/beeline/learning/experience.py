"""What the phases of learning share: the tasks with their plans, the workers, the settings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError
from beeline.core.statuses import Status
from beeline.learning.plans import TRIVIAL, PlanJob, find_plan
from beeline.learning.workshop import OUT_OF_TIME, Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from beeline.learning.plans import PlannedTask
    from beeline.learning.settings import LearnSettings
    from beeline.learning.task_set import TrainingSet
    from beeline.learning.workshop import Workshop

    Warn = Callable[[str], None]

PLANNING_SHARE = 0.4  # of the time limit, if there is one
SECONDS_PER_SEARCH = 60.0  # safety net
TRAINING_SHARE = 0.5  # of the tasks with plans, the smaller ones; the others are held out
TRAINING_TASKS = 30  # or as many as this, if there are
HELD_OUT = 4  # tasks with plans are held out, at least, unless there are too few to learn from
HELD_OUT_UNSOLVED = (6, 14)  # tasks without plans in trials, and all tasks if there are many


@dataclass(frozen=True)
class Experience:
    """All tasks from small to large, some with plans, and the means to work on them."""

    training: TrainingSet
    settings: LearnSettings
    workshop: Workshop
    memory_limit: int | None  # bytes of one worker
    tasks: tuple[PlannedTask, ...] = ()

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
        return sorted([*larger, *unsolved], key=lambda task: task.size)

    def with_plans(self, better: Iterable[PlannedTask]) -> Experience:
        """The same with some tasks exchanged for versions of them with better plans."""
        by_name = {task.name: task for task in better}
        return replace(self, tasks=tuple(by_name.get(task.name, task) for task in self.tasks))


def find_plans(experience: Experience, warn: Warn) -> Experience:
    """A plan for each task, as far as limits allow; tasks that teach nothing are left out."""
    training, settings = experience.training, experience.settings
    jobs = [
        PlanJob(
            training.domain_text,
            task,
            settings.unit_costs,
            SECONDS_PER_SEARCH,
            experience.memory_limit,
        )
        for task in sorted(training.tasks, key=lambda task: (-task.objects, task.name))
    ]
    found = experience.workshop.run("planning", find_plan, jobs, share=PLANNING_SHARE)
    known = [task for task in found if task is not None]
    _report(known, warn)
    hopeless = (TRIVIAL, Status.UNSOLVABLE.value)
    usable = [task for task in known if task.status not in hopeless]
    if not any(task.plan for task in usable):
        if experience.workshop.cut_short:
            raise Stopped(OUT_OF_TIME)
        raise BeelineError(
            f"no plan was found for any of the {len(training.tasks)} tasks",
            training.domain_file,
            hint="add smaller tasks, or give plans with --plans",
        )
    return replace(experience, tasks=tuple(sorted(usable, key=lambda task: task.size)))


def _report(tasks: Sequence[PlannedTask], warn: Warn) -> None:
    for status, what in (
        (TRIVIAL, "nothing to do: the goal holds in the beginning"),
        (Status.UNSOLVABLE.value, "no plan"),
    ):
        names = sorted(task.name for task in tasks if task.status == status)
        if names:
            more = f" and {len(names) - 1} more have" if len(names) > 1 else " has"
            warn(f"{names[0]}{more} {what}; left out")
