"""Families of states along a plan: the plan's own child, and its worse siblings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.training.pairs import Family

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline._native import States
    from beeline.sampling.plan_walk import Walk


def plan_families(states: States, walk: Walk, as_good: Sequence[set[int]] = ()) -> list[Family]:
    """A family for each step of a plan.

    `as_good` has for each step the operators that lead to a state no worse than the plan's own:
    good children, too. States that the plan has been through are left out: the search never
    comes back to them.
    """
    families = []
    been_there: set[int] = set()
    for place, parent in enumerate(walk.states[:-1]):
        been_there.add(parent)
        chosen = walk.states[place + 1]
        if chosen in been_there:  # the plan goes round in a circle
            continue
        wanted = as_good[place] if place < len(as_good) else set()
        operators, children = (array.tolist() for array in states.successors(parent))
        good = {chosen: None}
        good.update(
            (child, None)
            for operator, child in zip(operators, children, strict=True)
            if operator in wanted and child not in been_there
        )
        bad = [
            child
            for child in dict.fromkeys(children)
            if child not in good and child not in been_there
        ]
        families.append(Family(parent, tuple(good), tuple(bad)))
    return families
