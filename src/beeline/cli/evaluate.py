"""`beeline evaluate`, many tasks under many configurations, and `report` on the records.

`beeline experiment`: a table of a paper, or one beyond them, from data to a page.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from beeline.cli.command import Screen, command, late
from beeline.cli.messages import current, needed, print_warnings, progress_of
from beeline.core.errors import BeelineError, ExitCode
from beeline.core.files import check_output_folder
from beeline.core.limits import GOES_ON, advice, elapsed_time
from beeline.core.settings import About, values_of
from beeline.evaluate.settings import EvaluationSettings, ReportSettings
from beeline.experiments import ExperimentSettings

if TYPE_CHECKING:
    from beeline.evaluate.evaluation import Evaluation


SOME_FAILED = 1
EXPERIMENTS = late("beeline.experiments.registry", "EXPERIMENTS")
NO_PAPER = "Beyond the papers"
FIELDS = ("suite", "folder", "runs", "made", "failed", "other_records", "other_versions")


@command(
    {"A suite file:": Path(__file__).with_name("suite.toml")},
    suite=About("Suite file (TOML): tasks, configurations, limits.", "SUITE"),
    output=About("Folder for records; completed if it is there.", "RECORDS", aliases=("-o",)),
    settings=EvaluationSettings,
    list=About("Show all runs and which have records; run nothing."),
)
def evaluate(
    suite: str,
    *,
    output: str | None = None,
    settings: EvaluationSettings,
    list: bool = False,
    screen: Screen,
) -> int:
    """Run every task of a suite under every configuration, and keep a record of each run.

    Each run has a process of its own, with limits of its own. A run that breaks is recorded with
    its reason, and the others go on. A suite that was stopped, in whatever way, goes on when it
    is called again: what has a record of the same settings is not repeated. The exit code is 0,
    or 1 if runs have failed; a suite file that makes no sense gives 31, before anything is run. If
    records cannot be written it is 32.

    Example:
      beeline evaluate suite.toml -o records
      beeline evaluate suite.toml -o records --jobs 4 --retry-failed
      beeline evaluate suite.toml -o records --list
    """
    from beeline.evaluate.evaluation import evaluate_suite, list_runs

    output = needed(output, "folder for records", "RECORDS")
    if list:
        listed = list_runs(suite, output)
        runs = [{"run": run.name, "record": state.value} for run, state in listed]
        lines = [f"{state.value:<8} {run.name}" for run, state in listed]
        screen.show({"status": "ok", "folder": output, "runs": runs}, "\n".join(lines))
        return ExitCode.SOLVED
    check_output_folder(output)
    warnings: dict[str, None] = {}  # in order, each of them once
    with progress_of(screen) as line, advice(GOES_ON):
        line.say("waiting for the first run to end")
        evaluation = evaluate_suite(
            suite,
            output,
            **values_of(settings),
            progress=lambda glance: line.count(glance, "runs"),
            warn=warnings.setdefault,
        )
    print_warnings(warnings)
    return _show(evaluation, screen)


def _show(evaluation: Evaluation, screen: Screen) -> int:
    from beeline.core.records import other_versions_text

    if evaluation.other_records and not screen.json:
        count = evaluation.other_records
        screen.warn([f"{count} records in {evaluation.folder} are not of this suite"])
    if evaluation.other_versions and not screen.json:
        screen.warn([other_versions_text(evaluation.other_versions)])
    fields = {
        "status": "ok",
        **{name: getattr(evaluation, name) for name in FIELDS},
        "configurations": evaluation.statuses,
        "total_time": round(elapsed_time(), 6),
    }
    screen.show(fields, "\n".join(_lines(evaluation)))
    return SOME_FAILED if evaluation.failed else ExitCode.SOLVED


def _lines(evaluation: Evaluation) -> list[str]:
    """How the runs of each configuration ended."""
    width = max(map(len, evaluation.statuses))
    lines = []
    for name, words in evaluation.statuses.items():
        solved = f"{words.get('solved', 0)} of {evaluation.count(name)} solved"
        others = [f"{n} {word.replace('_', ' ')}" for word, n in words.items() if word != "solved"]
        lines.append(f"{name:<{width}}  {', '.join([solved, *others])}")
    made = f"{evaluation.made} of {evaluation.runs} runs made now"
    return [*lines, f"{evaluation.folder}: {made}; 'beeline report' shows what came out"]


@command(
    records=About("The folder of records, as 'beeline evaluate' made it.", "RECORDS"),
    output=About("Folder for page, tables and plots; made if missing.", "DIR", aliases=("-o",)),
    settings=ReportSettings,
)
def report(
    records: str, *, output: str | None = None, settings: ReportSettings, screen: Screen
) -> int:
    """Turn records of runs into tables (Markdown, LaTeX, CSV), plots (SVG) and one HTML page.

    The page, DIR/index.html, needs no other file and no network. The same records give the same
    files. For a folder without records, or with a broken one, the exit code is 31; if the report
    cannot be written it is 32. Needs matplotlib and jinja2.

    Example:
      beeline report records -o report
      beeline report records -o report --title "Ferry" --compare gbfs-ff,learned
    """
    from beeline.evaluate.report import write_report
    from beeline.evaluate.tables import terminal

    if output is None:
        raise BeelineError("there is no folder for the report", hint="name one: -o DIR")
    check_output_folder(output)
    made = write_report(records, output, **values_of(settings))
    if not screen.json:
        screen.warn(made.warnings)
    overview = [table for table in made.tables if table.name == "overview" and not screen.quiet]
    lines = [terminal(table) + "\n" for table in overview]
    fields = {
        "status": "ok",
        "folder": made.folder,
        "page": made.page,
        "runs": made.runs,
        "configurations": [*made.configurations],
        "domains": [*made.domains],
        "tables": [table.name for table in made.tables],
        "plots": [plot.name for plot in made.plots],
        "warnings": [*made.warnings],
    }
    screen.show(fields, "\n".join([*lines, f"report        {made.page}"]))
    return 0


@command(
    name=About("The experiment; without it, all are listed.", "NAME", names=EXPERIMENTS),
    output=About(
        "Folder for everything; completed if it is there. By default PAPER-SCALE, such as"
        " minini2023-small, which experiments of the same paper share.",
        "DIR",
        aliases=("-o",),
    ),
    settings=ExperimentSettings,
)
def experiment(
    name: str | None = None,
    *,
    output: str | None = None,
    settings: ExperimentSettings,
    screen: Screen,
) -> int:
    """Repeat an experiment of a paper: data, training, searches, and its table beside ours.

    Shows the paper's figures, ours, and whether each claim of the paper holds, and writes the
    same as an HTML page with tables in Markdown, LaTeX and CSV. Those beyond the papers, such as
    'beyond-ranking', have claims of their own. An experiment that was stopped, in whatever way,
    goes on when it is called again. Needs torch, matplotlib and jinja2.

    The exit code is 0, 1 if runs have failed, or 32 if results cannot be written.

    Example:
      beeline experiment
      beeline experiment minini2023-table4.5 --scale small
      beeline experiment minini2023-table4.5 --scale paper --data statespaces -o results --jobs 8
    """
    if name is None:
        return _show_experiments(screen)
    from beeline.experiments.registry import find_experiment, is_deprecated
    from beeline.experiments.running import run_experiment

    failures: list[str] = []
    found = find_experiment(name)
    if is_deprecated(name):
        current("experiment", name, found.name)
    with progress_of(screen) as line, advice(GOES_ON):
        said = ""

        def say(words: str) -> None:
            nonlocal said
            _, is_run, said = words.partition("] ")
            if not is_run:  # for runs there is a bar
                line.say(words)
            if "FAILED" in words or "another version" in words:
                failures.append(words)

        outcome = run_experiment(
            found.name,
            **values_of(settings),
            folder=output,
            say=say,
            progress=lambda glance: line.count(glance, "runs", said),
        )
    if not screen.json:
        print_warnings(failures)
    lines = [] if screen.quiet else [*outcome.lines(), ""]
    screen.show(outcome.to_json(), "\n".join([*lines, f"page           {outcome.page}"]))
    return SOME_FAILED if outcome.failed else ExitCode.SOLVED


def _show_experiments(screen: Screen) -> int:
    from beeline.experiments.registry import EXPERIMENTS

    listed = [
        {"name": each.name, "table": each.table, "about": each.about, "paper": each.title}
        for each in EXPERIMENTS.values()
    ]
    width = max(map(len, EXPERIMENTS))
    lines: list[str] = []
    before = ""
    for each in EXPERIMENTS.values():
        if each.title != before or not lines:
            lines += [*([""] if lines else []), each.title or NO_PAPER]
        before = each.title
        lines.append(f"  {each.name:<{width}}  {each.about}")
    screen.show({"status": "ok", "experiments": listed}, "\n".join(lines))
    return ExitCode.SOLVED
