"""Random networks in which every node can be reached from every other."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.generators.dice import Dice

    Edge = tuple[str, str]


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

    >>> from beeline.generators.dice import Dice
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
