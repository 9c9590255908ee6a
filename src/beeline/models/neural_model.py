"""A trained network of one domain, and how its raw outputs become a heuristic.

The network's outputs are the parameters of a distribution of the cost-to-go, after Núñez-Molina,
Asai, Mesejo and Fernández-Olivares, "On using admissible bounds for learning forward search
heuristics". A point estimate of the distribution is the heuristic. Or the first output is the
heuristic itself, a point; a policy has a second one, the logit of a state among its siblings.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from beeline.core.errors import BeelineError
from beeline.models.distributions import DISTRIBUTIONS, SIGMAS
from beeline.models.estimates import ESTIMATES
from beeline.models.families import ENCODERS, LearnedModel, network_entry, vocabulary_of
from beeline.models.model_file import refuse
from beeline.planning.model import Score, SearchStyle
from beeline.planning.python_heuristics import PythonHeuristic

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.models.estimates import Estimate
    from beeline.models.evaluator import NeuralEvaluator
    from beeline.models.families import Shapes
    from beeline.models.model_file import Header
    from beeline.task.ground_task import GroundTask

LOWER_BOUNDS = ("none", "blind", "max", "lmcut")
UPPER_BOUNDS = ("none", "plan")
RESIDUALS = ("none", "ff", "lmcut")
NONE = "none"  # no bound, no residual
POINT, POLICY = "point", "policy"
POINTS = {POINT: 1, POLICY: 2}  # what is no distribution, and the heads that it takes
_POINT_WORDS = {
    POINT: "a score, which is the heuristic",
    POLICY: "a score, which is the heuristic, and the logit of a state among its siblings",
}
MOST_OPTIONS = 20  # of a network
LARGEST_FLOAT = 1e9  # of weights: sums of products stay within 32-bit floats
LARGEST_OPTION = 4096  # of a network's sizes
CHOICES: dict[str, tuple[str, ...]] = {
    "name": (*DISTRIBUTIONS, *POINTS),
    "sigma": tuple(SIGMAS),
    "lower": LOWER_BOUNDS,
    "upper": UPPER_BOUNDS,
    "residual": RESIDUALS,
    "estimate": ESTIMATES,
}


@dataclass(frozen=True)
class Distribution:
    """What a network predicts, and what is known about the cost before it is asked.

    `lower` is an admissible heuristic, `upper` the cost of a plan, which only training knows;
    bounds are widened by `epsilon`. `residual` is the heuristic that the network corrects. The
    names `point` and `policy` stand for scores without a distribution, hence without bounds.

    >>> Distribution(lower="lmcut").heads
    2
    >>> Distribution(lower="ff")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: unknown lower 'ff': there are none, blind, max, lmcut
    """

    name: str = "truncated-gaussian"
    sigma: str = "learn"
    lower: str = "lmcut"
    upper: str = NONE
    residual: str = "ff"
    epsilon: float = 0.1
    estimate: Estimate = "mean"
    quantile: float = 0.5

    def __post_init__(self) -> None:
        for field, choices in CHOICES.items():
            word = getattr(self, field)
            if field == "name" and word in DISTRIBUTIONS:
                continue  # also one that was registered after this module was read
            if word not in choices:
                what = "distribution" if field == "name" else field
                raise BeelineError(
                    f"unknown {what} '{str(word)[:60]}': there are {', '.join(choices)}"
                )
        if not 0 < self.quantile < 1:
            raise BeelineError(f"the quantile {self.quantile} is not between 0 and 1")
        if self.name in POINTS:
            if (self.sigma, self.lower, self.upper) != ("fixed", NONE, NONE):
                raise BeelineError(f"a {self.name} has no sigma and no bounds")
            if self.estimate not in ("mean", "mu"):
                raise BeelineError(
                    "the model gives a score, and no distribution to estimate a cost from",
                    hint="leave the estimate and the quantile out",
                )

    @staticmethod
    def of_points(columns: int, residual: str) -> Distribution:
        """Scores of so many columns in the place of a distribution.

        >>> Distribution.of_points(2, "none").name
        'policy'
        """
        name = {heads: name for name, heads in POINTS.items()}[columns]
        return Distribution(name, "fixed", NONE, NONE, residual)

    @property
    def heads(self) -> int:
        """Outputs of the network: mu, and sigma if it is learned; or as many as scores need."""
        return POINTS.get(self.name) or SIGMAS[self.sigma]

    @property
    def has_policy(self) -> bool:
        """Whether the network gives probabilities to the children of a state."""
        return self.name == POLICY

    @property
    def needs_bounds(self) -> bool:
        """Whether the estimate depends on bounds; if not, nobody need compute them.

        >>> [Distribution("gaussian", estimate=each).needs_bounds for each in ("mean", "clip")]
        [False, True]
        """
        if self.estimate in ("mean", "quantile"):
            return self.name in DISTRIBUTIONS and DISTRIBUTIONS[self.name].uses_bounds
        return self.estimate == "clip"

    def to_json(self) -> dict[str, Any]:
        """The settings as plain values."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class NeuralModel(LearnedModel):
    """A learned model of one domain whose scores come from a network.

    `vocabulary` is what the sizes of the network depend on, as its encoder writes it; `options` are
    the network's own sizes. `weights` are float32 arrays by the names of the network's parameters.
    """

    signature: dict[str, Any]
    encoder: str
    vocabulary: dict[str, Any]
    network: str
    options: dict[str, Any]
    weights: dict[str, NDArray[np.float32]]
    distribution: Distribution
    summary: dict[str, Any]
    seed: int
    package_version: str
    has_distribution: ClassVar[bool] = True  # scores say so themselves

    @property
    def num_weights(self) -> int:
        """All weights of the network."""
        return sum(array.size for array in self.weights.values())

    @property
    def style(self) -> SearchStyle:
        """How `plan` searches with it: plainly, by the estimate alone."""
        return SearchStyle(rollout=False, preferred=False, symmetry=False)

    def __repr__(self) -> str:
        return (
            f"<NeuralModel {self.domain_name}: {self.network}, {self.num_weights:,} weights,"
            f" {self.distribution.name}>"
        )

    def with_estimate(self, estimate: str, quantile: float | None = None) -> NeuralModel:
        """The same model with another point estimate: mean, mu, clip or quantile."""
        chosen = self.distribution.quantile if quantile is None else quantile
        distribution = replace(
            self.distribution, estimate=cast("Estimate", estimate), quantile=chosen
        )
        return replace(self, distribution=distribution)

    def _heuristic_for(self, task: GroundTask) -> NeuralEvaluator:
        from beeline.models.evaluator import NeuralEvaluator

        return NeuralEvaluator(self, task)

    def score(self, task: GroundTask, states: States) -> Score:
        """The point estimate, and the Gaussian behind it."""
        heuristic = self._heuristic_for(task)
        evaluator = PythonHeuristic(heuristic).evaluator(task, states)
        return Score(evaluator, heuristic.work, gaussian=heuristic.gaussian(states))

    def _kind(self) -> dict[str, Any]:
        """It has no features that could be told one by one."""
        settings = self.distribution
        return {
            "encoder": {"name": self.encoder, "vocabulary": self.vocabulary},
            "network": {
                "name": self.network,
                "options": self.options,
                "weights": self.num_weights,
                "shapes": {name: list(array.shape) for name, array in sorted(self.weights.items())},
            },
            "loss": self._loss(),
            "distribution": settings.to_json(),
            "uses_h_ff": "ff" in (settings.residual, settings.lower) or self.encoder == "gomoluch",
        }

    def _loss(self) -> dict[str, Any]:
        loss = self.summary.get("loss")
        told = isinstance(loss, dict) and isinstance(loss.get("name"), str)
        return dict(loss) if loss and told else {"name": self.distribution.name}

    def _rows(self) -> Iterator[tuple[str, str]]:
        settings = self.distribution
        options = [f"{name.replace('_', ' ')} {value}" for name, value in self.options.items()]
        yield "encoder", f"{self.encoder}: {ENCODERS[self.encoder]}"
        yield "network", f"{self.network}: {network_entry(self.network).summary}"
        yield "sizes", ", ".join([f"{self.num_weights:,} weights", *options])
        loss = self._loss()
        name = loss.pop("name")
        yield "loss", ", ".join([name, *(f"{key} {value}" for key, value in loss.items())])
        if settings.name in POINTS:
            yield "output", _POINT_WORDS[settings.name]
        else:
            sigma = "sigma learned" if settings.sigma == "learn" else "sigma fixed at 1/√2"
            point: str = settings.estimate
            if point == "quantile":
                point = f"{settings.quantile:g}-quantile"
            yield "distribution", f"{settings.name}, {sigma}; the heuristic is its {point}"
            bound = f"h_{settings.lower}, widened by {settings.epsilon:g}"
            yield "lower bound", NONE if settings.lower == NONE else bound
            known = settings.upper != NONE
            yield "upper bound", "cost of a plan, in training only" if known else NONE
        yield "residual", NONE if settings.residual == NONE else f"h_{settings.residual} + output"

    def parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What its file holds."""
        header = {
            "signature": self.signature,
            "encoder": {"name": self.encoder, "vocabulary": self.vocabulary},
            "model": {"name": self.network, "options": self.options},
            "distribution": self.distribution.to_json(),
            **self.origin(),
        }
        return header, dict(self.weights)


def from_parts(reader: Header, arrays: Mapping[str, NDArray[Any]]) -> NeuralModel:
    """The model of a header and arrays that may have been made by anybody."""
    network = reader.word("model", "name")
    encoder = reader.word("encoder", "name", [network_entry(network).encoder])
    vocabulary = reader.entry("encoder", "vocabulary")
    origin = reader.origin()
    model = NeuralModel(
        reader.signature(),
        encoder,
        vocabulary,
        network,
        _checked_options(reader),
        dict(arrays),
        _checked_distribution(reader),
        *origin,
    )
    _check_weights(model, reader)
    return model


def _checked_options(reader: Header) -> dict[str, Any]:
    options: dict[str, Any] = reader.entry("model", "options")
    for name, value in options.items():
        fine = isinstance(value, str | bool)
        if isinstance(value, int | float):
            fine = 0 <= value <= LARGEST_OPTION
        reader.require(fine and len(options) <= MOST_OPTIONS, f"option '{name[:40]}' of 'model'")
    return options


def _checked_distribution(reader: Header) -> Distribution:
    part = reader.part("distribution")
    known = {each.name for each in fields(Distribution)}
    reader.require(part.keys() == known, "the fields of 'distribution'")
    for name in CHOICES:
        reader.word("distribution", name)
    epsilon = reader.real("distribution", "epsilon", 0.0, 1e6)
    quantile = reader.real("distribution", "quantile", 0.0, 1.0)
    try:
        return Distribution(**{**part, "epsilon": epsilon, "quantile": quantile})
    except BeelineError as error:
        refuse(error.message, reader.file)


def _check_weights(model: NeuralModel, reader: Header) -> None:
    """Every weight has the shape that the network would have, and is a usable number."""
    try:
        vocabulary = vocabulary_of(model)
        if json.loads(json.dumps(vocabulary.to_json())) != model.vocabulary:
            raise ValueError("its vocabulary has parts that mean nothing")
        for name, slots in getattr(vocabulary, "schemas", {}).items():
            slots.check_parameters(name, model.signature["actions"].get(name, ()))
        expected = network_entry(model.network).shapes(model)
    except (BeelineError, ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        reason = error.message if isinstance(error, BeelineError) else repr(error)
        refuse(f"its network cannot be made: {reason[:200]}", reader.file)
    check_arrays(model.network, expected, model.weights, reader.file)


def check_arrays(
    network: str, expected: Shapes, arrays: Mapping[str, NDArray[Any]], file: str
) -> None:
    """Refuse a file unless it has weights of these names and shapes, all of them usable."""
    missing, unknown = expected.keys() - arrays.keys(), arrays.keys() - expected
    if missing or unknown:
        what = f"no weights '{min(missing)}'" if missing else f"weights '{min(unknown)}'"
        refuse(f"its network {network} {f'has {what}'[:80]}", file)
    for name, shape in sorted(expected.items()):
        array = arrays[name]
        if getattr(array, "dtype", None) != np.float32:
            refuse(f"its weights '{name}' are whole numbers", file)
        if array.shape != shape:
            refuse(
                f"its weights '{name}' have the shape {_shown(array.shape)}, and a network"
                f" {network} of its domain has {_shown(shape)}",
                file,
            )
        if not np.isfinite(array).all():
            refuse(f"its weights '{name}' are not all numbers", file)
        if np.abs(array).max(initial=0.0) > LARGEST_FLOAT:
            refuse(f"one of its weights '{name}' is too large", file)


def _shown(shape: tuple[int, ...]) -> str:
    return " x ".join(f"{axis:,}" for axis in shape) or "of a single number"
