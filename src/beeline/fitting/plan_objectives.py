"""Losses of whole plans as objectives: every minibatch has all states of an instance.

The network's first output, plus the residual, is the score h of a state. It is ranked as it is
(Chrestien et al., "Optimize planning heuristics to rank, not to estimate cost-to-goal"), or it is
mu of a truncated Gaussian with the mean E[x], and that is ranked:

    sum of log(1 + exp(r)) over pairs of Open lists - weight * sum of log p(h*) over the plan

with r of the means. Both terms then see the admissible lower bound, and no score lies below it.

There is one implementation of each loss, in NumPy. Its slopes are exact, so that torch only has to
carry them on into the network.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch

from beeline.core.errors import BeelineError
from beeline.fitting.objectives import EPSILON, epochs
from beeline.fitting.ranking import violations
from beeline.models.distributions import SIGMAS, mu_and_sigma_tensors
from beeline.models.truncated import log_density, mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray
    from torch import Tensor

    from beeline.fitting.labels import LabelledPlans
    from beeline.fitting.plan_graph import PlanGraph
    from beeline.fitting.plan_losses import PlanLossSettings
    from beeline.fitting.ranking import PlanLoss

BATCH_SIZE = 1  # instances, as in the paper
METRICS = ("loss", "violations")


class PlanObjective:
    """A loss of plans: its mean over the instances of a minibatch.

    `sigma` and `epsilon` are those of the truncated Gaussian, if the loss has one. The metric
    `loss` is the mean over all instances; `violations` is the share of pairs in all Open lists
    that are not in order, ties included.
    """

    def __init__(
        self,
        plans: LabelledPlans,
        settings: PlanLossSettings,
        *,
        sigma: str = "learn",
        epsilon: float = EPSILON,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        if batch_size < 1:
            raise BeelineError(f"batch size {batch_size}", hint="a batch has at least one instance")
        self._plans = plans
        self._settings = settings
        self._loss = settings.loss
        self._sigma = sigma
        self._epsilon = epsilon
        self._batch_size = batch_size
        self._starts = plans.starts.tolist()
        self._residual = torch.from_numpy(plans.residual)
        self._lower = torch.from_numpy(plans.lower - epsilon)
        self._paths = [torch.from_numpy(graph.path) for graph in plans.graphs]
        self._costs = [torch.from_numpy(graph.costs) for graph in plans.graphs]

    @property
    def heads(self) -> int:
        """As many as the loss has columns; with a Gaussian, two if sigma is learned."""
        return SIGMAS[self._sigma] if self._settings.truncated else self._loss.columns

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The loss, and the share of pairs out of order."""
        return METRICS

    def minibatches(self, seed: int, first: int = 0) -> Iterator[NDArray[np.int64]]:
        """All rows of some instances, which are drawn epoch by epoch."""
        starts = self._starts
        for places in epochs(len(self._plans.graphs), self._batch_size, seed, first):
            parts = [np.arange(starts[place], starts[place + 1]) for place in places.tolist()]
            yield np.concatenate(parts)

    def loss(self, raw: Tensor, rows: NDArray[np.int64]) -> Tensor:
        """The mean loss of the instances, all of whose rows these are."""
        values, begin = [], 0
        while begin < len(rows):
            place = int(np.searchsorted(self._plans.starts, rows[begin], side="right")) - 1
            end = begin + self._plans.graphs[place].count
            values.append(self._value(raw[begin:end], place)[0])
            begin = end
        return torch.stack(values).mean()

    @torch.no_grad()
    def metrics(self, raw: Tensor) -> dict[str, float]:
        """`loss` and `violations` over all instances."""
        alpha, beta = self._settings.order
        total, wrong, pairs = 0.0, 0, 0
        for place, graph in enumerate(self._plans.graphs):
            part = raw[self._starts[place] : self._starts[place + 1]]
            value, scores = self._value(part, place)
            total += value.item()
            h = (scores if scores.dim() == 1 else scores[:, 0]).numpy()
            wrong += violations(h, graph, alpha=alpha, beta=beta)
            pairs += len(graph.better)
        return {"loss": total / len(self._plans.graphs), "violations": wrong / max(pairs, 1)}

    def _value(self, raw: Tensor, place: int) -> tuple[Tensor, Tensor]:
        """The loss of an instance from the raw outputs of its states, and their scores."""
        graph = self._plans.graphs[place]
        here = slice(self._starts[place], self._starts[place + 1])
        if not self._settings.truncated:
            scores = raw.double()
            h = scores[:, 0] + self._residual[here]
            scores = h if self._loss.columns == 1 else torch.stack([h, scores[:, 1]], dim=1)
            return plan_loss_value(scores, self._loss, graph), scores
        mu, sigma = mu_and_sigma_tensors(raw, self._residual[here])
        lower = self._lower[here]
        expected = mean(mu, sigma, lower, torch.full_like(lower, torch.inf))
        path = self._paths[place]
        likelihood = log_density(
            mu[path],
            sigma[path],
            self._costs[place],
            lower[path],
            torch.full_like(self._costs[place], torch.inf),
        )
        ranking = plan_loss_value(expected, self._loss, graph)
        return ranking - self._settings.to_json()["weight"] * likelihood.sum(), expected

    def describe(self) -> dict[str, Any]:
        """Every choice, and a digest of the labels."""
        digest = sha256(self._plans.residual.tobytes() + self._plans.lower.tobytes())
        for graph in self._plans.graphs:
            for array in (graph.path, graph.costs, graph.better, graph.worse, graph.g_differences):
                digest.update(array.tobytes())
            for array in (graph.parents, graph.child_starts, graph.children, graph.chosen):
                digest.update(array.tobytes())
        gaussian = {"sigma": self._sigma, "epsilon": self._epsilon}
        return {
            "loss": self._settings.to_json(),
            **(gaussian if self._settings.truncated else {}),
            "batch_size": self._batch_size,
            **self._plans.choices,
            "states": len(self._plans),
            "labels": digest.hexdigest(),
        }


class _WithSlopes(torch.autograd.Function):
    """A value that was computed elsewhere, as a function of scores with known slopes."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, value: Tensor, slopes: Tensor) -> Tensor:
        ctx.save_for_backward(slopes)
        return value

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, None, None]:
        (slopes,) = ctx.saved_tensors
        return gradients[0] * slopes, None, None


def plan_loss_value(scores: Tensor, loss: PlanLoss, graph: PlanGraph) -> Tensor:
    """The loss of one plan, float64[]; scores are [count], or [count, 2] where it takes a policy.

    Scores of any precision are taken; all work is float64.

    >>> from beeline.fitting.plan_graph import plan_graph
    >>> from beeline.fitting.ranking import plan_loss
    >>> rows = [
    ...     {"state": 0, "step": 0, "on_path": True, "g": 0, "h_star": 1.0},
    ...     {"state": 1, "step": 1, "on_path": True, "g": 1, "h_star": 0.0},
    ...     {"state": 2, "step": 1, "on_path": False, "g": 1},
    ... ]
    >>> h = torch.zeros(3, requires_grad=True)
    >>> value = plan_loss_value(h, plan_loss("rank-gbfs"), plan_graph(rows).graph)
    >>> value.backward()
    >>> round(value.item(), 4), h.grad.tolist()
    (0.6931, [0.0, 0.5, -0.5])
    """
    value, slopes = loss(scores.detach().double().cpu().numpy(), graph)
    apply = cast("Callable[..., Tensor]", _WithSlopes.apply)  # torch leaves it untyped
    return apply(
        scores.double(),
        torch.tensor(value, dtype=torch.float64, device=scores.device),
        torch.from_numpy(np.ascontiguousarray(slopes)).to(scores.device),
    )
