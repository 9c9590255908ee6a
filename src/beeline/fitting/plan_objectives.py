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

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from beeline.core.errors import BeelineError
from beeline.fitting.objectives import EPSILON, digest_of, epochs
from beeline.fitting.ranking import violations
from beeline.models.distributions import SIGMAS, mu_and_sigma_tensors
from beeline.models.truncated import log_density, mean, with_slopes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from torch import Tensor

    from beeline.fitting.labels import LabelledPlans
    from beeline.fitting.losses import PlanLossSettings
    from beeline.fitting.plan_graph import PlanGraph
    from beeline.fitting.ranking import PlanLoss

BATCH_SIZE = 1  # instances, as in the paper
METRICS = ("loss", "violations")


class PlanObjective:
    """A loss of plans: its mean over the instances of a minibatch.

    `sigma` and `epsilon` are those of the truncated Gaussian, if the loss has one. The metric
    `loss` is the mean over all instances; `violations` is the share of pairs in all Open lists
    that are not in order, ties included.
    """

    metric_names = METRICS

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
        self._plans, self._settings, self._batch_size = plans, settings, batch_size
        self._loss = settings.loss
        # As many heads as the loss has columns; with a Gaussian, two if sigma is learned.
        self.heads = SIGMAS[sigma] if settings.truncated else self._loss.columns
        self._gaussian = {"sigma": sigma, "epsilon": epsilon} if settings.truncated else {}
        self._starts = plans.starts.tolist()
        self._residual = torch.from_numpy(plans.residual)
        self._lower = torch.from_numpy(plans.lower - epsilon)
        self._paths = [torch.from_numpy(graph.path) for graph in plans.graphs]
        self._costs = [torch.from_numpy(graph.costs) for graph in plans.graphs]

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
        names = "path costs better worse g_differences parents child_starts children chosen"
        arrays = [getattr(graph, name) for graph in self._plans.graphs for name in names.split()]
        return {
            "loss": self._settings.to_json(),
            **self._gaussian,
            "batch_size": self._batch_size,
            **self._plans.choices,
            "states": len(self._plans),
            "labels": digest_of(self._plans.residual, self._plans.lower, *arrays),
        }


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
    return with_slopes(np.float64(value), (scores, slopes))
