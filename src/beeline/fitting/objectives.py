"""What a network is trained for: minibatches of rows, a loss of its outputs, and metrics.

How good a network, or a heuristic, is on labelled states; what a trained network says about them:
distributions, estimates, likelihoods. Estimates are those of a search: bounds are the model's,
opened by its epsilon, and no upper bound is known. The states go through the network once;
everything else is a few operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
import torch

from beeline.core.errors import BeelineError
from beeline.fitting.labels import LabelledStates, label_states
from beeline.models.distributions import SIGMAS, mu_and_sigma, mu_and_sigma_tensors
from beeline.models.distributions import distribution as distribution_entry
from beeline.models.estimates import point_estimate
from beeline.models.families import encoder_family, make_network, vocabulary_of
from beeline.models.neural_model import POINTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from beeline.data.instances import InstanceStates
    from beeline.models.estimates import Estimate
    from beeline.models.families import Inputs
    from beeline.models.network import Network
    from beeline.models.neural_model import Distribution, NeuralModel

    Floats = NDArray[np.float64]

BATCH_SIZE = 256
EPSILON = 0.1  # bounds are open: targets may lie on them
METRICS = ("mse", "mse_clip", "nll", "nll_clip")


class Objective(Protocol):
    """A goal of training over the rows of some inputs."""

    @property
    def heads(self) -> int:
        """How many outputs per state the network must have."""

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The names of the metrics, in order."""

    def minibatches(self, seed: int, first: int) -> Iterator[NDArray[np.int64]]:
        """The rows of the minibatches number `first`, `first + 1`, ... without end.

        They depend on `seed` and number alone: training can begin anywhere.
        """

    def loss(self, raw: Tensor, rows: NDArray[np.int64]) -> Tensor:
        """The scalar to minimise, for the raw outputs float32[n, heads] of some rows."""

    def metrics(self, raw: Tensor) -> dict[str, float]:
        """The metrics of the raw outputs of all rows."""

    def describe(self) -> dict[str, Any]:
        """All that tells this objective from others, as plain values."""


@runtime_checkable
class SlopedObjective(Protocol):
    """An objective with a formula for slopes, so that nothing has to be differentiated."""

    def loss_and_slopes(
        self, raw: NDArray[np.float32], rows: NDArray[np.int64]
    ) -> tuple[float, NDArray[np.float32]]:
        """The loss of some rows, and its slopes by their raw outputs: both [n, heads]."""


def epochs(count: int, size: int, seed: int, first: int = 0) -> Iterator[NDArray[np.int64]]:
    """Minibatches of rows 0 .. count - 1: every epoch has each row once, in a new order.

    The last minibatch of an epoch may be smaller.

    >>> stream = epochs(5, 2, seed=0)
    >>> sorted(np.concatenate([next(stream) for _ in range(3)]).tolist())
    [0, 1, 2, 3, 4]
    >>> stream, later = epochs(5, 2, seed=0), epochs(5, 2, seed=0, first=1)
    >>> _ = next(stream)
    >>> next(stream).tolist() == next(later).tolist()
    True
    """
    per_epoch = -(-count // size)
    epoch, place = divmod(first, per_epoch)
    while True:
        order = np.random.default_rng([seed, epoch]).permutation(count)
        for begin in range(place * size, count, size):
            yield order[begin : begin + size]
        epoch, place = epoch + 1, 0


def digest_of(*arrays: NDArray[Any]) -> str:
    """What tells labels from others."""
    return sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()


class StateObjective:
    """What objectives of single states share: minibatches go through all `count` of them.

    `labels` are what is learned about them, and `choices` tell the objective from others.
    """

    def __init__(
        self, labels: Sequence[NDArray[Any]], count: int, batch_size: int, **choices: object
    ) -> None:
        self._count, self._batch_size, self._choices = count, batch_size, choices
        self._all_labels = labels

    def minibatches(self, seed: int, first: int = 0) -> Iterator[NDArray[np.int64]]:
        """Minibatches that go through all states, epoch by epoch."""
        return epochs(self._count, self._batch_size, seed, first)

    def describe(self) -> dict[str, Any]:
        """Every choice, and a digest of the labels."""
        sizes = {"batch_size": self._batch_size, "states": self._count}
        return {**self._choices, **sizes, "labels": digest_of(*self._all_labels)}


class Likelihood(StateObjective):
    """What objectives of predicted distributions share: a column of labels for each number."""

    def __init__(
        self,
        distribution: str,
        labelled: LabelledStates,
        columns: Sequence[NDArray[np.float64]],
        sigma: str,
        epsilon: float,
        batch_size: int,
    ) -> None:
        if sigma not in SIGMAS:
            raise BeelineError(
                f"unknown way to find sigma '{sigma[:60]}'", hint=f"there are {', '.join(SIGMAS)}"
            )
        if batch_size < 1 or not epsilon >= 0.0:
            raise BeelineError(
                f"batch size {batch_size}, epsilon {epsilon}",
                hint="a batch has at least one state, and epsilon is not negative",
            )
        labels = np.stack(columns, axis=1)  # a row per state, so that a minibatch gathers once
        choices = {"distribution": distribution, "sigma": sigma, "epsilon": epsilon}
        super().__init__([labels], len(labelled), batch_size, **choices, **labelled.choices)
        self.heads = SIGMAS[sigma]
        self._labels = torch.from_numpy(labels)


class DistributionObjective(Likelihood):
    """The negative log-likelihood of the targets under a distribution per state.

    The network gives mu, less the residual, and raw sigma if it is learned. Bounds l and u are
    opened to l - epsilon and u + epsilon. The expected value is the prediction, whose squared
    error is the metric `mse`; `nll` is the mean loss. `mse_clip` and `nll_clip` are the same for
    mu clipped to [l, u], where the distribution itself knows no bounds.
    """

    metric_names = METRICS

    def __init__(
        self,
        labelled: LabelledStates,
        distribution: str = "truncated-gaussian",
        *,
        sigma: str = "learn",
        epsilon: float = EPSILON,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        bounds = (labelled.lower - epsilon, labelled.upper + epsilon)
        columns = (labelled.target, *bounds, labelled.residual)
        super().__init__(distribution, labelled, columns, sigma, epsilon, batch_size)
        self._distribution = distribution_entry(distribution)
        self._closed = torch.from_numpy(np.stack([labelled.lower, labelled.upper]))

    def loss(self, raw: Tensor, rows: NDArray[np.int64]) -> Tensor:
        """The mean negative log-likelihood of these rows."""
        labels = self._labels.index_select(0, torch.from_numpy(rows))
        x, lower, upper, residual = labels.unbind(1)
        mu, sigma = mu_and_sigma_tensors(raw, residual)
        return self._distribution.nll(mu, sigma, x, lower, upper).mean()

    @torch.no_grad()
    def metrics(self, raw: Tensor) -> dict[str, float]:
        """`mse`, `mse_clip`, `nll`, `nll_clip` over all states."""
        x, lower, upper, residual = self._labels.unbind(1)
        mu, sigma = mu_and_sigma_tensors(raw, residual)
        nll = self._distribution.nll(mu, sigma, x, lower, upper).mean().item()
        predicted = self._distribution.mean(mu, sigma, lower, upper)
        mse = ((predicted - x) ** 2).mean().item()
        if self._distribution.uses_bounds:
            return dict(zip(METRICS, (mse, mse, nll, nll), strict=True))
        clipped = mu.clamp(*self._closed.unbind(0))
        mse_clip = ((clipped - x) ** 2).mean().item()
        nll_clip = self._distribution.nll(clipped, sigma, x, lower, upper).mean().item()
        return dict(zip(METRICS, (mse, mse_clip, nll, nll_clip), strict=True))


class IntervalObjective(Likelihood):
    """The negative logarithm of the probability that a Gaussian gives to an interval.

    Of each state it is only known that l <= h* <= u, from an admissible heuristic and from a plan
    that need not be cheapest, whose cost is the target of `labelled`. The loss is

        -log(Phi((u + epsilon - mu) / sigma) - Phi((l - epsilon - mu) / sigma))

    which is the Gaussian likelihood of h* (up to a constant) as the interval shrinks around it.
    It is stable however far mu lies from the interval, and so are its slopes (`truncated.log_z`).
    `mse` is the mean square of what the expected cost, given l alone, exceeds u by; `outside` is
    the share of states where it does.
    """

    metric_names = ("mse", "nll", "outside")

    def __init__(
        self,
        labelled: LabelledStates,
        *,
        sigma: str = "learn",
        epsilon: float = EPSILON,
        batch_size: int = BATCH_SIZE,
    ) -> None:
        columns = (labelled.lower - epsilon, labelled.target + epsilon, labelled.residual)
        super().__init__("interval", labelled, columns, sigma, epsilon, batch_size)
        self._epsilon = epsilon

    def loss(self, raw: Tensor, rows: NDArray[np.int64]) -> Tensor:
        """The mean over these rows."""
        return self._nll(raw, self._labels.index_select(0, torch.from_numpy(rows)))

    def _nll(self, raw: Tensor, labels: Tensor) -> Tensor:
        from beeline.models.truncated import log_z

        lower, upper, residual = labels.unbind(1)
        return -log_z(*mu_and_sigma_tensors(raw, residual), lower, upper).mean()

    @torch.no_grad()
    def metrics(self, raw: Tensor) -> dict[str, float]:
        """`mse`, `nll` and `outside` over all states."""
        lower, upper, residual = self._labels.unbind(1)
        mu, sigma = mu_and_sigma_tensors(raw, residual)
        mean = distribution_entry("truncated-gaussian").mean
        expected = mean(mu, sigma, lower, torch.full_like(lower, torch.inf))
        excess = (expected - (upper - self._epsilon)).clamp(min=0.0)
        values = ((excess**2).mean(), self._nll(raw, self._labels), (excess > 0).double().mean())
        return {name: value.item() for name, value in zip(self.metric_names, values, strict=True)}


CHUNK = 1024  # states at once; bounds the memory, has no effect on the result


@torch.no_grad()
def raw_outputs(network: Network, inputs: Inputs, *, chunk: int = CHUNK) -> Tensor:
    """The raw outputs of all rows of the inputs: float32[n, heads]."""
    learning = network.training
    network.eval()
    parts = [
        network(inputs.batch(np.arange(first, min(first + chunk, len(inputs)))))
        for first in range(0, len(inputs), chunk)
    ]
    network.train(learning)
    return torch.cat(parts)


def network_metrics(network: Network, inputs: Inputs, objective: Objective) -> dict[str, float]:
    """The objective's metrics over all rows: MSE, MSE+clip, NLL, NLL+clip of distributions."""
    return objective.metrics(raw_outputs(network, inputs))


def heuristic_errors(labelled: LabelledStates) -> dict[str, float]:
    """The mean squared errors of h_FF and h_LM-cut as estimates of the targets, by name."""
    return {
        name: float(np.mean((values - labelled.target) ** 2))
        for name, values in (("ff", labelled.ff), ("lmcut", labelled.lmcut))
    }


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
