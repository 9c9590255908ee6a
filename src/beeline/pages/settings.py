"""What a user can choose about pages."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError
from beeline.core.limits import memory_size
from beeline.core.settings import setting
from beeline.planning.heuristics import HEURISTICS
from beeline.planning.searches import SEARCHES

if TYPE_CHECKING:
    import os

    from beeline.planning.model import Model
    from beeline.planning.result import Result
    from beeline.planning.solve import AnyHeuristic
    from beeline.task.plan_file import Steps


def _model_names() -> list[str]:
    from beeline.models.model_file import AUTO, packaged_names

    return [AUTO, *packaged_names()]


@dataclass(frozen=True)
class ShowSettings:
    """Which plan is shown, a result of `solve` or `plan` included, and by which model's eyes."""

    plan: Steps | Result | None = None
    _: KW_ONLY
    model: Model | str | os.PathLike[str] | None = setting(
        None,
        "Show the score of this model, and plan with it if there is no plan: a file, the name of a"
        " packaged model, or 'auto' for the one that fits.",
        "MODEL",
        names=_model_names,
    )
    search: str | None = setting(
        None,
        "Look for a plan by this search: {names}. By default as 'beeline plan' and 'beeline solve'"
        " do it.",
        "NAME",
        names=SEARCHES,
    )
    heuristic: AnyHeuristic | None = setting(
        None,
        "Look for a plan with this heuristic: {names}. By default with the model, if there is one.",
        "NAMES",
        names=HEURISTICS,
    )
    time_limit: float | None = setting(None, "Stop looking for a plan after this time.", "SECONDS")
    memory_limit: int | str | None = setting(
        None, "Of the whole process, such as 200M or 2G; a plain number means MB.", "SIZE"
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "memory_limit", memory_size("memory limit", self.memory_limit))
        if self.plan is not None and self.looks_its_own_way:
            raise BeelineError("a plan to show, and a search for one", hint="leave out one of them")

    @property
    def looks_its_own_way(self) -> bool:
        """Whether a search or a heuristic is named."""
        return self.search is not None or self.heuristic is not None
