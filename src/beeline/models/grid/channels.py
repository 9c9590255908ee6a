"""What is said about a cell, as channels, and the channels of one task's facts.

The vocabulary of a domain is a list of channels, each of a predicate and of the argument that is
the cell:

    cell                   1 at each cell
    blocked, 4 directions  1 where a cell lies beside this one, and no step leads there
    p(cell)                1 where it holds; another one where the goal asks for it
    p(cell, others)        `SLOTS` channels, by the number of the other objects in the task; as many
                           for the goal; and where the goal wants the others at another cell, how
                           many rows and columns away that is, in `UNIT`s
    p(others), p           the same at all cells, without the goal

so that an object is known by its kind, by its number modulo `SLOTS`, and by where it should be.
Static predicates have neither goals nor distances. All follows from the domain, so weights fit all
its tasks, of any size.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.core.errors import BeelineError
from beeline.models.grid.lattice import STEPS, find_lattice, static_relations
from beeline.models.rows import ranges_of, starts_of
from beeline.pddl.model import literals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from beeline.pddl.model import Domain, Predicate, Problem

    Fact = tuple[str, ...]
    Entry = tuple[int, int, float]  # cell, channel, value

SLOTS = 4
UNIT = 8.0
WAVELENGTH = 10_000.0  # the longest of the position code
EVERYWHERE = -1  # instead of an argument
CELL, BLOCKED = 0, 1  # channels of every domain
FIRST = BLOCKED + len(STEPS)  # channel of a predicate


class Words(NamedTuple):
    """A predicate with the argument that is the cell, and what its channels are."""

    predicate: str
    argument: int
    slots: int  # 1 if there are no other objects
    goals: bool
    distances: bool

    @property
    def width(self) -> int:
        """How many channels these are."""
        return self.slots * (1 + self.goals) + 2 * self.distances


@dataclass(frozen=True)
class GridWords:
    """The channels of a domain.

    >>> from beeline.generators import generate
    >>> words = grid_words(generate("maze").domain)
    >>> [each.predicate for each in words.words], words.channels
    (['at', 'end'], 11)
    """

    words: tuple[Words, ...]

    def to_json(self) -> dict[str, Any]:
        """The channels as plain values."""
        return {"channels": [list(each) for each in self.words]}

    @staticmethod
    def from_json(content: dict[str, Any]) -> GridWords:
        """The channels that `to_json` wrote."""
        found = []
        for predicate, argument, slots, goals, distances in content["channels"]:
            if slots not in (1, SLOTS) or type(goals) is not bool or type(distances) is not bool:
                raise ValueError(f"its channels of '{predicate}' make no sense")
            found.append(Words(str(predicate), int(argument), slots, goals, distances))
        return GridWords(tuple(found))

    @property
    def channels(self) -> int:
        """How many there are."""
        return FIRST + sum(each.width for each in self.words)

    @cached_property
    def places(self) -> dict[tuple[str, int], tuple[int, Words]]:
        """The first channel of each predicate with an argument."""
        found, channel = {}, FIRST
        for each in self.words:
            found[each.predicate, each.argument] = (channel, each)
            channel += each.width
        return found


def grid_words(domain: Domain) -> GridWords:
    """The channels of a domain; one in which no task can have a grid is refused by name."""
    relations = static_relations(domain)
    if not relations:
        raise BeelineError(
            f"the tasks of '{domain.name}' have no grid",
            hint="no static relation of two objects says which cells lie beside each other",
        )
    cell_types = {
        kinds
        for name in relations
        for kinds in domain.predicates[name].parameter_types
        if domain.predicates[name].parameter_types.count(kinds) > 1
    }
    changed = domain.changed_predicates()
    return GridWords(
        tuple(
            words
            for name in sorted(domain.predicates)
            for words in _words_of(
                domain, domain.predicates[name], cell_types, static=name not in changed
            )
        )
    )


def _words_of(
    domain: Domain, predicate: Predicate, cell_types: set[tuple[str, ...]], *, static: bool
) -> Iterator[Words]:
    def may_be_cell(kinds: Sequence[str]) -> bool:
        return any(
            one in domain.types.get(other, ()) or other in domain.types.get(one, ())
            for one in kinds
            for types in cell_types
            for other in types
        )

    def is_cell(kinds: Sequence[str]) -> bool:
        return kinds != ("object",) and any(
            all(set(types) & set(domain.types.get(one, ())) for one in kinds)
            for types in cell_types
        )

    kinds = predicate.parameter_types
    sure = sum(map(is_cell, kinds))
    if static and sure > 1:
        return  # what makes the grid, or says how cells belong together
    slots = 1 if len(kinds) < 2 else SLOTS
    for argument, each in enumerate(kinds):
        if may_be_cell(each):
            distances = not static and slots > 1
            yield Words(predicate.name, argument, slots, not static, distances)
    if not sure and not static:
        yield Words(predicate.name, EVERYWHERE, SLOTS if kinds else 1, False, False)


class GridTask:
    """The cells of a task, and what its facts say about them.

    `places` are rows and columns int64[cells, 2]; `beside` has for each of the nine cells of a 3x3
    square around a cell its number, or `cells` if there is none: int64[9, cells]. `base` is what
    always holds, float32[cells, channels]; fact `i` of `facts` adds `values` at `entries`, from
    `starts[i]` to `starts[i + 1]`, where an entry is cell * channels + channel.
    """

    def __init__(self, problem: Problem, words: GridWords, facts: Iterable[Fact]) -> None:
        self.lattice = find_lattice(problem)
        self.words = words
        self._problem = problem
        self._numbers = {cell: number for number, cell in enumerate(self.lattice.places)}
        self.cells = len(self._numbers)
        self.places = np.array(list(self.lattice.places.values()), dtype=np.int64)
        self.rows, self.columns = self.lattice.rows, self.lattice.columns
        self._object_numbers = self._numbered_objects()
        self._goals: list[Fact] = [
            (literal.predicate, *literal.args)
            for literal, quantified in literals(problem.goal)
            if not literal.negated and not quantified
        ]
        # Where the goal wants objects: by predicate, argument of the cell, and the objects.
        self._wanted = {
            (fact[0], argument, _others(fact, argument)): self.lattice.places[cell]
            for fact in self._goals
            for argument, cell in self._cells_in(fact)
        }
        self.base = self._base()
        rows = [self._entries(fact) for fact in facts]
        self.starts = starts_of([len(row) for row in rows])
        flat = [entry for row in rows for entry in row]
        channels = words.channels
        self.entries = np.array([cell * channels + c for cell, c, _ in flat], dtype=np.int64)
        self.values = np.array([value for *_, value in flat], dtype=np.float32)

    @cached_property
    def beside(self) -> NDArray[np.int64]:
        """The numbers of the cells around each cell, row by row of the square."""
        number = {place: at for at, place in enumerate(self.lattice.places.values())}
        return np.array(
            [
                [number.get((row + down, column + right), self.cells) for row, column in number]
                for down in (-1, 0, 1)
                for right in (-1, 0, 1)
            ],
            dtype=np.int64,
        )

    def inputs(self, facts: NDArray[np.uint8]) -> NDArray[np.float32]:
        """The channels of states: uint8[n, facts] to float32[n, cells, channels]."""
        state, fact = np.nonzero(facts)
        counts = self.starts[fact + 1] - self.starts[fact]
        chosen = ranges_of(self.starts[fact], counts)
        flat = np.repeat(self.base.reshape(1, -1), len(facts), axis=0)
        np.add.at(flat, (np.repeat(state, counts), self.entries[chosen]), self.values[chosen])
        return flat.reshape(len(facts), self.cells, -1)

    def _numbered_objects(self) -> dict[str, int]:
        """The number of each object among those of its declared types, in the task's order."""
        counts: dict[tuple[str, ...], int] = {}
        found = {}
        for name, kinds in self._problem.objects.items():
            if name not in self._numbers:
                found[name] = counts.get(kinds, 0)
                counts[kinds] = found[name] + 1
        return found

    def _cells_in(self, fact: Fact) -> list[tuple[int, str]]:
        return [(argument, word) for argument, word in enumerate(fact[1:]) if word in self._numbers]

    def _slot(self, others: Fact, slots: int) -> int:
        """The channel of some objects: their numbers, the last one counting first."""
        number, factor = 0, 1
        for word in reversed(others):
            number += factor * self._object_numbers.get(word, 0)
            factor *= 2
        return number % slots

    def _base(self) -> NDArray[np.float32]:
        base = np.zeros((self.cells, self.words.channels), dtype=np.float32)
        base[:, CELL] = 1.0
        steps = self.lattice.steps
        names = {place: cell for cell, place in self.lattice.places.items()}
        for cell, (row, column) in self.lattice.places.items():
            for direction, (down, right) in enumerate(STEPS):
                other = names.get((row + down, column + right))
                if other is not None and (cell, other) not in steps:
                    base[self._numbers[cell], BLOCKED + direction] = 1.0
        changed = self._problem.domain.changed_predicates()
        for fact in self._problem.init:
            if fact[0] not in changed and fact[0] not in self.lattice.predicates:
                for number, channel, value in self._entries(fact):
                    base[number, channel] += value
        for fact in self._goals:
            for argument, cell in self._cells_in(fact):
                channel, words = self.words.places.get((fact[0], argument), (0, None))
                if words is not None and words.goals:
                    slot = self._slot(_others(fact, argument), words.slots)
                    base[self._numbers[cell], channel + words.slots + slot] += 1.0
        return base

    def _entries(self, fact: Fact) -> list[Entry]:
        """What a fact adds where it holds."""
        found: list[Entry] = []
        cells = self._cells_in(fact)
        for argument, cell in cells:
            channel, words = self.words.places.get((fact[0], argument), (0, None))
            if words is None:
                continue
            others, at = _others(fact, argument), self._numbers[cell]
            found.append((at, channel + self._slot(others, words.slots), 1.0))
            wanted = self._wanted.get((fact[0], argument, others))
            if words.distances and wanted is not None:
                first = channel + words.slots * (1 + words.goals)
                for axis in (0, 1):
                    away = wanted[axis] - self.lattice.places[cell][axis]
                    if away:
                        found.append((at, first + axis, away / UNIT))
        if not cells and (fact[0], EVERYWHERE) in self.words.places:
            channel, words = self.words.places[fact[0], EVERYWHERE]
            slot = self._slot(fact[1:], words.slots)
            found += [(at, channel + slot, 1.0) for at in range(self.cells)]
        return found


def _others(fact: Fact, argument: int) -> Fact:
    """The arguments of a fact but one."""
    return fact[1 : argument + 1] + fact[argument + 2 :]


def position_code(places: NDArray[np.int64], width: int) -> NDArray[np.float32]:
    """Sines and cosines of rows, then of columns: int64[cells, 2] to float32[cells, width].

    >>> [[f"{x:.2f}" for x in row] for row in position_code(np.array([[0, 0], [0, 1]]), 4)]
    [['0.00', '1.00', '0.00', '1.00'], ['0.00', '1.00', '0.84', '0.54']]
    """
    half = (width + 1) // 2
    exponents = 2 * (np.arange(half) // 2) / half
    angles = places[:, :, None] / WAVELENGTH**exponents  # [cells, 2, half]
    code = np.where(np.arange(half) % 2, np.cos(angles), np.sin(angles))
    return np.ascontiguousarray(code.reshape(len(places), -1)[:, :width], dtype=np.float32)
