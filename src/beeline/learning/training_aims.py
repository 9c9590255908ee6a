"""What a network is trained for, by the name of a loss: the cost-to-go, or the order of states.

An aim knows which states of a dataset it takes, how a network's outputs are read afterwards, and
makes the objective of a training.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.core.errors import BeelineError, look_up
from beeline.core.settings import keywords, setting
from beeline.fitting.losses import (
    FIRST,
    INTERVAL,
    INTERVAL_SUMMARY,
    MERGED,
    ORDERS,
    PLAN_LOSSES,
    SURROGATES,
    TARGETS,
    PlanLossSettings,
)
from beeline.models.distributions import DISTRIBUTIONS
from beeline.models.neural_model import CHOICES, NONE, Distribution

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from beeline.data.instances import InstanceStates
    from beeline.fitting.objectives import Objective

    Warn = Callable[[str], None]

DEFAULT_LOSS = "truncated-gaussian"
TRAINING_LOSSES = {
    **{name: entry.summary for name, entry in DISTRIBUTIONS.items()},
    INTERVAL: INTERVAL_SUMMARY,
    **PLAN_LOSSES,
}


class Part(NamedTuple):
    """States of one kind, with what is to be learned about them."""

    instances: list[InstanceStates]
    objective: Objective


@dataclass(frozen=True)
class Aim:
    """What is learned from states, and how it is used.

    The outputs of the network are read as a `distribution`. The `target` is h*, or else the cost
    of a plan; `interval` takes the latter as a bound. `batch` counts the states in each
    step, or the instances with a `loss` of whole plans; without one, the likelihood of the
    cost-to-go is learned, state by state. `orders` says which orders of a plan are learned, and
    how; None: what suits the datasets.
    """

    distribution: Distribution
    batch: int
    loss: PlanLossSettings | None = None
    orders: str | None = FIRST
    target: str = "optimal"
    interval: bool = False

    @property
    def siblings(self) -> bool:
        """Whether the states generated beside plans are needed."""
        return self.loss is not None

    @property
    def select(self) -> str:
        """The metric to choose weights by, unless another is asked for."""
        if self.interval:  # whatever lies within has no error
            return "nll"
        return "mse" if self.loss is None else "loss"

    @property
    def optimiser(self) -> str:
        """The one to train with, unless another is asked for."""
        return "adamw" if self.loss is None else "adabelief"

    def suited(self, *, several_orders: bool) -> Aim:
        """The same with the orders that were chosen, or else merged ones if there are several."""
        return replace(self, orders=self.orders or (MERGED if several_orders else FIRST))

    def part(
        self, instances: Sequence[InstanceStates], encoder: str, name: str, warn: Warn
    ) -> Part:
        """The objective of these states, called `name`.

        It takes the states that have all labels or, with a loss of whole plans, those of all Open
        lists along the plans.
        """
        from beeline.fitting.labels import label_plans, label_states
        from beeline.fitting.objectives import DistributionObjective, IntervalObjective
        from beeline.fitting.plan_objectives import PlanObjective

        settings = self.distribution
        bases = {"lower": settings.lower, "residual": settings.residual}
        reading: dict[str, Any] = {"sigma": settings.sigma, "epsilon": settings.epsilon}
        if self.loss is None:
            upper = NONE if self.interval else settings.upper
            labelled = label_states(instances, target=self.target, upper=upper, **bases)
            for reason, count in labelled.dropped.items():
                warn(f"{count} of the states for {name} are left out: {reason}")
            reading["batch_size"] = self.batch
            if self.interval:
                return Part(labelled.instances, IntervalObjective(labelled, **reading))
            likelihood = DistributionObjective(labelled, settings.name, **reading)
            return Part(labelled.instances, likelihood)
        plans = label_plans(
            instances,
            finite=("ff",) if encoder == "gomoluch" else (),
            orders=self.orders or FIRST,
            greedy=self.loss.order[0] == 0.0,
            **bases,
        )
        objective = PlanObjective(plans, self.loss, batch_size=self.batch, **reading)
        return Part(plans.instances, objective)

    def to_json(self) -> dict[str, Any]:
        """The name; of a loss of plans also the weights of its parts, and orders if not first."""
        if self.loss is None:
            name = INTERVAL if self.interval else self.distribution.name
            plain = self.target == "optimal" or self.interval
            return {"name": name, **({} if plain else {"target": self.target})}
        first = self.orders is None or self.orders == FIRST
        return {**self.loss.to_json(), **({} if first else {"orders": self.orders})}


@dataclass(frozen=True)
class AimSettings:
    """What can be said about the aim of a training; None is what suits the loss."""

    loss: str = setting(
        DEFAULT_LOSS,
        "Likelihood of a gaussian, truncated-gaussian or laplace; interval, where only bounds are"
        " known; or a loss of whole plans.",
        "NAME",
        names=TRAINING_LOSSES,
    )
    _: KW_ONLY
    sigma: str | None = setting(
        None,
        "learn (usually): predicted for each state; fixed: 1/√2, gaussian is then the squared"
        " error.",
        "KIND",
        names=CHOICES["sigma"],
    )
    lower: str | None = setting(
        None,
        "Lower bound of the cost: none, blind, max, or lmcut as usual.",
        "NAME",
        names=CHOICES["lower"],
    )
    upper: str | None = setting(
        None,
        "Upper bound in training: none, or plan for a plan's cost.",
        "KIND",
        names=CHOICES["upper"],
    )
    target: str | None = setting(
        None,
        "What is learned: optimal (usually), or plan, a plan's cost where h* is unknown.",
        "KIND",
        names=TARGETS,
    )
    residual: str | None = setting(
        None,
        "The heuristic that is corrected: ff (usually), lmcut, or none (usually with plans).",
        "NAME",
        names=CHOICES["residual"],
    )
    alpha: float | None = setting(None, "Weight of g in Open lists: 1 for A*, 0 for GBFS.", "X")
    beta: float | None = setting(None, "Weight of h in Open lists, usually 1.", "X")
    surrogate: str | None = setting(
        None, "How pairs out of order count: {names}.", "NAME", names=SURROGATES
    )
    weight: float | None = setting(
        None, "Weight of the likelihood in rank-truncated, usually 0.1.", "X"
    )
    orders: str | None = setting(
        None,
        "Orders of each plan: first, separate (all their losses), or merged (all pairs that do not"
        " contradict, usually).",
        "NAME",
        names=ORDERS,
    )
    batch: int | None = setting(
        None, "States in each step, usually 256, or whole plans, usually 1.", "N"
    )


def aim_of(settings: AimSettings) -> Aim:
    """The aim of a loss; None is what suits it, and what makes no sense with it is refused.

    >>> chosen_aim("rank-astar").distribution.name, chosen_aim("gaussian").select
    ('point', 'mse')
    >>> chosen_aim("rank-gbfs", lower="lmcut")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: the loss 'rank-gbfs' has no lower bound (hint: take
    'rank-truncated', or leave it out)
    """
    loss, batch, orders = settings.loss, settings.batch, settings.orders
    sigma, lower, upper = settings.sigma, settings.lower, settings.upper
    if loss not in DISTRIBUTIONS:
        look_up("loss", loss, dict.fromkeys(TRAINING_LOSSES), f"take '{DEFAULT_LOSS}'")
    weights = {name: getattr(settings, name) for name in ("alpha", "beta", "surrogate", "weight")}
    if loss in DISTRIBUTIONS or loss == INTERVAL:
        for name, value in weights.items():
            if value is not None:
                raise BeelineError(f"the loss '{loss}' has no {name}", hint="leave it out")
        if orders is not None:
            message = f"the loss '{loss}' does not look at orders of plans"
            hint = "take a loss of whole plans, such as rank-astar, or leave --orders out"
            raise BeelineError(message, hint=hint)
        interval = loss == INTERVAL
        if interval and (lower == NONE or upper == NONE or settings.target == "optimal"):
            message = "the loss 'interval' needs a lower bound, and a plan's cost as the upper one"
            raise BeelineError(message, hint="leave --lower, --upper and --target out")
        distribution = Distribution(
            "truncated-gaussian" if interval else loss,
            sigma or "learn",
            lower or "lmcut",
            upper or ("plan" if interval else NONE),
            settings.residual or "ff",
        )
        target = settings.target or ("plan" if interval else "optimal")
        return Aim(distribution, 256 if batch is None else batch, target=target, interval=interval)
    if settings.target is not None:
        raise BeelineError(f"the loss '{loss}' has no target", hint="leave it out")
    if orders is not None and orders not in ORDERS:
        raise BeelineError(f"unknown orders '{orders[:60]}'", hint=f"there are {', '.join(ORDERS)}")
    plan_loss = PlanLossSettings(loss, **weights)
    base = settings.residual or NONE
    refused = {"upper bound": upper}
    if not plan_loss.truncated:
        refused = {"sigma": sigma, "lower bound": lower, "upper bound": upper}
    for name, word in refused.items():
        if word is not None and word != NONE:
            message = f"the loss '{loss}' has no {name}"
            raise BeelineError(message, hint="take 'rank-truncated', or leave it out")
    distribution = Distribution.of_points(plan_loss.loss.columns, base)
    if plan_loss.truncated:
        distribution = Distribution(
            "truncated-gaussian", sigma or "learn", lower or "lmcut", NONE, base
        )
    return Aim(distribution, 1 if batch is None else batch, plan_loss, orders)


chosen_aim = keywords(AimSettings)(aim_of)
