"""`beeline data plans`, a dataset of solved tasks, and `data summary`, what is in a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.cli.command import Screen, command
from beeline.cli.generate import current_preset
from beeline.cli.messages import needed, print_error, progress_of, table
from beeline.core.errors import BeelineError, ExitCode
from beeline.core.files import check_output_folder
from beeline.core.limits import GOES_ON, advice, elapsed_time
from beeline.core.settings import About, settings_of
from beeline.data.summary import SampleSummary
from beeline.data.task_sets import PlanSettings
from beeline.generators.registry import DOMAINS, InstanceSettings, chosen_parameters, entry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.data.summary import Summary

WORDS = {each.name: each.about for each in settings_of(InstanceSettings)}


@command(
    settings=PlanSettings,
    domain=About("PDDL domain file, without --generator.", "DOMAIN"),
    tasks=About("PDDL problem files of the domain.", "TASK..."),
    generator=About("Take random tasks of this domain.", "NAME", names=DOMAINS),
    preset=WORDS["preset"],
    parameters=WORDS["parameters"],
    count=WORDS["count"],
    plans=About("Take plans from here: TASK.plan for each task.", "DIR"),
    output=About("The dataset's directory; completed if it is there.", "DIR", aliases=("-o",)),
)
def plans(
    domain: str | None = None,
    tasks: Sequence[str] = (),
    *,
    generator: str | None = None,
    preset: str | None = None,
    parameters: Sequence[str] = (),
    count: int | None = None,
    plans: str | None = None,
    settings: PlanSettings,
    jobs: int | None = None,
    backend: str = "local",
    output: str | None = None,
    screen: Screen,
) -> int:
    """Solve tasks optimally, by A* with LM-cut, and keep the states of the plans.

    Each state comes with its cost-to-go and the values of all heuristics. With --satisficing, the
    first plans of a greedy search will do: costs are upper bounds then, for larger tasks. Tasks
    are random ones of a built-in domain, or files. A run that was stopped goes on when it is called
    again, and gives the same dataset as if it had not been stopped. The exit code is 31 if the
    dataset is too poor to learn from, and 32 if it cannot be written.

    Example:
      beeline data plans --generator ferry --preset nunez2024-train --count 400 --seed 1 -o ferry
      beeline data plans domain.pddl tasks/*.pddl --siblings -o set
      beeline data plans domain.pddl tasks/*.pddl --siblings --orders 8 -o set
      beeline data plans domain.pddl tasks/*.pddl --plans plans -o set
      beeline data plans --generator ferry --count 400 --satisficing -o bounds
    """
    from beeline.backends import Workers
    from beeline.data.optimal_plans import sample_plans
    from beeline.data.task_sets import generated_tasks, given_tasks

    output = needed(output, "directory to write to", "DIR")
    check_output_folder(output)
    if settings.optimal_plans and plans is None:
        raise BeelineError("--optimal-plans without plans", hint="name their folder with --plans")
    if settings.satisficing and plans is not None:
        raise BeelineError("--satisficing and plans", hint="leave one of them out")
    if generator is None:
        _refuse({"--preset": preset, "--parameter": parameters, "--count": count}, "--generator")
        if domain is None:
            hint = "name a domain file and task files, or a --generator"
            raise BeelineError("there are no tasks", hint=hint)
        task_set = given_tasks(domain, tasks, plans=plans, unit_costs=settings.unit_costs)
    else:
        if domain is not None:
            raise BeelineError("task files and --generator", hint="leave one of them out")
        _refuse({"--plans": plans}, "task files")
        task_set = generated_tasks(
            generator,
            preset=current_preset(preset),
            count=count,
            seed=settings.seed,
            parameters=chosen_parameters(entry(generator), parameters),
        )
    warnings: list[str] = []
    with (
        progress_of(screen) as line,
        advice(GOES_ON),
        Workers(backend, jobs).executor() as workers,
    ):
        line.say("waiting for the first tasks to be solved")
        made = sample_plans(
            task_set,
            settings,
            output,
            workers,
            progress=lambda glance: line.count(glance, "shards"),
            warn=warnings.append,
        )
    screen.warn(warnings)
    return _show(screen, made, folder=output, total_time=round(elapsed_time(), 6))


def _refuse(options: dict[str, object], wanted: str) -> None:
    for option, value in options.items():
        if value:
            raise BeelineError(f"{option} makes no sense here", hint=f"it belongs to {wanted}")


@command(folder=About("The dataset's directory.", "DIR"))
def summary(folder: str, *, screen: Screen) -> int:
    """Show what is in a dataset: instances or samples, states, costs-to-go, sizes, labels.

    A dataset that is too poor to learn from is refused with what to add, and the exit code 31.

    Example:
      beeline data summary set
      beeline data summary set --json | jq .splits
    """
    from beeline.data.manifest import PLANS
    from beeline.data.reader import Dataset
    from beeline.data.summary import summarize, summarize_samples

    dataset = Dataset(folder)
    is_plans = dataset.manifest.kind == PLANS
    found = summarize(dataset) if is_plans else summarize_samples(dataset)
    return _show(screen, found, folder=folder)


def _show(screen: Screen, summary: Summary | SampleSummary, **extra: object) -> int:
    """Print a summary and return the exit code."""
    status = "inadequate" if summary.problems else "ok"
    screen.mention({"status": status, **extra, **summary.to_json()}, lambda: _table(summary))
    for problem in summary.problems:
        print_error(f"{extra['folder']}: {problem}")
    return ExitCode.BAD_INPUT if summary.problems else ExitCode.SOLVED


def _table(summary: Summary | SampleSummary) -> str:
    from beeline.data.manifest import REGRESSION
    from beeline.data.summary import bar_chart

    if isinstance(summary, SampleSummary):
        title = "estimate" if summary.sampler == REGRESSION else "h*"
        lines = [table(summary.lines()), "", f"{title:<13} states"]
        return "\n".join([*lines, *bar_chart(summary.costs)])
    solved = f"{summary.solved:,} of {summary.instances:,} with a plan"
    rows = [
        ("domain", summary.domain),
        ("instances", f"{solved}, {summary.attempts:,} tried"),
        ("outcomes", ", ".join(f"{n:,} {word}" for word, n in summary.statuses.items())),
    ]
    for name, split in summary.splits.items():
        optimal = f", {split.optimal:,} optimal" if split.optimal < split.solved else ""
        instances = f"{split.solved:,} of {split.instances:,} instances{optimal}"
        states = f"{split.states:,} states, {split.path_states:,} of them on plans"
        rows.append((f"split {name}", f"{instances}, {states}"))
    if summary.orders is not None and summary.solved:
        orders = f"{summary.orders:,} of all plans, {summary.orders / summary.solved:.1f} of each"
        rows.append(("orders", f"{orders}; states are counted in the first one"))
    for name, (low, high) in summary.ranges.items():
        rows.append((name, str(low) if low == high else f"{low:,} to {high:,}"))
    rows.append(("dead ends", f"{summary.dead_ends:,} states"))
    rows.append(("labels", _coverage(summary)))
    lines = [table(rows)]
    for title, histogram in (("h*", summary.h_star), ("upper bound", summary.upper)):
        if histogram:
            lines += ["", f"{title:<13} states", *bar_chart(histogram)]
    return "\n".join(lines)


def _coverage(summary: Summary) -> str:
    """The share of states that have each label."""
    full = [name for name, count in summary.coverage.items() if count == summary.states]
    partial = [
        f"{name} {100 * count / summary.states:.0f}%"
        for name, count in summary.coverage.items()
        if 0 < count < summary.states
    ]
    return ", ".join([*partial, f"all states: {' '.join(full)}"]) if summary.states else "none"
