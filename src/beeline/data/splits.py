"""Splits by instance, never by state: states of one plan resemble each other too much."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Sequence

    Shares = tuple[tuple[str, float], ...]


def parse_splits(words: str) -> Shares:
    """Names and shares from text; the shares are made to sum up to 1.

    >>> parse_splits("train=3,val=1")
    (('train', 0.75), ('val', 0.25))
    >>> parse_splits("train=much")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: the split 'train=much' is not understood
    (hint: such as train=0.8,val=0.1,test=0.1)
    """
    shares: dict[str, float] = {}
    for word in words.split(","):
        match = re.fullmatch(r"\s*([a-z][a-z0-9_-]*)\s*=\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*", word)
        if match is None or match[1] in shares:
            raise BeelineError(
                f"the split '{words[:60]}' is not understood",
                hint="such as train=0.8,val=0.1,test=0.1",
            )
        shares[match[1]] = float(match[2])
    total = sum(shares.values())
    if total <= 0:
        raise BeelineError(f"the split '{words[:60]}' is empty", hint="such as train=1")
    return tuple((name, share / total) for name, share in shares.items())


def assign_splits(names: Sequence[str], shares: Shares, seed: int) -> list[str]:
    """The split of each instance, at random, but always the same for a seed and these names.

    Every split gets its share of the instances, rounded; what is left over goes to the splits
    that rounding hurts most.

    >>> assign_splits(["p1", "p2", "p3", "p4"], (("train", 0.75), ("val", 0.25)), seed=0)
    ['val', 'train', 'train', 'train']
    """
    exact = [share * len(names) for _, share in shares]
    sizes = [int(size) for size in exact]
    neediest = sorted(range(len(shares)), key=lambda i: (sizes[i] - exact[i], i))
    for index in neediest[: len(names) - sum(sizes)]:
        sizes[index] += 1
    order = sorted(range(len(names)), key=lambda i: sha256(f"{seed}:{names[i]}".encode()).digest())
    chosen = [name for (name, _), size in zip(shares, sizes, strict=True) for _ in range(size)]
    splits = [""] * len(names)
    for place, split in zip(order, chosen, strict=True):
        splits[place] = split
    return splits
