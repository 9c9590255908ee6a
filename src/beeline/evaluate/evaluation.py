"""`evaluate_suite`: run what has no record yet, many runs at a time.

A suite has runs, each with all settings that influence it, and these have records:

FOLDER/suite.json                                          the suite as it was run
FOLDER/runs/DOMAIN/TASK--CONFIGURATION--seedSEED.json      one run each
"""

from __future__ import annotations

import json
import os
import warnings
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline._version import __version__
from beeline.backends.local import machine_size
from beeline.core import records as core_records
from beeline.core.errors import BeelineError
from beeline.core.files import make_folder, remove_leftovers, write_atomically
from beeline.core.records import Glance, Job, Record, RecordFolder
from beeline.core.settings import keywords
from beeline.evaluate.configuration import Configuration, RunLimits, filled_name, model_file
from beeline.evaluate.settings import EvaluationSettings
from beeline.evaluate.suite import Suite, read_suite
from beeline.evaluate.tables import FORMAT
from beeline.planning.result import IMPROVE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from beeline.core.records import WorkerDiedError
    from beeline.evaluate.suite_tasks import SuiteTask

ABANDONED = 60.0  # seconds after which an unfinished file belongs to nobody


@dataclass(frozen=True)
class PlannedRun:
    """One task under one configuration and one seed.

    `model` is a path or the name of a packaged model. `settings` tell runs apart that have the
    same name: two runs with equal ones do the same.
    """

    task: SuiteTask
    configuration: Configuration
    seed: int
    limits: RunLimits
    model: str | None
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        """The path of its record below the folder of runs, without the ending."""
        return f"{self.task.domain}/{self.task.name}--{self.configuration.name}--seed{self.seed}"

    def job(self) -> Job:
        """What is to be done, in a process of its own."""
        from beeline.evaluate.single_run import outcome

        return Job(self.name, self.settings, outcome, (self,))


def planned_runs(suite: Suite, folder: str | os.PathLike[str] = "") -> list[PlannedRun]:
    """All runs: task by task, with the configurations of each one after the other.

    Models that are missing, broken or of another domain are refused here, except those that the
    suite trains: they are in the `folder` of records, or will be.
    """
    files = {name: str(each.file(folder)) for name, each in suite.models.items()}
    digests: dict[tuple[str, str, str], str] = {}  # a model is checked once for every domain
    runs = []
    for task in suite.tasks:
        task_settings = task.settings()
        for configuration in suite.configurations:
            if configuration.domains is not None and task.domain not in configuration.domains:
                continue
            for seed in configuration.seeds:
                word = model = None
                if configuration.model is not None:
                    name = filled_name(configuration.model, task.domain, seed)
                    word = files.get(name) or model_file(name, suite.folder)
                    model = {"name": configuration.model, "digest": None}
                    if name not in files or os.path.isfile(word):  # otherwise it will be trained
                        key = (word, configuration.name, task.files[0])
                        digests[key] = digests.get(key) or _digest(word, configuration, task, suite)
                        model = {**model, "digest": digests[key], **configuration.estimate}
                settings = {
                    "task": task_settings,
                    "search": _search_settings(configuration, seed, suite.limits),
                    "model": model,
                    "version": __version__,
                }
                runs.append(PlannedRun(task, configuration, seed, suite.limits, word, settings))
    if not runs:
        raise BeelineError("no configuration is for any of the tasks", suite.file)
    return runs


def _search_settings(
    configuration: Configuration, seed: int, limits: RunLimits
) -> dict[str, object]:
    if configuration.search is not None:
        return configuration.search_spec(seed, limits).to_json()
    words = {"fallback": True, "anytime": False, "improve": IMPROVE, **configuration.plan}
    return {"search": "learned", **words, "seed": seed, **limits.search_words()}


def _digest(word: str, configuration: Configuration, task: SuiteTask, suite: Suite) -> str:
    """What tells a model from all others, after checks that it can do what it is for."""
    from beeline.evaluate.configuration import model_digest, model_heuristics
    from beeline.models.model_file import find_model
    from beeline.pddl import parse_domain

    try:
        model = find_model(word, parse_domain(task.domain_text(), task.files[0]))
        model_heuristics(configuration, model, word)
        return model_digest(word, model)
    except BeelineError as error:
        message = f"configuration '{configuration.name}': {error.message}"
        file = error.file or suite.file
        raise BeelineError(message, file, error.line, error.hint) from None


class RecordState(str, Enum):
    """What there is of a run."""

    DONE = "done"
    FAILED = "failed"
    CHANGED = "changed"  # there is a record of other settings
    MISSING = "missing"


class SuiteRecords(RecordFolder):
    """The records of one suite; those of runs that broke count unless they are to be repeated."""

    def __init__(self, folder: str | os.PathLike[str], *, retry_failed: bool = False) -> None:
        super().__init__(Path(folder) / "runs")
        self.folder = Path(folder)
        self._retry_failed = retry_failed

    def check(self, suite_name: str) -> None:
        """Refuse a place that cannot be a folder, and records of another suite."""
        if self.folder.exists() and not self.folder.is_dir():
            raise BeelineError("is not a folder", str(self.folder), hint="choose another -o DIR")
        known = core_records.read_object(self.folder / "suite.json") or {}
        name = known.get("name", suite_name)
        if name != suite_name:
            message = f"holds the records of the suite '{name}'"
            raise BeelineError(message, str(self.folder), hint="choose another -o DIR")

    def open(self, suite: dict[str, Any]) -> None:
        """Say which suite this is, and clear what a killed run left behind."""
        make_folder(self.path)
        remove_leftovers(self.path, ABANDONED)
        write_atomically(self.folder / "suite.json", json.dumps(suite, indent=1) + "\n")

    def read(self, job: Job) -> Record | None:
        """The record of a run, if it is one of the same settings."""
        record = super().read(job) or {}
        usable = record.get("format") == FORMAT and isinstance(record.get("status"), str)
        return record if usable else None

    def state(self, job: Job) -> RecordState:
        """What there is of a run."""
        record = self.read(job)
        if record is not None:
            return RecordState.FAILED if record["status"] == "failed" else RecordState.DONE
        return RecordState.CHANGED if self.file(job).exists() else RecordState.MISSING

    def missing(self, jobs: Sequence[Job]) -> list[Job]:
        """The runs that are to be made."""
        states = [self.state(job) for job in jobs]
        kept = [RecordState.DONE]
        if not self._retry_failed:
            kept.append(RecordState.FAILED)
            self.failed = states.count(RecordState.FAILED)
        return [job for job, state in zip(jobs, states, strict=True) if state not in kept]

    def keep(self, job: Job, value: Record, code: str) -> None:
        """Write what became of a run."""
        run: PlannedRun = job.arguments[0]
        plan = value.pop("plan")
        record = {
            "format": FORMAT,
            "domain": run.task.domain,
            "task": run.task.name,
            "configuration": run.configuration.name,
            "seed": run.seed,
            **value,
            "cost_bound": None,  # what is known from elsewhere, which a run does not know
            "limits": run.limits.to_json(),
            "plan": plan,
        }
        super().keep(job, record, code)
        self.failed += value["status"] == "failed"

    def fail(self, job: Job, error: BeelineError | WorkerDiedError) -> None:
        """Record what can be said of a run that cannot speak any more."""
        from beeline.evaluate.single_run import failed_outcome

        self.keep(job, failed_outcome(error), core_records.code_version())

    def others(self, jobs: Iterable[Job]) -> int:
        """How many records are of no run of the suite."""
        mine = {self.file(job) for job in jobs}
        return sum(path not in mine for path in self.path.rglob("*.json"))


@dataclass(frozen=True)
class Evaluation:
    """A suite that has been run: how many runs were made now, and how all of them ended.

    `statuses` counts the words in records for each configuration. `other_records` are of runs
    that are not, or no longer, part of the suite; `other_versions` are records of its runs that
    were made by other code.
    """

    suite: str
    folder: str
    made: int
    statuses: dict[str, dict[str, int]]
    other_records: int
    other_versions: int

    @property
    def runs(self) -> int:
        """All runs of the suite."""
        return sum(map(self.count, self.statuses))

    @property
    def failed(self) -> int:
        """Runs that broke."""
        return sum(words.get("failed", 0) for words in self.statuses.values())

    def count(self, configuration: str) -> int:
        """The runs of one configuration."""
        return sum(self.statuses[configuration].values())


def list_runs(
    suite: str | os.PathLike[str] | Suite, folder: str | os.PathLike[str]
) -> list[tuple[PlannedRun, RecordState]]:
    """All runs of a suite, and what the folder has of each; nothing is run or written."""
    known = suite if isinstance(suite, Suite) else read_suite(suite)
    records = SuiteRecords(folder)
    records.check(known.name)
    return [(run, records.state(run.job())) for run in planned_runs(known, folder)]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EvaluationCall(EvaluationSettings):
    """Settings, and what only Python can say."""

    progress: Callable[[Glance], None] | None = None
    warn: Callable[[str], None] | None = None


@keywords(EvaluationCall)
def evaluate_suite(
    suite: str | os.PathLike[str] | Suite, folder: str | os.PathLike[str], call: EvaluationCall
) -> Evaluation:
    """Run every task of a suite under every configuration, and keep a record of each run.

    Keyword arguments are the fields of `EvaluationSettings` and `EvaluationCall`. Each run has a
    process of its own, `jobs` of them at a time, by default one for each core. Runs that have a
    record of the same settings are not repeated, except that those that broke are with
    `retry_failed`. A run that breaks is recorded with its reason. Models of the suite are trained
    first, those that are not in the folder; `warn` is told of what training warns of.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "suite.toml").write_text('''
    ... name = "two tasks"
    ... tasks = [{ generator = "ferry", count = 2, parameters = { cars = 2, locations = 3 } }]
    ... configurations = [{ name = "greedy", search = "gbfs", heuristic = "ff" }]
    ... ''')
    >>> evaluation = evaluate_suite(folder / "suite.toml", folder / "records", jobs=1)
    >>> evaluation.made, evaluation.statuses
    (2, {'greedy': {'solved': 2}})
    """
    known = suite if isinstance(suite, Suite) else read_suite(suite)
    records = SuiteRecords(folder, retry_failed=call.retry_failed)
    records.check(known.name)
    planned_runs(known, folder)  # so that nonsense is refused before models are trained
    for model in known.models.values():
        model.make(folder, call.warn or _python_warning)
    runs = planned_runs(known, folder)
    work = [run.job() for run in runs]
    with call.workers.executor(isolated=True) as executor:
        records.open(_description(known, runs))
        made = core_records.run_jobs(work, records, executor, call.progress)
    found = [records.read(job) or {"status": "failed"} for job in work]
    statuses: dict[str, Counter[str]] = {}
    for run, record in zip(runs, found, strict=True):
        statuses.setdefault(run.configuration.name, Counter())[record["status"]] += 1
    return Evaluation(
        known.name,
        str(folder),
        made,
        {name: dict(sorted(words.items())) for name, words in statuses.items()},
        records.others(work),
        core_records.other_versions(record.get("code") for record in found),
    )


def _python_warning(message: str) -> None:
    warnings.warn(message, stacklevel=3)


def _description(suite: Suite, runs: Sequence[PlannedRun]) -> dict[str, Any]:
    """What `suite.json` says: no dates and no names of machines, so that equal runs are equal."""
    settings = [[run.name, run.settings] for run in runs]
    digest = sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
    return {
        "format": FORMAT,
        "name": suite.name,
        "description": suite.description,
        "digest": digest[:16],
        "runs": len(runs),
        "tasks": dict(sorted(Counter(task.domain for task in suite.tasks).items())),
        "configurations": [each.to_json() for each in suite.configurations],
        "limits": suite.limits.to_json(),
        "machine": machine_size(),
        "package_version": __version__,
    }
