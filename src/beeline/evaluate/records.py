"""Records on disk: one JSON file for each run, written whole or not at all.

FOLDER/suite.json                                          the suite as it was run
FOLDER/runs/DOMAIN/TASK--CONFIGURATION--seedSEED.json      one run each
"""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.core.files import read_bytes, remove_leftovers, write_atomically, write_error

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from beeline.evaluate.planned_runs import PlannedRun

FORMAT = 1
ABANDONED = 60.0  # seconds after which an unfinished file belongs to nobody


class RecordState(str, Enum):
    """What there is of a run."""

    DONE = "done"
    FAILED = "failed"
    CHANGED = "changed"  # there is a record of other settings
    MISSING = "missing"


class RecordFolder:
    """The folder of the records of one suite."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def file(self, run: PlannedRun) -> Path:
        """Where the record of a run belongs."""
        return self.path / "runs" / f"{run.name}.json"

    def check(self, suite_name: str) -> None:
        """Refuse a place that cannot be a folder, and records of another suite."""
        if self.path.exists() and not self.path.is_dir():
            raise BeelineError("is not a folder", str(self.path), hint="choose another -o DIR")
        known = _read(self.path / "suite.json") or {}
        name = known.get("name", suite_name)
        if name != suite_name:
            raise BeelineError(
                f"holds the records of the suite '{name}'",
                str(self.path),
                hint="choose another -o DIR",
            )

    def open(self, suite: dict[str, Any], runs: Iterable[PlannedRun]) -> None:
        """Make all folders, say which suite this is, and clear what a killed run left behind."""
        try:
            for folder in {self.file(run).parent for run in runs}:
                folder.mkdir(parents=True, exist_ok=True)
                remove_leftovers(folder, ABANDONED)
        except OSError as error:
            raise write_error(error, str(error.filename or self.path)) from None
        write_atomically(self.path / "suite.json", _text(suite))

    def read(self, run: PlannedRun) -> dict[str, Any] | None:
        """The record of a run, if it is one of the same settings."""
        record = _read(self.file(run))
        if record is None or not isinstance(record.get("status"), str):
            return None
        same = (record.get("format"), record.get("settings")) == (FORMAT, run.settings)
        return record if same else None

    def state(self, run: PlannedRun) -> RecordState:
        """What there is of a run."""
        record = self.read(run)
        if record is not None:
            return RecordState.FAILED if record["status"] == "failed" else RecordState.DONE
        return RecordState.CHANGED if self.file(run).exists() else RecordState.MISSING

    def write(self, run: PlannedRun, outcome: dict[str, Any]) -> None:
        """Write what became of a run."""
        plan = outcome.pop("plan")
        record = {
            "format": FORMAT,
            "domain": run.task.domain,
            "task": run.task.name,
            "configuration": run.configuration.name,
            "seed": run.seed,
            "settings": run.settings,
            **outcome,
            "cost_bound": None,  # what is known from elsewhere, which a run does not know
            "limits": run.limits.to_json(),
            "plan": plan,
        }
        write_atomically(self.file(run), _text(record))

    def others(self, runs: Iterable[PlannedRun]) -> int:
        """How many records are of no run of the suite."""
        mine = {self.file(run) for run in runs}
        return sum(path not in mine for path in (self.path / "runs").rglob("*.json"))


def _text(fields: dict[str, Any]) -> str:
    return json.dumps(fields, indent=1) + "\n"


def _read(path: Path) -> dict[str, Any] | None:
    """The object in a file; None if there is none, or something else."""
    try:
        found = json.loads(read_bytes(path, "record"))
    except (BeelineError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
