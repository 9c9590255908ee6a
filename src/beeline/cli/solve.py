"""`beeline solve`: search for a plan.

Learned models where a search asks for heuristics.
"""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from beeline.cli.command import command
from beeline.cli.messages import OUTPUT, PlanFiles, ProgressLine, show_result
from beeline.core.errors import BeelineError, Status
from beeline.core.limits import TimeIsUp, alarm, limited_memory
from beeline.core.settings import About
from beeline.planning.heuristics import HEURISTICS
from beeline.planning.specification import SEARCHES, SearchSettings, completed

if TYPE_CHECKING:
    from beeline.planning.model import Model
    from beeline.planning.python_heuristics import ModelHeuristic
    from beeline.planning.result import Result
    from beeline.planning.specification import SearchSpec
    from beeline.task.ground_task import GroundTask


SUFFIX = ".beeline"


class GivenModels:
    """The heuristics that a user names, with the models among them."""

    def __init__(
        self,
        words: Any,
        estimate: str | None,
        quantile: float | None,
        preferred: Any = None,
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
        from beeline.planning.python_heuristics import ModelHeuristic

        return ModelHeuristic(self._models[word], word)

    def _check_abilities(self, heuristics: list[str], preferring: list[str]) -> None:
        for word, model in self._models.items():
            if word in heuristics and not model.has_heuristic:
                raise BeelineError(
                    "the model knows preferred operators, and no heuristic",
                    word,
                    hint=f"take it with --preferred {word}",
                )
            if word in preferring and not model.has_preferred:
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
        for word, model in self._models.items():
            if not model.has_distribution:
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


def _load(word: str) -> Model:
    from beeline.models.model_file import load

    return load(word)


def searches_and_heuristics() -> str:
    """The names that users choose from, for the help text."""
    from beeline.cli.help_pages import table_of

    heuristics = [
        (
            entry.name + "*" * entry.admissible + "+" * entry.preferred,
            entry.summary,
        )
        for entry in HEURISTICS.values()
    ]
    heuristics.append(("MODEL.beeline", "a learned model of the domain, from its file"))
    return "\n\n".join(
        [
            table_of("Searches:", ((entry.name, entry.summary) for entry in SEARCHES.values())),
            table_of("Heuristics (* never overestimates, + has preferred operators):", heuristics),
        ]
    )


@command(
    searches_and_heuristics,
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
    json: bool = False,
    quiet: bool = False,
) -> int:
    """Search for a plan, check it, and print it with the counters of the search.

    The exit code is 0 with a plan, 11 if there is none, 23 and 22 at a limit of time or memory,
    32 if the plan could only be printed, and 12 if the search ended otherwise. Ctrl-C and SIGTERM
    end a search in good order.

    Example:
      beeline solve domain.pddl task.pddl -o plan
      beeline solve domain.pddl task.pddl --search astar --heuristic lmcut --time-limit 60
      beeline solve domain.pddl task.pddl --preferred ff --anytime -o plan --json
      beeline solve domain.pddl task.pddl --heuristic model.beeline --estimate mean
      beeline solve domain.pddl task.pddl --heuristic m.beeline --preferred m.beeline --boost 1000
    """
    started = perf_counter()
    models = GivenModels(settings.heuristic, estimate, quantile, settings.preferred)
    spec = completed(replace(settings, heuristic=models.names, preferred=models.preferred))
    plans = PlanFiles(output, numbered=spec.anytime)
    ground_task: GroundTask | None = None
    try:
        with alarm(spec.time_limit), limited_memory(spec.memory_limit):
            ground_task = models.load_task(domain, task, unit_costs=unit_costs)
    except TimeIsUp:
        result = _early_end(Status.TIME_LIMIT, spec, started)
    except MemoryError:
        result = _early_end(Status.MEMORY_LIMIT, spec, started)
    else:
        result = _search(ground_task, spec, models, plans, started, quiet=quiet)
    heuristics = f" with {', '.join(spec.heuristics)}" if spec.heuristics else ""
    return show_result(
        result,
        ground_task,
        plans.written,
        plans.failure,
        search=f"{spec.search}{heuristics}",
        unit_costs=unit_costs,
        json=json,
        quiet=quiet,
    )


def _early_end(status: Status, spec: SearchSpec, started: float) -> Result:
    from beeline.planning.solve import empty_result

    return empty_result(status, spec, perf_counter() - started)


def _search(
    task: GroundTask,
    spec: SearchSpec,
    models: GivenModels,
    plans: PlanFiles,
    started: float,
    *,
    quiet: bool,
) -> Result:
    from beeline.planning.solve import run

    plans.forget_old()
    with ProgressLine(quiet=quiet) as line:
        return run(
            task,
            spec,
            models.heuristics,
            progress=line.show,
            on_plan=lambda plan, _: plans.write(plan),
            stop_signals=(signal.SIGINT, signal.SIGTERM),
            time_spent=perf_counter() - started,
        )
