"""Learned models where a search asks for heuristics."""

from __future__ import annotations

import os
from time import perf_counter
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError
from beeline.planning.heuristics import HEURISTICS

if TYPE_CHECKING:
    from beeline.learned.model_file import AnyModel
    from beeline.planning.batch import ModelHeuristic
    from beeline.task.ground_task import GroundTask

SUFFIX = ".beeline"


class GivenModels:
    """The heuristics that a user names, with the models among them."""

    def __init__(
        self,
        words: str | None,
        estimate: str | None,
        quantile: float | None,
        preferred: str | None = None,
    ) -> None:
        """Read the models; those that are broken are refused, or cannot do what they are for."""
        listed = [] if words is None else _split(words)
        preferring = [] if preferred is None else _split(preferred)
        named = dict.fromkeys([*listed, *preferring])
        self._models = {word: _load(word) for word in named if is_model(word)}
        self._check_abilities(listed, preferring)
        self._choose_estimate(estimate, quantile)
        self.heuristics = {each.name: each for each in map(self._heuristic, self._models)}
        self.names = None if words is None else [self._name(word) for word in listed]
        self.preferred = [self._name(word) for word in preferring]

    def load_task(self, domain: str, task: str, *, unit_costs: bool) -> GroundTask:
        """The ground task; models that do not fit are refused before it is grounded."""
        from beeline.pddl import read_domain, read_problem
        from beeline.task.grounding import ground, load

        if not self._models:
            return load(domain, task, unit_costs=unit_costs)
        from beeline.learned.domain_match import check_fits

        started = perf_counter()
        lifted = read_domain(domain)
        for word, model in self._models.items():
            check_fits(model, lifted, word)
        problem = read_problem(lifted, task)
        parse_time = perf_counter() - started
        ground_task = ground(problem, unit_costs=unit_costs)
        ground_task.parse_time = parse_time
        return ground_task

    def _name(self, word: str) -> str:
        return self._heuristic(word).name if word in self._models else word

    def _heuristic(self, word: str) -> ModelHeuristic:
        from beeline.planning.batch import ModelHeuristic

        return ModelHeuristic(self._models[word], word)

    def _check_abilities(self, heuristics: list[str], preferring: list[str]) -> None:
        for word, model in self._models.items():
            if word in heuristics and not getattr(model, "has_heuristic", True):
                raise BeelineError(
                    "the model knows preferred operators, and no heuristic",
                    word,
                    hint=f"take it with --preferred {word}",
                )
            if word in preferring and not getattr(model, "has_preferred", False):
                raise BeelineError(
                    "the model has no preferred operators",
                    word,
                    hint="'beeline learn --per-task' makes models that have",
                )

    def _choose_estimate(self, estimate: str | None, quantile: float | None) -> None:
        if estimate is None and quantile is None:
            return
        chosen = estimate or "quantile"
        if quantile is not None and chosen != "quantile":
            raise BeelineError(
                f"--quantile with the estimate '{chosen[:40]}'", hint="take --estimate quantile"
            )
        if not self._models:
            raise BeelineError(
                "--estimate and --quantile belong to neural models",
                hint=f"name one with --heuristic MODEL{SUFFIX}",
            )
        from beeline.learned.neural_model import NeuralModel

        for word, model in self._models.items():
            if not isinstance(model, NeuralModel):
                raise BeelineError(
                    "the model gives a score, and no distribution to estimate a cost from",
                    word,
                    hint="leave out --estimate and --quantile",
                )
            self._models[word] = model.with_estimate(chosen, quantile)


def is_model(word: str) -> bool:
    """Whether a word in a list of heuristics means a model file.

    >>> is_model("ferry.beeline"), is_model("ff")
    (True, False)
    """
    return word not in HEURISTICS and (word.endswith(SUFFIX) or os.path.isfile(word))


def _split(words: str) -> list[str]:
    """Words between commas, unless there is a file with commas in its name."""
    if os.path.isfile(words):
        return [words]
    return [word.strip() for word in words.split(",")]


def _load(word: str) -> AnyModel:
    from beeline.learned.model_file import load

    return load(word)
