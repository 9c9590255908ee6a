"""The searches of anytime mode: the one that was asked for, then weighted A* with falling weights.

Each search looks for a plan cheaper than the best so far. The last one has weight 1 and is
repeated until it finds nothing more: since all of them but the first reopen states, a search
that ends without a plan and without reaching a limit proves the best plan optimal
(Richter, Thayer and Ruml, "The joy of forgetting: faster anytime search via restarting",
ICAPS 2010).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from beeline.planning.specification import SEARCHES
from beeline.planning.tie_breaking import parse_tie_breaking

if TYPE_CHECKING:
    from collections.abc import Iterator

    from beeline.planning.specification import SearchSpec

WEIGHTS = (5.0, 3.0, 2.0, 1.0)


def stages(spec: SearchSpec) -> Iterator[SearchSpec]:
    """The searches in order, without end.

    >>> from itertools import islice
    >>> from beeline.planning.specification import make_spec
    >>> [(stage.search, stage.beta) for stage in islice(stages(make_spec(anytime=True)), 7)]
    [('gbfs', 1.0), ('wastar', 5.0), ('wastar', 3.0), ('wastar', 2.0), ('astar', 1.0),
     ('astar', 1.0), ('astar', 1.0)]
    """
    stage = spec
    yield stage
    first_weight = spec.beta / spec.alpha if spec.alpha else float("inf")
    for weight in WEIGHTS:
        if weight < first_weight:
            stage = _weighted(spec, weight)
            yield stage
    stage = _weighted(spec, 1.0)
    while True:
        yield stage


def _weighted(spec: SearchSpec, weight: float) -> SearchSpec:
    """The same heuristics and queues under weighted A*, or A* where it keeps its promise."""
    plain = not (spec.preferred or spec.deferred or spec.goal_at_generation or spec.batch > 1)
    is_astar = weight == 1 and plain and len(spec.heuristics) == 1
    entry = SEARCHES["astar" if is_astar else "wastar"]
    tie_breaking = parse_tie_breaking(entry.tie_breaking, "f")._replace(
        order=spec.tie_breaking.order
    )
    return replace(
        spec,
        search=entry.name,
        alpha=1.0,
        beta=weight,
        tie_breaking=tie_breaking,
        reopen=True,
    )
