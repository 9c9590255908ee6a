"""What `solve` returns."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

from beeline.core.statuses import Status


class Specification(Protocol):
    """All settings of a search or of several."""

    @property
    def seed(self) -> int:
        """The seed for random decisions."""

    def to_json(self) -> dict[str, object]:
        """The settings as plain words and numbers."""


@dataclass(frozen=True)
class Result:
    """How a search ended, its plan and its counters.

    Counters mean what they mean in Fast Downward; in anytime mode they are sums over all
    searches. `cost` and `plan` are None unless the status is solved.
    """

    status: Status
    spec: Specification
    plan: list[str] | None = None  # steps such as "(stack a b)"; every plan has been validated
    cost: int | None = None
    expanded: int = 0
    evaluated: int = 0
    generated: int = 0
    reopened: int = 0
    dead_ends: int = 0
    initial_h: float | None = None  # by the first heuristic; None if there is none
    search_time: float = 0.0  # seconds in the engine
    total_time: float = 0.0  # seconds since the call
    peak_memory: int | None = None  # KB, of the process
    states: int = 0  # registered, in the last search
    bytes_per_state: float | None = None  # states, their hash table and search nodes
    explanation: str | None = None  # why the status is incomplete, where that is known
    interrupted: bool = False  # by Ctrl-C, a signal or the progress callback
    optimal: bool = False  # whether no plan can be cheaper
    plan_costs: list[int] = field(default_factory=list)  # of all plans found, in order
    phases: list[dict[str, object]] = field(default_factory=list)  # where several searches ran

    @property
    def solved(self) -> bool:
        """Whether there is a plan."""
        return self.status is Status.SOLVED

    @property
    def length(self) -> int | None:
        """Steps of the plan."""
        return None if self.plan is None else len(self.plan)

    @property
    def seed(self) -> int:
        """The seed for random decisions."""
        return self.spec.seed

    @property
    def config(self) -> dict[str, object]:
        """All settings of the search as plain words and numbers."""
        return self.spec.to_json()

    def to_json(self) -> dict[str, object]:
        """The fields that scripts rely on; an infinite `initial_h` becomes null."""
        finite = self.initial_h is not None and math.isfinite(self.initial_h)
        return {
            "status": self.status.value,
            "cost": self.cost,
            "length": self.length,
            "plan": self.plan,
            "expanded": self.expanded,
            "evaluated": self.evaluated,
            "generated": self.generated,
            "reopened": self.reopened,
            "dead_ends": self.dead_ends,
            "initial_h": self.initial_h if finite else None,
            "search_time": round(self.search_time, 6),
            "total_time": round(self.total_time, 6),
            "peak_memory": self.peak_memory,
            "seed": self.seed,
            "config": self.config,
            **({"phases": self.phases} if self.phases else {}),
        }
