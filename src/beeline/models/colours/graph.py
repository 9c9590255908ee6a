"""The states of a task as coloured graphs: objects, atoms, and their colours before refinement."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from beeline._native import ColourGraph
    from beeline.models.colours.renamed import Reading
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
        return BaseColours.named(domain.types, domain.constants, domain.predicates)

    @staticmethod
    def named(
        types: Iterable[str], constants: Iterable[str], predicates: Iterable[str]
    ) -> BaseColours:
        """The same of names."""
        kinds = (*sorted(types), SEVERAL_TYPES, *sorted(constants))
        return BaseColours(kinds, (*sorted(predicates), ARTIFICIAL_PREDICATE))

    @property
    def count(self) -> int:
        """How many base colours there are."""
        return len(self.kinds) + len(STATUSES) * len(self.predicates)


def colour_graph(
    task: GroundTask,
    reading: Reading | None = None,
    ignored: Collection[int] = (),
    *,
    chains: bool = False,
) -> ColourGraph:
    """The graph of a task's states.

    Nodes are all objects, the atoms that are true, static ones included, and the goal atoms. A
    `reading` gives the base colours of another domain that says the same in other words. Atoms of
    predicates with the numbers `ignored` are no nodes. With `chains` there is also a node for every
    goal about two objects and a third one that true atoms relate to both.
    """
    from beeline import _native

    base = BaseColours.of(task.problem.domain) if reading is None else reading.base
    numbers = {name: number for number, name in enumerate(base.predicates)}
    objects = {name: number for number, name in enumerate(task.objects)}

    @cache
    def predicate(name: str) -> int:
        """The number of a predicate; -1 for equality and types, which need no atoms."""
        if name.startswith("@"):
            return numbers[ARTIFICIAL_PREDICATE]
        number = numbers.get(name if reading is None else reading.predicates.get(name, ""), -1)
        return -1 if number in ignored else number

    def atoms(words: Iterable[tuple[str, ...]]) -> list[tuple[int, list[int]]]:
        return [
            (number, [objects[it] for it in atom[1:]])
            for atom in words
            if (number := predicate(atom[0])) >= 0
        ]

    graph = _native.ColourGraph(
        task.native,
        _object_colours(task, base) if reading is None else reading.object_colours(task),
        len(base.kinds),
        [predicate(name) for name in task.predicates],
        [*atoms(_constant_atoms(task, predicate)), *(reading.added_atoms(task) if reading else ())],
        *(
            atoms((it.predicate, *it.args) for it in task.goal_literals if it.negated == negated)
            for negated in (False, True)
        ),
    )
    if chains:
        goals = [it for it in task.goal_literals if len(it.args) == 2 and not it.negated]
        ends = [
            tuple(objects[name] for name in (it.args if reading is None else reading.order(it)))
            for it in goals
            if predicate(it.predicate) >= 0
        ]
        graph.add_chains([(left, right) for left, right in ends], numbers[ARTIFICIAL_PREDICATE])
    return graph


def _object_colours(task: GroundTask, base: BaseColours) -> list[int]:
    several = base.kinds.index(SEVERAL_TYPES)
    types = {name: number for number, name in enumerate(base.kinds[:several])}
    constants = {name: number for number, name in enumerate(base.kinds) if number > several}
    declared = ((name, task.problem.objects[name]) for name in task.objects)
    return [
        constants.get(name, types[kinds[0]] if len(kinds) == 1 else several)
        for name, kinds in declared
    ]


def _constant_atoms(task: GroundTask, predicate: Callable[[str], int]) -> Iterator[tuple[str, ...]]:
    """The initial facts that are no facts of the ground task, because they never change.

    Those without a number of a predicate are left out first: there may be a million of them.
    """
    predicates, objects = task.predicates, task.objects
    changing = {
        (predicates[predicate], *[objects[number] for number in numbers])
        for predicate, numbers in task.native.initial_atoms
    }
    return (atom for atom in task.problem.init if predicate(atom[0]) >= 0 and atom not in changing)
