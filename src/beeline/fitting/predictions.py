"""What a trained network says about labelled states: distributions, estimates, likelihoods.

Estimates are those of a search: bounds are the model's, opened by its epsilon, and no upper bound
is known. The states go through the network once; everything else is a few operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from beeline.core.errors import BeelineError
from beeline.fitting.labels import LabelledStates, label_states
from beeline.fitting.objectives import raw_outputs
from beeline.models.distributions import distribution as distribution_entry
from beeline.models.distributions import mu_and_sigma
from beeline.models.estimates import point_estimate
from beeline.models.families import encoder_family, make_network, vocabulary_of
from beeline.models.neural_model import POINTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline.data.instances import InstanceStates
    from beeline.models.estimates import Estimate
    from beeline.models.families import Inputs
    from beeline.models.network import Network
    from beeline.models.neural_model import Distribution, NeuralModel

    Floats = NDArray[np.float64]


def network_and_inputs(
    model: NeuralModel, instances: Sequence[InstanceStates]
) -> tuple[Network, Inputs]:
    """The network of a model with its weights, and what it takes for the states of instances."""
    vocabulary: Any = vocabulary_of(model)
    heads = model.distribution.heads
    network = make_network(model.network, vocabulary, heads, seed=0, **model.options)
    network.load_state_dict(
        {name: torch.from_numpy(array.copy()) for name, array in model.weights.items()}
    )
    return network, encoder_family(model.encoder).dataset_inputs(vocabulary, instances)


@dataclass(frozen=True, eq=False)
class Predictions:
    """Parameters float64[n] of the distributions of n labelled states."""

    labelled: LabelledStates
    settings: Distribution
    mu: Floats
    sigma: Floats

    def estimate(self, kind: Estimate = "mean", quantile: float = 0.5) -> Floats:
        """A point estimate of each state; `clip` knows the bounds as they are."""
        opened = 0.0 if kind == "clip" else self.settings.epsilon
        bounds = (self.labelled.lower - opened, np.full(len(self.mu), np.inf))
        return point_estimate(kind, self.settings.name, self.mu, self.sigma, *bounds, quantile)

    def nll(self, mu: Floats | None = None) -> Floats:
        """The negative log-likelihoods of the targets, also under other means."""
        return self._nll(slice(None), self.labelled.target, self.mu if mu is None else mu)

    def density(self, row: int, x: Floats) -> Floats:
        """The density of one state at some costs, 0 below its bound."""
        rows = np.full(len(x), row)
        beyond = x < self.labelled.lower[row] - self.settings.epsilon
        beyond &= distribution_entry(self.settings.name).uses_bounds
        return np.where(beyond, 0.0, np.exp(-self._nll(rows, x, self.mu[rows])))

    def _nll(self, rows: Any, x: Floats, mu: Floats) -> Floats:
        lower = self.labelled.lower[rows] - self.settings.epsilon
        columns = (mu, self.sigma[rows], x, lower, np.full(len(x), np.inf))
        nll = distribution_entry(self.settings.name).nll(*map(torch.from_numpy, columns))
        found: Floats = nll.numpy()
        return found


def predictions(
    model: NeuralModel, instances: Sequence[InstanceStates], *, lower: str | None = None
) -> Predictions:
    """What a model predicts for the states of instances that have all labels.

    `lower` is the bound to look at, the model's unless given.
    """
    settings = model.distribution
    if settings.name in POINTS:
        raise BeelineError(
            "the model gives scores, not costs: there is nothing to compare with costs",
            hint="take a model of a loss that learns the cost-to-go, such as truncated-gaussian",
        )
    labelled = label_states(
        instances, lower=lower or settings.lower, upper="none", residual=settings.residual
    )
    raw = raw_outputs(*network_and_inputs(model, labelled.instances)).numpy()
    return Predictions(labelled, settings, *mu_and_sigma(raw, labelled.residual))
