"""`beeline experiment`: a table of a paper, or one beyond them, from data to a page."""

from __future__ import annotations

from beeline.cli.command import BACKEND, command
from beeline.cli.messages import ProgressLine, current, print_json, print_warnings
from beeline.core.errors import ExitCode
from beeline.core.limits import GOES_ON, advice
from beeline.core.settings import About

SOME_FAILED = 1
NO_PAPER = "Beyond the papers"


def experiment_names() -> list[str]:
    """All experiments."""
    from beeline.experiments.registry import EXPERIMENTS

    return [*EXPERIMENTS]


@command(
    name=About("The experiment; without it, all are listed.", "NAME", names=experiment_names),
    scale=About(
        "small: in minutes, fewer domains, tasks, seeds and steps. paper: as in the paper.",
        "WORD",
        names=("small", "paper"),
    ),
    output=About(
        "Folder for everything; completed if it is there. By default PAPER-SCALE, such as"
        " minini2023-small, which experiments of the same paper share.",
        "DIR",
        aliases=("-o",),
    ),
    data=About(
        "Folder of the paper's own tasks, DIR/DOMAIN/*.pddl; by default tasks are made.", "DIR"
    ),
    backend=BACKEND,
    seeds=About("Seeds of everything that is random.", "N"),
    set=About(
        "Other settings of the experiment, such as 'domains=blocks,grid epochs=50'.", "WORDS"
    ),
    report_only=About("Run nothing; report what has been run so far."),
)
def experiment(
    name: str | None = None,
    *,
    scale: str = "small",
    output: str | None = None,
    data: str | None = None,
    jobs: int | None = None,
    backend: str = "local",
    seeds: int | None = None,
    set: str | None = None,
    report_only: bool = False,
    json: bool = False,
    quiet: bool = False,
) -> int:
    """Repeat an experiment of a paper: data, training, searches, and its table beside ours.

    Shows the paper's figures, ours, and whether each claim of the paper holds, and writes the
    same as an HTML page with tables in Markdown, LaTeX and CSV. 'beyond-ranking' repeats no paper:
    its claims are its own. An experiment that was stopped, in whatever way, goes on when it is
    called again. Needs torch, matplotlib and jinja2.

    The exit code is 0, 1 if runs have failed, or 32 if results cannot be written.

    Example:
      beeline experiment
      beeline experiment minini2023-table4.5 --scale small
      beeline experiment minini2023-table4.5 --scale paper --data statespaces -o results --jobs 8
    """
    if name is None:
        return _show_list(json=json)
    from beeline.experiments.registry import changes, find_experiment, is_deprecated
    from beeline.experiments.running import run_experiment

    failures: list[str] = []
    found = find_experiment(name)
    if is_deprecated(name):
        current("experiment", name, found.name)
    defaults = found.choice(scale)._asdict()
    with ProgressLine(quiet=quiet) as line, advice(GOES_ON):

        def say(words: str) -> None:
            line.say(words[:100])
            if "FAILED" in words or "another version" in words:
                failures.append(words)

        outcome = run_experiment(
            found.name,
            scale=scale,
            folder=output,
            data=data,
            jobs=jobs,
            backend=backend,
            seeds=seeds,
            changes=changes(set or "", defaults),
            report_only=report_only,
            say=say,
        )
    if json:
        print_json(outcome.to_json())
    else:
        print_warnings(failures)
        lines = [] if quiet else [*outcome.lines(), ""]
        print("\n".join([*lines, f"page           {outcome.page}"]))
    return SOME_FAILED if outcome.failed else ExitCode.SOLVED


def _show_list(*, json: bool) -> int:
    from beeline.experiments.registry import EXPERIMENTS

    if json:
        listed = [
            {
                "name": each.name,
                "table": each.table,
                "about": each.about,
                "paper": each.title,
            }
            for each in EXPERIMENTS.values()
        ]
        print_json({"status": "ok", "experiments": listed})
        return ExitCode.SOLVED
    width = max(map(len, EXPERIMENTS))
    before = ""
    for each in EXPERIMENTS.values():
        paper = each.title
        if paper != before:
            print(f"{'' if not before else chr(10)}{paper or NO_PAPER}")
        before = paper
        print(f"  {each.name:<{width}}  {each.about}")
    return ExitCode.SOLVED
