"""What a user can choose about evaluating, reporting and certifying."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from beeline.backends import JobSettings
from beeline.core.settings import setting
from beeline.planning.heuristics import HEURISTICS
from beeline.planning.searches import SEARCHES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.evaluate.certificate import AnyHeuristic
    from beeline.task.plan_file import Steps


@dataclass(frozen=True, kw_only=True)
class EvaluationSettings(JobSettings):
    """Which runs of a suite are made, and where."""

    retry_failed: bool = setting(False, "Also repeat runs that are recorded as failed.")


@dataclass(frozen=True, kw_only=True)
class ReportSettings:
    """What a report is called and looks at; names of configurations may be one text.

    >>> ReportSettings(compare="gbfs-ff, learned").compare
    ['gbfs-ff', 'learned']
    """

    title: str | None = setting(None, "Title of the page; by default the suite's name.", "WORDS")
    compare: Sequence[str] | None = setting(
        None,
        "Two configurations to look at task by task; by default the first with some others.",
        "A,B",
    )

    def __post_init__(self) -> None:
        if isinstance(self.compare, str):
            names = [name.strip() for name in self.compare.split(",")]
            object.__setattr__(self, "compare", names)


@dataclass(frozen=True, kw_only=True)
class ErrorSettings:
    """Which states of a dataset a model is compared with, and by which bound."""

    split: str | None = setting(None, "Only this split, such as test; by default all.", "NAME")
    lower: str | None = setting(
        None,
        "Lower bound for clipping and for counting what is below it; by default the model's.",
        "NAME",
        names=("none", "blind", "max", "lmcut"),
    )


@dataclass(frozen=True)
class CertificateSettings:
    """Which ranking is certified; the search decides on alpha and beta unless they are given."""

    heuristic: AnyHeuristic = setting(
        "ff",
        "One of {names}, or the file of a learned model, MODEL.beeline.",
        "NAME",
        names=HEURISTICS,
    )
    plan: Steps | None = setting(
        None, "Ask about this plan; by default about all optimal ones.", "FILE"
    )
    _: KW_ONLY
    search: str = setting(
        "astar",
        "One of {names}.",
        "NAME",
        names=[name for name, entry in SEARCHES.items() if entry.heuristic],
    )
    weight: float | None = setting(None, "Weight of h in wastar, from 1 up; 3.", "W")
    alpha: float | None = setting(None, "Weight of g in best-first; 1.", "A")
    beta: float | None = setting(None, "Weight of h in best-first; 1.", "B")
    time_limit: float | None = setting(None, "Stop after this time.", "SECONDS")
