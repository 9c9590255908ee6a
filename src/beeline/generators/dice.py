"""A seeded source of random choices that is the same on every machine and Python version.

Python promises that the bits of its Mersenne Twister stay the same for a seed, but not how
`shuffle` or `sample` use them. Everything here is therefore made from bits alone.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
