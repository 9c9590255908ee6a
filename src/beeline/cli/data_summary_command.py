"""`beeline data summary`: what is in a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.cli.messages import print_error, print_json
from beeline.core.errors import ExitCode
from beeline.data.sample_summary import SampleSummary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from beeline.cli.parameters import DatasetFolder, Json, Quiet
    from beeline.data.summary import Summary


def run(folder: DatasetFolder, *, json: Json = False, quiet: Quiet = False) -> int:
    """Show what is in a dataset: instances or samples, states, costs-to-go, sizes, labels.

    A dataset that is too poor to learn from is refused with what to add, and the exit code 31.

    Example:
      beeline data summary set
      beeline data summary set --json | jq .splits
    """
    from beeline.data.reader import Dataset
    from beeline.data.sample_summary import summarize_samples
    from beeline.data.schema import PLANS
    from beeline.data.summary import summarize

    dataset = Dataset(folder)
    is_plans = dataset.manifest.kind == PLANS
    summary = summarize(dataset) if is_plans else summarize_samples(dataset)
    return show(summary, json=json, quiet=quiet, extra={"folder": folder})


def show(
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
    lines = [f"{name:<13} {value}" for name, value in rows]
    for title, histogram in (("h*", summary.h_star), ("upper bound", summary.upper)):
        if histogram:
            lines += ["", f"{title:<13} states", *bar_chart(histogram)]
    return "\n".join(lines)


def _sample_table(summary: SampleSummary) -> str:
    from beeline.data.schema import REGRESSION
    from beeline.data.summary import bar_chart

    title = "estimate" if summary.sampler == REGRESSION else "h*"
    lines = [f"{name:<13} {value}" for name, value in summary.lines()]
    return "\n".join([*lines, "", f"{title:<13} states", *bar_chart(summary.costs)])


def _coverage(summary: Summary) -> str:
    """The share of states that have each label."""
    full = [name for name, count in summary.coverage.items() if count == summary.states]
    partial = [
        f"{name} {100 * count / summary.states:.0f}%"
        for name, count in summary.coverage.items()
        if 0 < count < summary.states
    ]
    return ", ".join([*partial, f"all states: {' '.join(full)}"]) if summary.states else "none"
