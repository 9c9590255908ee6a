"""The networks of a table's columns: trained, and measured on a test set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.experiments import records
from beeline.experiments.nunez2024 import (
    FF,
    LATER,
    LMCUT,
    METHODS,
    MODELS,
    RANKING,
    Choice,
    Configuration,
    training_settings,
)
from beeline.experiments.records import TRAINING, VALIDATION, Record, Work, model_path
from beeline.models.families import network_entry

if TYPE_CHECKING:
    from beeline.data.instances import InstanceStates

MAX_TEST_SECONDS = 60.0  # a test set that would take longer is sampled
SAMPLE_SEED = 0


@dataclass(frozen=True)
class TrainingRun:
    """One network to train; `how` are the settings of `beeline.train` by name, sorted.

    A `lower` bound other than LM-cut is told only where training looks at it.
    """

    model: str
    domain: str
    distribution: str  # the loss
    sigma: str
    residual: str
    lower: str
    seed: int
    steps: int
    edition: str = LATER
    how: tuple[tuple[str, Any], ...] = ()
    source: str = ""  # of what is learned: as usual, with "siblings", or "satisficing" plans

    @property
    def ranks(self) -> bool:
        """Whether it is trained with whole plans."""
        return self.distribution == RANKING

    @property
    def key(self) -> str:
        """A name for files; it does not tell the number of steps."""
        words = [self.model, self.domain, self.distribution, self.sigma, self.residual]
        words += {self.lower} - {LMCUT}
        usual = training_settings(Choice(self.edition), self.model, self.distribution)
        words += [f"{name}={value}" for name, value in self.how if usual.get(name) != value]
        return "-".join([*({self.edition} - {LATER}), *words, f"seed{self.seed}"])

    @property
    def settings(self) -> dict[str, Any]:
        """What its record says about it; what is usual goes without saying."""
        told = {name: value for name, value in vars(self).items() if name != "how"}
        for name, value in (("edition", LATER), ("lower", LMCUT), ("source", "")):
            if told[name] == value:
                del told[name]
        return {**told, **dict(self.how), "validate_every": self.validate_every}

    @property
    def validate_every(self) -> int:
        """Steps between two looks at the validation set; slow networks take few steps."""
        chosen: int | None = dict(self.how).get("validate_every")
        if chosen is not None:
            return min(self.steps, chosen)
        slow = self.model == "hgn" or (self.model, self.domain) == ("nlm", "visitall")
        return min(self.steps, 50 if slow else 100)

    def sets(self, folder: Path) -> dict[str, Path]:
        """The sets that it is trained and validated with."""
        ending = f"-{self.source}" if self.source else ""
        return {each: folder / f"{each}{ending}" / self.domain for each in (TRAINING, VALIDATION)}


class Entrant(NamedTuple):
    """A network of a table's column: how it was trained, and what is made of it."""

    configuration: str
    method: str
    run: TrainingRun

    @property
    def estimate(self) -> str:
        """The number that its distribution is asked for."""
        return str(METHODS[self.method].get("estimate", "mean"))

    @property
    def lower(self) -> str:
        """The lower bound that matters when it is used; N knows none."""
        knows = self.estimate == "clip" or METHODS[self.method].get("bounded", False)
        return Configuration.read(self.configuration).lower if knows else "none"


def entrants(choice: Choice) -> list[Entrant]:
    """All networks of all columns; those with the same inputs follow each other."""
    found = []
    for model in choice.models:
        usual = MODELS[model]
        for domain in choice.domains_of(model):
            steps = choice.steps or usual.get("other_steps", {}).get(domain, usual["steps"])
            for configuration, method in choice.pairs:
                sigma, residual, lower = Configuration.read(configuration)
                entry = METHODS[method]
                loss, bounded = entry["loss"], entry.get("bounded", False)
                told = {**training_settings(choice, model, loss), **entry.get("training", {})}
                how = tuple(sorted(told.items()))
                found += [
                    Entrant(
                        configuration,
                        method,
                        TrainingRun(
                            *(model, domain, loss, sigma, residual),
                            *(lower if bounded else LMCUT, seed, steps, choice.edition, how),
                            entry.get("source", ""),
                        ),
                    )
                    for seed in range(choice.seeds)
                ]
    return found


def training_runs(choice: Choice) -> list[TrainingRun]:
    """All runs, each once."""
    return list(dict.fromkeys(each.run for each in entrants(choice)))


def training_works(choice: Choice, sets: Path, results: Path) -> list[Work]:
    """The records of all runs."""
    runs = training_runs(choice)
    data = {
        folders: records.identities(dict(folders))
        for folders in dict.fromkeys(tuple(run.sets(sets).items()) for run in runs)
    }
    settings = {run: {**run.settings, "data": data[tuple(run.sets(sets).items())]} for run in runs}
    works = records.training_works(settings, results, train_run, str(sets), str(results))
    return list(works.values())


def trained(choice: Choice, results: Path) -> dict[TrainingRun, Record]:
    """The records of the runs with as many steps as asked for, and trained like this."""
    paths = {run: records.training_file(results, run.key) for run in training_runs(choice)}
    found = {run: records.read_record(path) for run, path in paths.items()}
    return {
        run: each
        for run, each in found.items()
        if each and run.settings.items() <= each["settings"].items()
    }


def train_run(run: TrainingRun, sets: str, results: str) -> Record:
    """Train and write the model file; what goes into the record."""
    from beeline.fitting.logs import CSV_NAME, read_log

    how = dict(run.how)
    options = {
        name.removeprefix("hgn_"): how.pop(name)
        for name in ("hgn_steps", "hgn_sizes")
        if name in how
    }
    if "sizes" in options:
        options["sizes"] = bool(options["sizes"])
    bases = {"sigma": run.sigma, "lower": run.lower, "residual": run.residual}
    _, record = records.train_model(
        run.key,
        Path(results),
        run.sets(Path(sets)),
        {
            "model": run.model,
            "loss": run.distribution,
            "options": options,
            "steps": run.steps,
            "seed": run.seed,
            **({} if run.ranks else bases),
            **how,
            "validate_every": run.validate_every,
        },
    )
    log = read_log(Path(results) / "checkpoints" / run.key / f"seed-{run.seed}" / CSV_NAME)
    curve = {name.removeprefix("val_"): log[name] for name in log if name != "train_loss"}
    best = ", ".join(f"{name} {value:.3g}" for name, value in record["validation"].items())
    line = f"validation: {best}, {record['train_seconds']:.0f} s"
    return {"line": line, **record, "curve": curve}


def error_works(choice: Choice, sets: Path, results: Path) -> dict[Entrant, Work]:
    """The records of tests of all networks that are trained; N and N+clip share theirs."""
    found, here = {}, trained(choice, results)
    data: dict[str, dict[str, str]] = {}
    for entrant in (each for each in entrants(choice) if each.run in here):
        run, split = entrant.run, choice.tests
        if run.domain not in data:
            data[run.domain] = records.identities({split: sets / split / run.domain})
        lower = Configuration.read(entrant.configuration).lower
        settings = {
            "model": records.digest_of([model_path(results, run.key)]),
            "lower": lower,
            "data": data[run.domain],
        }
        ending = "" if lower == LMCUT else f"-{lower}"
        path = results / "errors" / split / f"{run.key}{ending}.json"
        arguments = (run, lower, split, str(sets), str(results))
        found[entrant] = Work(path, settings, measure_run, arguments)
    return found


def measure_run(run: TrainingRun, lower: str, split: str, sets: str, results: str) -> Record:
    """Measure a model on a test set; what goes into the record."""
    import beeline
    from beeline.evaluate.model_errors import error_figures
    from beeline.fitting.objectives import heuristic_errors, predictions

    began = perf_counter()
    model: Any = beeline.load_model(model_path(Path(results), run.key))
    model = replace(model, distribution=replace(model.distribution, lower=lower))
    tested, of = tested_states(run.model, run.domain, sets, split)
    found = predictions(model, tested)
    errors = error_figures(found, np.ones(len(found.mu), dtype=bool))
    return {
        "line": f"test MSE {errors['mse']:.3g}",
        "test": errors,
        "heuristics": heuristic_errors(found.labelled),
        "states": sum(map(len, tested)),
        "states_of": of,
        "seconds": perf_counter() - began,
    }


@lru_cache(maxsize=1)  # runs with the same states follow each other
def tested_states(
    model: str, domain: str, sets: str, split: str
) -> tuple[list[InstanceStates], int]:
    """The labelled states to test with, and how many there were before sampling.

    As many are drawn, once for all runs, as can be evaluated in time.
    """
    from beeline.data.instances import read_instances
    from beeline.fitting.labels import label_states
    from beeline.task.grounding import ground

    read = read_instances(Path(sets) / split / domain, split=split)
    instances = label_states(read, lower=LMCUT, residual=FF).instances
    count, work = sum(map(len, instances)), network_entry(model).work
    seconds = sum(1e-6 * len(each) * work(ground(each.problem)) for each in instances)
    if seconds <= MAX_TEST_SECONDS:
        return instances, count
    wanted = max(1, int(count * MAX_TEST_SECONDS / seconds))
    rows = np.sort(np.random.default_rng(SAMPLE_SEED).permutation(count)[:wanted])
    starts = np.cumsum([0, *map(len, instances)])
    parts = [
        each.taken(rows[(rows >= first) & (rows < first + len(each))] - first)
        for each, first in zip(instances, starts[:-1], strict=True)
    ]
    return [each for each in parts if len(each)], count
