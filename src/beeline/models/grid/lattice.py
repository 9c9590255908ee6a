"""The grid in a task: which objects are its cells, and where they lie.

Cells are found by a static relation between objects whose pairs are steps on a lattice. In turn:

1. With directions: a predicate `(adjacent here there direction)`, or a predicate for each
   direction. Each direction is a step; all steps must agree on where the cells lie.
2. By coordinates: the names of the cells end in two numbers, and related cells are one step apart.
3. By distances: if r + c is the distance from one corner of a full lattice and r + (n - c) that
   from a corner on the same side, then (r, c) is the place. This holds only if all cells beside
   each other are related, and there are squares of four.

Parts without a connection lie where names say, or else side by side; so do objects of the same type
as the cells that are related to none of them, if facts speak of them. Of several relations the one
with the most cells is the grid. Cost: a breadth-first search for each
relation and corner.
"""

from __future__ import annotations

import re
from collections import deque
from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from beeline.pddl.model import Domain, Problem

    Place = tuple[int, int]  # row, column
    Pairs = set[tuple[str, str]]
    Places = dict[str, Place]

STEPS: tuple[Place, ...] = ((1, 0), (-1, 0), (0, -1), (0, 1))
_WORDS = {
    **dict.fromkeys(("down", "south", "s"), (1, 0)),
    **dict.fromkeys(("up", "north", "n"), (-1, 0)),
    **dict.fromkeys(("left", "west", "w"), (0, -1)),
    **dict.fromkeys(("right", "east", "e"), (0, 1)),
}
_COORDINATES = re.compile(r"([0-9]{1,6})[^0-9]+([0-9]{1,6})[^0-9]*")
MOST_CORNERS = 8  # that are tried; a full lattice has four
MOST_DIRECTIONS = 8


class Lattice(NamedTuple):
    """The cells of a task with their places from (0, 0) on, and the predicates that say so.

    `steps` are the pairs of related cells.
    """

    places: Places
    rows: int
    columns: int
    predicates: frozenset[str]
    steps: Pairs


class _Relation(NamedTuple):
    predicates: frozenset[str]
    directions: dict[str, Pairs]  # by the word for the direction; one without a word is ""

    @property
    def pairs(self) -> Pairs:
        return set().union(*self.directions.values())


def static_relations(domain: Domain) -> list[str]:
    """The predicates that no action changes, with two or three arguments, two of like types."""
    changed = domain.changed_predicates()
    return [
        name
        for name, predicate in domain.predicates.items()
        if name not in changed
        and 2 <= predicate.arity <= 3
        and any(a == b for a, b in permutations(predicate.parameter_types, 2))
    ]


def find_lattice(problem: Problem) -> Lattice:
    """The grid of a task; a task without one is refused by name."""
    best: Lattice | None = None
    for relation in _relations(problem):
        places = _places(relation, problem)
        if places is not None and (best is None or len(places) > len(best.places)):
            best = _lattice(places, relation)
    if best is None:
        raise BeelineError(
            f"the task '{problem.name}' of '{problem.domain.name}' has no grid",
            problem.file,
            hint="no static relation of two objects says which cells lie beside each other",
        )
    return best


def _relations(problem: Problem) -> Iterator[_Relation]:
    """What may be a grid: relations with directions first."""
    facts: dict[str, list[tuple[str, ...]]] = {
        name: [] for name in static_relations(problem.domain)
    }
    for fact in problem.init:
        if fact[0] in facts:
            facts[fact[0]].append(fact[1:])
    by_predicate: dict[str, Pairs] = {}
    for name, rows in facts.items():
        arity = problem.domain.predicates[name].arity
        if arity == 2:
            by_predicate[name] = {(a, b) for a, b in rows if a != b}
            continue
        for label, first, second in ((2, 0, 1), (0, 1, 2), (1, 0, 2)):
            directions: dict[str, Pairs] = {}
            for row in rows:
                if row[first] != row[second]:
                    directions.setdefault(row[label], set()).add((row[first], row[second]))
            if 0 < len(directions) <= MOST_DIRECTIONS:
                yield _Relation(frozenset([name]), directions)
            if directions:
                pairs = set().union(*directions.values())
                yield _Relation(frozenset([name]), {"": pairs})
    steps = {name: pairs for name, pairs in by_predicate.items() if pairs and _is_step(pairs)}
    if 2 <= len(steps) <= MOST_DIRECTIONS:
        yield _Relation(frozenset(steps), steps)
    for name, pairs in by_predicate.items():
        if pairs:
            yield _Relation(frozenset([name]), {"": pairs})


def _is_step(pairs: Pairs) -> bool:
    """Whether each object has one successor and one predecessor at most, and no pair both ways."""
    firsts, seconds = {a for a, _ in pairs}, {b for _, b in pairs}
    one_to_one = len(firsts) == len(seconds) == len(pairs)
    return one_to_one and not any((b, a) in pairs for a, b in pairs)


def _places(relation: _Relation, problem: Problem) -> Places | None:
    pairs = relation.pairs
    lonely = _lonely(relation, problem)
    if "" not in relation.directions:
        steps = _steps(relation.directions)
        parts = None if steps is None else _by_directions(relation.directions, steps)
    else:
        whole = _by_names(pairs) or _by_distances(pairs, list(problem.objects))
        parts = None if whole is None else [whole]
    if parts is None or len(parts) + len(lonely) == 1:
        return None if parts is None else parts[0]
    named = _by_names(pairs, lonely)
    return named or _side_by_side([*parts, *({cell: (0, 0)} for cell in lonely)])


def _lonely(relation: _Relation, problem: Problem) -> list[str]:
    """Objects of the types of cells that other facts speak of, and that lie beside no cell."""
    related = {cell for pair in relation.pairs for cell in pair}
    types = {problem.objects[cell] for cell in related} - {("object",)}
    spoken_of = {
        word for fact in problem.init if fact[0] not in relation.predicates for word in fact[1:]
    }
    return [
        name
        for name, kinds in problem.objects.items()
        if kinds in types and name in spoken_of and name not in related
    ]


def _side_by_side(parts: Sequence[Places]) -> Places:
    places: Places = {}
    column = 0
    for part in parts:
        leftmost = min(place[1] for place in part.values())
        for cell, (row, own) in part.items():
            places[cell] = (row, column + own - leftmost)
        column = 2 + max(place[1] for place in places.values())
    return places


def _steps(directions: Mapping[str, Pairs]) -> dict[str, Place] | None:
    """The step that each direction is: by its word, else in the order of the words."""
    if not all(map(_is_step, directions.values())):
        return None
    found: dict[str, Place] = {}
    for name in sorted(directions):
        words = [_WORDS[word] for word in re.split("[^a-z]+", name) if word in _WORDS]
        if len(words) == 1:
            found[name] = words[0]
    if len(found) == len(directions) == len(set(found.values())):
        return found
    found, left = {}, [(0, 1), (1, 0)]
    for name in sorted(directions):
        if name in found:
            continue
        if not left:
            return None
        down, right = found[name] = left.pop(0)
        back = {(b, a) for a, b in directions[name]}
        for other in sorted(directions):
            if other not in found and not back.isdisjoint(directions[other]):
                found[other] = (-down, -right)
                break
    return found if len(set(found.values())) == len(found) and not left else None


def _by_directions(
    directions: Mapping[str, Pairs], steps: Mapping[str, Place]
) -> list[Places] | None:
    """Places that all steps agree on, for each connected part."""
    beside: dict[str, list[tuple[str, Place]]] = {}
    for name, pairs in directions.items():
        down, right = steps[name]
        for first, second in sorted(pairs):
            beside.setdefault(first, []).append((second, (down, right)))
            beside.setdefault(second, []).append((first, (-down, -right)))
    parts = []
    left = dict.fromkeys(beside)
    while left:
        part = _walked(next(iter(left)), beside)
        if part is None:
            return None
        parts.append(part)
        for cell in part:
            del left[cell]
    return parts


def _walked(start: str, beside: Mapping[str, Sequence[tuple[str, Place]]]) -> Places | None:
    places, queue = {start: (0, 0)}, deque([start])
    while queue:
        cell = queue.popleft()
        row, column = places[cell]
        for other, (down, right) in beside[cell]:
            place = (row + down, column + right)
            if other not in places:
                places[other] = place
                queue.append(other)
            elif places[other] != place:
                return None
    return places if len(set(places.values())) == len(places) else None


def _by_names(pairs: Pairs, lonely: Sequence[str] = ()) -> Places | None:
    """Places by the last two numbers of names, if related cells are one step apart."""
    places: Places = {}
    for cell in sorted({*lonely, *(cell for pair in pairs for cell in pair)}):
        match = list(_COORDINATES.finditer(cell))
        if not match or match[-1].end() != len(cell):
            return None
        places[cell] = (int(match[-1][1]), int(match[-1][2]))
    return places if _is_lattice(places, pairs) else None


def _by_distances(pairs: Pairs, objects: Sequence[str]) -> Places | None:
    """Places by distances from two corners, if all cells beside each other are related."""
    beside: dict[str, set[str]] = {}
    for first, second in pairs:
        beside.setdefault(first, set()).add(second)
        beside.setdefault(second, set()).add(first)
    if max(map(len, beside.values())) > len(STEPS):
        return None
    order = {name: place for place, name in enumerate(objects)}
    cells = sorted(beside, key=order.__getitem__)
    corners = [cell for cell in cells if len(beside[cell]) == 2][:MOST_CORNERS]
    away = {cell: _distances(cell, beside) for cell in corners}
    for one, other in permutations(corners, 2):
        near, far, side = away[one], away[other], away[one].get(other, 0)
        if len(near) < len(cells) or any((near[c] + far[c] - side) % 2 for c in cells):
            continue
        rows = {cell: (near[cell] + far[cell] - side) // 2 for cell in cells}
        places = {cell: (rows[cell], near[cell] - rows[cell]) for cell in cells}
        if _is_lattice(places, pairs):
            taken = set(places.values())
            steps = sum((r + 1, c) in taken for r, c in taken)
            steps += sum((r, c + 1) in taken for r, c in taken)
            # A path would pass as stairs: a full lattice has squares, hence as many steps as cells.
            if steps == len({frozenset(pair) for pair in pairs}) >= len(cells):
                return places
    return None


def _distances(start: str, beside: Mapping[str, set[str]]) -> dict[str, int]:
    found, queue = {start: 0}, deque([start])
    while queue:
        cell = queue.popleft()
        for other in beside[cell]:
            if other not in found:
                found[other] = found[cell] + 1
                queue.append(other)
    return found


def _is_lattice(places: Places, pairs: Pairs) -> bool:
    """Whether all places differ, related cells are one step apart, and there are both axes."""
    if len(set(places.values())) < len(places):
        return False
    for first, second in pairs:
        (row, column), (other_row, other_column) = places[first], places[second]
        if abs(row - other_row) + abs(column - other_column) != 1:
            return False
    return all(len({place[axis] for place in places.values()}) > 1 for axis in (0, 1))


def _lattice(places: Places, relation: _Relation) -> Lattice:
    top = min(row for row, _ in places.values())
    left = min(column for _, column in places.values())
    moved = {cell: (row - top, column - left) for cell, (row, column) in sorted(places.items())}
    order = dict(sorted(moved.items(), key=lambda item: item[1]))
    rows = 1 + max(row for row, _ in order.values())
    columns = 1 + max(column for _, column in order.values())
    return Lattice(order, rows, columns, relation.predicates, relation.pairs)
