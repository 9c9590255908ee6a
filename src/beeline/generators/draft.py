"""What a generator draws, with which dice, and how it is written down as a PDDL problem."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Edge = tuple[str, str]


T = TypeVar("T")


class Dice:
    """Random choices that depend on nothing but a text.

    >>> dice = Dice("blocksworld:3")
    >>> [dice.below(6) for _ in range(8)]
    [1, 5, 3, 0, 1, 2, 4, 2]
    >>> dice.shuffled("abcd")
    ['d', 'b', 'c', 'a']
    """

    def __init__(self, seed: str) -> None:
        self._bits = Random(seed).getrandbits  # a text is hashed with SHA-512, never with hash()

    def below(self, end: int) -> int:
        """An integer from 0 to `end` - 1, each equally likely; `end` may be huge."""
        if end < 1:
            raise ValueError(f"nothing to choose from: end is {end}")
        width = (end - 1).bit_length()
        while width:
            number = self._bits(width)
            if number < end:
                return number
        return 0

    def between(self, first: int, last: int) -> int:
        """An integer from `first` to `last`, both included."""
        return first + self.below(last - first + 1)

    def chance(self, probability: float) -> bool:
        """True with this probability, to the accuracy of 53 bits."""
        return self._bits(53) < probability * 2.0**53

    def choice(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """The items in a random order, each order equally likely."""
        return self.sample(list(items))

    def sample(self, items: Sequence[T], count: int | None = None) -> list[T]:
        """`count` different items in random order; all of them by default."""
        pool = list(items)
        count = len(pool) if count is None else count
        for place in range(count):
            other = self.between(place, len(pool) - 1)
            pool[place], pool[other] = pool[other], pool[place]
        return pool[:count]

    def weighted(self, weights: Sequence[int]) -> int:
        """An index, with probabilities proportional to exact integer weights."""
        number = self.below(sum(weights))
        for index, weight in enumerate(weights):
            number -= weight
            if number < 0:
                return index
        raise AssertionError("weights are not negative")


def random_network(nodes: Sequence[str], density: float, dice: Dice) -> list[Edge]:
    """A random tree over the nodes, and each other pair with probability `density`.

    The tree: in a random order, each node is joined to a uniform one of those before it.
    """
    order = dice.shuffled(nodes)
    tree = {frozenset((node, order[dice.below(i)])) for i, node in enumerate(order) if i}
    return [
        pair
        for pair in combinations(nodes, 2)
        if frozenset(pair) in tree or (density > 0 and dice.chance(density))
    ]


def random_connected_part(edges: Sequence[Edge], share: float, dice: Dice) -> list[Edge]:
    """A random spanning tree of a connected network, and each other edge with a probability.

    The tree: edges in a random order, each taken if it joins two parts.

    >>> random_connected_part([("a", "b"), ("b", "c")], 0.0, Dice("any"))
    [('a', 'b'), ('b', 'c')]
    """
    part: dict[str, str] = {}

    def root(node: str) -> str:
        while (above := part.get(node, node)) != node:
            part[node] = part.get(above, above)
            node = above
        return node

    taken: set[Edge] = set()
    for edge in dice.shuffled(edges):
        first, second = root(edge[0]), root(edge[1])
        if first != second:
            part[first] = second
            taken.add(edge)
    return [edge for edge in edges if edge in taken or dice.chance(share)]


def both_ways(edges: Sequence[Edge]) -> list[Edge]:
    """Every edge in both directions."""
    return [way for a, b in edges for way in ((a, b), (b, a))]


Fact = tuple[str, ...]
_LINE = 96


@dataclass(frozen=True)
class Draft:
    """An instance without a name: objects by type ("" for none), initial facts, goal facts."""

    objects: Sequence[tuple[str, Sequence[str]]]
    init: Sequence[Fact]
    goal: Sequence[Fact]
    minimize_cost: bool = False

    @property
    def is_trivial(self) -> bool:
        """Whether the goal holds from the start."""
        return set(self.goal) <= set(self.init)


def numbered(prefix: str, count: int, first: int = 1) -> list[str]:
    """Names with numbers.

    >>> numbered("car", 3)
    ['car1', 'car2', 'car3']
    """
    return [f"{prefix}{number}" for number in range(first, first + count)]


def format_draft(draft: Draft, name: str, domain: str, remark: str) -> str:
    """A draft as PDDL text with a comment at its top.

    >>> draft = Draft([("car", ["c1"])], [("here", "c1")], [("there", "c1")])
    >>> print(format_draft(draft, "t", "d", "one car"))
    ; one car
    (define (problem t)
     (:domain d)
     (:objects
      c1 - car)
     (:init
      (here c1))
     (:goal (and
      (there c1))))
    <BLANKLINE>
    """
    objects = [line for kind, names in draft.objects for line in _object_lines(kind, names)]
    init, goal = ([f"({' '.join(fact)})" for fact in facts] for facts in (draft.init, draft.goal))
    end = ")"
    if draft.minimize_cost:
        init.insert(0, "(= (total-cost) 0)")
        end = "\n (:metric minimize (total-cost)))"
    lines = [f"; {remark}", f"(define (problem {name})", f" (:domain {domain})"]
    for title, part in ((" (:objects", objects), (" (:init", init), (" (:goal (and", goal)):
        lines += [title, *(f"  {line}" for line in part)]
        lines[-1] += ")"
    return "\n".join(lines) + f"){end}\n"


def _object_lines(kind: str, names: Sequence[str]) -> list[str]:
    """The names, wrapped, with their type after the last one."""
    if not names:
        return []
    lines = [""]
    for name in names:
        if len(lines[-1]) + len(name) > _LINE:
            lines.append("")
        lines[-1] += f" {name}" if lines[-1] else name
    if kind:
        lines[-1] += f" - {kind}"
    return lines
