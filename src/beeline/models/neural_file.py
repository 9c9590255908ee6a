"""Neural models within model files, with every check that loading needs, and in words."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.models.families import ENCODERS, domain_row, network_entry, vocabulary_of
from beeline.models.model_file import refuse
from beeline.models.neural_model import CHOICES, Distribution, NeuralModel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from beeline.models.hgn.slots import SchemaSlots
    from beeline.models.model_file import Header

LARGEST_WEIGHT = 1e9  # sums of products stay within 32-bit floats
LARGEST_OPTION = 4096  # of a network's sizes
MOST_OPTIONS = 20
_POINT_WORDS = {
    "point": "a score, which is the heuristic",
    "policy": "a score, which is the heuristic, and the logit of a state among its siblings",
}


def to_parts(model: NeuralModel) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header and arrays of a model."""
    header = {
        "signature": model.signature,
        "encoder": {"name": model.encoder, "vocabulary": model.vocabulary},
        "model": {"name": model.network, "options": model.options},
        "distribution": model.distribution.to_json(),
        **model.origin(),
    }
    return header, dict(model.weights)


def from_parts(reader: Header, arrays: Mapping[str, NDArray[Any]]) -> NeuralModel:
    """The model of a header and arrays that may have been made by anybody."""
    network = reader.word("model", "name")
    encoder = reader.word("encoder", "name", [network_entry(network).encoder])
    vocabulary = reader.part("encoder").get("vocabulary")
    reader.require(isinstance(vocabulary, dict), "'vocabulary' of 'encoder'")
    assert isinstance(vocabulary, dict)
    summary, seed, package_version = reader.origin()
    model = NeuralModel(
        signature=reader.signature(),
        encoder=encoder,
        vocabulary=vocabulary,
        network=network,
        options=_checked_options(reader),
        weights=dict(arrays),
        distribution=_checked_distribution(reader),
        summary=summary,
        seed=seed,
        package_version=package_version,
    )
    _check_weights(model, reader.file)
    return model


def _checked_options(reader: Header) -> dict[str, Any]:
    options = reader.part("model").get("options")
    reader.require(isinstance(options, dict), "'options' of 'model'")
    assert isinstance(options, dict)
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


def _check_weights(model: NeuralModel, file: str) -> None:
    """Every weight has the shape that the network would have, and is a usable number."""
    try:
        vocabulary = vocabulary_of(model)
        if json.loads(json.dumps(vocabulary.to_json())) != model.vocabulary:
            raise ValueError("its vocabulary has parts that mean nothing")
        _check_parameters(getattr(vocabulary, "schemas", {}), model.signature["actions"])
        expected = network_entry(model.network).shapes(model)
    except (BeelineError, ValueError, TypeError, KeyError, IndexError, AttributeError) as error:
        reason = error.message if isinstance(error, BeelineError) else repr(error)
        refuse(f"its network cannot be made: {reason[:200]}", file)
    check_arrays(model.network, expected, model.weights, file)


def _check_parameters(
    schemas: Mapping[str, SchemaSlots], actions: Mapping[str, Sequence[object]]
) -> None:
    """Raise a ValueError if atoms name parameters that their actions do not have."""
    for name, slots in schemas.items():
        for literal in slots.literals():
            for argument in literal.arguments:
                if isinstance(argument, int) and argument >= len(actions.get(name, ())):
                    raise ValueError(f"its action '{name[:40]}' has too few parameters")


def check_arrays(
    network: str,
    expected: Mapping[str, tuple[int, ...]],
    arrays: Mapping[str, NDArray[Any]],
    file: str,
) -> None:
    """Refuse a file unless it has weights of these names and shapes, all of them usable."""
    import numpy as np

    missing, unknown = expected.keys() - arrays.keys(), arrays.keys() - expected
    if missing or unknown:
        what = f"has no weights '{min(missing)}'" if missing else f"has weights '{min(unknown)}'"
        refuse(f"its network {network} {what[:80]}", file)
    for name, shape in sorted(expected.items()):
        array = arrays[name]
        if array.dtype != np.float32:
            refuse(f"its weights '{name}' are whole numbers", file)
        if array.shape != shape:
            refuse(
                f"its weights '{name}' have the shape {_shown(array.shape)}, and a network"
                f" {network} of its domain has {_shown(shape)}",
                file,
            )
        if not np.isfinite(array).all():
            refuse(f"its weights '{name}' are not all numbers", file)
        if np.abs(array).max(initial=0.0) > LARGEST_WEIGHT:
            refuse(f"one of its weights '{name}' is too large", file)


def _shown(shape: tuple[int, ...]) -> str:
    return " x ".join(f"{axis:,}" for axis in shape) or "of a single number"


def described(model: NeuralModel) -> dict[str, Any]:
    """What kind of model this is, as plain values."""
    settings = model.distribution
    loss = model.summary.get("loss")
    told = isinstance(loss, dict) and isinstance(loss.get("name"), str)
    return {
        "domain": model.domain_name,
        "encoder": {"name": model.encoder, "vocabulary": model.vocabulary},
        "network": {
            "name": model.network,
            "options": model.options,
            "weights": model.num_weights,
            "shapes": {name: list(array.shape) for name, array in sorted(model.weights.items())},
        },
        "loss": loss if told else {"name": settings.name},
        "distribution": settings.to_json(),
        "uses_h_ff": "ff" in (settings.residual, settings.lower) or model.encoder == "gomoluch",
        **model.origin(),
    }


def described_rows(model: NeuralModel) -> Iterator[tuple[str, str]]:
    """The same for readers: names and values."""
    settings = model.distribution
    options = "".join(
        f", {name.replace('_', ' ')} {value}" for name, value in model.options.items()
    )
    yield domain_row(model)
    yield "encoder", f"{model.encoder}: {ENCODERS[model.encoder]}"
    yield "network", f"{model.network}: {network_entry(model.network).summary}"
    yield "sizes", f"{model.num_weights:,} weights{options}"
    loss = dict(described(model)["loss"])
    yield "loss", ", ".join([loss.pop("name"), *(f"{key} {value}" for key, value in loss.items())])
    if settings.name in _POINT_WORDS:
        yield "output", _POINT_WORDS[settings.name]
    else:
        yield "distribution", _distribution_words(settings)
        yield "lower bound", _bound_words(settings.lower, settings.epsilon)
        known = settings.upper != "none"
        yield "upper bound", "cost of a plan, in training only" if known else "none"
    yield "residual", "none" if settings.residual == "none" else f"h_{settings.residual} + output"
    yield from model.closing_rows()


def _distribution_words(settings: Distribution) -> str:
    sigma = "sigma learned" if settings.sigma == "learn" else "sigma fixed at 1/√2"
    point: str = settings.estimate
    if point == "quantile":
        point = f"{settings.quantile:g}-quantile"
    return f"{settings.name}, {sigma}; the heuristic is its {point}"


def _bound_words(name: str, epsilon: float) -> str:
    return "none" if name == "none" else f"h_{name}, widened by {epsilon:g}"
