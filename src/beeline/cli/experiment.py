"""`beeline experiment`: a table of a paper, or one beyond them, from data to a page."""

from __future__ import annotations

from beeline.cli.command import Screen, command, late
from beeline.cli.messages import ProgressLine, current, print_warnings
from beeline.core.errors import ExitCode
from beeline.core.limits import GOES_ON, advice
from beeline.core.settings import About, values_of
from beeline.experiments.settings import ExperimentSettings

SOME_FAILED = 1
EXPERIMENTS = late("beeline.experiments.registry", "EXPERIMENTS")
NO_PAPER = "Beyond the papers"


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
        return _show_list(screen)
    from beeline.experiments.registry import find_experiment, is_deprecated
    from beeline.experiments.running import run_experiment

    failures: list[str] = []
    found = find_experiment(name)
    if is_deprecated(name):
        current("experiment", name, found.name)
    with ProgressLine(screen) as line, advice(GOES_ON):

        def say(words: str) -> None:
            line.say(words[:100])
            if "FAILED" in words or "another version" in words:
                failures.append(words)

        outcome = run_experiment(found.name, **values_of(settings), folder=output, say=say)
    if not screen.json:
        print_warnings(failures)
    lines = [] if screen.quiet else [*outcome.lines(), ""]
    screen.show(outcome.to_json(), "\n".join([*lines, f"page           {outcome.page}"]))
    return SOME_FAILED if outcome.failed else ExitCode.SOLVED


def _show_list(screen: Screen) -> int:
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
