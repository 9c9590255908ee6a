"""A workshop without workers: jobs run here and now, where tests can reach into them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from beeline.learning.workshop import Stopped, Workshop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class WorkshopInPlace(Workshop):
    """Runs jobs in this process and remembers the phases; some of them can fail.

    Phases are known by the beginnings of their names. In the phase `stop_in` someone stops the
    work; in the phase `die_in` every worker dies.
    """

    stop_in: str | None = None
    die_in: str | None = None

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.phases: list[str] = []

    def run(
        self,
        name: str,
        function: Callable[..., Any],
        jobs: Sequence[Any],
        *,
        share: float = 1.0,
    ) -> list[Any]:
        """The value of the function for each job."""
        self.phases.append(name)
        if self.stop_in is not None and name.startswith(self.stop_in):
            raise Stopped("someone said so")
        if self.die_in is not None and name.startswith(self.die_in):
            return [None] * len(jobs)
        return [function(job) for job in jobs]
