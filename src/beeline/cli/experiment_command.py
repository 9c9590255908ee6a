"""`beeline experiment`: a table of a paper, or one beyond them, from data to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.cli.messages import print_json, print_warnings
from beeline.cli.progress_line import ProgressLine
from beeline.cli.termination import GOES_ON, advice
from beeline.cli.values import whole_number
from beeline.core.errors import ExitCode

if TYPE_CHECKING:
    from beeline.cli.experiment_parameters import (
        ExperimentChanges,
        ExperimentData,
        ExperimentFolder,
        ExperimentName,
        ExperimentScale,
        ExperimentSeeds,
        ReportOnly,
    )
    from beeline.cli.parameters import Jobs, Json, Quiet
    from beeline.experiments.result_tables import ResultTable
    from beeline.experiments.running import Outcome

SOME_FAILED = 1
NO_PAPER = "Beyond the papers"


def run(
    name: ExperimentName = None,
    *,
    scale: ExperimentScale = "small",
    output: ExperimentFolder = None,
    data: ExperimentData = None,
    jobs: Jobs = None,
    seeds: ExperimentSeeds = None,
    set: ExperimentChanges = None,
    report_only: ReportOnly = False,
    json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Repeat an experiment of a paper: data, training, searches, and its table beside ours.

    Shows the paper's figures, ours, and whether each claim of the paper holds, and writes the
    same as an HTML page with tables in Markdown, LaTeX and CSV. 'beyond-ranking' repeats no paper:
    its claims are its own. An experiment that was stopped, in whatever way, goes on when it is
    called again. Needs torch, matplotlib and jinja2.

    The exit code is 0, 1 if runs have failed, or 32 if results cannot be written.

    Example:
      beeline experiment
      beeline experiment seed002-table4.5 --scale small
      beeline experiment seed002-table4.5 --scale paper --data statespaces -o results --jobs 8
    """
    if name is None:
        return _show_list(json=json)
    from beeline.experiments.choices import changes
    from beeline.experiments.registry import find_experiment
    from beeline.experiments.running import run_experiment

    line = ProgressLine(quiet=quiet)
    failures: list[str] = []

    def say(words: str) -> None:
        line.say(words[:100])
        if "FAILED" in words:
            failures.append(words)

    defaults = find_experiment(name).choice(scale)._asdict()
    try:
        with advice(GOES_ON):
            outcome = run_experiment(
                name,
                scale=scale,
                folder=output,
                data=data,
                jobs=whole_number("--jobs", jobs),
                seeds=whole_number("--seeds", seeds),
                changes=changes(set or "", defaults),
                report_only=report_only,
                say=say,
            )
    finally:
        line.clear()
    if json:
        print_json(_fields(outcome))
    else:
        print_warnings(failures)
        print("\n".join(_lines(outcome, quiet=quiet)))
    return SOME_FAILED if outcome.failed else ExitCode.SOLVED


def _show_list(*, json: bool) -> int:
    from beeline.experiments.registry import EXPERIMENTS

    if json:
        listed = [
            {
                "name": each.name,
                "table": each.table,
                "about": each.about,
                "paper": _paper(each.name),
            }
            for each in EXPERIMENTS.values()
        ]
        print_json({"status": "ok", "experiments": listed})
        return ExitCode.SOLVED
    width = max(map(len, EXPERIMENTS))
    before = ""
    for each in EXPERIMENTS.values():
        paper = _paper(each.name)
        if paper != before:
            print(f"{'' if not before else chr(10)}{paper or NO_PAPER}")
        before = paper
        print(f"  {each.name:<{width}}  {each.about}")
    return ExitCode.SOLVED


def _paper(name: str) -> str:
    from beeline.experiments.registry import find_experiment

    experiment = find_experiment(name)
    return str(experiment.module.paper_title(experiment.choice("small")))


def _fields(outcome: Outcome) -> dict[str, object]:
    tables = [
        {"name": each.name, **each.to_json(outcome.experiment.table)} for each in outcome.tables
    ]
    return {
        "status": "ok",
        "experiment": outcome.experiment.name,
        "scale": outcome.scale,
        "paper": outcome.paper,
        "tasks": outcome.tasks,
        "choice": dict(outcome.choice),
        "command": outcome.command,
        "digest": outcome.digest,
        "folder": outcome.folder,
        "page": outcome.page,
        "failed": outcome.failed,
        "tables": tables,
    }


def _is_main(table: ResultTable, outcome: Outcome) -> bool:
    """Whether it is the table of the paper; without a paper, whether claims are about it."""
    if not outcome.paper:
        return bool(table.verdicts)
    return table.title.startswith(outcome.experiment.table)


def _scale(outcome: Outcome) -> str:
    """How large everything was."""
    parts = []
    for name, value in outcome.choice.items():
        words = ", ".join(map(str, value)) if isinstance(value, (tuple, list)) else value
        if words not in (None, ""):
            parts.append(f"{name.replace('_', ' ')} {words}")
    return f"Scale {outcome.scale}: {'; '.join(parts)}."


def _lines(outcome: Outcome, *, quiet: bool) -> list[str]:
    """The main tables, the claims, and where the page is."""
    from textwrap import wrap

    from beeline.experiments.result_tables import shown

    lines = [outcome.title, *wrap(_scale(outcome), 100)]
    lines += [*wrap(outcome.tasks, 100), ""]
    own = [each for each in outcome.tables if _is_main(each, outcome)]
    for table in own:
        lines += [table.title, shown(table.grid), ""]
    for table in own:
        for each in table.verdicts:
            word = each.word.partition(",")[0]
            lines.append(f"{word:<13}  {each.sentence}: {each.counts}")
    page = f"page           {outcome.page}"
    return [page] if quiet else [*lines, "", page]
