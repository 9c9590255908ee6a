"""Markdown tables of figures, each row of ours above the paper's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.experiments.admissible_bounds.figures import ALONE, Figure, Key
from beeline.experiments.admissible_bounds.grid import CONFIGURATIONS, METHODS
from beeline.experiments.result_tables import MISSING, Grid

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Table = Mapping[Key, Figure]
    Format = Callable[[float], str]

CLEAR_GAP = 0.1 + 1e-9  # between the best error and the second, for bold print


def error_text(value: float) -> str:
    """An error with enough digits to compare.

    >>> error_text(0.764), error_text(118.59), error_text(8.9e8)
    ('0.76', '118.6', '8.9e+08')
    """
    if value >= 1e5:
        return f"{value:.1e}"
    return f"{value:.1f}" if value >= 100 else f"{value:.2f}"


def cell(figure: Figure | None, form: Format, *, bold: bool = False) -> str:
    """Mean ± deviation, or a dash.

    >>> cell(Figure(0.5, 0.25), "{:.2f}".format), cell(None, str)
    ('0.50 ± 0.25', '–')
    """
    if figure is None:
        return MISSING
    spread = "" if figure.deviation is None else f" ± {form(figure.deviation)}"
    text = form(figure.mean) + spread
    return f"**{text}**" if bold else text


def error_table(
    ours: Table, paper: Table, model: str, domains: Sequence[str], error: str = "MSE"
) -> Grid:
    """Errors on the test set: two lines for each domain, plain and clipped, ours and theirs.

    The best of a configuration is bold if the second is clearly worse.
    """
    sources = _sources(ours, paper, model)
    heuristics = {"ff": "h_FF", "lmcut": "h_LM-cut"} if error == "MSE" else {}
    header = ["domain", "error", "source", *heuristics.values()]
    header += [f"{each} {method}" for each in CONFIGURATIONS for method in ("N", "TN")]
    rows = []
    for domain in domains:
        for name, methods in ((error, ("N", "TN")), ("+clip", ("N+clip", None))):
            for source, table in sources.items():
                row = [domain, name, source]
                for heuristic in heuristics:
                    alone = table.get(Key(model, domain, ALONE, heuristic))
                    row.append(cell(alone, error_text) if name == error else "")
                for configuration in CONFIGURATIONS:
                    best = _clear_best(table, model, domain, configuration)
                    for method in methods:
                        if method is None:
                            row.append("")
                            continue
                        figure = table.get(Key(model, domain, configuration, method))
                        row.append(cell(figure, error_text, bold=method == best))
                rows.append(row)
    return Grid(header, rows)


def _sources(ours: Table, paper: Table, model: str) -> dict[str, Table]:
    """Ours, and the paper's if it has a table of this model."""
    sources = {"here": ours, "paper": paper}
    return sources if any(key.model == model for key in paper) else {"here": ours}


def _clear_best(table: Table, model: str, domain: str, configuration: str) -> str | None:
    keys = {method: Key(model, domain, configuration, method) for method in METHODS}
    ranked = sorted((table[key].mean, method) for method, key in keys.items() if key in table)
    if len(ranked) < len(METHODS) or ranked[1][0] - ranked[0][0] <= CLEAR_GAP:
        return None
    return ranked[0][1]


def planning_table(
    ours: Table,
    paper: Table,
    model: str,
    domains: Sequence[str],
    configurations: Sequence[str],
    form: Format,
) -> Grid:
    """Coverage or evaluations: one line for each domain, ours and theirs."""
    header = ["domain", "source", "h_FF"]
    header += [f"{each} {method}" for each in configurations for method in METHODS]
    rows = []
    for domain in domains:
        for source, table in _sources(ours, paper, model).items():
            keys = [Key(model, domain, ALONE, "ff")]
            keys += [Key(model, domain, each, m) for each in configurations for m in METHODS]
            rows.append([domain, source, *[cell(table.get(key), form) for key in keys]])
    return Grid(header, rows)
