"""A neural model as a heuristic: bounds and residual, network, point estimate, batch by batch.

Bounds and residual come from the engine's own heuristics, each computed once even where it serves
as both. What they prove to be dead ends is never shown to the network.
"""

from __future__ import annotations

import json
from time import perf_counter
from typing import TYPE_CHECKING, Literal

import numpy as np

from beeline import _native
from beeline.core.errors import BeelineError
from beeline.models.distributions import DISTRIBUTIONS, mu_and_sigma
from beeline.models.estimates import point_estimate
from beeline.models.families import encoder_family, network_entry
from beeline.models.neural_model import NONE, POINTS
from beeline.planning.heuristics import heuristic_work, make_evaluator
from beeline.planning.model import Gaussian, check_fits
from beeline.planning.python_heuristics import LARGEST_VALUE
from beeline.task.states import StateBatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from beeline._native import Evaluator, States
    from beeline.models.families import Scorer
    from beeline.models.neural_model import NeuralModel
    from beeline.task.ground_task import GroundTask

    Floats = NDArray[np.float64]
    Reading = Callable[[NDArray[np.float32], dict[str, Floats]], Floats]

ROUNDINGS = {"none": None, "nearest": np.rint, "down": np.floor}
LARGEST = 1e12  # the estimate of a state whose network overflows: to be looked at last


class NeuralEvaluator:
    """The heuristic of a model for one task; `beeline.solve` takes it as it is.

    `estimate` (mean, mu, clip or quantile) and `quantile` are the model's unless given. `rounding`
    makes whole numbers of them, nearest ones or down, so that a search has ties for another
    heuristic to break. `seconds` adds up the time spent in the network, in heuristics for bounds
    and residual, and in the rest. A task of another domain is refused.
    """

    def __init__(
        self,
        model: NeuralModel,
        task: GroundTask,
        *,
        estimate: str | None = None,
        quantile: float | None = None,
        rounding: Literal["none", "nearest", "down"] = "none",
    ) -> None:
        check_fits(model, task.problem.domain)
        _check_vocabulary(model, task)
        if estimate is not None or quantile is not None:
            model = model.with_estimate(estimate or model.distribution.estimate, quantile)
        self.model = model
        self._round = ROUNDINGS[rounding]
        self.seconds = {"network": 0.0, "heuristics": 0.0, "rest": 0.0}
        self._task = task
        self._states: States | None = None
        self._scorer: Scorer | None = None
        settings = model.distribution
        self._lower = settings.lower if settings.needs_bounds else NONE
        names = dict.fromkeys(each for each in (self._lower, settings.residual) if each != NONE)
        self._heuristics: dict[str, Evaluator] = {
            name: make_evaluator(name, task) for name in names
        }

    def __repr__(self) -> str:
        return f"<NeuralEvaluator of {self.model!r}>"

    @property
    def work(self) -> float:
        """What a state costs on a usual machine, in microseconds."""
        network = network_entry(self.model.network).work(self._task)
        return network + sum(heuristic_work(name, self._task) for name in self._heuristics)

    @property
    def proves_dead_ends(self) -> bool:
        """Whether infinite values come from the engine's heuristics alone."""
        return self.model.network != "linear"

    @property
    def has_policy(self) -> bool:
        """Whether `evaluate_policy` can be asked."""
        return self.model.distribution.has_policy

    def evaluate(self, batch: StateBatch) -> Floats:
        """Estimates of the cost-to-go, infinity for dead ends: float64[n]."""
        return self._evaluated(batch, self._estimates, np.inf)

    def evaluate_policy(self, batch: StateBatch) -> tuple[Floats, Floats]:
        """The estimates, and the logits of the states among their siblings: two float64[n].

        The probability of a child is the softmax of the logits over all children of its parent;
        dead ends have the logit -infinity, thus no share in it.
        """
        if not self.has_policy:
            raise BeelineError(
                f"the model of {self.model.domain_name} has no policy",
                hint="'beeline train --loss policy' makes one that has",
            )

        def both(raw: NDArray[np.float32], bounds: dict[str, Floats]) -> Floats:
            # A logit that is no number must not spoil the softmax of its siblings.
            logits = np.clip(np.nan_to_num(raw[:, 1].astype(np.float64)), -LARGEST, LARGEST)
            return np.stack([self._estimates(raw, bounds), logits], axis=1)

        h, logits = self._evaluated(batch, both, (np.inf, -np.inf)).T
        logits = np.where(np.isfinite(h), logits, -np.inf)
        return np.ascontiguousarray(h), logits

    def gaussian(self, states: States) -> Gaussian | None:
        """The distribution behind the mean, for searches that bound it; None if there is none.

        Infinite lower bounds are proofs: those of the engine's heuristics.
        """
        settings = self.model.distribution
        if settings.name in POINTS or not DISTRIBUTIONS[settings.name].uses_bounds:
            return None
        if settings.estimate != "mean" or self._round is not None:
            return None
        remembered = _Remembered(self, self._task, states)
        lower, mu, sigma = (
            _native.PythonEvaluator(remembered.column(number), None, number == 0)
            for number in range(3)
        )
        return Gaussian((lower, mu, sigma), settings.epsilon)

    def parameters(self, batch: StateBatch) -> Floats:
        """Lower bound, mu and sigma of each state, float64[n, 3]; an infinite bound if it is dead.

        Without a lower bound in the model, it is 0.
        """

        def parts(raw: NDArray[np.float32], bounds: dict[str, Floats]) -> Floats:
            usable = np.logical_and.reduce(np.isfinite(raw), axis=1)
            raw = np.where(usable[:, None], raw, np.float32(0.0))
            residual = self.model.distribution.residual
            mu, sigma = mu_and_sigma(raw, 0.0 if residual == NONE else bounds[residual])
            mu = np.clip(np.where(usable, mu, LARGEST), -LARGEST, LARGEST)
            lower = np.zeros(len(mu)) if self._lower == NONE else bounds[self._lower]
            return np.stack([lower, mu, sigma], axis=1)

        return self._evaluated(batch, parts, (np.inf, 0.0, 1.0))

    def _evaluated(
        self, batch: StateBatch, read: Reading, dead: float | tuple[float, ...]
    ) -> Floats:
        """What `read` makes of raw outputs and heuristic values; `dead` for dead ends."""
        start = perf_counter()
        states, ids = batch.states, batch.ids
        scorer = self._scorer_for(states)
        bounds = {name: each.evaluate(states, ids) for name, each in self._heuristics.items()}
        after_heuristics = perf_counter()
        alive = None
        if bounds:
            finite = np.isfinite(sum(bounds.values()))
            if not finite.all():
                alive = np.flatnonzero(finite)
                ids = ids[alive]
                bounds = {name: values[alive] for name, values in bounds.items()}
        raw = scorer(ids) if len(ids) else np.empty((0, self.model.distribution.heads), np.float32)
        after_network = perf_counter()
        values = read(raw, bounds)
        if alive is not None:
            every = np.empty((len(batch), *values.shape[1:]))
            every[:] = dead
            every[alive] = values
            values = every
        end = perf_counter()
        self.seconds["heuristics"] += after_heuristics - start
        self.seconds["network"] += after_network - after_heuristics
        self.seconds["rest"] += end - after_network
        return values

    def _scorer_for(self, states: States) -> Scorer:
        """The network, bound to the states of this search."""
        if self._scorer is None or states is not self._states:
            bind = network_entry(self.model.network).bind
            self._scorer, self._states = bind(self.model, self._task, states), states
        return self._scorer

    def _estimates(self, raw: NDArray[np.float32], bounds: dict[str, Floats]) -> Floats:
        """Point estimates from raw outputs [n, heads] and the values of heuristics, all finite."""
        settings = self.model.distribution
        usable = np.logical_and.reduce(np.isfinite(raw), axis=1)
        every_usable = bool(usable.all())
        if not every_usable:
            raw = np.where(usable[:, None], raw, np.float32(0.0))
        residual = 0.0 if settings.residual == NONE else bounds[settings.residual]
        mu, sigma = mu_and_sigma(raw, residual)
        values = mu if settings.name in POINTS else self._point_estimates(mu, sigma, bounds)
        if not every_usable:
            # Features of the linear model are infinite where relaxed plans do not exist.
            without_output = np.inf if self.model.network == "linear" else LARGEST
            values = np.where(usable, values, without_output)
        alive = np.isfinite(values)
        if not alive.all() or np.abs(values).max(initial=0.0) > LARGEST_VALUE:
            values = np.where(alive, np.clip(values, -LARGEST_VALUE, LARGEST_VALUE), values)
        return values if self._round is None else self._round(values)

    def _point_estimates(self, mu: Floats, sigma: Floats, bounds: dict[str, Floats]) -> Floats:
        settings, upper = self.model.distribution, np.full(len(mu), np.inf)
        lower = -upper if self._lower == NONE else bounds[self._lower]
        if settings.estimate != "clip":
            lower = lower - settings.epsilon
        kind, name, quantile = settings.estimate, settings.name, settings.quantile
        return point_estimate(kind, name, mu, sigma, lower, upper, quantile)


class _Remembered:
    """What a model says of the states of a registry, asked for once for each state."""

    def __init__(self, heuristic: NeuralEvaluator, task: GroundTask, states: States) -> None:
        self._heuristic = heuristic
        self._task = task
        self._states = states
        self._rows = np.empty((0, 3))  # by number of state; NaN where nobody has asked

    def column(self, number: int) -> Callable[[NDArray[np.uint32]], Floats]:
        """One of lower bound, mu and sigma, as an evaluator gives values."""
        return lambda ids: np.ascontiguousarray(self._asked(ids)[:, number])

    def _asked(self, ids: NDArray[np.uint32]) -> Floats:
        """Lower bound, mu and sigma of these states: float64[n, 3]."""
        known, end = len(self._rows), int(ids.max(initial=0)) + 1
        if end > known:
            more = np.full((max(end, 2 * known) - known, 3), np.nan)
            self._rows = np.concatenate([self._rows, more])
        found: Floats = self._rows[ids]
        new = np.isnan(found[:, 0])
        if new.any():
            batch = StateBatch(self._task, self._states, ids[new])
            found[new] = self._rows[ids[new]] = self._heuristic.parameters(batch)
        return found


def _check_vocabulary(model: NeuralModel, task: GroundTask) -> None:
    """Refuse domains that only look the same: their actions may have other bodies."""
    if network_entry(model.network).exact:
        domain = task.problem.domain
        vocabulary = encoder_family(model.encoder).vocabulary(domain)
        if json.loads(json.dumps(vocabulary.to_json())) != model.vocabulary:
            raise BeelineError(
                f"the model, learned in '{model.domain_name}', does not fit the domain"
                f" '{domain.name}': its actions have other conditions or effects",
                hint="'beeline train' makes a model of this domain",
            )
