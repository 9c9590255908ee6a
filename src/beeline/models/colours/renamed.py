"""A linear model of colours in a domain that says the same in other words.

Colours are numbers of kinds of objects and of predicates, so a renamed domain needs its names
looked up and nothing else: `Reading` gives each object the kind, and each atom the predicate, that
it has in the model's domain. Where arguments stand in another order, positions in the rows of the
colour table are exchanged instead of those in atoms (the engine has the atoms of a task as they
are). Scores are sums of integers: they are equal to those of the model's own domain to the last
bit.

An object that lacks a label which the model's domain does not have, where an action asks for it,
is none of those that the model has seen. It gets the kind of objects with several types, which
weighs nothing. So do all objects of a task that is not as the matching takes it for granted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from beeline.models.colours.graph import SEVERAL_TYPES, STATUSES
from beeline.models.colours.scorer import POSITIONS, origins_of_colours, row_items
from beeline.models.families import LearnedModel
from beeline.pddl.model import TYPE, domain_signature, type_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from beeline._native import Evaluator, States
    from beeline.models.colours.graph import BaseColours
    from beeline.models.colours.model import ColourModel
    from beeline.models.colours.scorer import WLLinear
    from beeline.pddl.matching import Matching
    from beeline.pddl.model import Domain, LiftedLiteral, Problem
    from beeline.planning.model import Model, Reason, Score, SearchStyle
    from beeline.planning.python_heuristics import Heuristic
    from beeline.task.ground_task import GroundTask


class Reading:
    """Tasks of a domain in the base colours of a model of another one."""

    def __init__(self, model: ColourModel, matching: Matching) -> None:
        self.base: BaseColours = model.base_colours
        self._matching = matching
        known = {name: there for name, (there, _) in matching.predicates.items()}
        of_labels = {
            name: there
            for name, there in matching.labels.items()
            if not name.startswith(TYPE) and not there.startswith(TYPE)
        }
        self.predicates: Mapping[str, str] = {**known, **of_labels}  # here -> the model's
        asked = [*matching.labels.values(), *([matching.otherwise] if matching.otherwise else [])]
        self._types = [label for label in asked if label.startswith(TYPE)]
        # What objects of each type of the model have: labels -> types, the most general first.
        self._kinds: dict[frozenset[str], list[str]] = {}
        types: dict[str, list[str]] = model.signature["types"]
        for name, above in sorted(types.items(), key=lambda item: (len(item[1]), item[0])):
            labels = [it for it in self._types if {*above} & {*type_names(it.removeprefix(TYPE))}]
            self._kinds.setdefault(frozenset(labels), []).append(name)

    def object_colours(self, task: GroundTask) -> list[int]:
        """The kind of each object: int[objects]."""
        numbers = {name: number for number, name in enumerate(self.base.kinds)}
        labels = self._labels(task.problem)
        if not self._holds(task.problem, labels):
            return [numbers[SEVERAL_TYPES]] * len(task.objects)
        return [numbers[self._kind(task.problem, name, labels[name])] for name in task.objects]

    def order(self, literal: LiftedLiteral) -> list[str]:
        """The arguments of a literal in the order of the model's predicate."""
        _, places = self._matching.predicates[literal.predicate]
        there = dict(zip(places, range(len(places)), strict=True))
        return [literal.args[there[place]] for place in range(len(places))]

    def added_atoms(self, task: GroundTask) -> Iterator[tuple[int, list[int]]]:
        """Static atoms of the model's domain that are types here: (predicate, [object])."""
        numbers = {name: number for number, name in enumerate(self.base.predicates)}
        labels, written = self._labels(task.problem), {*self.predicates.values()}
        for number, name in enumerate(task.objects):
            for label in sorted(self._known(labels[name]) - written):
                if not label.startswith(TYPE):
                    yield numbers[label], [number]

    def _labels(self, problem: Problem) -> dict[str, set[str]]:
        """The labels that each object has here, as far as actions ask for them."""
        labels: dict[str, set[str]] = {name: set() for name in problem.objects}
        asked = {*self._matching.labels, *self._matching.ignored}
        for label in asked:
            if label.startswith(TYPE):
                for name in problem.members(label.removeprefix(TYPE)):
                    labels[name].add(label)
        for predicate, *args in problem.init:
            if predicate in asked:
                labels[args[0]].add(predicate)
        return labels

    def _holds(self, problem: Problem, labels: Mapping[str, set[str]]) -> bool:
        """Whether a task is as the matching takes it for granted."""
        names = [name for name, *_ in problem.init]
        if any(names.count(name) > 1 for name in self._matching.single):
            return False
        for predicate, asked in self._matching.apart.items():
            pairs = {(fact[1], fact[2]) for fact in problem.init if fact[0] == predicate}
            told = {name for pair in pairs for name in pair}
            told |= {name for name, its in labels.items() if any(it <= its for it in asked)}
            if any(one == other for one, other in pairs) or len(pairs) < len(told) ** 2 - len(told):
                return False
        return True

    def _known(self, labels: set[str]) -> set[str]:
        """The model's labels of an object with these."""
        pairs, otherwise = self._matching.labels, self._matching.otherwise
        known = {pairs[label] for label in labels if label in pairs}
        return known or ({otherwise} if otherwise else known)

    def _kind(self, problem: Problem, name: str, labels: set[str]) -> str:
        """The kind in the model's domain of an object with these labels."""
        if name in self._matching.constants:
            return self._matching.constants[name]
        for label, beside in self._matching.ignored.items():
            if label not in labels and any(others <= labels for others in beside):
                return SEVERAL_TYPES
        known = frozenset(it for it in self._known(labels) if it.startswith(TYPE))
        kinds = self._kinds.get(known, [SEVERAL_TYPES])
        declared = problem.objects[name]
        return next((kind for kind in kinds if (kind,) == declared), kinds[0])


def with_places(
    scorer: WLLinear, base: BaseColours, places: Mapping[str, tuple[int, ...]]
) -> WLLinear:
    """The same score for atoms whose arguments stand elsewhere: argument `i` at `places[i]`."""
    starts, items = np.asarray(scorer.table_starts), np.asarray(scorer.table_items)
    moved = np.tile(np.arange(POSITIONS), (len(base.predicates), 1))  # [predicate, position]
    for name, its_places in places.items():
        moved[base.predicates.index(name), : len(its_places)] = its_places
    if (moved == np.arange(POSITIONS)).all():
        return scorer
    parts = row_items(starts, items)
    first = origins_of_colours(scorer.base_colours, starts, items)
    own, neighbour = scorer.base_colours + parts.row, np.where(parts.is_key, parts.colour, 0)
    kinds = len(base.kinds)
    atom = np.where(first[own] < kinds, first[neighbour], first[own])
    predicate = np.where(parts.is_key, (atom - kinds) // len(STATUSES), 0)
    keys = POSITIONS * parts.colour + moved[predicate, items % POSITIONS]
    changed = np.where(parts.is_key, keys, items)
    # Pairs of a key and a count stay together. Atoms list arguments by position, objects list
    # atoms by key.
    number = np.arange(len(items)) - starts[parts.row]
    pair_key = np.where(parts.is_key, changed, np.roll(changed, 1))
    by_position = np.where(first[own] < kinds, pair_key, pair_key % POSITIONS)
    order = np.lexsort((number, np.where(number == 0, -1, by_position), parts.row))
    operators = scorer.operators and scorer.operators.with_places(
        moved[np.maximum(first - kinds, 0) // len(STATUSES)]
    )
    return replace(scorer, table_items=changed[order].astype(np.int32), operators=operators)


def _mentions(scorer: WLLinear, base: BaseColours, predicate: str) -> bool:
    """Whether atoms of a predicate have any influence on a score."""
    starts, items = scorer.table_starts, scorer.table_items
    first = origins_of_colours(scorer.base_colours, starts, items)
    low = len(base.kinds) + len(STATUSES) * base.predicates.index(predicate)
    found = (first >= low) & (first < low + len(STATUSES))
    return bool(found[scorer.base_colours :].any() or np.asarray(scorer.weights)[found].any())


def renamed_model(model: ColourModel, matching: Matching, domain: Domain) -> RenamedModel | None:
    """A model that fits a domain by a matching; None if it needs predicates that are not there."""
    base, scorers = model.base_colours, [model.scorer]
    if model.policy is not None:
        scorers.append(model.policy.logits)
    reading = Reading(model, matching)
    matched = {*reading.predicates.values(), *matching.labels.values(), matching.otherwise}
    for name in base.predicates[:-1]:
        if name not in matched and any(_mentions(each, base, name) for each in scorers):
            return None
    places = dict(matching.predicates.values())
    scorer, *logits = (with_places(each, base, places) for each in scorers)
    operators = scorer.operators and scorer.operators.renamed(matching)
    scorer = replace(scorer, operators=operators)
    policy = None if model.policy is None else replace(model.policy, logits=logits[0])
    adapted = replace(model, scorer=scorer, policy=policy, reading=reading)
    summary = {part: told for part, told in model.summary.items() if part != "kinds"}  # old words
    origin = model.style, summary, model.seed, model.package_version
    return RenamedModel(domain_signature(domain), model, adapted, *origin)


@dataclass(frozen=True, eq=False)
class RenamedModel(LearnedModel):
    """A model that reads the tasks of another domain; its file is that of the model itself."""

    signature: dict[str, Any]  # of the other domain
    learned: ColourModel
    adapted: ColourModel  # reads tasks of the other domain
    style: SearchStyle
    summary: dict[str, Any]
    seed: int
    package_version: str

    def __repr__(self) -> str:
        return f"<RenamedModel of {self.learned!r} for {self.signature['name']}>"

    @property
    def domain_name(self) -> str:
        """The name of the domain that the model was learned in."""
        return self.learned.domain_name

    @property
    def has_preferred(self) -> bool:
        """Whether it ranks the operators of the other domain."""
        return self.adapted.has_preferred

    def _heuristic_for(self, task: GroundTask) -> Heuristic | Evaluator:
        return self.adapted._heuristic_for(task)

    def score(self, task: GroundTask, states: States) -> Score:
        """What `plan` searches the states of one task with."""
        return self.adapted.score(task, states)

    def reasons(self, task: GroundTask, states: States, ids: NDArray[Any]) -> list[list[Reason]]:
        """Why the score changes, in the words of its own domain."""
        return self.adapted.reasons(task, states, ids)

    def renamed(self, matching: Matching, domain: Domain) -> Model | None:
        """The model itself for another domain."""
        return self.learned.renamed(matching, domain)

    def describe(self, top: int | None = None) -> dict[str, Any]:
        """What the model itself is."""
        return self.learned.describe(top)

    def _kind(self) -> dict[str, Any]:
        return self.learned._kind()

    def lines(self, top: int, *, legend: bool) -> Iterator[str]:
        """The same for readers, in the words of its own domain."""
        return self.learned.lines(top, legend=legend)

    def _rows(self) -> Iterator[tuple[str, str]]:
        return self.learned._rows()

    def parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What the file of the model itself holds."""
        return self.learned.parts()
