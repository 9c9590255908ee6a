"""The states of a task as coloured graphs, for colour refinement in the engine.

Base colours are numbers that depend on the domain alone, so that all its tasks share them:
first one for each kind of object, then five for each predicate, for the part that an atom plays
in the goal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from beeline._native import ColourGraph
    from beeline.pddl.model import Domain
    from beeline.task.ground_task import GroundTask

ARTIFICIAL_PREDICATE = "@"  # stands for all predicates that no domain file declares
SEVERAL_TYPES = "(either ...)"
STATUSES = (
    "true",
    "true goal",
    "open goal",
    "true but must become false",
    "false as the goal wants",
)


@dataclass(frozen=True)
class BaseColours:
    """The colours before refinement: kinds of objects, then predicates times statuses."""

    kinds: tuple[str, ...]
    predicates: tuple[str, ...]

    @staticmethod
    def of(domain: Domain) -> BaseColours:
        """Types and constants by name, then predicates by name.

        >>> from beeline.pddl import parse_domain
        >>> base = BaseColours.of(parse_domain("(define (domain d) (:predicates (q) (p ?x)))"))
        >>> base.kinds, base.predicates, base.count
        (('object', '(either ...)'), ('p', 'q', '@'), 17)
        """
        kinds = (*sorted(domain.types), SEVERAL_TYPES, *sorted(domain.constants))
        return BaseColours(kinds, (*sorted(domain.predicates), ARTIFICIAL_PREDICATE))

    @property
    def count(self) -> int:
        """How many base colours there are."""
        return len(self.kinds) + len(STATUSES) * len(self.predicates)


def colour_graph(task: GroundTask) -> ColourGraph:
    """The graph of a task's states.

    Nodes are all objects, the atoms that are true, static ones included, and the goal atoms.
    """
    from beeline import _native

    domain = task.problem.domain
    base = BaseColours.of(domain)
    predicates = {name: number for number, name in enumerate(base.predicates)}
    objects = {name: number for number, name in enumerate(task.objects)}
    return _native.ColourGraph(
        task.native,
        _object_colours(task, base),
        len(base.kinds),
        [_predicate(name, predicates) for name in task.predicates],
        [
            (predicates[predicate], [objects[argument] for argument in arguments])
            for predicate, *arguments in _constant_atoms(task)
        ],
        _goal_atoms(task, predicates, objects, negated=False),
        _goal_atoms(task, predicates, objects, negated=True),
    )


def _goal_atoms(
    task: GroundTask, predicates: dict[str, int], objects: dict[str, int], *, negated: bool
) -> list[tuple[int, list[int]]]:
    return [
        (number, [objects[name] for name in literal.args])
        for literal in task.goal_literals
        if literal.negated == negated and (number := _predicate(literal.predicate, predicates)) >= 0
    ]


def _predicate(name: str, predicates: dict[str, int]) -> int:
    """The number of a predicate; -1 for equality and types, which need no atoms."""
    if name.startswith("@"):
        return predicates[ARTIFICIAL_PREDICATE]
    return predicates.get(name, -1)


def _object_colours(task: GroundTask, base: BaseColours) -> list[int]:
    domain = task.problem.domain
    first_constant = len(base.kinds) - len(domain.constants)
    several = first_constant - 1
    types = {name: number for number, name in enumerate(base.kinds[:several])}
    constants = {
        name: first_constant + place for place, name in enumerate(base.kinds[first_constant:])
    }
    colours = []
    for name in task.objects:
        declared = task.problem.objects[name]
        kind = types[declared[0]] if len(declared) == 1 else several
        colours.append(constants.get(name, kind))
    return colours


def _constant_atoms(task: GroundTask) -> Iterator[tuple[str, ...]]:
    """The initial facts that are no facts of the ground task, because they never change."""
    native = task.native
    facts = native.fact_of[native.initial]
    facts = facts[facts >= 0].tolist()
    starts, items = native.fact_args
    predicate_of = native.fact_predicates
    changing = set()
    for fact in facts:
        arguments = items[starts[fact] : starts[fact + 1]].tolist()
        names = [task.objects[number] for number in arguments]
        changing.add((task.predicates[predicate_of[fact]], *names))
    return (atom for atom in task.problem.init if atom not in changing)
