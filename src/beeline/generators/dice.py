"""A seeded source of random choices that is the same on every machine and Python version.

Python promises that the bits of its Mersenne Twister stay the same for a seed, but not how
`shuffle` or `sample` use them. Everything here is therefore made from bits alone.

Random networks in which every node can be reached from every other.
"""

from __future__ import annotations

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
