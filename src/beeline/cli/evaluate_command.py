"""`beeline evaluate`: many tasks under many configurations, with a record of each run."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from beeline.cli.messages import print_json, print_warnings
from beeline.cli.progress_line import ProgressLine
from beeline.cli.termination import GOES_ON, advice
from beeline.cli.values import whole_number
from beeline.core.errors import BeelineError, ExitCode
from beeline.core.files import check_output_folder
from beeline.core.process import elapsed_time

if TYPE_CHECKING:
    from beeline.cli.evaluate_parameters import ListRuns, NewRecordsFolder, RetryFailed, SuiteFile
    from beeline.cli.parameters import Backend, Jobs, Json, Quiet
    from beeline.evaluate.evaluation import Evaluation, Glance

SOME_FAILED = 1


def run(
    suite: SuiteFile,
    *,
    output: NewRecordsFolder = None,
    jobs: Jobs = None,
    backend: Backend = "local",
    retry_failed: RetryFailed = False,
    list: ListRuns = False,
    json: Json = False,
    quiet: Quiet = False,
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
    line = ProgressLine(quiet=quiet)
    started = perf_counter()

    def progress(glance: Glance) -> None:
        line.say(progress_text(glance, perf_counter() - started))

    try:
        with advice(GOES_ON):
            evaluation = evaluate_suite(
                suite,
                output,
                jobs=whole_number("--jobs", jobs),
                backend=backend,
                retry_failed=retry_failed,
                progress=progress,
            )
    finally:
        line.clear()
    return _show(evaluation, json=json, quiet=quiet)


def help_details() -> str:
    """A suite file, for the help text."""
    # The help keeps line breaks in paragraphs that begin with this mark.
    lines = [f"  {line}" if line else "\n\b" for line in _SUITE]
    return "\n".join(["\b", "A suite file:", *lines])


def progress_text(glance: Glance, seconds: float) -> str:
    """How far a suite is.

    >>> from beeline.evaluate.evaluation import Glance
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
