"""All settings of a call of `plan`, as they stand in results and records."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from beeline.learned.model import SearchStyle


@dataclass(frozen=True)
class PlanSpec:
    """How a model is used; limits as in a search specification."""

    domain: str
    style: SearchStyle
    fallback: bool = True
    anytime: bool = False
    seed: int = 0
    max_evaluations: int | None = None
    max_expansions: int | None = None
    time_limit: float | None = None  # seconds
    memory_limit: int | None = None  # bytes of the whole process

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**63:
            raise BeelineError(f"the seed is {self.seed}", hint="seeds are numbers from 0 up")
        for name in ("max_evaluations", "max_expansions", "memory_limit"):
            value = getattr(self, name)
            if value is not None and not 1 <= value < 2**62:
                raise BeelineError(f"{name.replace('_', ' ')} {value} is not a number from 1 up")
        if self.time_limit is not None and not 0 < self.time_limit < math.inf:
            raise BeelineError(
                f"the time limit {self.time_limit} is not a number of seconds above 0"
            )

    def to_json(self) -> dict[str, object]:
        """The settings as plain words and numbers."""
        return {"search": "learned", **asdict(self)}
