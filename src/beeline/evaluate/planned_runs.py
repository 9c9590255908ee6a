"""From a suite to its runs, each with all settings that influence it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from beeline._version import __version__
from beeline.core.errors import BeelineError
from beeline.evaluate.configuration import model_file

if TYPE_CHECKING:
    from beeline.evaluate.configuration import Configuration
    from beeline.evaluate.limits import RunLimits
    from beeline.evaluate.suite import Suite
    from beeline.evaluate.suite_tasks import SuiteTask


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


def planned_runs(suite: Suite) -> list[PlannedRun]:
    """All runs: task by task, with the configurations of each one after the other.

    Models that are missing, broken or of another domain are refused here.
    """
    models = _Models(suite)
    runs = []
    for task in suite.tasks:
        task_settings = task.settings()
        for configuration in suite.configurations:
            if configuration.domains is not None and task.domain not in configuration.domains:
                continue
            for seed in configuration.seeds:
                word, model = models.of(configuration, task, seed)
                settings = {
                    "task": task_settings,
                    "search": _search_settings(configuration, seed, suite.limits),
                    "model": model,
                    "version": __version__,
                }
                run = PlannedRun(task, configuration, seed, suite.limits, word, settings)
                runs.append(run)
    if not runs:
        raise BeelineError("no configuration is for any of the tasks", suite.file)
    return runs


def _search_settings(
    configuration: Configuration, seed: int, limits: RunLimits
) -> dict[str, object]:
    if configuration.search is not None:
        return configuration.search_spec(seed, limits).to_json()
    words = {"fallback": True, "anytime": False, **configuration.plan}
    return {"search": "learned", **words, "seed": seed, **limits.search_words()}


class _Models:
    """The models of a suite: each is read and checked once for every domain it is used in."""

    def __init__(self, suite: Suite) -> None:
        self._suite = suite
        self._digests: dict[tuple[str, str, str], str] = {}

    def of(
        self, configuration: Configuration, task: SuiteTask, seed: int
    ) -> tuple[str | None, dict[str, Any] | None]:
        """Path or name of the model of a run, and what identifies it."""
        if configuration.model is None:
            return None, None
        word = model_file(configuration.model, task.domain, seed, self._suite.folder)
        key = (word, configuration.name, task.files[0])
        if key not in self._digests:
            try:
                self._digests[key] = _digest(word, configuration, task)
            except BeelineError as error:
                raise BeelineError(
                    f"configuration '{configuration.name}': {error.message}",
                    error.file or self._suite.file,
                    error.line,
                    error.hint,
                ) from None
        name = configuration.model
        return word, {"name": name, "digest": self._digests[key], **configuration.estimate}


def _digest(word: str, configuration: Configuration, task: SuiteTask) -> str:
    """What tells a model from all others, after checks that it can do what it is for."""
    from beeline.evaluate.model_heuristic import model_digest, model_heuristics
    from beeline.learned.packaged import find_model
    from beeline.pddl import parse_domain

    model = find_model(word, parse_domain(task.domain_text(), task.files[0]))
    model_heuristics(configuration, model, word)
    return model_digest(word, model)
