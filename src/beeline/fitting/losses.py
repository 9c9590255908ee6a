"""The losses by name, with what each compares, and what can be chosen about those of whole plans.

Those of Chrestien et al., "Optimize planning heuristics to rank, not to estimate cost-to-goal",
are `beeline.fitting.ranking`. One more for networks, `rank-truncated`, ranks the means of truncated
Gaussians (Núñez-Molina et al., "On using admissible bounds for learning forward search
heuristics"), so that what is ranked respects admissible bounds. Another one, `interval`, needs no
optimal plan: it is the probability of the interval that the cost is known to lie in. Names can be
checked without NumPy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from beeline.core.errors import BeelineError, look_up

if TYPE_CHECKING:
    from beeline.fitting.ranking import PlanLoss


class LossEntry(NamedTuple):
    """A loss and its properties.

    `ranking`: compares pairs of states, and the zero point of its scores means nothing;
    otherwise it is a regression on the cost-to-go. `alpha` is the weight of the difference in g
    within a pair. `open_lists`: compares with the whole Open list, not only with the siblings.
    `siblings`: uses states beside the plan at all. `lower_bound`: needs an admissible heuristic.
    `plan`: is a sum over one plan that `beeline.fitting.ranking` computes, for any model.
    `columns`: how many scores it wants of each state; the second one is a policy's logit.
    """

    name: str
    summary: str
    ranking: bool = True
    alpha: float = 0.0
    open_lists: bool = False
    siblings: bool = True
    lower_bound: bool = False
    plan: bool = False
    columns: int = 1

    @property
    def families(self) -> bool:
        """Whether it looks at the children of each plan state, and at costs-to-go."""
        return self.siblings and not self.ranking


LOSSES = {
    entry.name: entry
    for entry in (
        LossEntry("rank-siblings", "each plan state below its siblings and below its parent"),
        LossEntry(
            "rank-gbfs", "each plan state below the Open list, by h", open_lists=True, plan=True
        ),
        LossEntry(
            "rank-astar",
            "each plan state below the Open list, by g + h",
            alpha=1.0,
            open_lists=True,
            plan=True,
        ),
        LossEntry(
            "rank-trajectory", "each plan state below the one before it", siblings=False, plan=True
        ),
        LossEntry(
            "l2", "squared error of the cost-to-go", ranking=False, siblings=False, plan=True
        ),
        LossEntry(
            "bellman",
            "the best child at least 1 below its parent, within one to two times the cost-to-go",
            ranking=False,
            plan=True,
        ),
        LossEntry(
            "policy",
            "likelihood of each step of the plan, and squared error of the cost-to-go",
            ranking=False,
            plan=True,
            columns=2,
        ),
        LossEntry(
            "truncated-gaussian",
            "likelihood of the cost-to-go under a Gaussian cut off below at LM-cut",
            ranking=False,
            siblings=False,
            lower_bound=True,
        ),
    )
}
DEFAULT_LOSS = "rank-siblings"


def loss_entry(name: str) -> LossEntry:
    """The entry of a loss.

    >>> loss_entry("rank-astar").alpha
    1.0
    >>> loss_entry("ranking")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: unknown loss 'ranking': there are rank-siblings, rank-gbfs,
    rank-astar, rank-trajectory, l2, bellman, policy, truncated-gaussian (hint: ...)
    """
    return look_up("loss", name, LOSSES, f"take '{DEFAULT_LOSS}'")


def plan_loss_entry(name: str) -> LossEntry:
    """The entry of a loss that any model can learn from a plan.

    >>> plan_loss_entry("policy").columns
    2
    """
    entry = loss_entry(name)
    if not entry.plan:
        names = [each.name for each in LOSSES.values() if each.plan]
        raise BeelineError(
            f"the loss '{name}' is not one of plans: these are {', '.join(names)}",
            hint=f"take '{names[1]}'",
        )
    return entry


Surrogate = Literal["logistic", "hinge"]
SURROGATES: tuple[Surrogate, ...] = ("logistic", "hinge")
TRUNCATED = "rank-truncated"
INTERVAL = "interval"
INTERVAL_SUMMARY = "probability that a Gaussian gives to the costs from the lower bound to a plan's"
TARGETS = ("optimal", "plan")  # h*, or the cost of a plan where h* is unknown
FIRST, SEPARATE, MERGED = "first", "separate", "merged"
ORDERS = (FIRST, SEPARATE, MERGED)  # which orders of a plan are learned, and how
LIKELIHOOD_WEIGHT = 0.1  # enough to keep means off their bounds; with 1 it spoils the order
SMALLEST = math.nextafter(0.0, 1.0)  # of all positive numbers
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
        least = {"alpha": 0.0, "beta": SMALLEST, "surrogate": 0.0, "weight": 0.0}
        for option, smallest in least.items():
            value = getattr(self, option)
            if value is not None and option not in self._defaults:
                raise BeelineError(f"the loss '{self.name}' has no {option}", hint="leave it out")
            if isinstance(value, float | int) and not smallest <= value < math.inf:
                raise BeelineError(
                    f"{option} is {value}",
                    hint=f"it must be {'positive' if smallest else 'a number from 0 up'}",
                )
        if self.surrogate is not None and self.surrogate not in SURROGATES:
            raise BeelineError(
                f"unknown surrogate '{self.surrogate[:60]}': there are {', '.join(SURROGATES)}"
            )

    @property
    def _defaults(self) -> dict[str, Any]:
        """What can be chosen about this loss, and what it is otherwise."""
        entry = LOSSES[_RANKED_BY.get(self.name, self.name)]
        return {
            **({"alpha": entry.alpha, "beta": 1.0} if entry.open_lists else {}),
            **({"surrogate": SURROGATES[0]} if entry.ranking else {}),
            **({"weight": LIKELIHOOD_WEIGHT} if self.truncated else {}),
        }

    def to_json(self) -> dict[str, Any]:
        """The name, and all that can be chosen about it, as plain values."""
        chosen = {"name": self.name, **self._defaults}
        given = {name: getattr(self, name) for name in self._defaults}
        return {**chosen, **{name: value for name, value in given.items() if value is not None}}

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
