"""One experiment from its name to a page.

FOLDER/{tasks,sets,datasets,models,training,search,...}    what experiments of a paper share
FOLDER/NAME/suite.json, FOLDER/NAME/{tables,lines}/*.json  records for a report
FOLDER/NAME/report/index.html, report.md, tables/*         the report
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from beeline._version import __version__
from beeline.core.errors import BeelineError
from beeline.core.files import check_output_folder, make_folder, remove_leftovers, write_atomically
from beeline.core.records import commit
from beeline.core.settings import keywords
from beeline.evaluate.drawing import not_installed
from beeline.evaluate.tables import AT_THIS_SCALE, FORMAT, MISSING, Table, terminal
from beeline.experiments import ExperimentSettings
from beeline.experiments.records import Place, make_records
from beeline.experiments.registry import Experiment, changes, find_experiment, grid, renamed

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from beeline.core.records import Glance
    from beeline.evaluate.drawing import Lines
    from beeline.evaluate.tables import Claim


WIDTH = 100  # of lines for a terminal


@dataclass(frozen=True)
class Outcome:
    """What came out of an experiment."""

    experiment: Experiment
    scale: str
    tasks: str  # which tasks these were
    choice: Mapping[str, Any]  # all settings
    command: str
    digest: str  # of everything that was chosen
    folder: str  # of the records
    page: str
    failed: int  # runs
    tables: Sequence[Table]

    @property
    def paper(self) -> str:
        """Authors and title; empty if there is none."""
        return self.experiment.title

    @property
    def title(self) -> str:
        """The table of the paper, or what was looked at without one."""
        if not self.paper:
            return self.experiment.about.capitalize()
        return f"{self.experiment.table} of {self.paper}"

    def to_json(self) -> dict[str, object]:
        """All of it as plain values."""
        name = self.experiment.name
        first = {"status": "ok", "experiment": name, "scale": self.scale, "paper": self.paper}
        tables = [{"name": each.name, **each.to_json()} for each in self.tables]
        return {**first, **vars(self), "experiment": name, "tables": tables}

    def lines(self) -> list[str]:
        """The main tables and the claims, for a terminal; without a paper, tables with claims."""
        sizes = [
            f"{name.replace('_', ' ')} {words}"
            for name, value in self.choice.items()
            if (words := _listed(value, ", ")) not in (None, "")
        ]
        scale = f"Scale {self.scale}: {'; '.join(sizes)}."
        lines = [self.title, *wrap(scale, WIDTH), *wrap(self.tasks, WIDTH), ""]
        own = [
            each
            for each in self.tables
            if (each.title.startswith(self.experiment.table) if self.paper else each.claims)
        ]
        for table in own:
            lines += [table.title, terminal(table, WIDTH), ""]
        claims = [claim for table in own for claim in table.claims]
        wide = max((len(_in_short(claim)) for claim in claims), default=0)
        for claim in claims:
            counts = claim.detail.partition(": ")[0]
            lines.append(f"{_in_short(claim):<{wide}}  {claim.text}: {counts}")
        return lines


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ExperimentCall(ExperimentSettings):
    """Settings, and what only Python can say: where results go, and `changes` as values."""

    folder: str | os.PathLike[str] | None = None
    changes: Mapping[str, Any] | None = None
    say: Callable[[str], None] = lambda _: None
    progress: Callable[[Glance], None] | None = None


@keywords(ExperimentCall)
def run_experiment(name: str, call: ExperimentCall) -> Outcome:
    """Make what is missing of an experiment, and its report.

    Keyword arguments are the fields of `ExperimentSettings` and `ExperimentCall`. With
    `report_only`, the report is made of what there is. The machines of another `backend` must see
    the folder under the same path.
    """
    experiment = find_experiment(name)
    module, name = experiment.module, experiment.name
    scale, seeds, data, say = call.scale, call.seeds, call.data, call.say
    chosen = changes(call.set or "", experiment.choice(scale)._asdict()) | dict(call.changes or {})
    if seeds is not None:
        if not 1 <= seeds <= 1000:
            raise BeelineError(f"the number of seeds is {seeds}", hint="from 1 to 1000")
        chosen = {**dict.fromkeys(grid(experiment.folder)["seed_fields"], seeds), **chosen}
    choice = experiment.choice(scale, chosen)
    _check_extras(torch=not call.report_only)
    root = renamed(experiment.paper, scale, call.folder)
    if data is not None and not Path(data).is_dir():
        raise BeelineError("there is no such folder of data", str(data), hint="check the path")
    given = None if data is None else Path(data).resolve()
    place = Place(root, given, call.workers, say, call.progress)
    check_output_folder(root)
    make_folder(root)
    remove_leftovers(root)
    failed = 0
    if not call.report_only:
        for works in module.stages(choice, experiment.table, place):
            failed += make_records(works, place.jobs, say, call.progress)
    tables = module.tables(choice, experiment.table, place)
    if experiment.table and scale != "paper" and not experiment.exact:
        tables = [at_smaller_scale(table) for table in tables]
    pairs = " ".join(f"{word}={_listed(value, ',')}" for word, value in chosen.items())
    content = [name, choice._asdict(), data is not None, __version__]
    outcome = Outcome(
        experiment,
        scale,
        module.tasks_text(choice, given=given is not None),
        choice._asdict(),
        f"beeline experiment {name} --scale {scale}{' --data DATA' if given else ''}"
        + (f' --set "{pairs}"' if pairs else ""),
        sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16],
        str(root / name),
        str(root / name / "report" / "index.html"),
        failed,
        [table for table in tables if table.rows] or tables[:1],
    )
    say("writing the report")
    plots = module.lines(choice, experiment.table, place) if hasattr(module, "lines") else []
    _write(root / name, outcome, plots)
    return outcome


def at_smaller_scale(table: Table) -> Table:
    """The table with claims that a smaller experiment cannot refute: it only says what it saw.

    Of comparisons it takes those that can tell something.
    """
    claims = []
    for claim in table.claims:
        if claim.below:
            held = (
                True if claim.below == "holds" else None if AT_THIS_SCALE in claim.below else False
            )
            claim = replace(claim, word=claim.below, holds=held, below="")
        if claim.holds is None and not claim.word:
            claim = replace(claim, word=f"not tested {AT_THIS_SCALE}")
        elif claim.holds is False and claim.word != "mixed":
            first, comma, rest = (claim.word or claim.verdict).partition(",")
            claim = replace(claim, word=f"{first} {AT_THIS_SCALE}{comma}{rest}")
        claims.append(claim)
    return replace(table, claims=tuple(claims))


def _in_short(claim: Claim) -> str:
    return claim.word.partition(",")[0] or MISSING


def _listed(value: object, between: str) -> object:
    return between.join(map(str, value)) if isinstance(value, (tuple, list)) else value


def _check_extras(*, torch: bool) -> None:
    """All experiments train, and better now than after hours."""
    from beeline.models.families import require_torch

    if torch:
        require_torch()
    if find_spec("jinja2") is None:
        raise not_installed("jinja2")


def _write(folder: Path, outcome: Outcome, plots: Sequence[Lines]) -> None:
    """Records, the report, and all that can be read without a browser on one page."""
    from beeline.backends.local import machine_size
    from beeline.evaluate.report import setting_rows, write_report

    experiment = outcome.experiment
    suite = {
        "format": FORMAT,
        "name": experiment.name,
        "paper": outcome.paper,
        "description": experiment.about,
        **{word: getattr(outcome, word) for word in ("command", "scale", "tasks", "choice")},
        "digest": outcome.digest,
        "machine": machine_size(),
        "package_version": __version__,
        "commit": commit(),
    }
    contents = {
        folder / "tables" / f"{experiment.name}-{each.name}.json": each.to_json()
        for each in outcome.tables
    }
    for each in plots:
        contents[folder / "lines" / f"{each.name}.json"] = {"format": FORMAT, **each.to_json()}
    for part in ("tables", "lines"):
        make_folder(folder / part)
        for old in (folder / part).glob("*.json"):
            if old not in contents:
                old.unlink()
    for path, content in {**contents, folder / "suite.json": suite}.items():
        write_atomically(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    write_report(folder, folder / "report", title=outcome.title)
    report = (folder / "report" / "report.md").read_text(encoding="utf-8").partition("\n")[2]
    rows = [f"- {name}: {value}" for name, value in setting_rows(json.loads(json.dumps(suite)))]
    heading = f"# {experiment.name}, scale {outcome.scale}"
    lines = [heading, "", f"{outcome.title}.", "", *rows, report]
    write_atomically(folder / "results.md", "\n".join(lines))
