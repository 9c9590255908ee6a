"""The model of a configuration: what it is, and how it becomes a heuristic of its search."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError
from beeline.core.files import read_bytes
from beeline.learned.model_file import to_bytes
from beeline.learned.packaged import is_automatic, model_path
from beeline.planning.batch import ModelHeuristic

if TYPE_CHECKING:
    from beeline.evaluate.configuration import Configuration
    from beeline.learned.model_file import AnyModel


def model_heuristics(
    configuration: Configuration, model: AnyModel, file: str
) -> dict[str, ModelHeuristic]:
    """What `run` takes besides a specification; nothing if the model plans without a search.

    A model that cannot do what it is for is refused; `file` is its name in messages.
    """
    words = configuration.search
    if words is None:
        return {}
    made = ModelHeuristic(_with_estimate(configuration, model, file), configuration.model)
    if made.name in words["heuristic"] and not getattr(model, "has_heuristic", True):
        raise BeelineError(
            "the model knows preferred operators, and no heuristic",
            file,
            hint='take heuristic = "ff" and preferred = "model"',
        )
    if made.name in words.get("preferred", ()) and not made.has_preferred:
        raise BeelineError(
            "the model has no preferred operators",
            file,
            hint="'beeline learn --per-task' makes models that have",
        )
    return {made.name: made}


def model_digest(word: str, model: AnyModel) -> str:
    """What tells a model from all others: its file, or what its file would be."""
    data = to_bytes(model) if is_automatic(word) else read_bytes(model_path(word), "model")
    return sha256(data).hexdigest()


def _with_estimate(configuration: Configuration, model: AnyModel, file: str) -> AnyModel:
    """The model with the point estimate that the configuration wants."""
    chosen = configuration.estimate
    if not chosen:
        return model
    from beeline.learned.neural_model import NeuralModel

    if not isinstance(model, NeuralModel):
        raise BeelineError(
            "the model gives a score, and no distribution to estimate a cost from",
            file,
            hint="leave out estimate and quantile",
        )
    return model.with_estimate(chosen.get("estimate", "quantile"), chosen.get("quantile"))
