"""Ground tasks by text, kept for the next job of the same worker."""

from __future__ import annotations

import atexit
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask


@lru_cache(maxsize=32)
def ground_text(domain_text: str, name: str, text: str, unit_costs: bool) -> GroundTask:
    """The ground task of two texts; `name` stands for the task in messages."""
    from beeline.pddl import parse_domain, parse_problem
    from beeline.task.grounding import ground

    domain = parse_domain(domain_text, "<domain>")
    return ground(parse_problem(domain, text, name), unit_costs=unit_costs)


atexit.register(ground_text.cache_clear)  # tasks must go before the engine does
