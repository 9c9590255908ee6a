"""Tables of results as lines that tests can look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beeline.experiments.result_tables import Grid


def table_lines(grid: Grid) -> list[str]:
    """Cells between bars, a line for each row; the header is not among them."""
    assert {len(row) for row in grid.rows} <= {len(grid.header)}
    return ["| " + " | ".join(row) + " |" for row in grid.rows]


def row_of(grid: Grid, *first: str) -> list[str]:
    """The cells of the row that begins with these words, without them."""
    return next(row[len(first) :] for row in grid.rows if tuple(row[: len(first)]) == first)


def column_of(grid: Grid, name: str) -> list[str]:
    """The cells of a column."""
    place = grid.header.index(name)
    return [row[place] for row in grid.rows]
