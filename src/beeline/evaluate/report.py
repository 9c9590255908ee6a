"""From a folder of records to a folder with tables, plots and the page.

    DIR/index.html            everything on one page
    DIR/report.md             all tables in Markdown
    DIR/tables/NAME.{md,tex,csv}
    DIR/plots/NAME.svg

The same records give the same bytes: nothing depends on time, place or order of files.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from beeline._version import __version__
from beeline.core.errors import BeelineError
from beeline.core.files import make_folder, write_atomically
from beeline.evaluate.measures import MEASURES, comparison_table
from beeline.evaluate.model_plots import curve_plots, prediction_plots, prediction_table
from beeline.evaluate.page import Part, configuration_rows, page, setting_rows
from beeline.evaluate.record_reading import read_records
from beeline.evaluate.run_plots import scatter_plot, time_plots
from beeline.evaluate.run_tables import (
    MOST_SHOWN,
    failure_table,
    outcome_table,
    overview_tables,
    pair_table,
    run_table,
    warnings_of,
)
from beeline.evaluate.tables import comma_separated, latex, markdown

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from beeline.evaluate.drawing import Plot
    from beeline.evaluate.record_reading import Records
    from beeline.evaluate.tables import Table

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


def write_report(
    records_folder: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    title: str | None = None,
    compare: Sequence[str] | None = None,
) -> Report:
    """Read the records and write the report; `compare` names two configurations."""
    records = read_records(records_folder)
    parts = report_parts(records, compared_pairs(records, compare))
    warnings = warnings_of(records)
    name = str(records.suite.get("name") or "Report")
    text = page(title or name, _summary(records), parts, warnings=warnings, version=__version__)
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
        write_atomically(folder / "tables" / "runs.csv", comma_separated(run_table(records)))
    write_atomically(folder / "report.md", f"# {title or name}\n\n{_all_markdown(tables)}")
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
    return [
        *(_run_parts(records, pairs) if records.runs else ()),
        Part("results", "Results" if alone else "Results beside the papers'", records.tables),
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
    tables = [comparison_table(records, measure) for measure in MEASURES]
    plain = [table for table in tables if table.name.endswith("-mean")]
    scatters = (scatter_plot(records, *pair) for pair in pairs)
    ended = (outcome_table(records), failure_table(records))
    few = len(records.runs) <= MOST_SHOWN
    groups = [Part("", by_domain[0].group, plots=by_domain)] if by_domain else []
    every = [Part("", "Every run", [run_table(records)])] if few else []
    yield Part("overview", "Overview", overview_tables(records))
    yield Part("time", "Over time", plots=whole, folds=groups)
    others = [table for table in tables if table not in plain]
    yield Part("domains", "By domain", others, folds=[Part("", "Plain means", plain)])
    compared = [pair_table(records, *pair) for pair in pairs]
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
