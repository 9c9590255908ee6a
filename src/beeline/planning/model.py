"""What `plan` and `solve` ask of a learned model, and whether it fits a domain.

`Model` is the contract of all families in `beeline.models`; nothing outside a family's folder looks
at its class.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from beeline.core.errors import BeelineError
from beeline.pddl.model import domain_signature, literals
from beeline.task.grounding import MOST_OPERATORS

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from beeline._native import Evaluator, States
    from beeline.pddl.matching import Matching
    from beeline.pddl.model import Domain, Problem
    from beeline.planning.python_heuristics import Heuristic
    from beeline.task.ground_task import GroundTask

SHOWN_DIFFERENCES = 3
MOST_WRITTEN = 8_000_000  # operators: with more, a classical search would not begin in time


@dataclass(frozen=True)
class SearchStyle:
    """How `plan` searches with a model; learning chooses what suits the domain.

    >>> SearchStyle(preferred=True)
    SearchStyle(rollout=True, preferred=True, symmetry=True)
    """

    rollout: bool = True  # hill-climbing first
    preferred: bool = False  # a second queue for what preferred operators lead to
    symmetry: bool = True  # put off children that look like a sibling in the queue


class NoFitError(BeelineError):
    """No model fits a domain."""


class Gaussian(NamedTuple):
    """What a model knows of the cost-to-go, for searches that know more than it does.

    The evaluators give an admissible lower bound, then mu and sigma of a Gaussian that is cut off
    at the bound, less `margin`. They remember states, so that several searches of the same states
    ask the model once. A search that has a plan cuts the Gaussian off at what it may still cost.
    """

    evaluators: tuple[Evaluator, Evaluator, Evaluator]
    margin: float


class Score(NamedTuple):
    """What a model does in one search of `plan`.

    `evaluator` scores states, and `work` is what that costs for one state, in microseconds of a
    usual machine. `preferring` gives preferred operators; None: those of h_FF, if any.
    `others_wait`: what is not preferred is generated only if the search comes back for it.
    `reserve`: those of h_FF come first wherever they can be afforded. `gaussian` is for anytime
    search, of models that have one.
    """

    evaluator: Evaluator
    work: float
    preferring: Evaluator | None = None
    others_wait: bool = False
    reserve: bool = False
    gaussian: Gaussian | None = None


class Reason(NamedTuple):
    """What a step does to a score: a feature in words, and by how much it moves the score."""

    words: str
    change: float


@runtime_checkable
class Model(Protocol):
    """A learned model of a domain, or of one state space; `beeline.models` has the families."""

    @property
    def signature(self) -> dict[str, Any]:
        """Which domains it fits, as `beeline.pddl.model` gives it."""

    @property
    def summary(self) -> dict[str, Any]:
        """The training in plain values, no times or dates: equal runs give equal models."""

    @property
    def package_version(self) -> str:
        """The version of Beeline that made it."""

    @property
    def domain_name(self) -> str:
        """The name of the domain that it was learned in."""

    @property
    def style(self) -> SearchStyle:
        """How `plan` searches with it unless told otherwise."""

    @property
    def has_heuristic(self) -> bool:
        """Whether it can be asked for values."""

    @property
    def has_preferred(self) -> bool:
        """Whether it can be asked for preferred operators."""

    @property
    def has_distribution(self) -> bool:
        """Whether `with_estimate` has a choice."""

    @property
    def needs_operators(self) -> bool:
        """Whether it can score states only where all operators are written down."""

    def fits(self, domain: Domain) -> bool:
        """Whether it can score the states of a domain's tasks."""

    def renamed(self, matching: Matching, domain: Domain) -> Model | None:
        """The same model for a domain that says the same in other words, if it can be had."""

    def heuristic_for(self, task: GroundTask) -> Heuristic | Evaluator:
        """Its heuristic of one task, as `solve` takes it; a task that does not fit is refused."""

    def score(self, task: GroundTask, states: States) -> Score:
        """What `plan` searches the states of one task with."""

    def with_estimate(self, estimate: str, quantile: float | None = None) -> Model:
        """The same model with another point estimate of its distribution."""

    def reasons(self, task: GroundTask, states: States, ids: NDArray[Any]) -> list[list[Reason]]:
        """Why the score changes from each state to the next, largest first; [] if untold.

        The states are uint32[n], the lists n - 1; the changes of one list sum to that of the score.
        """

    def describe(self, top: int | None = None) -> dict[str, Any]:
        """What it is, as plain values; with `top`, also its signature and strongest features."""

    def lines(self, top: int, *, legend: bool) -> Iterator[str]:
        """The same for readers, line by line."""

    def parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What its file holds: a header of plain values, and arrays by name."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, whole or not at all."""


def most_written(model: Model) -> float:
    """How many operators of a task are written down if it is grounded for this model."""
    return MOST_OPERATORS if model.needs_operators else MOST_WRITTEN


def check_fits(model: Model, domain: Domain, file: str | None = None) -> None:
    """Raise an error that names the first differences if a model is of another domain.

    The domain's own name is free. `file` is the name of the model in messages.
    """
    found = list(differences(model.signature, domain_signature(domain)))
    if not found:
        return
    shown = "; ".join(found[:SHOWN_DIFFERENCES])
    more = len(found) - SHOWN_DIFFERENCES
    rest = f"; and {more} more" if more > 0 else ""
    raise BeelineError(
        f"the model, learned in '{model.domain_name}', does not fit the domain"
        f" '{domain.name}': {shown}{rest}",
        file,
        hint="'beeline learn' makes a model of this domain",
    )


def fits(model: Model, domain: Domain) -> bool:
    """Whether a model can score the states of a domain's tasks."""
    return not domain.axioms and not any(differences(model.signature, domain_signature(domain)))


def differences(model: Mapping[str, Any], domain: Mapping[str, Any]) -> Iterator[str]:
    """What a domain's signature has otherwise than a model's, in words.

    >>> model = {"types": {}, "constants": {}, "predicates": {"on": [["block"]]}, "actions": {}}
    >>> domain = {**model, "predicates": {"on": [["block"], ["block"]]}}
    >>> list(differences(model, domain))
    ["predicate 'on' has 2 parameters, in the model 1"]
    """
    for part in ("types", "constants", "predicates", "actions"):
        kind = part[:-1]
        known, here = model[part], domain[part]
        for name in sorted({*known, *here}):
            if name not in here:
                yield f"the model has a {kind} '{name}'".replace("a action", "an action")
            elif name not in known:
                yield f"{kind} '{name}' is unknown to the model"
            elif part == "types":
                if sorted(known[name]) != sorted(here[name]):
                    yield f"type '{name}' has other supertypes than in the model"
            elif part == "constants":
                yield from _other_types(f"constant '{name}'", known[name], here[name])
            elif len(known[name]) != len(here[name]):
                count = f"{len(here[name])} parameter{'' if len(here[name]) == 1 else 's'}"
                yield f"{kind} '{name}' has {count}, in the model {len(known[name])}"
            else:
                for place, types in enumerate(zip(known[name], here[name], strict=True), start=1):
                    yield from _other_types(f"parameter {place} of {kind} '{name}'", *types)


def _other_types(what: str, known: list[str], here: list[str]) -> Iterator[str]:
    if sorted(known) != sorted(here):
        yield f"{what} is of type {_either(here)}, in the model {_either(known)}"


def _either(types: list[str]) -> str:
    return " or ".join(f"'{name}'" for name in types)


KINDS = {  # part of a summary -> how it is told, of tasks that have more of it
    "goals": "its goal speaks of",
    "facts": "its initial state speaks of",
    "types": "it has objects of the type",
}


def kinds_in(problems: Iterable[Problem]) -> dict[str, list[str]]:
    """What tasks are about: predicates of their goals and initial states, types of their objects.

    >>> kinds_in([])
    {'goals': [], 'facts': [], 'types': []}
    """
    found: dict[str, set[str]] = {part: set() for part in KINDS}
    for problem in problems:
        found["goals"].update(literal.predicate for literal, _ in literals(problem.goal))
        found["facts"].update(atom[0] for atom in problem.init)
        found["types"].update(*problem.objects.values())
    return {part: sorted(names) for part, names in found.items()}


def unlike_training(model: Model, problem: Problem) -> str:
    """How a task differs in kind from those that a model was learned from; empty if it does not."""
    known = model.summary.get("kinds")
    if not isinstance(known, dict):
        return ""
    words = []
    for part, names in kinds_in([problem]).items():
        seen = known.get(part)
        new = [] if not isinstance(seen, list) else [name for name in names if name not in seen]
        if new:
            words.append(f"{KINDS[part]} {_either(new).replace(' or ', ' and ')}")
    if not words:
        return ""
    return f"no task that the model was learned from is like this one: {'; '.join(words)}"
