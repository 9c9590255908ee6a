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
        figure, (times, states) = pyplot.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
        for axes in (times, states):
            axes.set_xlabel("blocks in the task")
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter("{x:,g}")
        _times(times, rows, time_limit)
        _states(states, rows)
        solved = [sum(run.steps is not None for run in runs) for _, _, runs in _planners(rows)]
        figure.suptitle(
            f"Learned from tasks of at most 10 blocks: solves {solved[0]} of {len(rows)} tasks of"
            f" {rows[0].blocks} to {rows[-1].blocks} blocks. Without learning: {solved[1]}"
        )
        files = [stem.with_suffix(".png"), stem.with_suffix(".svg")]
        figure.savefig(files[0], dpi=150)
        figure.savefig(files[1], metadata={"Date": None})
        pyplot.close(figure)
    return files


def _times(axes: Any, rows: Sequence[Row], time_limit: float) -> None:
    """Full marks for solved tasks, hollow ones at the limit for the others."""
    blocks = [row.blocks for row in rows]
    for name, style, runs in _planners(rows):
        seconds = _of_solved(runs, "seconds")
        axes.plot(blocks, seconds, **style)
        unsolved = [size for size, run in zip(blocks, runs, strict=True) if run.steps is None]
        if unsolved:
            hollow = {**style, "linestyle": "", "markerfacecolor": "white"}
            axes.plot(unsolved, [time_limit] * len(unsolved), **hollow)
            words = f"{name}: no plan within {time_limit:g} s"
            _label(axes, (blocks[-1], time_limit), words, style, above=True)
        else:
            middle = len(blocks) // 2
            _label(axes, (blocks[middle], seconds[middle]), name, style)
    axes.axhline(time_limit, color=GREY, linewidth=1, linestyle=(0, (1, 2)), zorder=0)
    axes.set_ylim(top=time_limit * 3)
    axes.set_title("Seconds of work until there is a plan", loc="left")


def _states(axes: Any, rows: Sequence[Row]) -> None:
    """Solved tasks only: what a search has expanded when it is stopped says nothing."""
    blocks = [row.blocks for row in rows]
    for name, style, runs in _planners(rows):
        expanded, steps = _of_solved(runs, "expanded"), _of_solved(runs, "steps")
        axes.plot(blocks, expanded, **style)
        axes.plot(blocks, steps, **STEPS)
        found = [place for place, run in enumerate(runs) if run.steps is not None]
        if found:
            place = found[-1]
            _label(axes, (blocks[place], expanded[place]), name, style, above=True)
            if style is LEARNED:
                _label(axes, (blocks[place], steps[place]), "– steps of the plan", STEPS)
    axes.set_title("States that the search has expanded by then", loc="left")
    axes.margins(y=0.15)


def _label(
    axes: Any, point: tuple[float, float], words: str, style: dict[str, Any], *, above: bool = False
) -> None:
    """Words near a point, on the side that has room for them."""
    right = point[0] > sum(axes.get_xlim()) / 2
    axes.annotate(
        words,
        point,
        xytext=(4 if right else 8, 9 if above else -18),
        textcoords="offset points",
        ha="right" if right else "left",
        color=style["color"],
    )


def _planners(rows: Sequence[Row]) -> list[tuple[str, dict[str, Any], list[Run]]]:
    return [
        ("learned model", LEARNED, [row.learned for row in rows]),
        ("greedy search with $h^{FF}$", CLASSICAL, [row.classical for row in rows]),
    ]


def _of_solved(runs: Sequence[Run], field: str) -> list[float]:
    """The figures of the runs; NaN, which interrupts a line, for those without a plan."""
    return [float("nan") if run.steps is None else getattr(run, field) for run in runs]
