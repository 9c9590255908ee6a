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
from beeline.evaluate.page import Fold, Part, configuration_rows, page, setting_rows
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
    tables, plots = list(_tables(parts)), list(_plots(parts))
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
    return [
        *_run_parts(records, pairs),
        _result_part(records),
        _model_part(records),
        _setting_part(records),
    ]


def _result_part(records: Records) -> Part:
    """Tables that are ready; an experiment may say that there is no paper."""
    alone = records.suite.get("paper") == ""
    title = "Results" if alone else "Results beside the papers'"
    return Part("results", title, records.tables)


def _run_parts(records: Records, pairs: Sequence[tuple[str, str]]) -> Iterator[Part]:
    if not records.runs:
        return
    yield Part("overview", "Overview", overview_tables(records))
    plots = time_plots(records)
    by_domain = [plot for plot in plots if plot.group]
    yield Part(
        "time",
        "Over time",
        plots=[plot for plot in plots if not plot.group],
        folds=[Fold(by_domain[0].group, plots=by_domain)] if by_domain else [],
    )
    tables = [comparison_table(records, measure) for measure in MEASURES]
    plain = [table for table in tables if table.name.endswith("-mean")]
    yield Part(
        "domains",
        "By domain",
        [table for table in tables if table not in plain],
        folds=[Fold("Plain means", plain)],
    )
    yield Part(
        "pairs",
        "Two by two",
        [pair_table(records, *pair) for pair in pairs],
        [plot for pair in pairs if (plot := scatter_plot(records, *pair)) is not None],
    )
    failures = failure_table(records)
    few = len(records.runs) <= MOST_SHOWN
    yield Part(
        "runs",
        "Runs",
        [outcome_table(records), *([] if failures is None else [failures])],
        folds=[Fold("Every run", [run_table(records)])] if few else [],
    )


def _model_part(records: Records) -> Part:
    errors = prediction_table(records.predictions)
    plots = prediction_plots(records.predictions, records.series)
    curves = curve_plots(records.curves, records.series)
    return Part(
        "models",
        "Models",
        [] if errors is None else [errors],
        plots,
        [Fold("Learning curves", plots=curves)] if curves else [],
    )


def _setting_part(records: Records) -> Part:
    rows = [configuration_rows(records.suite), setting_rows(records.suite)]
    return Part("setting", "Setting", definitions=[each for each in rows if each])


def _summary(records: Records) -> str:
    if not records.runs:
        return ""
    counts = [
        (len(records.runs), "run"),
        (len(records.configurations), "configuration"),
        (len({run.key for run in records.runs}), "task"),
        (len(records.domains), "domain"),
        (len({run.seed for run in records.runs}), "seed"),
    ]
    return ", ".join(f"{count:,} {word}{'' if count == 1 else 's'}" for count, word in counts)


def _tables(parts: Sequence[Part]) -> Iterator[Table]:
    for part in parts:
        shown = [*part.tables, *(table for fold in part.folds for table in fold.tables)]
        yield from (table for table in shown if table.name != "runs")


def _plots(parts: Sequence[Part]) -> Iterator[Plot]:
    for part in parts:
        yield from part.plots
        yield from (plot for fold in part.folds for plot in fold.plots)


def _all_markdown(tables: Sequence[Table]) -> str:
    """All tables; what several of them have in common is said with the last of these."""
    following = [*(table.legend for table in tables[1:]), ""]
    return "\n".join(
        markdown(replace(table, legend="") if table.legend == after else table)
        for table, after in zip(tables, following, strict=True)
    )
