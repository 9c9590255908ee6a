"""The plot of the demo: time and expanded states over the number of blocks, for two planners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from learn_and_compare import Row, Run

# Told apart by colour-blind readers, and in grey by their shapes.
LEARNED: dict[str, Any] = {"color": "#0072b2", "marker": "o"}
CLASSICAL: dict[str, Any] = {"color": "#d55e00", "marker": "s"}
STEPS: dict[str, Any] = {"color": "black", "marker": "_", "markersize": 9, "linestyle": ""}
GREY = "#555555"
SETTINGS: dict[Any, Any] = {
    "font.size": 10,
    "lines.markersize": 5.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "svg.hashsalt": "beeline",  # equal results give equal files
}


def draw(rows: Sequence[Row], time_limit: float, stem: Path) -> list[Path]:
    """Write the plot as PNG and as SVG; `stem` is the path without a suffix."""
    import matplotlib

    matplotlib.use("agg")  # no screen is needed
    from matplotlib import pyplot

    with matplotlib.rc_context(SETTINGS):
        figure, (times, states) = pyplot.subplots(1, 2, figsize=(10, 4.4), layout="constrained")
        for axes in (times, states):
            axes.set_xlabel("blocks")
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter("{x:,g}")
        _times(times, rows, time_limit)
        _states(states, rows)
        figure.suptitle("Blocksworld, learned from 30 tasks of at most 10 blocks")
        legend: dict[str, Any] = {}
        for axes in (times, states):
            lines, names = axes.get_legend_handles_labels()
            legend.update(zip(names, lines, strict=True))
        handles, names = list(legend.values()), list(legend)
        figure.legend(handles, names, loc="outside lower center", ncols=len(names), frameon=False)
        files = [stem.with_suffix(".png"), stem.with_suffix(".svg")]
        figure.savefig(files[0], dpi=150)
        figure.savefig(files[1], metadata={"Date": None})
        pyplot.close(figure)
    return files


def _times(axes: Any, rows: Sequence[Row], time_limit: float) -> None:
    """Full marks for solved tasks, hollow ones at the limit for the others."""
    blocks = [row.blocks for row in rows]
    for name, style, runs in _planners(rows):
        axes.plot(blocks, _of_solved(runs, "seconds"), **style, label=name)
        unsolved = [size for size, run in zip(blocks, runs, strict=True) if run.steps is None]
        if unsolved:
            hollow = {**style, "linestyle": "", "markerfacecolor": "white"}
            axes.plot(unsolved, [time_limit] * len(unsolved), **hollow, label="no plan in time")
    axes.axhline(time_limit, color=GREY, linewidth=1, linestyle=(0, (1, 2)), zorder=0)
    axes.annotate(
        f"limit: {time_limit:g} s",
        (rows[-1].blocks, time_limit),
        xytext=(0, 8),
        textcoords="offset points",
        ha="right",
        color=GREY,
    )
    axes.set_ylim(top=time_limit * 2)
    axes.set_title("Seconds from start to plan", loc="left")


def _states(axes: Any, rows: Sequence[Row]) -> None:
    """Solved tasks only: what a search has expanded when it is stopped says nothing."""
    blocks = [row.blocks for row in rows]
    for name, style, runs in _planners(rows):
        axes.plot(blocks, _of_solved(runs, "expanded"), **style, label=name)
        axes.plot(blocks, _of_solved(runs, "steps"), **STEPS, label="steps of the plan")
    axes.set_title("States expanded until then", loc="left")


def _planners(rows: Sequence[Row]) -> list[tuple[str, dict[str, Any], list[Run]]]:
    return [
        ("learned model", LEARNED, [row.learned for row in rows]),
        ("greedy search with $h^{FF}$", CLASSICAL, [row.classical for row in rows]),
    ]


def _of_solved(runs: Sequence[Run], field: str) -> list[float]:
    """The figures of the runs; NaN, which interrupts a line, for those without a plan."""
    return [float("nan") if run.steps is None else getattr(run, field) for run in runs]
