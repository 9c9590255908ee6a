"""Blocksworld: initial and goal state are two different states, each uniform over all states.

A state without a held block is a set of stacks. `n` blocks can form `k` stacks in
C(n - 1, k - 1) * n! / k! ways, so `k` is drawn with exactly these weights. A random order of the
blocks is then cut at `k - 1` of the `n - 1` gaps: every set of `k` stacks comes from exactly `k!`
of the equally likely pairs of order and cuts, hence all states are equally likely. (Slaney and
Thiebaux, "Blocks World revisited", sample the same distribution block by block.)

Solvable: every state can be reached from every other through the state with all blocks on the
table. The goal names the whole state, so it does not hold from the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb, factorial

from beeline.generators.draft import Dice, Draft, Fact, numbered
from beeline.generators.parameters import ParameterSet, whole

Stacks = list[list[str]]


@dataclass(frozen=True, kw_only=True)
class Parameters(ParameterSet):
    """How many blocks there are."""

    blocks: int = whole(8, "blocks in all", 2, 1000)


def generate(parameters: Parameters, dice: Dice) -> Draft:
    """Two different states, each uniform over all states."""
    blocks = numbered("b", parameters.blocks)
    start = random_stacks(blocks, dice)
    goal = start
    while sorted(goal) == sorted(start):
        goal = random_stacks(blocks, dice)
    return Draft([("", blocks)], [("arm-empty",), *_facts(start)], _facts(goal))


def random_stacks(blocks: Sequence[str], dice: Dice) -> Stacks:
    """A state, uniform over all states; each stack is listed from its top down."""
    total = len(blocks)
    weights = [
        comb(total - 1, stacks - 1) * (factorial(total) // factorial(stacks))
        for stacks in range(1, total + 1)
    ]
    cuts = sorted(dice.sample(range(1, total), dice.weighted(weights)))
    order = dice.shuffled(blocks)
    return [order[a:b] for a, b in zip([0, *cuts], [*cuts, total], strict=True)]


def _facts(stacks: Stacks) -> list[Fact]:
    facts: list[Fact] = []
    for stack in stacks:
        facts.append(("clear", stack[0]))
        facts += [("on", block, below) for block, below in pairwise(stack)]
        facts.append(("on-table", stack[-1]))
    return facts
