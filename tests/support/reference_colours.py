"""Colour refinement by the book: dictionaries, sets and multisets of names, one node at a time.

Nodes of a state's graph are the objects, the atoms that are true, and the goal atoms. A colour is
what it stands for: a base colour says what a node is, a later one is the pair of the node's
colour before and the set (or multiset) of its neighbours, each a colour and the position of the
argument. Equal structures get equal numbers, so that they need not be compared in depth.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from beeline.pddl.model import literals

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from beeline import _native
    from beeline.pddl.model import Domain, Problem
    from beeline.task.ground_task import GroundTask

    Atom = tuple[str, ...]
    Goal = Mapping[Atom, bool]  # whether the atom shall be true
    Neighbour = tuple[int, int]  # colour, position
    Colouring = tuple[dict[str, int], dict[Atom, int]]

STATUSES = ("true", "reached", "open", "unwanted", "gone")


def literal_goal(problem: Problem) -> dict[Atom, bool]:
    """The goal of a problem, which must be a literal or a conjunction of literals."""
    found = [literal for literal, _ in literals(problem.goal)]
    return {(literal.predicate, *literal.args): not literal.negated for literal in found}


def true_atoms(task: GroundTask, states: _native.States, state: int) -> set[Atom]:
    """The atoms of a state by name: its facts, and what the task says and nothing changes."""
    import numpy as np

    facts = [tuple(name.strip("()").split()) for name in task.fact_names]
    (row,) = states.facts(np.array([state], dtype=np.uint32))
    changing = {atom for atom, holds in zip(facts, row.tolist(), strict=True) if holds}
    return changing | (set(task.problem.init) - set(facts))


def chains(task: GroundTask, goal: Goal, true: set[Atom]) -> set[Atom]:
    """What closes the circles of goals about two objects: atoms with the three objects.

    A third object is related to both by true atoms, one of which can change.
    """
    facts = {tuple(name.strip("()").split()) for name in task.fact_names}
    pairs = [atom for atom in true if len({*atom[1:]}) == len(atom[1:]) == 2]
    return {
        (f"@{one}@{other}", wanted[1], middle, wanted[2])
        for wanted, positive in goal.items()
        if positive and len({*wanted[1:]}) == len(wanted[1:]) == 2
        for one in pairs
        if wanted[1] in one[1:]
        for middle in {*one[1:]} - {wanted[1], wanted[2]}
        for other in pairs
        if {*other[1:]} == {middle, wanted[2]} and (one in facts or other in facts)
    }


class ReferenceColours:
    """The colours of states of one domain; one such object gives equal colours equal numbers."""

    def __init__(self, domain: Domain, rounds: int, *, multiset: bool) -> None:
        self.domain = domain
        self.rounds = rounds
        self.multiset = multiset
        self.numbers: dict[Hashable, int] = {}

    def number(self, structure: Hashable) -> int:
        return self.numbers.setdefault(structure, len(self.numbers))

    def counts(self, problem: Problem, goal: Goal, true: set[Atom]) -> list[Counter[int]]:
        """For each round from 0 on, how many nodes have which colour."""
        return [
            Counter([*objects.values(), *atoms.values()])
            for objects, atoms in self.colours(problem, goal, true)
        ]

    def colours(self, problem: Problem, goal: Goal, true: set[Atom]) -> list[Colouring]:
        """For each round from 0 on, the colours of objects and of atoms."""
        atoms = sorted(true | set(goal))
        objects = {name: self.number(self._kind(problem, name)) for name in problem.objects}
        statuses = {atom: self.number(self._base(atom, atom in true, goal)) for atom in atoms}
        rounds: list[Colouring] = [(objects, statuses)]
        for _ in range(self.rounds):
            seen_by: dict[str, list[Neighbour]] = {name: [] for name in objects}
            for atom in atoms:
                for position, name in enumerate(atom[1:]):
                    seen_by[name].append((statuses[atom], position))
            new_objects = {
                name: self._refined(colour, seen_by[name]) for name, colour in objects.items()
            }
            statuses = {
                atom: self._refined(
                    colour, [(objects[name], place) for place, name in enumerate(atom[1:])]
                )
                for atom, colour in statuses.items()
            }
            objects = new_objects
            rounds.append((objects, statuses))
        return rounds

    def _refined(self, own: int, neighbours: Iterable[Neighbour]) -> int:
        counts = Counter(neighbours)
        return self.number(
            (own, frozenset(counts.items() if self.multiset else dict.fromkeys(counts, 1).items()))
        )

    def _kind(self, problem: Problem, name: str) -> Hashable:
        if name in self.domain.constants:
            return "constant", name
        declared = problem.objects[name]
        return ("type", declared[0]) if len(declared) == 1 else ("several types",)

    def _base(self, atom: Atom, holds: bool, goal: Goal) -> Hashable:
        wanted = goal.get(atom)
        if wanted is None:
            status = "true"
        elif wanted:
            status = "reached" if holds else "open"
        else:
            status = "unwanted" if holds else "gone"
        return "atom", "@" if "@" in atom[0] else atom[0], status

    # The engine's numbers

    def meanings(self, table: _native.ColourTable) -> list[int]:
        """Our number for each colour of the engine's table."""
        kinds: list[Hashable] = [("type", name) for name in sorted(self.domain.types)]
        kinds += [("several types",)]
        kinds += [("constant", name) for name in sorted(self.domain.constants)]
        predicates = [*sorted(self.domain.predicates), "@"]
        base = kinds + [("atom", name, status) for name in predicates for status in STATUSES]
        assert table.base_colours == len(base)
        meanings = [self.number(structure) for structure in base]
        starts, items = (array.tolist() for array in table.rows())
        for first, last in pairwise(starts):
            own, *pairs = items[first:last]
            neighbours = [
                ((meanings[key // 16], key % 16), count)
                for key, count in zip(pairs[::2], pairs[1::2], strict=True)
            ]
            assert len(dict(neighbours)) == len(neighbours)
            meanings.append(self.number((meanings[own], frozenset(neighbours))))
        return meanings
