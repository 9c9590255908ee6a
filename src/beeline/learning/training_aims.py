"""What a network is trained for, by the name of a loss: the cost-to-go, or the order of states.

An aim knows which states of a dataset it takes, how a network's outputs are read afterwards, and
makes the objective of a training.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from beeline.core.errors import BeelineError
from beeline.learned.neural_model import NONE, Distribution
from beeline.losses.distributions import DISTRIBUTIONS
from beeline.training.plan_losses import FIRST, MERGED, ORDERS, PLAN_LOSSES, PlanLossSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from beeline.encode.instances import InstanceStates
    from beeline.training.objectives import Objective

    Warn = Callable[[str], None]

DEFAULT_LOSS = "truncated-gaussian"
TRAINING_LOSSES = {
    **{name: entry.summary for name, entry in DISTRIBUTIONS.items()},
    **PLAN_LOSSES,
}


class Part(NamedTuple):
    """States of one kind, with what is to be learned about them."""

    instances: list[InstanceStates]
    objective: Objective


class Aim(Protocol):
    """What is learned from states, and how it is used."""

    @property
    def distribution(self) -> Distribution:
        """How the outputs of the network are read."""

    @property
    def siblings(self) -> bool:
        """Whether the states generated beside plans are needed."""

    @property
    def orders(self) -> str | None:
        """Which orders of a plan are learned, and how; None: what suits the datasets."""

    def suited(self, *, several_orders: bool) -> Aim:
        """The aim for datasets that have several orders of each plan, or one."""

    @property
    def batch(self) -> int:
        """States, or instances, in each step."""

    @property
    def select(self) -> str:
        """The metric to choose weights by, unless another is asked for."""

    @property
    def optimiser(self) -> str:
        """The one to train with, unless another is asked for."""

    def part(
        self, instances: Sequence[InstanceStates], encoder: str, name: str, warn: Warn
    ) -> Part:
        """The objective of these states, called `name`."""

    def to_json(self) -> dict[str, Any]:
        """The loss as plain values, its name first."""


@dataclass(frozen=True)
class Likelihood:
    """The likelihood of the cost-to-go, state by state."""

    distribution: Distribution
    batch: int
    siblings: bool = False
    orders: str | None = FIRST
    select: str = "mse"
    optimiser: str = "adamw"

    def suited(self, *, several_orders: bool) -> Likelihood:
        """The same: the likelihood is that of the states on the first plan."""
        return self

    def part(
        self, instances: Sequence[InstanceStates], encoder: str, name: str, warn: Warn
    ) -> Part:
        """The states that have all labels."""
        from beeline.training.labelled import label_states
        from beeline.training.objectives import DistributionObjective

        settings = self.distribution
        labelled = label_states(
            instances, lower=settings.lower, upper=settings.upper, residual=settings.residual
        )
        for reason, count in labelled.dropped.items():
            warn(f"{count} of the states for {name} are left out: {reason}")
        objective = DistributionObjective(
            labelled,
            settings.name,
            sigma=settings.sigma,
            epsilon=settings.epsilon,
            batch_size=self.batch,
        )
        return Part(labelled.instances, objective)

    def to_json(self) -> dict[str, Any]:
        """The name; all else is the distribution's."""
        return {"name": self.distribution.name}


@dataclass(frozen=True)
class PlanRanking:
    """A loss of whole plans, instance by instance."""

    distribution: Distribution
    loss: PlanLossSettings
    batch: int
    siblings: bool = True
    orders: str | None = None
    select: str = "loss"
    optimiser: str = "adabelief"

    def suited(self, *, several_orders: bool) -> PlanRanking:
        """The same with the orders that were chosen, or else merged ones if there are several."""
        return replace(self, orders=self.orders or (MERGED if several_orders else FIRST))

    def part(
        self, instances: Sequence[InstanceStates], encoder: str, name: str, warn: Warn
    ) -> Part:
        """The states of all Open lists along the plans."""
        from beeline.training.labelled_plans import label_plans
        from beeline.training.plan_objectives import PlanObjective

        settings = self.distribution
        plans = label_plans(
            instances,
            lower=settings.lower,
            residual=settings.residual,
            finite=("ff",) if encoder == "gomoluch" else (),
            orders=self.orders or FIRST,
            greedy=self.loss.order[0] == 0.0,
        )
        objective = PlanObjective(
            plans,
            self.loss,
            sigma=settings.sigma,
            epsilon=settings.epsilon,
            batch_size=self.batch,
        )
        return Part(plans.instances, objective)

    def to_json(self) -> dict[str, Any]:
        """The name, the weights of its parts, and the orders unless they are the first ones."""
        first = self.orders is None or self.orders == FIRST
        return {**self.loss.to_json(), **({} if first else {"orders": self.orders})}


def chosen_aim(
    loss: str = DEFAULT_LOSS,
    *,
    sigma: str | None = None,
    lower: str | None = None,
    upper: str | None = None,
    residual: str | None = None,
    batch: int | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    surrogate: str | None = None,
    weight: float | None = None,
    orders: str | None = None,
) -> Aim:
    """The aim of a loss; None is what suits it, and what makes no sense with it is refused.

    >>> chosen_aim("rank-astar").distribution.name, chosen_aim("gaussian").select
    ('point', 'mse')
    >>> chosen_aim("rank-gbfs", lower="lmcut")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: the loss 'rank-gbfs' has no lower bound (hint: take
    'rank-truncated', or leave it out)
    """
    if loss not in TRAINING_LOSSES and loss not in DISTRIBUTIONS:
        from beeline.pddl.source import suggestion

        raise BeelineError(
            f"unknown loss '{loss[:60]}': there are {', '.join(TRAINING_LOSSES)}",
            hint=suggestion(loss, TRAINING_LOSSES) or f"take '{DEFAULT_LOSS}'",
        )
    weights = {"alpha": alpha, "beta": beta, "surrogate": surrogate, "weight": weight}
    if loss in DISTRIBUTIONS:
        for name, value in weights.items():
            if value is not None:
                raise BeelineError(f"the loss '{loss}' has no {name}", hint="leave it out")
        if orders is not None:
            raise BeelineError(
                f"the loss '{loss}' does not look at orders of plans",
                hint="take a loss of whole plans, such as rank-astar, or leave --orders out",
            )
        distribution = Distribution(
            loss, sigma or "learn", lower or "lmcut", upper or NONE, residual or "ff"
        )
        return Likelihood(distribution, 256 if batch is None else batch)
    if orders is not None and orders not in ORDERS:
        raise BeelineError(f"unknown orders '{orders[:60]}'", hint=f"there are {', '.join(ORDERS)}")
    settings = PlanLossSettings(loss, alpha, beta, surrogate, weight)
    base = residual or NONE
    if settings.truncated:
        _refuse(loss, {"upper bound": upper})
        distribution = Distribution(
            "truncated-gaussian", sigma or "learn", lower or "lmcut", NONE, base
        )
    else:
        _refuse(loss, {"sigma": sigma, "lower bound": lower, "upper bound": upper})
        distribution = Distribution.of_points(settings.loss.columns, base)
    return PlanRanking(distribution, settings, 1 if batch is None else batch, orders=orders)


def _refuse(loss: str, words: dict[str, str | None]) -> None:
    for name, word in words.items():
        if word is not None and word != NONE:
            raise BeelineError(
                f"the loss '{loss}' has no {name}", hint="take 'rank-truncated', or leave it out"
            )
