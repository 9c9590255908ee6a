"""`beeline data plans`, a dataset of solved tasks, and `data summary`, what is in a dataset."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from beeline.cli.command import BACKEND, command
from beeline.cli.generate import COUNT, PARAMETERS, PRESET, chosen_parameters, domain_names
from beeline.cli.messages import (
    ProgressLine,
    current,
    print_error,
    print_json,
    print_warnings,
    table,
)
from beeline.core.errors import BeelineError, ExitCode
from beeline.core.files import check_output_folder
from beeline.core.limits import GOES_ON, advice, elapsed_time
from beeline.core.settings import About
from beeline.data.summary import SampleSummary
from beeline.data.task_sets import PlanSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from beeline.core.records import Glance
    from beeline.data.summary import Summary
    from beeline.data.task_sets import TaskSet


@command(
    settings=PlanSettings,
    domain=About("PDDL domain file, without --generator.", "DOMAIN"),
    tasks=About("PDDL problem files of the domain.", "TASK..."),
    generator=About("Take random tasks of this domain.", "NAME", names=domain_names),
    preset=PRESET,
    parameters=PARAMETERS,
    count=COUNT,
    plans=About("Take plans from here: TASK.plan for each task.", "DIR"),
    backend=BACKEND,
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
    json: bool = False,
    quiet: bool = False,
) -> int:
    """Solve tasks optimally, by A* with LM-cut, and keep the states of the plans.

    Each state comes with its cost-to-go and the values of all heuristics. Tasks are random ones
    of a built-in domain, or files. A run that was stopped goes on when it is called again, and
    gives the same dataset as if it had not been stopped. The exit code is 31 if the dataset is
    too poor to learn from, and 32 if it cannot be written.

    Example:
      beeline data plans --generator ferry --preset nunez2024-train --count 400 --seed 1 -o ferry
      beeline data plans domain.pddl tasks/*.pddl --siblings -o set
      beeline data plans domain.pddl tasks/*.pddl --siblings --orders 8 -o set
      beeline data plans domain.pddl tasks/*.pddl --plans plans -o set
    """
    from beeline.backends import Workers
    from beeline.data.optimal_plans import sample_plans

    if output is None:
        raise BeelineError("there is no directory to write to", hint="name one with -o DIR")
    check_output_folder(output)
    if settings.optimal_plans and plans is None:
        raise BeelineError("--optimal-plans without plans", hint="name their folder with --plans")
    if generator is None:
        _refuse({"--preset": preset, "--parameter": parameters, "--count": count}, "--generator")
        task_set = _given(domain, tasks, plans, unit_costs=settings.unit_costs)
    else:
        if domain is not None:
            raise BeelineError("task files and --generator", hint="leave one of them out")
        _refuse({"--plans": plans}, "task files")
        task_set = _generated(generator, preset, parameters, count, settings.seed)
    started = perf_counter()
    warnings: list[str] = []
    with (
        ProgressLine(quiet=quiet) as line,
        advice(GOES_ON),
        Workers(backend, jobs).executor() as workers,
    ):

        def progress(glance: Glance) -> None:
            seconds = perf_counter() - started
            left = seconds / glance.made * (glance.total - glance.done)
            line.say(
                f"{glance.done} of {glance.total} shards, {seconds:.0f} s, about {left:.0f} s left"
            )

        made = sample_plans(
            task_set, settings, output, workers, progress=progress, warn=warnings.append
        )
    if not quiet:
        print_warnings(warnings)
    extra = {"folder": output, "total_time": round(elapsed_time(), 6)}
    return _show(made, json=json, quiet=quiet, extra=extra)


def _refuse(options: dict[str, object], wanted: str) -> None:
    for option, value in options.items():
        if value:
            raise BeelineError(f"{option} makes no sense here", hint=f"it belongs to {wanted}")


def _given(
    domain: str | None, tasks: Sequence[str], plans: str | None, *, unit_costs: bool
) -> TaskSet:
    from beeline.data.task_sets import given_tasks

    if domain is None:
        raise BeelineError(
            "there are no tasks", hint="name a domain file and task files, or a --generator"
        )
    return given_tasks(domain, tasks, plans=plans, unit_costs=unit_costs)


def _generated(
    generator: str,
    preset: str | None,
    parameters: Sequence[str],
    count: int | None,
    seed: int,
) -> TaskSet:
    from beeline.data.task_sets import generated_tasks
    from beeline.generators.presets import current_name
    from beeline.generators.registry import entry

    return generated_tasks(
        generator,
        preset=None if preset is None else current("preset", preset, current_name(preset)),
        count=count,
        seed=seed,
        parameters=chosen_parameters(entry(generator), parameters),
    )


@command(folder=About("The dataset's directory.", "DIR"))
def summary(folder: str, *, json: bool = False, quiet: bool = False) -> int:
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
    return _show(found, json=json, quiet=quiet, extra={"folder": folder})


def _show(
    summary: Summary | SampleSummary,
    *,
    json: bool,
    quiet: bool,
    extra: Mapping[str, object],
) -> int:
    """Print a summary and return the exit code."""
    if json:
        status = "inadequate" if summary.problems else "ok"
        print_json({"status": status, **extra, **summary.to_json()})
    elif not quiet:
        print(_sample_table(summary) if isinstance(summary, SampleSummary) else _table(summary))
    for problem in summary.problems:
        print_error(f"{extra['folder']}: {problem}")
    return ExitCode.BAD_INPUT if summary.problems else ExitCode.SOLVED


def _table(summary: Summary) -> str:
    from beeline.data.summary import bar_chart

    rows = [
        ("domain", summary.domain),
        (
            "instances",
            f"{summary.solved:,} of {summary.instances:,} with a plan, {summary.attempts:,} tried",
        ),
        ("outcomes", ", ".join(f"{n:,} {word}" for word, n in summary.statuses.items())),
    ]
    for name, split in summary.splits.items():
        optimal = f", {split.optimal:,} optimal" if split.optimal < split.solved else ""
        rows.append(
            (
                f"split {name}",
                f"{split.solved:,} of {split.instances:,} instances{optimal},"
                f" {split.states:,} states, {split.path_states:,} of them on plans",
            )
        )
    if summary.orders is not None and summary.solved:
        mean = summary.orders / summary.solved
        rows.append(
            (
                "orders",
                f"{summary.orders:,} of all plans, {mean:.1f} of each;"
                " states are counted in the first one",
            )
        )
    for name, (low, high) in summary.ranges.items():
        rows.append((name, str(low) if low == high else f"{low:,} to {high:,}"))
    rows.append(("dead ends", f"{summary.dead_ends:,} states"))
    rows.append(("labels", _coverage(summary)))
    lines = [table(rows)]
    for title, histogram in (("h*", summary.h_star), ("upper bound", summary.upper)):
        if histogram:
            lines += ["", f"{title:<13} states", *bar_chart(histogram)]
    return "\n".join(lines)


def _sample_table(summary: SampleSummary) -> str:
    from beeline.data.manifest import REGRESSION
    from beeline.data.summary import bar_chart

    title = "estimate" if summary.sampler == REGRESSION else "h*"
    return "\n".join([table(summary.lines()), "", f"{title:<13} states", *bar_chart(summary.costs)])


def _coverage(summary: Summary) -> str:
    """The share of states that have each label."""
    full = [name for name, count in summary.coverage.items() if count == summary.states]
    partial = [
        f"{name} {100 * count / summary.states:.0f}%"
        for name, count in summary.coverage.items()
        if 0 < count < summary.states
    ]
    return ", ".join([*partial, f"all states: {' '.join(full)}"]) if summary.states else "none"
