"""Tables of results as lines that tests can look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beeline.evaluate.tables import Table


def table_lines(table: Table) -> list[str]:
    """Cells between bars, a line for each row; the header is not among them."""
    assert {len(row) for row in table.rows} <= {len(table.header)}
    return ["| " + " | ".join(map(str, row)) + " |" for row in table.rows]


def row_of(table: Table, *first: str) -> list[str]:
    """The cells of the row that begins with these words, without them."""
    rows = [list(map(str, row)) for row in table.rows]
    return next(row[len(first) :] for row in rows if tuple(row[: len(first)]) == first)


def column_of(table: Table, name: str) -> list[str]:
    """The cells of a column."""
    place = table.header.index(name)
    return [str(row[place]) for row in table.rows]
