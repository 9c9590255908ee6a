"""Tables as Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

from beeline.report.table import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from beeline.report.records import Claim
    from beeline.report.table import Cell, Table

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


def verdict_words(claim: Claim) -> str:
    """Whether a claim holds, in words.

    >>> from beeline.report.records import Claim
    >>> verdict_words(Claim("A beats B", "", True, ""))
    'holds'
    >>> verdict_words(Claim("A beats B", "", False, "", "mixed"))
    'mixed'
    """
    return (
        claim.word or {True: "holds", False: "does not hold", None: "cannot be told"}[claim.holds]
    )


def markdown(table: Table) -> str:
    """A table with title, note and claims in Markdown."""
    lines = [f"## {_markdown_text(table.title)}", ""]
    lines += [_markdown_row(table.header)]
    lines += [_markdown_row(["--:" if right else "---" for right in table.numeric])]
    lines += [_markdown_row(map(_markdown_cell, row)) for row in table.rows + table.footer]
    for words in filter(None, (table.note, table.legend)):
        lines += ["", _markdown_text(words)]
    for claim in table.claims:
        parts = [f"- **{verdict_words(claim)}**: {_markdown_text(claim.text)}"]
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
        "    " + " & ".join(map(_latex_text, table.header)) + r" \\",
        r"    \midrule",
        *("    " + " & ".join(map(_latex_cell, row)) + r" \\" for row in table.rows),
        *([r"    \midrule"] if table.footer else []),
        *("    " + " & ".join(map(_latex_cell, row)) + r" \\" for row in table.footer),
        r"    \bottomrule",
        r"  \end{tabular}",
        rf"  \caption{{{_latex_text(f'{table.title}. {table.note} {table.legend}')}}}",
        rf"  \label{{tab:{table.name}}}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def comma_separated(table: Table) -> str:
    """All digits of a table; standard deviations have columns of their own."""
    rows = table.rows + table.footer
    spreads = [
        any(row[place].spread is not None for row in rows) for place in range(len(table.header))
    ]
    header = []
    for name, has_spread in zip(table.header, spreads, strict=True):
        header += [name, f"{name} (std)"] if has_spread else [name]
    lines = []
    for row in rows:
        line: list[str] = []
        for cell, has_spread in zip(row, spreads, strict=True):
            line.append(_plain(cell))
            if has_spread:
                line.append("" if cell.spread is None else _digits(cell.spread))
        lines.append(line)
    return csv_text(header, lines)


def csv_text(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Rows as comma-separated values, in which no spreadsheet finds a formula.

    >>> print(csv_text(["task", "cost"], [["=1+1", "-2"]]), end="")
    task,cost
    '=1+1,-2
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(map(_inert, header))
    writer.writerows(map(_inert, row) for row in rows)
    return stream.getvalue()


def _inert(text: str) -> str:
    """A cell that spreadsheets take for what it says: an apostrophe makes text of a formula."""
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


def _markdown_cell(cell: Cell) -> str:
    text = _markdown_text(cell.text)
    text = f"**{text}**" if cell.bold else text
    return f"{text} ± {cell.spread_text}" if cell.spread_text else text


def _markdown_text(text: str) -> str:
    return re.sub(r"([\\|*_<\[\]`])", r"\\\1", " ".join(text.split()))


def _latex_cell(cell: Cell) -> str:
    text = _latex_text(cell.text)
    text = rf"\textbf{{{text}}}" if cell.bold else text
    return rf"{text} $\pm$ {cell.spread_text}" if cell.spread_text else text


def _latex_text(text: str) -> str:
    """Text as LaTeX shows it.

    >>> print(_latex_text("50% of a_b"))
    50\\% of a\\_b
    """
    return "".join(_LATEX.get(letter, letter) for letter in " ".join(text.split()))
