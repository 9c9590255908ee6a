"""The heuristics by name, with what each promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from beeline._native import Evaluator
    from beeline.task.ground_task import GroundTask


class HeuristicEntry(NamedTuple):
    """A heuristic of the engine and its properties.

    `admissible`: never above the cost of the cheapest plan. `integral`: all values are integers.
    `preferred`: has preferred operators. `uses_costs`: looks at the costs of operators.
    """

    name: str
    summary: str
    admissible: bool = False
    integral: bool = True
    preferred: bool = False
    uses_costs: bool = True


HEURISTICS = {
    entry.name: entry
    for entry in (
        HeuristicEntry("add", "sum of the relaxed costs of the goals (h_add)"),
        HeuristicEntry(
            "blind", "0 in goal states, elsewhere the cheapest operator's cost", admissible=True
        ),
        HeuristicEntry("ff", "cost of a relaxed plan by best supporters of h_add", preferred=True),
        HeuristicEntry("goalcount", "number of goals that do not hold", uses_costs=False),
        HeuristicEntry("lmcut", "sum of the costs of landmark cuts", admissible=True),
        HeuristicEntry("max", "largest relaxed cost of a goal (h_max)", admissible=True),
        HeuristicEntry(
            "perfect",
            "cost of the cheapest plan, from the whole state space if it fits",
            admissible=True,
            preferred=True,
        ),
    )
}


def heuristic_entry(name: str) -> HeuristicEntry:
    """The entry of a heuristic.

    >>> heuristic_entry("lmcut").admissible
    True
    >>> heuristic_entry("lm-cut")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: unknown heuristic 'lm-cut': there are add, blind, ff,
    goalcount, lmcut, max, perfect (hint: did you mean 'lmcut'?)
    """
    entry = HEURISTICS.get(name)
    if entry is None:
        from beeline.pddl.source import suggestion

        raise BeelineError(
            f"unknown heuristic '{name[:60]}': there are {', '.join(sorted(HEURISTICS))}",
            hint=suggestion(name, HEURISTICS),
        )
    return entry


def make_evaluator(name: str, task: GroundTask) -> Evaluator:
    """The engine's evaluator for a heuristic by name."""
    from beeline import _native

    heuristic_entry(name)
    try:
        return _native.make_heuristic(name, task.native)
    except ValueError as error:  # more states than `perfect` can hold
        raise BeelineError(
            f"heuristic '{name}' cannot handle this task: {error}",
            hint="take 'lmcut', which needs no enumeration",
        ) from None
