"""Models of one state space within model files, with every check that loading needs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from beeline.encode.propositional import NAME, PropositionalVocabulary
from beeline.learned.container import refuse
from beeline.learned.neural_file import LARGEST_OPTION, check_arrays
from beeline.learned.task_model import NETWORK, TaskModel
from beeline.models.resnet_layout import shapes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from beeline.learned.header import Header

NETWORKS = ("heuristic", "operators")


def to_parts(model: TaskModel) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header and arrays of a model."""
    header = {
        "signature": model.signature,
        "encoder": {"name": NAME, "vocabulary": model.vocabulary.to_json()},
        "model": {"name": NETWORK, "hidden": model.hidden, "networks": list(model.networks)},
        "training": model.summary,
        "seed": model.seed,
        "package_version": model.package_version,
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
