"""One page that needs nothing else: tables, plots, style and script in a single HTML file.

The file forbids itself all network access, follows the reader's light or dark setting, and is
readable without its script, which only makes tables sortable.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError
from beeline.core.extras import install_hint
from beeline.report.drawing import inline_svg
from beeline.report.table_formats import verdict_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.report.drawing import Plot
    from beeline.report.table import Table


@dataclass(frozen=True)
class Fold:
    """Tables and plots that are shown when the reader asks for them."""

    title: str
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()


@dataclass(frozen=True)
class Part:
    """A part of the page: `name` is its address within the page."""

    name: str
    title: str
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()
    folds: Sequence[Fold] = ()
    definitions: Sequence[Sequence[tuple[str, str]]] = field(default=())

    @property
    def legend(self) -> str:
        """How to read its tables: each thing is said once."""
        return " ".join(dict.fromkeys(table.legend for table in self.tables if table.legend))

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self.tables or self.plots or self.folds or any(self.definitions))


def page(
    title: str, summary: str, parts: Sequence[Part], *, warnings: Sequence[str], version: str
) -> str:
    """The whole page as HTML."""
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup
    except ImportError:
        raise BeelineError(
            "reports need jinja2, which is not installed", hint=install_hint("report")
        ) from None
    folder = files("beeline.report")
    template = Environment(autoescape=True, undefined=StrictUndefined).from_string(
        folder.joinpath("page.html").read_text("utf-8")
    )
    text = template.render(
        title=title,
        summary=summary,
        parts=[part for part in parts if not part.is_empty],
        warnings=warnings,
        version=version,
        style=Markup(folder.joinpath("page.css").read_text("utf-8").strip()),
        script=Markup(folder.joinpath("page.js").read_text("utf-8").strip()),
        inline_svg=lambda plot: Markup(inline_svg(plot)),
        verdict_words=verdict_words,
    )
    return text.rstrip() + "\n"
