"""Experiments of papers, repeated: data, training, searches, and tables beside the papers'.

`registry.EXPERIMENTS` has them by name; `running.run_experiment` makes one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from beeline.backends import JobSettings, Workers
from beeline.core.settings import setting

if TYPE_CHECKING:
    import os


@dataclass(frozen=True, kw_only=True)
class ExperimentSettings(JobSettings):
    """How large an experiment is, and what of it is run."""

    scale: str = setting(
        "small",
        "small: in minutes, fewer domains, tasks, seeds and steps. paper: as in the paper.",
        "WORD",
        names=("small", "paper"),
    )
    data: str | os.PathLike[str] | None = setting(
        None,
        "Folder of the paper's own tasks, DIR/DOMAIN/*.pddl; by default tasks are made.",
        "DIR",
    )
    seeds: int | None = setting(None, "Seeds of everything that is random.", "N")
    set: str | None = setting(
        None, "Other settings of the experiment, such as 'domains=blocks,grid epochs=50'.", "WORDS"
    )
    report_only: bool = setting(False, "Run nothing; report what has been run so far.")

    @property
    def workers(self) -> Workers:
        """At least one job runs at a time."""
        return Workers(self.backend, None if self.jobs is None else max(1, self.jobs))
