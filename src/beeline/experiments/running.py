"""One experiment from its name to a page.

FOLDER/{tasks,sets,datasets,models,training,search,...}    what experiments of a paper share
FOLDER/NAME/suite.json, FOLDER/NAME/tables/*.json          records for a report
FOLDER/NAME/report/index.html, report.md, tables/*         the report
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline._version import __version__
from beeline.core.errors import BeelineError
from beeline.core.extras import install_hint
from beeline.core.files import (
    check_output_folder,
    remove_leftovers,
    write_atomically,
    write_error,
)
from beeline.experiments.place import Place
from beeline.experiments.registry import find_experiment
from beeline.report.setting import setting_rows

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from beeline.experiments.registry import Experiment
    from beeline.experiments.result_tables import ResultTable


@dataclass(frozen=True)
class Outcome:
    """What came out of an experiment."""

    experiment: Experiment
    scale: str
    paper: str  # authors and title; empty if there is none
    tasks: str  # which tasks these were
    choice: Mapping[str, Any]  # all settings
    command: str
    digest: str  # of everything that was chosen
    folder: str  # of the records
    page: str
    tables: Sequence[ResultTable]
    failed: int  # runs

    @property
    def title(self) -> str:
        """The table of the paper, or what was looked at without one."""
        if not self.paper:
            return self.experiment.about.capitalize()
        return f"{self.experiment.table} of {self.paper}"


def run_experiment(
    name: str,
    *,
    scale: str = "small",
    folder: str | os.PathLike[str] | None = None,
    data: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    seeds: int | None = None,
    changes: Mapping[str, Any] | None = None,
    report_only: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Make what is missing of an experiment, and its report.

    With `report_only`, the report is made of what there is. `changes` are of single settings.
    """
    from beeline.backends.local import usable_cores

    experiment = find_experiment(name)
    module = experiment.module
    chosen = dict(changes or {})
    if seeds is not None:
        if not 1 <= seeds <= 1000:
            raise BeelineError(f"the number of seeds is {seeds}", hint="from 1 to 1000")
        chosen = {**dict.fromkeys(module.SEED_FIELDS, seeds), **chosen}
    choice = experiment.choice(scale, chosen)
    _check_extras(torch=not report_only)
    root = Path(folder or f"{experiment.paper}-{scale}").resolve()
    given = None if data is None else _existing(data)
    place = Place(root, given, usable_cores() if jobs is None else max(1, jobs), say)
    check_output_folder(root)
    _make_folder(root)
    remove_leftovers(root)
    failed = 0 if report_only else module.make(choice, experiment.table, place)
    tables = module.result_tables(choice, experiment.table, place)
    outcome = Outcome(
        experiment,
        scale,
        module.paper_title(choice),
        module.tasks_text(choice, given=given is not None),
        choice._asdict(),
        _command(experiment, scale, chosen, given=given is not None),
        _digest(experiment, choice, given),
        str(root / name),
        str(root / name / "report" / "index.html"),
        tables,
        failed,
    )
    say("writing the report")
    _write(root / name, outcome)
    return outcome


def _check_extras(*, torch: bool) -> None:
    """All experiments train, and better now than after hours."""
    from beeline.models.registry import require_torch

    if torch:
        require_torch()
    if find_spec("jinja2") is None:
        raise BeelineError(
            "reports need jinja2, which is not installed", hint=install_hint("report")
        )


def _existing(data: str | os.PathLike[str]) -> Path:
    if not Path(data).is_dir():
        raise BeelineError("there is no such folder of data", str(data), hint="check the path")
    return Path(data).resolve()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(error, str(folder)) from None


def _digest(experiment: Experiment, choice: Any, data: Path | None) -> str:
    """A name for all that was chosen; the same on every machine."""
    content = [experiment.name, choice._asdict(), data is not None, __version__]
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _command(experiment: Experiment, scale: str, chosen: Mapping[str, Any], *, given: bool) -> str:
    """What to call to get the same."""
    pairs = []
    for name, value in chosen.items():
        words = ",".join(map(str, value)) if isinstance(value, (tuple, list)) else value
        pairs.append(f"{name}={words}")
    changed = f' --set "{" ".join(pairs)}"' if pairs else ""
    data = " --data DATA" if given else ""
    return f"beeline experiment {experiment.name} --scale {scale}{data}{changed}"


def _write(folder: Path, outcome: Outcome) -> None:
    """Records, the report, and all that can be read without a browser on one page."""
    from beeline.backends.machine import machine_size
    from beeline.report.writing import write_report

    experiment, place = outcome.experiment, folder / "tables"
    _make_folder(place)
    names = {f"{experiment.name}-{each.name}.json": each for each in outcome.tables}
    for old in place.glob("*.json"):
        if old.name not in names:
            old.unlink()
    for name, table in names.items():
        text = json.dumps(table.to_json(experiment.table), indent=1, ensure_ascii=False)
        write_atomically(place / name, f"{text}\n")
    suite = {
        "format": 1,
        "name": experiment.name,
        "paper": outcome.paper,
        "description": experiment.about,
        "command": outcome.command,
        "scale": outcome.scale,
        "tasks": outcome.tasks,
        "choice": outcome.choice,
        "digest": outcome.digest,
        "machine": machine_size(),
        "package_version": __version__,
    }
    text = json.dumps(suite, indent=1, ensure_ascii=False)
    write_atomically(folder / "suite.json", f"{text}\n")
    write_report(folder, folder / "report", title=outcome.title)
    report = (folder / "report" / "report.md").read_text(encoding="utf-8").partition("\n")[2]
    rows = [f"- {name}: {value}" for name, value in setting_rows(json.loads(text))]
    heading = f"# {experiment.name}, scale {outcome.scale}"
    write_atomically(
        folder / "results.md", "\n".join([heading, "", f"{outcome.title}.", "", *rows, report])
    )
