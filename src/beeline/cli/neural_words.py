"""Neural models in words: what `beeline models` says about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from beeline.cli.messages import print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from beeline.learned.neural_model import Distribution, NeuralModel

_POINT_WORDS = {
    "point": "a score, which is the heuristic",
    "policy": "a score, which is the heuristic, and the logit of a state among its siblings",
}


def neural_overview(model: NeuralModel) -> dict[str, Any]:
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
        "training": model.summary,
        "seed": model.seed,
        "package_version": model.package_version,
    }


def show_neural(model: NeuralModel, path: str, size: int, *, json: bool) -> None:
    """Print all there is to say about a model in a file."""
    facts = {"file": path, "bytes": size, **neural_overview(model)}
    if json:
        print_json({"status": "ok", **facts, "signature": model.signature})
    else:
        rows = [("model", f"{path}, {size / 1024:.1f} KB"), *_rows(model)]
        print("\n".join(f"{name:<13} {value}" for name, value in rows))


def domain_counts(signature: dict[str, Any]) -> str:
    """How many predicates and so on a domain has.

    >>> domain_counts({"predicates": {"on": []}, "actions": {}, "types": {}, "constants": {}})
    '1 predicate'
    """
    return ", ".join(
        f"{len(signature[part])} {part if len(signature[part]) != 1 else part[:-1]}"
        for part in ("predicates", "actions", "types", "constants")
        if signature[part]
    )


def _rows(model: NeuralModel) -> Iterator[tuple[str, str]]:
    from beeline.cli.models_list_command import training_words
    from beeline.encode.registry import ENCODERS
    from beeline.models.registry import network_entry

    settings = model.distribution
    options = "".join(
        f", {name.replace('_', ' ')} {value}" for name, value in model.options.items()
    )
    yield "domain", f"{model.domain_name}: {domain_counts(model.signature)}"
    yield "encoder", f"{model.encoder}: {ENCODERS[model.encoder]}"
    yield "network", f"{model.network}: {network_entry(model.network).summary}"
    yield "sizes", f"{model.num_weights:,} weights{options}"
    loss = dict(neural_overview(model)["loss"])
    yield "loss", ", ".join([loss.pop("name"), *(f"{key} {value}" for key, value in loss.items())])
    if settings.name in _POINT_WORDS:
        yield "output", _POINT_WORDS[settings.name]
    else:
        yield "distribution", _distribution_words(settings)
        yield "lower bound", _bound_words(settings.lower, settings.epsilon)
        known = settings.upper != "none"
        yield "upper bound", "cost of a plan, in training only" if known else "none"
    yield "residual", "none" if settings.residual == "none" else f"h_{settings.residual} + output"
    training = {name: value for name, value in model.summary.items() if name != "loss"}
    yield "training", training_words(training) or "not told"
    yield "seed", str(model.seed)
    yield "made by", f"Beeline {model.package_version}"


def _distribution_words(settings: Distribution) -> str:
    sigma = "sigma learned" if settings.sigma == "learn" else "sigma fixed at 1/√2"
    point: str = settings.estimate
    if point == "quantile":
        point = f"{settings.quantile:g}-quantile"
    return f"{settings.name}, {sigma}; the heuristic is its {point}"


def _bound_words(name: str, epsilon: float) -> str:
    return "none" if name == "none" else f"h_{name}, widened by {epsilon:g}"
