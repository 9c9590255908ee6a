"""From a folder of records to a folder with tables, plots and the page.

    DIR/index.html            everything on one page
    DIR/report.md             all tables in Markdown
    DIR/tables/NAME.{md,tex,csv}
    DIR/plots/NAME.svg

The same records give the same bytes: nothing depends on time, place or order of files. The page
needs nothing else: tables, plots, style and script are in a single HTML file, which forbids itself
all network access, follows the reader's light or dark setting, and is readable without its script,
which only makes tables sortable.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline._version import __version__
from beeline.core.errors import BeelineError
from beeline.core.files import make_folder, write_atomically
from beeline.core.settings import keywords
from beeline.evaluate import run_tables
from beeline.evaluate.drawing import Plot, line_plot, rendered
from beeline.evaluate.measures import MEASURES
from beeline.evaluate.model_plots import curve_plots, prediction_plots, prediction_table
from beeline.evaluate.record_reading import Records, read_records
from beeline.evaluate.run_plots import scatter_plot, table_plot, time_plots
from beeline.evaluate.settings import ReportSettings
from beeline.evaluate.tables import Table, comma_separated, latex, markdown

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence

MOST_PAIRS = 3  # plots of two configurations if the user names none


@dataclass(frozen=True)
class Report:
    """What was written, and what readers should be warned of."""

    folder: str
    page: str
    runs: int
    configurations: tuple[str, ...]
    domains: tuple[str, ...]
    tables: tuple[Table, ...]
    plots: tuple[Plot, ...]
    warnings: tuple[str, ...]


@keywords(ReportSettings)
def write_report(
    records_folder: str | os.PathLike[str], output: str | os.PathLike[str], settings: ReportSettings
) -> Report:
    """Read the records and write the report; keywords are the fields of `ReportSettings`."""
    records = read_records(records_folder)
    parts = report_parts(records, compared_pairs(records, settings.compare))
    warnings = run_tables.warnings_of(records)
    title = settings.title or str(records.suite.get("name") or "Report")
    text = page(title, _summary(records), parts, warnings=warnings, version=__version__)
    shown = [each for part in parts for each in (part, *part.folds)]
    tables = [table for part in shown for table in part.tables if table.name != "runs"]
    plots = [plot for part in shown for plot in part.plots]
    folder = Path(output)
    make_folder(folder / "tables")
    for table in tables:
        for ending, written in (("md", markdown), ("tex", latex), ("csv", comma_separated)):
            write_atomically(folder / "tables" / f"{table.name}.{ending}", written(table))
    if plots:
        make_folder(folder / "plots")
    for plot in plots:
        write_atomically(folder / "plots" / f"{plot.name}.svg", plot.svg)
    if records.runs:
        write_atomically(
            folder / "tables" / "runs.csv", comma_separated(run_tables.run_table(records))
        )
    write_atomically(folder / "report.md", f"# {title}\n\n{_all_markdown(tables)}")
    write_atomically(folder / "index.html", text)
    return Report(
        folder=str(folder),
        page=str(folder / "index.html"),
        runs=len(records.runs),
        configurations=records.configurations,
        domains=records.domains,
        tables=tuple(tables),
        plots=tuple(plots),
        warnings=tuple(warnings),
    )


def compared_pairs(records: Records, compare: Sequence[str] | None) -> list[tuple[str, str]]:
    """The pairs to look at: the chosen one, or the first configuration with some others."""
    names = records.configurations
    if compare is None:
        return [(names[0], other) for other in names[1 : MOST_PAIRS + 1]]
    for name in compare:
        if name not in names:
            known = ", ".join(names) or "none"
            raise BeelineError(f"there is no configuration '{name}'", hint=f"there are: {known}")
    if len(compare) != 2 or compare[0] == compare[1]:
        raise BeelineError("two configurations are compared", hint="such as --compare gbfs,lama")
    return [(compare[0], compare[1])]


def report_parts(records: Records, pairs: Sequence[tuple[str, str]]) -> list[Part]:
    """All parts of the page, in the order in which they are shown; some may be empty."""
    alone = records.suite.get("paper") == ""  # an experiment may say that there is no paper
    errors = prediction_table(records.predictions)
    curves = curve_plots(records.curves, records.series)
    settings = [configuration_rows(records.suite), setting_rows(records.suite)]
    drawn = [plot for table in records.tables if table.plot and (plot := table_plot(table))]
    return [
        *(_run_parts(records, pairs) if records.runs else ()),
        Part(
            "results", "Results" if alone else "Results beside the papers'", records.tables, drawn
        ),
        Part("figures", "Figures", plots=[line_plot(lines) for lines in records.lines]),
        Part(
            "models",
            "Models",
            [] if errors is None else [errors],
            prediction_plots(records.predictions, records.series),
            [Part("", "Learning curves", plots=curves)] if curves else [],
        ),
        Part("setting", "Setting", definitions=[each for each in settings if each]),
    ]


def _run_parts(records: Records, pairs: Sequence[tuple[str, str]]) -> Iterator[Part]:
    plots = time_plots(records)
    whole, by_domain = ([each for each in plots if bool(each.group) == some] for some in (0, 1))
    tables = [run_tables.comparison_table(records, measure) for measure in MEASURES]
    plain = [table for table in tables if table.name.endswith("-mean")]
    scatters = (scatter_plot(records, *pair) for pair in pairs)
    ended = (run_tables.outcome_table(records), run_tables.failure_table(records))
    few = len(records.runs) <= run_tables.MOST_SHOWN
    groups = [Part("", by_domain[0].group, plots=by_domain)] if by_domain else []
    every = [Part("", "Every run", [run_tables.run_table(records)])] if few else []
    yield Part("overview", "Overview", run_tables.overview_tables(records))
    yield Part("time", "Over time", plots=whole, folds=groups)
    others = [table for table in tables if table not in plain]
    yield Part("domains", "By domain", others, folds=[Part("", "Plain means", plain)])
    compared = [run_tables.pair_table(records, *pair) for pair in pairs]
    yield Part("pairs", "Two by two", compared, [each for each in scatters if each is not None])
    yield Part("runs", "Runs", [each for each in ended if each is not None], folds=every)


def _summary(records: Records) -> str:
    if not records.runs:
        return ""
    counted = {
        "run": records.runs,
        "configuration": records.configurations,
        "task": {run.key for run in records.runs},
        "domain": records.domains,
        "seed": {run.seed for run in records.runs},
    }
    counts = {word: len(things) for word, things in counted.items()}
    return ", ".join(
        f"{count:,} {word}{'' if count == 1 else 's'}" for word, count in counts.items()
    )


def _all_markdown(tables: Sequence[Table]) -> str:
    """All tables; what several of them have in common is said with the last of these."""
    following = [*(table.legend for table in tables[1:]), ""]
    return "\n".join(
        markdown(replace(table, legend="") if table.legend == after else table)
        for table, after in zip(tables, following, strict=True)
    )


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
    return rendered(
        "beeline.evaluate",
        "page",
        title=title,
        summary=summary,
        parts=[part for part in parts if not part.is_empty],
        warnings=warnings,
        version=version,
    )
