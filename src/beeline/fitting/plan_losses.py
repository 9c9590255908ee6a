"""Which loss of whole plans a network learns, and with which weights.

Those of Chrestien et al., "Optimize planning heuristics to rank, not to estimate cost-to-goal",
are `beeline.fitting.ranking`. One more, `rank-truncated`, ranks the means of truncated Gaussians
(Núñez-Molina et al., "On using admissible bounds for learning forward search heuristics"), so
that what is ranked respects admissible bounds. Names can be checked without NumPy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from beeline.core.errors import BeelineError
from beeline.fitting.losses import LOSSES

if TYPE_CHECKING:
    from beeline.fitting.ranking import PlanLoss, Surrogate

SURROGATES = ("logistic", "hinge")
TRUNCATED = "rank-truncated"
FIRST, SEPARATE, MERGED = "first", "separate", "merged"
ORDERS = (FIRST, SEPARATE, MERGED)  # which orders of a plan are learned, and how
LIKELIHOOD_WEIGHT = 0.1  # enough to keep means off their bounds; with 1 it spoils the order
_RANKED_BY = {TRUNCATED: "rank-astar"}  # the loss of its means
PLAN_LOSSES = {
    **{name: entry.summary for name, entry in LOSSES.items() if entry.plan},
    TRUNCATED: "rank-astar of means of Gaussians cut off below at a bound, and their likelihood",
}


@dataclass(frozen=True)
class PlanLossSettings:
    """A loss of plans by name, and what can be chosen about it; None is what it has by itself.

    `alpha` and `beta` weigh g and h in Open lists. `surrogate` stands for the count of pairs out
    of order: logistic or hinge. `weight` is that of the likelihood in `rank-truncated`.

    >>> PlanLossSettings("rank-astar").to_json()
    {'name': 'rank-astar', 'alpha': 1.0, 'beta': 1.0, 'surrogate': 'logistic'}
    >>> PlanLossSettings("l2", surrogate="hinge")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: the loss 'l2' has no surrogate (hint: leave it out)
    """

    name: str
    alpha: float | None = None
    beta: float | None = None
    surrogate: str | None = None
    weight: float | None = None

    def __post_init__(self) -> None:
        if self.name not in PLAN_LOSSES:
            raise BeelineError(
                f"unknown loss '{self.name[:60]}': there are {', '.join(PLAN_LOSSES)}"
            )
        for option in ("alpha", "beta", "surrogate", "weight"):
            value = getattr(self, option)
            if value is None:
                continue
            if option not in self._defaults:
                raise BeelineError(f"the loss '{self.name}' has no {option}", hint="leave it out")
            least = 0.0 if option != "beta" else math.nextafter(0.0, 1.0)
            if option != "surrogate" and not least <= value < math.inf:
                raise BeelineError(
                    f"{option} is {value}",
                    hint=f"it must be {'positive' if least else 'a number from 0 up'}",
                )
        if self.surrogate is not None and self.surrogate not in SURROGATES:
            raise BeelineError(
                f"unknown surrogate '{self.surrogate[:60]}': there are {', '.join(SURROGATES)}"
            )

    @property
    def _defaults(self) -> dict[str, Any]:
        """What can be chosen about this loss, and what it is otherwise."""
        entry = LOSSES[_RANKED_BY.get(self.name, self.name)]
        defaults: dict[str, Any] = {}
        if entry.open_lists:
            defaults = {"alpha": entry.alpha, "beta": 1.0}
        if entry.ranking:
            defaults["surrogate"] = SURROGATES[0]
        if self.name == TRUNCATED:
            defaults["weight"] = LIKELIHOOD_WEIGHT
        return defaults

    def to_json(self) -> dict[str, Any]:
        """The name, and all that can be chosen about it, as plain values."""
        given = {name: getattr(self, name) for name in self._defaults}
        return {
            "name": self.name,
            **{
                name: default if given[name] is None else given[name]
                for name, default in self._defaults.items()
            },
        }

    @property
    def truncated(self) -> bool:
        """Whether it ranks the means of truncated Gaussians."""
        return self.name == TRUNCATED

    @property
    def order(self) -> tuple[float, float]:
        """Alpha and beta, the weights of g and h by which states come out of Open.

        Losses without any are for greedy search: 0 and 1.
        """
        chosen = self.to_json()
        return chosen.get("alpha", 0.0), chosen.get("beta", 1.0)

    @property
    def loss(self) -> PlanLoss:
        """The loss of scores."""
        from beeline.fitting.ranking import plan_loss

        surrogate = cast("Surrogate", self.surrogate or SURROGATES[0])
        name, (alpha, beta) = _RANKED_BY.get(self.name, self.name), self.order
        return plan_loss(name, alpha=alpha, beta=beta, surrogate=surrogate)
