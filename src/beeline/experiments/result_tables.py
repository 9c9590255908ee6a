"""Tables of results: ours beside the paper's, with the claims that they speak to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.experiments.verdicts import Verdict

MISSING = "–"
FORMAT = 1  # of the files that reports read


class Grid(NamedTuple):
    """Cells as texts; all rows are as long as the header."""

    header: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class ResultTable:
    """A table with a title, what must be known to read it, and verdicts on claims."""

    name: str  # of its file
    title: str
    note: str
    grid: Grid
    verdicts: Sequence[Verdict] = ()

    def to_json(self, source: str) -> dict[str, Any]:
        """What the file of a table says, as reports read it; claims are from the `source`."""
        return {
            "format": FORMAT,
            "title": self.title,
            "note": self.note,
            "header": list(self.grid.header),
            "rows": [list(row) for row in self.grid.rows],
            "claims": [
                {
                    "text": each.sentence,
                    "paper": source,
                    "holds": each.holds,
                    "word": each.word if each.here else "",
                    "detail": f"{each.counts}: {each.figures}" if each.here else each.counts,
                }
                for each in self.verdicts
            ],
        }


def turned(grid: Grid, corner: str) -> Grid:
    """The same cells with rows as columns; `corner` is the name of the first column.

    >>> turned(Grid(["domain", "h_FF", "h_add"], [["ferry", "1", "2"]]), "heuristic")
    Grid(header=['heuristic', 'ferry'], rows=[['h_FF', '1'], ['h_add', '2']])
    """
    header, *rows = (list(column) for column in zip(grid.header, *grid.rows, strict=True))
    return Grid([corner, *header[1:]], rows)


def shown(grid: Grid, width: int = 100) -> str:
    """A table for a terminal; one that is too wide lies on its side if that is narrower.

    >>> print(shown(Grid(["domain", "h"], [["ferry", "1.5 (2.0)"]])))
    domain          h
    ferry   1.5 (2.0)
    """
    lines = [[cell.replace("**", "") for cell in row] for row in (grid.header, *grid.rows)]
    on_side = [list(column) for column in zip(*lines, strict=True)]
    if _width(lines) > width and _width(on_side) < _width(lines):
        lines = on_side
    widths = _widths(lines)
    return "\n".join(
        "  ".join(
            cell.rjust(size) if place else cell.ljust(size)
            for place, (cell, size) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _widths(lines: Sequence[Sequence[str]]) -> list[int]:
    return [max(map(len, column)) for column in zip(*lines, strict=True)]


def _width(lines: Sequence[Sequence[str]]) -> int:
    return sum(_widths(lines)) + 2 * (len(lines[0]) - 1)
