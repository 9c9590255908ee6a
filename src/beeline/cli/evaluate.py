"""`beeline evaluate`, many tasks under many configurations, and `beeline report` on the records."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from beeline.cli.command import BACKEND, command
from beeline.cli.messages import ProgressLine, print_json, print_warnings
from beeline.core.errors import BeelineError, ExitCode
from beeline.core.files import check_output_folder
from beeline.core.limits import GOES_ON, advice, elapsed_time
from beeline.core.records import other_versions_text
from beeline.core.settings import About

if TYPE_CHECKING:
    from beeline.core.records import Glance
    from beeline.evaluate.evaluation import Evaluation
    from beeline.evaluate.report import Report


SOME_FAILED = 1


def suite_file() -> str:
    """A suite file, for the help text."""
    return "\n".join(["A suite file:", *(f"  {line}".rstrip() for line in _SUITE)])


@command(
    details=suite_file,
    suite=About("Suite file (TOML): tasks, configurations, limits.", "SUITE"),
    output=About("Folder for records; completed if it is there.", "RECORDS", aliases=("-o",)),
    backend=BACKEND,
    retry_failed=About("Also repeat runs that are recorded as failed."),
    list=About("Show all runs and which have records; run nothing."),
)
def evaluate(
    suite: str,
    *,
    output: str | None = None,
    jobs: int | None = None,
    backend: str = "local",
    retry_failed: bool = False,
    list: bool = False,
    json: bool = False,
    quiet: bool = False,
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
    from beeline.evaluate.evaluation import evaluate_suite

    if output is None:
        raise BeelineError("there is no folder for records", hint="name one with -o RECORDS")
    if list:
        return _show_list(suite, output, json=json)
    check_output_folder(output)
    started = perf_counter()
    warnings: dict[str, None] = {}  # in order, each of them once
    with ProgressLine(quiet=quiet) as line, advice(GOES_ON):
        evaluation = evaluate_suite(
            suite,
            output,
            jobs=jobs,
            backend=backend,
            retry_failed=retry_failed,
            progress=lambda glance: line.say(progress_text(glance, perf_counter() - started)),
            warn=warnings.setdefault,
        )
    print_warnings(warnings)
    return _show(evaluation, json=json, quiet=quiet)


def progress_text(glance: Glance, seconds: float) -> str:
    """How far a suite is.

    >>> from beeline.core.records import Glance
    >>> progress_text(Glance(done=30, made=20, total=90, failed=0, latest="ferry/p1"), 10.0)
    '30 of 90 runs, 10 s, about 30 s left: ferry/p1'
    """
    left = seconds / glance.made * (glance.total - glance.done)
    failed = f", {glance.failed} failed" if glance.failed else ""
    return (
        f"{glance.done} of {glance.total} runs{failed}, {seconds:.0f} s, about {left:.0f} s left:"
        f" {glance.latest[:60]}"
    )


_SUITE = """\
name = "small"
seeds = [0, 1]                      # for all configurations without their own

[[tasks]]
domain = "ferry/domain.pddl"        # paths are relative to the suite file
tasks = ["ferry/easy", "ferry/hard/*.pddl"]

[[tasks]]
generator = "blocksworld"           # or tasks of a built-in domain
parameters = { blocks = 12 }
count = 10

[[configurations]]
name = "gbfs-ff"                    # the words of 'beeline solve', with _ for -
search = "gbfs"
heuristic = "ff"
preferred = "ff"

[[configurations]]
name = "learned"                    # as 'beeline plan'; with a search, as its heuristic
model = "packaged:{domain}"         # or a file, or "auto"

[limits]                            # of each run
time = 60
memory = "2G"
evaluations = 100000""".splitlines()


def _show_list(suite: str, folder: str, *, json: bool) -> int:
    from beeline.evaluate.evaluation import list_runs

    listed = list_runs(suite, folder)
    if json:
        runs = [{"run": run.name, "record": state.value} for run, state in listed]
        print_json({"status": "ok", "folder": folder, "runs": runs})
    else:
        print("\n".join(f"{state.value:<8} {run.name}" for run, state in listed))
    return ExitCode.SOLVED


def _show(evaluation: Evaluation, *, json: bool, quiet: bool) -> int:
    if json:
        print_json(_fields(evaluation))
    else:
        if evaluation.other_records and not quiet:
            count = evaluation.other_records
            print_warnings([f"{count} records in {evaluation.folder} are not of this suite"])
        if evaluation.other_versions and not quiet:
            print_warnings([other_versions_text(evaluation.other_versions)])
        print("\n".join(_lines(evaluation)))
    return SOME_FAILED if evaluation.failed else ExitCode.SOLVED


def _fields(evaluation: Evaluation) -> dict[str, object]:
    return {
        "status": "ok",
        "suite": evaluation.suite,
        "folder": evaluation.folder,
        "runs": evaluation.runs,
        "made": evaluation.made,
        "failed": evaluation.failed,
        "configurations": evaluation.statuses,
        "other_records": evaluation.other_records,
        "other_versions": evaluation.other_versions,
        "total_time": round(elapsed_time(), 6),
    }


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
    title=About("Title of the page; by default the suite's name.", "WORDS"),
    compare=About(
        "Two configurations to look at task by task; by default the first with some others.", "A,B"
    ),
)
def report(
    records: str,
    *,
    output: str | None = None,
    title: str | None = None,
    compare: str | None = None,
    json: bool = False,
    quiet: bool = False,
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
    pair = None if compare is None else [name.strip() for name in compare.split(",")]
    made = write_report(records, output, title=title, compare=pair)
    if json:
        print_json(_report_fields(made))
        return 0
    if not quiet:
        print_warnings(made.warnings)
        for table in made.tables:
            if table.name == "overview":
                print(terminal(table) + "\n")
    print(f"report        {made.page}")
    return 0


def _report_fields(report: Report) -> dict[str, object]:
    return {
        "status": "ok",
        "folder": report.folder,
        "page": report.page,
        "runs": report.runs,
        "configurations": list(report.configurations),
        "domains": list(report.domains),
        "tables": [table.name for table in report.tables],
        "plots": [plot.name for plot in report.plots],
        "warnings": list(report.warnings),
    }
