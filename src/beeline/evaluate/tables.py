"""Tables as such: cells with a value, a spread and emphasis, whatever format they end up in.

Tables as Markdown, LaTeX and CSV.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

FORMAT = 1  # of records and tables
MISSING = "–"
AT_THIS_SCALE = "at this scale"  # in words about a claim that a smaller experiment cannot refute


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper and whether it holds here; None: it cannot be told.

    `word` says it more exactly, such as `mixed`, if it is not empty; `below` says it of a smaller
    experiment than the paper's, if that is something else.
    """

    text: str
    paper: str
    holds: bool | None
    detail: str
    word: str = ""
    below: str = ""

    @property
    def verdict(self) -> str:
        """Whether it holds, in words.

        >>> Claim("A beats B", "", True, "").verdict, Claim("", "", False, "", "mixed").verdict
        ('holds', 'mixed')
        """
        known = {True: "holds", False: "does not hold", None: "cannot be told"}
        return self.word or known[self.holds]

    @property
    def look(self) -> str:
        """How a page shows the verdict: `holds`, `fails`, or `open` where it is not settled."""
        if self.holds is False and self.word != "mixed" and AT_THIS_SCALE not in self.word:
            return "fails"
        return "holds" if self.holds else "open"


@dataclass(frozen=True)
class Cell:
    """What a cell shows, and the number it stands for; `value` is None for words."""

    text: str
    value: float | None = None
    spread: float | None = None  # standard deviation over seeds
    spread_text: str = ""
    bold: bool = False
    best: bool = False  # of those that are bold
    beside: Cell | None = None  # the same figure of a paper, which is shown in brackets

    def __str__(self) -> str:
        """The cell in a line of plain text.

        >>> str(number_cell(98.0, spread=3.5, beside=number_cell(97)))
        '98.0 ± 3.5 (97)'
        """
        return _shown(self)

    def to_json(self) -> object:
        """The cell as plain values, all digits of them; `read_cell` takes them."""
        content = self.text if self.value is None and self.text != MISSING else self.value
        more: dict[str, object] = {} if self.spread is None else {"spread": self.spread}
        if self.value is not None and self.spread is None:
            usual = number_cell(self.value).text
            more |= {} if self.text == usual else {"text": self.text}  # with other decimals
        if self.bold:
            more["bold"] = True
        if self.beside is not None:
            more["beside"] = self.beside.to_json()
        return {"value": content, **more} if more else content


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
    plot: str = ""  # what its numbers count, if they are drawn, too: a series for each row

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

    def to_json(self) -> dict[str, object]:
        """What a file of a table says, which reports read: cells are values, not texts."""
        return {
            "format": FORMAT,
            "title": self.title,
            "note": self.note,
            "header": list(self.header),
            "rows": [[cell.to_json() for cell in row] for row in self.rows],
            "claims": [
                {name: value for name, value in vars(claim).items() if name != "below"}
                for claim in self.claims
            ],
            **({"plot": self.plot} if self.plot else {}),
        }


def number_cell(
    value: float | None,
    *,
    spread: float | None = None,
    decimals: int | None = None,
    bold: bool = False,
    best: bool = False,
    beside: Cell | None = None,
) -> Cell:
    """A cell of a number and its standard deviation, which gets as many decimals.

    >>> number_cell(12.345, spread=0.6789).spread_text, number_cell(None).text
    ('0.7', '–')
    """
    if value is None:
        return Cell(MISSING, beside=beside)
    if decimals == 0 and (spread is not None or value != round(value)):
        decimals = 1  # the mean of whole numbers over seeds
    if decimals is None and spread is not None and value == round(value) and abs(value) < 100:
        decimals = 1 if abs(value) >= 10 else 2  # a mean that is whole by chance
    text = format_number(value, decimals)
    if spread is None:
        return Cell(text, value, bold=bold, best=best, beside=beside)
    digits = len(text.partition(".")[2]) if "e" not in text else None
    return Cell(text, value, spread, format_number(spread, digits), bold, best, beside)


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


def plain_table(
    name: str,
    title: str,
    note: str,
    header: Iterable[str],
    rows: Iterable[Iterable[Any]],
    footer: int = 0,
    **more: Any,
) -> Table:
    """A table of cells, words and numbers; None is a gap. So many of the rows are the footer."""
    cells = tuple(tuple(map(_plain_cell, row)) for row in rows)
    above = len(cells) - footer
    return Table(name, title, note, tuple(header), cells[:above], cells[above:], **more)


def _plain_cell(content: Cell | str | float | None) -> Cell:
    if isinstance(content, str):
        return Cell(content)
    return content if isinstance(content, Cell) else number_cell(content)


def read_cell(content: str | float | dict[str, Any] | None) -> Cell:
    """The cell that a file of a table means; `**words**` are emphasised.

    >>> str(read_cell({"value": 12.5, "spread": 0.25, "beside": 13}))
    '12.5 ± 0.2 (13)'
    """
    if isinstance(content, dict):
        beside = read_cell(content["beside"]) if "beside" in content else None
        value, bold = content.get("value"), bool(content.get("bold"))
        if isinstance(value, str):
            return Cell(value, bold=bold, beside=beside)
        cell = number_cell(value, spread=content.get("spread"), bold=bold, beside=beside)
        return replace(cell, text=str(content.get("text", cell.text)))
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


_LATEX = {
    "\\": r"\textbackslash{}",
    "±": r"$\pm$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "−": r"$-$",
    "–": "--",
    "<": r"$<$",
    ">": r"$>$",
    "σ": r"$\sigma$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "*": r"$\ast$",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}

_NUMBER = re.compile(r"[+-]?(\d[\d,]*\.?\d*|\.\d+)(e[+-]?\d+)?%?")


def markdown(table: Table) -> str:
    """A table with title, note and claims in Markdown."""
    lines = [f"## {_markdown_text(table.title)}", ""]
    lines += [_markdown_row(table.header)]
    lines += [_markdown_row(["--:" if right else "---" for right in table.numeric])]
    lines += [_markdown_row(map(_markdown_cell, row)) for row in table.rows + table.footer]
    for words in filter(None, (table.note, table.legend)):
        lines += ["", _markdown_text(words)]
    for claim in table.claims:
        parts = [f"- **{claim.verdict}**: {_markdown_text(claim.text)}"]
        parts += [f"({_markdown_text(claim.paper)})"] if claim.paper else []
        parts += [f"– {_markdown_text(claim.detail)}"] if claim.detail else []
        lines += ["", " ".join(parts)] if claim is table.claims[0] else [" ".join(parts)]
    return "\n".join(lines) + "\n"


def latex(table: Table) -> str:
    """A floating table for LaTeX; it needs the package booktabs."""
    columns = "".join("r" if right else "l" for right in table.numeric)
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        _latex_row(map(_latex_text, table.header)),
        r"    \midrule",
        *(_latex_row(map(_latex_cell, row)) for row in table.rows),
        *([r"    \midrule"] if table.footer else []),
        *(_latex_row(map(_latex_cell, row)) for row in table.footer),
        r"    \bottomrule",
        r"  \end{tabular}",
        rf"  \caption{{{_latex_text(f'{table.title}. {table.note} {table.legend}')}}}",
        rf"  \label{{tab:{table.name}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def comma_separated(table: Table) -> str:
    """All digits of a table; standard deviations and a paper's figures have their own columns."""
    rows = table.rows + table.footer
    columns: list[list[str]] = []  # each begins with its name
    for name, cells in zip(table.header, zip(*rows, strict=True), strict=bool(rows)):
        others = [cell.beside for cell in cells]
        for words, wanted in ((name, list(cells)), (f"{name} (paper)", others)):
            if any(wanted):
                columns.append([words, *("" if cell is None else _plain(cell) for cell in wanted)])
                spreads = [None if cell is None else cell.spread for cell in wanted]
                if any(spread is not None for spread in spreads):
                    texts = ["" if spread is None else _digits(spread) for spread in spreads]
                    columns.append([f"{words} (std)", *texts])
    stream = io.StringIO()
    lines = zip(*columns, strict=True) if columns else [table.header]
    csv.writer(stream, lineterminator="\n").writerows(map(_inert, line) for line in lines)
    return stream.getvalue()


def terminal(table: Table, width: int | None = None) -> str:
    """A table for a terminal; one wider than that lies on its side if that is narrower.

    >>> rows = ((Cell("ferry"), number_cell(1.5, beside=number_cell(2))),)
    >>> print(terminal(Table("1", "", "", ("domain", "h"), rows)))
    domain         h
    ferry   1.50 (2)
    """
    texts = [table.header, *(tuple(map(str, row)) for row in table.rows)]
    lines, on_side = _aligned(texts), _aligned([*zip(*texts, strict=True)])
    if width is not None and len(lines[0]) > width and len(on_side[0]) < len(lines[0]):
        lines = on_side
    return "\n".join(line.rstrip() for line in lines)


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of one length, with numbers to the right."""
    sizes = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = (zip(row, sizes, strict=True) for row in rows)
    return [
        "  ".join(
            cell.rjust(size) if place else cell.ljust(size)
            for place, (cell, size) in enumerate(row)
        )
        for row in padded
    ]


def _inert(text: str) -> str:
    """A cell that spreadsheets take for what it says: an apostrophe makes text of a formula.

    >>> _inert("=1+1"), _inert("-2")
    ("'=1+1", '-2')
    """
    is_formula = text[:1] in tuple("=+-@\t\r") and not _NUMBER.fullmatch(text)
    return f"'{text}" if is_formula and len(text) > 1 else text


def _plain(cell: Cell) -> str:
    if cell.text == MISSING:
        return ""
    # A number that was given as words, such as `93%`, stays as it was given.
    is_number = cell.value is not None and re.fullmatch(r"-?[\d,.]+(e[+-]\d+)?", cell.text)
    return _digits(cell.value) if is_number and cell.value is not None else cell.text


def _digits(value: float) -> str:
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _markdown_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _shown(
    cell: Cell, escape: Callable[[str], str] = str, bold: str = "{}", between: str = " ± "
) -> str:
    """A cell with its spread, and with the figure of a paper in brackets."""
    text = escape(cell.text)
    text = bold.format(text) if cell.bold else text
    text += f"{between}{cell.spread_text}" if cell.spread_text else ""
    if cell.beside is None:
        return text
    return f"{text} ({_shown(cell.beside, escape, bold, between)})"


def _markdown_cell(cell: Cell) -> str:
    return _shown(cell, _markdown_text, "**{}**")


def _markdown_text(text: str) -> str:
    return re.sub(r"([\\|*_<\[\]`])", r"\\\1", " ".join(text.split()))


def _latex_row(cells: Iterable[str]) -> str:
    return "    " + " & ".join(cells) + r" \\"


def _latex_cell(cell: Cell) -> str:
    return _shown(cell, _latex_text, r"\textbf{{{}}}", r" $\pm$ ")


def _latex_text(text: str) -> str:
    """Text as LaTeX shows it.

    >>> print(_latex_text("50% of a_b"))
    50\\% of a\\_b
    """
    return "".join(_LATEX.get(letter, letter) for letter in " ".join(text.split()))
