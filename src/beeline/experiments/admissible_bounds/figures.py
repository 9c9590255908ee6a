"""Figures, the paper's and those of records, in one form: mean and deviation over seeds."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.experiments.admissible_bounds.grid import EDITIONS, GAUSSIAN, LATER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from beeline.experiments.records import Record

ALONE = ""  # the configuration of heuristics that are not learned


class Figure(NamedTuple):
    """A mean over seeds, and the sample standard deviation if there is more than one."""

    mean: float
    deviation: float | None = None


class Key(NamedTuple):
    """What a figure is about; the method is N, N+clip, TN, or a heuristic (ff, lmcut) alone."""

    model: str
    domain: str
    configuration: str
    method: str


class Figures(NamedTuple):
    """All figures of the tables."""

    mse: Mapping[Key, Figure]
    nll: Mapping[Key, Figure]
    coverage: Mapping[Key, Figure]
    evaluations: Mapping[Key, Figure]


def paper_figures(edition: str = LATER) -> Figures:
    """The figures of the paper."""
    content = read_paper(edition)
    return Figures(
        *[_of_paper(content[kind], content["heuristics"].get(kind, {})) for kind in Figures._fields]
    )


def read_paper(edition: str = LATER) -> dict[str, Any]:
    """The data file with the paper's tables."""
    path = Path(__file__).with_name(EDITIONS[edition].paper_file)
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _of_paper(models: dict[str, Any], alone: dict[str, Any]) -> dict[Key, Figure]:
    found = {}
    for model, domains in models.items():
        for domain, configurations in domains.items():
            for method, value in alone.get(domain, {}).items():
                found[Key(model, domain, ALONE, method)] = Figure(value)
            for configuration, methods in configurations.items():
                for method, (mean, deviation) in methods.items():
                    found[Key(model, domain, configuration, method)] = Figure(mean, deviation)
    return found


def record_figures(
    training: Sequence[Record], planning: Iterable[Record], tasks: int, limit: int
) -> Figures:
    """The figures of records; a seed that has not searched all `tasks` is left out.

    Tasks that are not solved count as `limit` evaluations.
    """
    searches = _searches(planning)
    models = {key.model for key in searches} - {"ff"}
    coverage, evaluations = {}, {}
    for key, seeds in searches.items():
        whole = [runs for runs in seeds.values() if len(runs) == tasks]
        if not whole:
            continue
        solved = _figure([fmean(bool(run["solved"]) for run in runs) for runs in whole])
        evaluated = _figure(
            [fmean(run["evaluated"] if run["solved"] else limit for run in runs) for runs in whole]
        )
        # h_FF alone is the same beside each model.
        names = [key] if key.configuration else [key._replace(model=name) for name in models]
        for name in names:
            coverage[name], evaluations[name] = solved, evaluated
    return Figures(
        test_errors(training, "mse"), test_errors(training, "nll"), coverage, evaluations
    )


def test_errors(training: Iterable[Record], metric: str) -> dict[Key, Figure]:
    """The metric `mse` or `nll` on test sets; of heuristics alone only the former."""
    values: dict[Key, list[float]] = defaultdict(list)
    for record in training:
        settings = record["settings"]
        configuration = f"{settings['sigma']}/{settings['residual']}"
        key = Key(settings["model"], settings["domain"], configuration, "N")
        if settings["distribution"] == GAUSSIAN:
            values[key].append(record["test"][metric])
            values[key._replace(method="N+clip")].append(record["test"][f"{metric}_clip"])
        else:
            values[key._replace(method="TN")].append(record["test"][metric])
        if metric == "mse":
            for name, value in record["heuristics"].items():
                values[Key(key.model, key.domain, ALONE, name)] = [value]
    return {key: _figure(found) for key, found in values.items()}


def _searches(planning: Iterable[Record]) -> dict[Key, dict[int, list[Record]]]:
    found: dict[Key, dict[int, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for record in planning:
        settings = record["settings"]
        key = Key(*[settings[name] for name in Key._fields])
        found[key][settings["seed"]].append(record)
    return found


def _figure(values: Sequence[float]) -> Figure:
    """Mean and sample standard deviation.

    >>> _figure([1.0, 3.0]), _figure([2.0])
    (Figure(mean=2.0, deviation=1.414...), Figure(mean=2.0, deviation=None))
    """
    return Figure(fmean(values), stdev(values) if len(values) > 1 else None)
