"""Plots of runs: solved tasks over time, two configurations task by task; plots of tables."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from beeline.evaluate.drawing import INK, Plot, diagonal, draw, file_name, label, logarithmic, look
from beeline.evaluate.measures import geometric_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.evaluate.record_reading import Records, Run, TaskKey
    from beeline.evaluate.tables import Table

SHORTEST = 0.001  # seconds; what is faster is drawn here
WIDE_RANGE = 10.0  # numbers of a table that span more than this factor get a logarithmic axis
UNSOLVED = 4.0  # unsolved tasks are drawn so many times beyond the largest number


def time_plots(records: Records) -> list[Plot]:
    """A cactus plot, and the share of solved tasks over time: of all tasks and by domain."""
    if not any(run.solved and run.time is not None for run in records.runs):
        return []
    common = records
    if not records.are_alike:
        kept = tuple(run for run in records.runs if run.key in records.common_tasks)
        common = replace(records, runs=kept)
    plots: list[Plot] = []
    if any(run.solved and run.time is not None for run in common.runs):
        title = "Coverage over time"
        plots = [_cactus(common), _coverage("coverage-over-time", title, common, common.runs, "")]
        if common is not records:
            words = f" Only the {len(records.common_tasks):,} tasks that all were tried on."
            plots = [replace(plot, caption=f"{plot.caption}{words}") for plot in plots]
    if len(records.domains) > 1:
        for domain in records.domains:
            runs = [run for run in records.runs if run.domain == domain]
            name = file_name("coverage-over-time", domain)
            plots.append(_coverage(name, domain, records, runs, "Coverage over time by domain"))
    return plots


def scatter_plot(records: Records, first: str, second: str) -> Plot | None:
    """Expansions of two configurations, a point for each task that one of them solves."""
    points: dict[str, list[tuple[float | None, float | None]]] = {}
    sides = [_expansions(records.runs, name) for name in (first, second)]
    for task in sorted(sides[0].keys() & sides[1].keys()):
        pair = (sides[0][task], sides[1][task])
        if pair != (None, None):
            points.setdefault(task[0], []).append(pair)
    known = [value for pairs in points.values() for pair in pairs for value in pair if value]
    if not known:
        return None
    low, high = min(known), max(known)
    margin = high * UNSOLVED

    def paint(axes: Any) -> None:
        for axis in (axes.xaxis, axes.yaxis):
            logarithmic(axis, low, margin)
        diagonal(axes, low, high)
        if any(None in pair for pairs in points.values() for pair in pairs):
            line = {"color": INK, "linewidth": 0.7, "linestyle": "--"}
            axes.axvline(margin, **line)
            axes.axhline(margin, **line)
            near, words = margin * 0.85, "not solved by"
            axes.text(low, near, f"{words} {second}", va="top", fontsize=8)
            axes.text(near, low, f"{words} {first}", ha="right", rotation=90, fontsize=8)
        for number, (domain, pairs) in enumerate(points.items()):
            drawn = [[margin if each is None else each for each in pair] for pair in pairs]
            style = {**look(number), "linestyle": "None", "alpha": 0.75, "zorder": 3}
            axes.plot(*zip(*drawn, strict=True), **style, label=label(domain))
        axes.set(xlabel=f"expansions, {first}", ylabel=f"expansions, {second}")

    return draw(
        file_name("scatter", first, second),
        f"Expansions: {first} against {second}",
        f"A point is a task; below the diagonal {second} expands fewer states. Geometric mean over"
        " seeds; a task that is not solved with every seed counts as not solved.",
        paint,
        size=(4.8, 4.4),
    )


def _cactus(records: Records) -> Plot:
    def paint(axes: Any) -> None:
        largest = SHORTEST
        for number, name in enumerate(records.configurations):
            times = _times(records.runs, name)
            seeds = len({run.seed for run in records.runs if run.configuration == name})
            solved = [(place + 1) / seeds for place in range(len(times))]
            largest = max([largest, *times])
            marked = _marked(len(times), number)
            axes.plot(solved, times, **look(number), markevery=marked, label=label(name))
        logarithmic(axes.yaxis, _fastest(records.runs), largest)
        axes.set(xlabel="solved tasks", ylabel="seconds for each of them")

    return draw(
        "cactus",
        "Solved tasks and the time they take",
        "Each configuration's solved tasks, the fastest first, as a mean over seeds: further right"
        " is more, further down is faster.",
        paint,
    )


def _coverage(name: str, title: str, records: Records, runs: Sequence[Run], group: str) -> Plot:
    limits = [run.time_limit for run in runs if run.time_limit is not None]
    everything = [run.time for run in runs if run.solved and run.time is not None]
    end = max([SHORTEST * 10, *limits, *everything])
    start = _fastest(runs)

    def paint(axes: Any) -> None:
        for number, configuration in enumerate(records.configurations):
            total = sum(run.configuration == configuration for run in runs)
            if not total:
                continue
            times = _times(runs, configuration)
            x = [start / 1.3, *times, end]
            y = [100.0 * place / total for place in [*range(len(times) + 1), len(times)]]
            style = {**look(number), "markevery": _marked(len(x), number)}
            axes.step(x, y, where="post", **style, label=label(configuration))
        logarithmic(axes.xaxis, start, end)
        axes.set(xlabel="seconds", ylabel="solved, %", ylim=(-2, 102))

    caption = "The share of runs that have found a plan after so many seconds."
    return draw(name, title, "" if group else caption, paint, group=group)


def _times(runs: Sequence[Run], configuration: str) -> list[float]:
    return sorted(
        max(run.time, SHORTEST)
        for run in runs
        if run.configuration == configuration and run.solved and run.time is not None
    )


def _fastest(runs: Sequence[Run]) -> float:
    times = [run.time for run in runs if run.solved and run.time is not None]
    return max(SHORTEST, min(times, default=SHORTEST))


def _marked(points: int, number: int) -> tuple[int, int]:
    """Which points get a marker: some ten of them, other ones for other series."""
    every = max(1, points // 10)
    return number * every // 8 % every, every


def _expansions(runs: Sequence[Run], configuration: str) -> dict[TaskKey, float | None]:
    """Geometric mean over seeds for each task, None if a seed has no plan."""
    values: dict[TaskKey, list[float | None]] = {}
    for run in runs:
        if run.configuration == configuration:
            values.setdefault(run.key, []).append(run.expanded if run.solved else None)
    known = {task: [each for each in found if each is not None] for task, found in values.items()}
    return {
        task: geometric_mean(known[task], 1.0) if known[task] == found else None
        for task, found in values.items()
    }


def table_plot(table: Table) -> Plot | None:
    """The numbers of a table over its columns, with their spreads: a series for each row.

    None if it has no numbers.
    """
    rows = [
        (
            row[0].text,
            [
                (place, cell.value, cell.spread or 0.0)
                for place, cell in enumerate(row[1:])
                if cell.value is not None
            ],
        )
        for row in table.rows
    ]
    everything = [point for _, points in rows for point in points]
    if not everything:
        return None
    places = sorted({place for place, _, _ in everything})
    least = min(value for _, value, _ in everything)
    ends = [value + sign * spread for _, value, spread in everything for sign in (-1, 1)]

    def paint(axes: Any) -> None:
        for number, (words, points) in enumerate(rows):
            if points:
                x, y, spreads = zip(*points, strict=True)
                # Side by side, so that spreads do not hide each other.
                shifted = [place + 0.7 * ((number + 0.5) / len(rows) - 0.5) for place in x]
                style = {**look(number), "linestyle": "none", "capsize": 2, "linewidth": 1}
                axes.errorbar(shifted, y, spreads, **style, label=label(words))
        axes.set_xticks(places, [table.header[place + 1] for place in places])
        axes.tick_params(axis="x", rotation=30)
        axes.set(ylabel=table.plot)
        if least > 0 and max(ends) / least > WIDE_RANGE:
            from matplotlib.ticker import LogLocator

            logarithmic(axes.yaxis, max(min(ends), least / 2), max(ends))
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=9))
        else:
            axes.set_ylim(bottom=min(0.0, *ends))

    name = file_name("table", table.name)
    return draw(name, table.title, "Bars: one standard deviation.", paint, size=(6.4, 3.6))
