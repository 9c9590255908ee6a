"""Models of one state space within model files, with every check, and in words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from beeline.models.families import domain_row
from beeline.models.model_file import refuse
from beeline.models.neural_file import LARGEST_OPTION, check_arrays
from beeline.models.resnet.encoding import NAME, PropositionalVocabulary
from beeline.models.resnet.inference import shapes
from beeline.models.resnet.model import NETWORK, TaskModel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from beeline.models.model_file import Header

NETWORKS = ("heuristic", "operators")


def to_parts(model: TaskModel) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header and arrays of a model."""
    header = {
        "signature": model.signature,
        "encoder": {"name": NAME, "vocabulary": model.vocabulary.to_json()},
        "model": {"name": NETWORK, "hidden": model.hidden, "networks": list(model.networks)},
        **model.origin(),
    }
    arrays = {
        f"{network}.{name}": array
        for network, weights in model.networks.items()
        for name, array in weights.items()
    }
    return header, arrays


def from_parts(reader: Header, arrays: Mapping[str, NDArray[Any]]) -> TaskModel:
    """The model of a header and arrays that may have been made by anybody."""
    reader.word("encoder", "name", [NAME])
    vocabulary = _checked_vocabulary(reader)
    hidden = reader.number("model", "hidden", 1, LARGEST_OPTION)
    listed = reader.part("model").get("networks")
    fine = listed in (list(NETWORKS), *([name] for name in NETWORKS))
    reader.require(fine, "'networks' of 'model'")
    heads = {"heuristic": 1, "operators": len(vocabulary.operators)}
    expected = {}
    for network in listed or ():
        reader.require(heads[network] > 0, "'operators' of the vocabulary")
        for name, shape in shapes(len(vocabulary.facts), heads[network], hidden).items():
            expected[f"{network}.{name}"] = shape
    check_arrays(NETWORK, expected, arrays, reader.file)
    parts: dict[str, dict[str, NDArray[Any]]] = {name: {} for name in NETWORKS}
    for key, array in arrays.items():
        network, _, name = key.partition(".")
        parts[network][name] = array
    return TaskModel(
        reader.signature(),
        vocabulary,
        hidden,
        parts["heuristic"] or None,
        parts["operators"] or None,
        *reader.origin(),
    )


def _checked_vocabulary(reader: Header) -> PropositionalVocabulary:
    content = reader.part("encoder").get("vocabulary")
    reader.require(isinstance(content, dict), "'vocabulary' of 'encoder'")
    assert isinstance(content, dict)
    try:
        vocabulary = PropositionalVocabulary.from_json(content)
    except (ValueError, TypeError, KeyError) as error:
        refuse(f"its vocabulary cannot be read: {error!r:.200}", reader.file)
    if json.loads(json.dumps(vocabulary.to_json())) != content:
        refuse("its vocabulary has parts that mean nothing", reader.file)
    return vocabulary


def described(model: TaskModel) -> dict[str, Any]:
    """What kind of model this is, as plain values."""
    words = model.vocabulary
    return {
        "domain": model.domain_name,
        "encoder": {"name": NAME, "vocabulary": words.to_json()},
        "network": {
            "name": model.network,
            "options": {"hidden": model.hidden},
            "weights": model.num_weights,
            "networks": list(model.networks),
        },
        "uses_h_ff": False,
        **model.origin(),
    }


def training_lines(summary: dict[str, Any]) -> Iterator[str]:
    """A line about the training of each network.

    >>> samples = {"operators": {"samples": 500, "max_depth": 17}}
    >>> networks = {"operators": {"epochs": 120, "best_epoch": 20, "bce": 0.0112}}
    >>> print(*training_lines({"samples": samples, "networks": networks}))
    operators: 500 samples, up to 17 steps from the goal; best after 20 of 120 epochs: bce 0.0112
    """
    for name, network in summary["networks"].items():
        samples = summary["samples"][name]
        metric = "mse" if "mse" in network else "bce"
        yield (
            f"{name}: {samples['samples']:,} samples, up to {samples['max_depth']} steps from the"
            f" goal; best after {network['best_epoch']:,} of {network['epochs']:,} epochs:"
            f" {metric} {network[metric]:.4g}"
        )


def described_rows(model: TaskModel) -> Iterator[tuple[str, str]]:
    """The same for readers: names and values."""
    words = model.vocabulary
    goals = ", ".join(words.goal[:5]) + (" ..." if len(words.goal) > 5 else "")
    yield domain_row(model)
    yield "state space", f"{len(words.facts):,} facts, {len(words.operators):,} operators"
    yield "goal", goals
    yield "networks", f"{' and '.join(model.networks)}, {model.hidden} hidden units"
    yield "sizes", f"{model.num_weights:,} weights"
    yield from model.closing_rows()
