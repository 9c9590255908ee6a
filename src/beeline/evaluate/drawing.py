"""Plots as SVG: one style, the same bytes for the same numbers, colours that a page may change.

Text stays text. A page that shows a plot inline replaces ink, grid and series colours by variables
of its own, so that the same plot is readable on a light and on a dark ground.

Names of files and of elements on the page, from any names.

Pages from templates.
"""

from __future__ import annotations

import hashlib
import io
import re
import warnings
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError, install_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


LONGEST = 80


def file_name(*words: str) -> str:
    """A name of letters, digits, dots, dashes and underscores; different words stay different.

    >>> file_name("coverage", "blocks")
    'coverage-blocks'
    >>> file_name("scatter", "A*", "lama first")
    'scatter-A-lama-first-ba4808'
    """
    plain = "-".join(words)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", plain)
    name = re.sub(r"-{2,}", "-", name).strip("-.")[:LONGEST] or "unnamed"
    if name == plain:
        return name
    digest = hashlib.sha256("\0".join(words).encode()).hexdigest()[:6]
    return f"{name}-{digest}"


INK = "#22262b"
GRID = "#d3d6da"  # as in plots.mplstyle
# Mid-dark on white; the page has lighter ones for a dark ground. All of them differ in lightness
# or hue for the colour-blind too, and series also differ in their markers.
SERIES = (
    *("#2166c9", "#d1560f", "#15855a", "#a73fa0"),
    *("#8a6d00", "#0b8793", "#c22f4f", "#5b5f97"),
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LEGEND_ROW = 0.18  # inches; a long legend makes a plot higher, not its axes smaller
DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True)
class Plot:
    """A drawn plot: `svg` is a whole SVG file."""

    name: str
    title: str
    caption: str
    svg: str
    group: str = ""  # plots of the same group belong together


def look(number: int) -> dict[str, str]:
    """The look of the series of this number, from 0 up, in words of Matplotlib.

    >>> look(0)["color"] == look(8)["color"], look(0)["linestyle"] == look(8)["linestyle"]
    (True, False)
    """
    again, kind = divmod(number, len(SERIES))
    dash = DASHES[again % len(DASHES)]
    return {"color": SERIES[kind], "linestyle": dash, "marker": MARKERS[kind]}


def draw(
    name: str,
    title: str,
    caption: str,
    paint: Callable[[Any], None],
    *,
    size: tuple[float, float] = (4.8, 3.3),
    group: str = "",
) -> Plot:
    """Let `paint` fill the axes of a new figure; its labels become a legend below the axes.

    Sizes are in inches: narrow enough for the text to be readable on a phone.
    """
    figure_class, rc_context = _matplotlib()
    # Fonts of the machine do not matter: letters are shown by whoever shows the SVG.
    with rc_context(fname=Path(__file__).with_name("plots.mplstyle")), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure = figure_class(figsize=size, layout="constrained")
        axes = figure.subplots()
        paint(axes)
        handles, labels = axes.get_legend_handles_labels()
        if handles:
            longest = max(map(len, labels))
            columns = 1 if longest > 40 else 2 if longest > 20 else 3
            figure.legend(handles, labels, loc="outside lower center", ncols=columns)
            more_rows = (len(labels) - 1) // columns
            figure.set_figheight(size[1] + more_rows * LEGEND_ROW)
        stream = io.StringIO()
        facts = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(stream, format="svg", transparent=True, metadata=facts)
    return Plot(name, title, caption, _with_title(stream.getvalue(), title), group)


@dataclass(frozen=True)
class Lines:
    """A plot of lines by name, each a pair of columns x and y; `name` is that of the file.

    `axes` are the words at x and y. Lines of the same name look the same. A logarithmic plot is so
    in y.
    """

    name: str
    title: str
    caption: str
    axes: tuple[str, str]
    series: tuple[tuple[str, tuple[float, ...], tuple[float, ...]], ...]
    logarithmic: bool = False

    def to_json(self) -> dict[str, Any]:
        """What a record of it holds, but for the format."""
        series = [{"name": name, "x": x, "y": y} for name, x, y in self.series]
        told = {name: getattr(self, name) for name in ("title", "caption", "axes", "logarithmic")}
        return {**told, "series": series}


def line_plot(lines: Lines, names: Sequence[str] = (), group: str = "") -> Plot:
    """A plot of lines as they are; those of the same name have one entry in the legend.

    The places of `names`, by default of those that there are, decide on colours.
    """
    known = list(names) or list(dict.fromkeys(name for name, _, _ in lines.series))

    def paint(axes: Any) -> None:
        unlabelled = {name: label(name) for name in known}
        for name, x, y in lines.series:
            style: dict[str, Any] = {**look(known.index(name)), "alpha": 0.85}
            if len(x) > 1:
                style["marker"] = None
            axes.plot(x, y, linewidth=1.2, **style, label=unlabelled.pop(name, None))
        values = [each for _, _, y in lines.series for each in y]
        if lines.logarithmic and min(values) > 0:
            logarithmic(axes.yaxis, min(values), max(values))
        axes.set(xlabel=lines.axes[0], ylabel=lines.axes[1])

    return draw(lines.name, lines.title, lines.caption, paint, group=group)


def diagonal(axes: Any, low: float, high: float) -> None:
    """Draw the line on which both axes say the same."""
    axes.plot([low, high], [low, high], color=INK, linewidth=0.8, linestyle=":")


def label(name: str) -> str:
    """A name as a label; Matplotlib would leave out one that begins with `_`."""
    return f" {name}" if name.startswith("_") else name


def logarithmic(axis: Any, low: float, high: float) -> None:
    """Make an axis logarithmic, from below `low` to above `high`, with plain numbers at it."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis.axes.set(**{f"{axis.axis_name}scale": "log"})
    axis.axes.set(**{f"{axis.axis_name}lim": (low / 1.3, high * 1.3)})
    few = high < 30 * low  # there may be only one power of ten among them
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if few else (1,), numticks=7))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: short_number(value)))


def short_number(value: float) -> str:
    """A number at an axis.

    >>> [short_number(x) for x in (0.001, 1, 1000, 2500000, 1e12)]
    ['0.001', '1', '1k', '2.5M', '1e+12']
    """
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if size <= abs(value) < 1000 * size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def inline_svg(plot: Plot) -> str:
    """The SVG as a part of an HTML page: no header, its own ids, colours by variables."""
    text = plot.svg[plot.svg.index("<svg") :]
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r' xmlns(:\w+)?="[^"]*"', "", text).replace("xlink:href", "href")
    text = re.sub(r'\bid="', f'id="{plot.name}-', text)
    text = re.sub(r'(href="|url\()#', rf"\g<1>#{plot.name}-", text)
    # The page says how wide it is; the box keeps its shape.
    text = re.sub(r'^<svg ([^>]*?)width="[^"]*"', r"<svg \1", text)
    text = re.sub(r'^<svg ([^>]*?)height="[^"]*"', r"<svg \1", text)
    text = text.replace("<svg ", f'<svg role="img" aria-labelledby="{plot.name}-title" ', 1)
    for variable, colour in (("ink", INK), ("grid", GRID)):
        text = text.replace(colour, f"var(--{variable})")
    for number, colour in enumerate(SERIES, 1):
        text = text.replace(colour, f"var(--series-{number})")
    return text.strip()


def _with_title(svg: str, title: str) -> str:
    """The SVG with a title, which is what screen readers say."""
    start = svg.index("<svg")
    end = svg.index(">", start) + 1
    return f'{svg[:end]}\n <title id="title">{escape(title)}</title>{svg[end:]}'


def not_installed(module: str) -> BeelineError:
    """What to say where a library for reports is missing."""
    message = f"reports need {module}, which is not installed"
    return BeelineError(message, hint=install_hint("report"))


def require_libraries() -> None:
    """Say what is missing before the work that a page is about."""
    from importlib import import_module

    for module in ("matplotlib", "jinja2"):
        try:
            import_module(module)
        except ImportError:
            raise not_installed(module) from None


def rendered(package: str, name: str, drawn: Mapping[str, str] | None = None, **values: Any) -> str:
    """A page from the template `NAME.html` of a package, with `NAME.css` and `NAME.js` within.

    The colours and the type of all pages are those of reports, whose style comes first. `values`
    are texts, and so on; `drawn` are parts of the page as they shall be.
    """
    try:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup
    except ImportError:
        raise not_installed("jinja2") from None
    places = dict.fromkeys((("beeline.evaluate", "page"), (package, name)))
    style = "\n".join(
        files(folder).joinpath(f"{file}.css").read_text("utf-8").strip() for folder, file in places
    )
    template, script = (
        files(package).joinpath(f"{name}.{ending}").read_text("utf-8") for ending in ("html", "js")
    )
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    text = environment.from_string(template).render(
        style=Markup(style),
        script=Markup(script.strip()),
        inline_svg=lambda plot: Markup(inline_svg(plot)),
        **{part: Markup(text) for part, text in (drawn or {}).items()},
        **values,
    )
    return text.rstrip() + "\n"


def _matplotlib() -> tuple[Any, Any]:
    """Matplotlib's figure, which draws into files without any screen, and its settings."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise not_installed("matplotlib") from None
    return Figure, rc_context
