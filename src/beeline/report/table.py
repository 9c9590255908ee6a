"""Tables as such: cells with a value, a spread and emphasis, whatever format they end up in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from beeline.report.file_names import file_name

if TYPE_CHECKING:
    from beeline.report.records import Claim, ReadyTable

MISSING = "–"


@dataclass(frozen=True)
class Cell:
    """What a cell shows, and the number it stands for; `value` is None for words."""

    text: str
    value: float | None = None
    spread: float | None = None  # standard deviation over seeds
    spread_text: str = ""
    bold: bool = False
    best: bool = False  # of those that are bold


@dataclass(frozen=True)
class Table:
    """A table; the rows of `footer` sum up the others and stay below them."""

    name: str
    title: str
    note: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    footer: tuple[tuple[Cell, ...], ...] = ()
    claims: tuple[Claim, ...] = ()
    legend: str = ""  # how to read tables of this kind; said once where several are shown

    @property
    def numeric(self) -> tuple[bool, ...]:
        """For each column whether all that stands in it, gaps aside, are numbers."""
        columns = (
            zip(*self.rows, *self.footer, strict=True) if self.rows else [()] * len(self.header)
        )
        return tuple(
            all(cell.value is not None or cell.text == MISSING for cell in column)
            for column in columns
        )


def number_cell(
    value: float | None,
    *,
    spread: float | None = None,
    decimals: int | None = None,
    bold: bool = False,
    best: bool = False,
) -> Cell:
    """A cell of a number and its standard deviation, which gets as many decimals.

    >>> number_cell(12.345, spread=0.6789).spread_text, number_cell(None).text
    ('0.7', '–')
    """
    if value is None:
        return Cell(MISSING)
    if decimals == 0 and (spread is not None or value != round(value)):
        decimals = 1  # the mean of whole numbers over seeds
    if decimals is None and spread is not None and value == round(value) and abs(value) < 100:
        decimals = 1 if abs(value) >= 10 else 2  # a mean that is whole by chance
    text = format_number(value, decimals)
    if spread is None:
        return Cell(text, value, bold=bold, best=best)
    digits = len(text.partition(".")[2]) if "e" not in text else None
    return Cell(text, value, spread, format_number(spread, digits), bold, best)


def p_cell(p: float | None, *, bold: bool = False) -> Cell:
    """A cell of a p-value.

    >>> p_cell(0.03125).text, p_cell(1e-9).text
    ('0.031', '< 0.0001')
    """
    if p is None:
        return Cell(MISSING)
    return Cell("< 0.0001" if p < 1e-4 else f"{p:.2g}", p, bold=bold)


def format_number(value: float, decimals: int | None = None) -> str:
    """A number with so many decimals, or with three digits that matter.

    >>> [format_number(x) for x in (0, 0.01234, 12.345, 123.45, 12345.6, 1.5e12)]
    ['0', '0.0123', '12.3', '123', '12,346', '1.50e+12']
    """
    if decimals is not None:
        return f"{value:,.{decimals}f}"
    # Geometric means of whole numbers are whole only nearly.
    if abs(value) < 1e9 and abs(value - round(value)) <= 1e-9 * abs(value):
        return f"{value:,.0f}"
    if abs(value) >= 1e9 or abs(value) < 1e-4:
        return f"{value:.2e}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:#.3g}".rstrip(".")


def ready_table(record: ReadyTable) -> Table:
    """A table that came with the records; `**words**` in it are emphasised."""
    rows = tuple(tuple(_ready_cell(each) for each in row) for row in record.rows)
    name = file_name("results", record.name)
    return Table(name, record.title, record.note, record.header, rows, claims=record.claims)


def _ready_cell(content: str | float | None) -> Cell:
    if content is None:
        return Cell(MISSING)
    if isinstance(content, bool):
        return Cell("yes" if content else "no")
    if isinstance(content, (int, float)):
        return number_cell(content)
    words = content.strip()
    bold = len(words) > 4 and words.startswith("**") and words.endswith("**")
    words = words[2:-2] if bold else words
    return Cell(words or MISSING, _leading_number(words), bold=bold)


def _leading_number(words: str) -> float | None:
    """The number that a text such as `12.3 ± 0.4` or `93%` begins with, to sort by.

    >>> _leading_number("1,203 ± 4"), _leading_number("93%"), _leading_number("3 of 4 hold")
    (1203.0, 93.0, None)
    """
    first, _, rest = words.partition(" ")
    if rest and not rest.startswith(("±", "(")):
        return None
    try:
        return float(first.rstrip("%").replace(",", ""))
    except ValueError:
        return None
