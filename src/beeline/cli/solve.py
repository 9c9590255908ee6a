"""`beeline solve`: search for a plan.

Learned models where a search asks for heuristics.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from beeline.cli.command import Screen, command
from beeline.cli.messages import OUTPUT, search_and_show
from beeline.core.errors import BeelineError
from beeline.core.limits import Clock
from beeline.core.settings import About
from beeline.planning.heuristics import HEURISTICS
from beeline.planning.searches import SEARCHES
from beeline.planning.specification import SearchSettings, completed

if TYPE_CHECKING:
    from beeline.planning.model import Model
    from beeline.planning.python_heuristics import ModelHeuristic
    from beeline.planning.result import Result
    from beeline.task.ground_task import GroundTask


SUFFIX = ".beeline"


class GivenModels:
    """The heuristics that a user names, with the models among them."""

    def __init__(
        self, words: Any, estimate: str | None, quantile: float | None, preferred: Any = None
    ) -> None:
        """Read the models; those that are broken are refused, or cannot do what they are for."""
        listed = [] if words is None else _split(words)
        preferring = _split(preferred) if preferred else []
        named = dict.fromkeys([*listed, *preferring])
        self._models = {word: _load(word) for word in named if is_model(word)}
        self._check_abilities(listed, preferring)
        self._choose_estimate(estimate, quantile)
        self.heuristics = {each.name: each for each in map(self._heuristic, self._models)}
        self.names = None if words is None else [self._name(word) for word in listed]
        self.preferred = None if preferred is None else [self._name(word) for word in preferring]

    def load_task(self, domain: str, task: str, *, unit_costs: bool) -> GroundTask:
        """The ground task; models that do not fit are refused before it is grounded."""
        from beeline.pddl import read_domain, read_problem
        from beeline.task.grounding import ground, load

        if not self._models:
            return load(domain, task, unit_costs=unit_costs)
        from beeline.planning.model import check_fits

        lifted = read_domain(domain)
        for word, model in self._models.items():
            check_fits(model, lifted, word)
        return ground(read_problem(lifted, task), unit_costs=unit_costs)

    def _name(self, word: str) -> str:
        return self._heuristic(word).name if word in self._models else word

    def _heuristic(self, word: str) -> ModelHeuristic:
        from beeline.planning.python_heuristics import ModelHeuristic

        return ModelHeuristic(self._models[word], word)

    def _check_abilities(self, heuristics: list[str], preferring: list[str]) -> None:
        for word, model in self._models.items():
            if word in heuristics and not model.has_heuristic:
                message = "the model knows preferred operators, and no heuristic"
                raise BeelineError(message, word, hint=f"take it with --preferred {word}")
            if word in preferring and not model.has_preferred:
                hint = "'beeline learn --per-task' makes models that have"
                raise BeelineError("the model has no preferred operators", word, hint=hint)

    def _choose_estimate(self, estimate: str | None, quantile: float | None) -> None:
        if estimate is None and quantile is None:
            return
        chosen = estimate or "quantile"
        if quantile is not None and chosen != "quantile":
            message = f"--quantile with the estimate '{chosen[:40]}'"
            raise BeelineError(message, hint="take --estimate quantile")
        if not self._models:
            hint = f"name one with --heuristic MODEL{SUFFIX}"
            raise BeelineError("--estimate and --quantile belong to neural models", hint=hint)
        for word, model in self._models.items():
            if not model.has_distribution:
                message = "the model gives a score, and no distribution to estimate a cost from"
                raise BeelineError(message, word, hint="leave out --estimate and --quantile")
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


def _load(word: str) -> Model:
    from beeline.models.model_file import load

    return load(word)


MARKED = {
    each.name + "*" * each.admissible + "+" * each.preferred: each.summary
    for each in HEURISTICS.values()
}
MARKS = "Heuristics (* never overestimates, + has preferred operators):"
OF_MODELS = {"MODEL.beeline": "a learned model of the domain, from its file"}


@command(
    {"Searches:": SEARCHES, MARKS: {**MARKED, **OF_MODELS}},
    settings=SearchSettings,
    estimate=About(
        "What a neural model's distribution is turned into: mean, mu, clip (mu, but at least the"
        " lower bound) or quantile. By default what the model says.",
        "KIND",
        names=("mean", "mu", "clip", "quantile"),
    ),
    quantile=About(
        "Take this quantile of a neural model's distribution, between 0 and 1: the lower, the more"
        " likely it is admissible.",
        "Q",
    ),
    output=OUTPUT,
)
def solve(
    domain: str,
    task: str,
    *,
    settings: SearchSettings,
    estimate: str | None = None,
    quantile: float | None = None,
    unit_costs: bool = False,
    output: str | None = None,
    force: bool = False,
    screen: Screen,
) -> int:
    """Search for a plan, check it, and print it.

    The plan alone goes to standard output, counters of the search to standard error. The exit code
    is 0 with a plan, 11 if there is none, 23 and 22 at a limit of time or memory, 32 if the plan
    could only be printed, and 12 if the search ended otherwise. Ctrl-C and SIGTERM end a search in
    good order.

    Example:
      beeline solve domain.pddl task.pddl -o plan
      beeline solve domain.pddl task.pddl --quiet > plan
      beeline solve domain.pddl task.pddl --search astar --heuristic lmcut --time-limit 60
      beeline solve domain.pddl task.pddl --preferred ff --anytime -o plan --json
      beeline solve domain.pddl task.pddl --heuristic model.beeline --estimate mean
      beeline solve domain.pddl task.pddl --heuristic m.beeline --preferred m.beeline --boost 1000
    """
    from beeline.planning.solve import run

    started = Clock()
    settings = replace(settings, as_found=bool(settings.as_found))
    models = GivenModels(settings.heuristic, estimate, quantile, settings.preferred)
    spec = completed(replace(settings, heuristic=models.names, preferred=models.preferred))
    heuristics = f" with {', '.join(spec.heuristics)}" if spec.heuristics else ""

    def search(task: GroundTask, **manners: Any) -> Result:
        return run(task, spec, models.heuristics, **manners)

    return search_and_show(
        screen,
        output,
        spec,
        lambda: models.load_task(domain, task, unit_costs=unit_costs),
        search,
        lambda _: f"{spec.search}{heuristics}",
        unit_costs=unit_costs,
        force=force,
        started=started,
    )
