"""One page that needs nothing else: tables, plots, style and script in a single HTML file.

The file forbids itself all network access, follows the reader's light or dark setting, and is
readable without its script, which only makes tables sortable.

What `suite.json` says about a series of runs, as words for the page.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.core.extras import install_hint
from beeline.evaluate.drawing import inline_svg

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from beeline.evaluate.drawing import Plot
    from beeline.evaluate.tables import Table


def setting_rows(suite: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and values of all that is said, configurations aside.

    >>> setting_rows({"name": "demo", "limits": {"time": 60, "memory": 2147483648}})
    [('name', 'demo'), ('limits', 'time 60, memory 2 GiB')]
    """
    return [
        (name.replace("_", " "), _words(name, value))
        for name, value in suite.items()
        if name not in ("configurations", "format") and value not in (None, "", [], {})
    ]


def configuration_rows(suite: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and settings of the configurations.

    >>> configuration_rows({"configurations": [{"name": "a", "search": "gbfs", "boost": 1000}]})
    [('a', 'search gbfs, boost 1000')]
    """
    listed = suite.get("configurations") or []
    if isinstance(listed, dict):
        return [(str(name), _words("", value)) for name, value in listed.items()]
    rows = []
    for each in listed if isinstance(listed, list) else []:
        settings = dict(each) if isinstance(each, dict) else {"name": each}
        rows.append((str(settings.pop("name", "")), _words("", settings)))
    return rows


def _words(name: str, value: object) -> str:
    if isinstance(value, dict):
        parts = [(str(key), each) for key, each in value.items() if each is not None]
        return ", ".join(f"{key.replace('_', ' ')} {_words(key, each)}" for key, each in parts)
    if isinstance(value, list):
        return ", ".join(_words(name, each) for each in value)
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and "memory" in name and value >= 2**20:
        unit, size = ("GiB", 2**30) if value >= 2**30 else ("MiB", 2**20)
        return f"{value / size:.3g} {unit}"
    return json.dumps(value)


@dataclass(frozen=True)
class Part:
    """A part of the page: `name` is its address within the page; folds are shown when asked for."""

    name: str
    title: str
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()
    folds: Sequence[Part] = ()
    definitions: Sequence[Sequence[tuple[str, str]]] = ()

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
    template, style, script = (
        files("beeline.evaluate").joinpath(f"page.{ending}").read_text("utf-8")
        for ending in ("html", "css", "js")
    )
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    text = environment.from_string(template).render(
        title=title,
        summary=summary,
        parts=[part for part in parts if not part.is_empty],
        warnings=warnings,
        version=version,
        style=Markup(style.strip()),
        script=Markup(script.strip()),
        inline_svg=lambda plot: Markup(inline_svg(plot)),
    )
    return text.rstrip() + "\n"
