"""The settings of a dataset of plans: part of its identity, down to the last limit."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from beeline.data.splits import Shares

DEFAULT_EVALUATIONS = 50_000
DEFAULT_SECONDS = 1800.0


@dataclass(frozen=True)
class PlanSettings:
    """How plans are found and which states are kept.

    The limit on evaluations decides which instances are solved; it is the same on every
    machine. The limits on time and memory are only there for the worst case: an instance that
    reaches one of them may be solved on a faster machine.

    >>> PlanSettings(max_evaluations=0)
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: max evaluations 0 is not a number from 1 up
    """

    seed: int = 0
    splits: Shares = (("train", 0.8), ("val", 0.2))
    siblings: bool = False
    sibling_h_star: bool = False
    max_evaluations: int = DEFAULT_EVALUATIONS
    time_limit: float = DEFAULT_SECONDS  # seconds for each search
    memory_limit: int | None = None  # bytes of a worker
    attempts: int = 20
    min_length: int = 1
    unit_costs: bool = False
    optimal_plans: bool = False  # whether plans that are given are declared optimal
    orders: int = 1  # how many orders of the steps of a plan are kept at most

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**63:
            raise BeelineError(f"the seed is {self.seed}", hint="seeds are numbers from 0 up")
        for name in ("max_evaluations", "memory_limit", "attempts", "min_length", "orders"):
            value = getattr(self, name)
            if value is not None and not 1 <= value < 2**62:
                raise BeelineError(f"{name.replace('_', ' ')} {value} is not a number from 1 up")
        if not 0 < self.time_limit < math.inf:
            raise BeelineError(f"the time limit {self.time_limit} is not a number above 0")
        if self.sibling_h_star and not self.siblings:
            raise BeelineError(
                "h* of siblings without siblings", hint="add --siblings to --sibling-h-star"
            )
        if self.orders > 1 and not self.siblings:
            raise BeelineError(
                f"{self.orders} orders of plans without siblings", hint="add --siblings to --orders"
            )

    def to_json(self) -> dict[str, Any]:
        """The settings as plain values; a single order goes without saying.

        >>> "orders" in PlanSettings().to_json()
        False
        """
        settings = {each.name: getattr(self, each.name) for each in fields(self)}
        if self.orders == 1:
            del settings["orders"]
        return {**settings, "splits": dict(self.splits)}
