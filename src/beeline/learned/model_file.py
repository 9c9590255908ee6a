"""Model files (`.beeline`): a model to bytes and back, with every check that loading needs."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.core.files import read_bytes, write_bytes_atomically
from beeline.learned.container import pack, refuse, unpack
from beeline.learned.header import Header
from beeline.learned.model import Model, SearchStyle
from beeline.models.registry import NETWORKS

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from beeline.learned.neural_model import NeuralModel
    from beeline.learned.task_model import TaskModel
    from beeline.models.wl_linear import WLLinear

    AnyModel = Model | NeuralModel | TaskModel

SUFFIX = ".beeline"
LARGEST_FILE = 2**28  # bytes; models have tens of kilobytes

ENCODER = "wl-colours"
MODEL = "wl-linear"
TASK_NETWORK = "resnet"  # of models of a single state space
NEIGHBOURS = {"set": False, "multiset": True}  # word -> WLLinear.multiset
LARGEST_WEIGHT = 2**40  # sums of weights over all nodes of a state stay within 64 bits
MOST_ROUNDS = 16
POLICY = "policy"  # a part of the header, and how the names of its arrays begin
LARGEST_INTERCEPT = 1e12


def save(model: AnyModel, path: str | os.PathLike[str]) -> None:
    """Write a model to a file, whole or not at all. Equal models give equal bytes."""
    write_bytes_atomically(path, to_bytes(model))


def load(path: str | os.PathLike[str]) -> AnyModel:
    """Read a model and check that everything in it fits together."""
    data = read_bytes(path, "model", LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise BeelineError("too large for a model", str(path), hint="is this another file?")
    return from_bytes(data, str(path))


def to_bytes(model: AnyModel) -> bytes:
    """What a model's file holds."""
    if not isinstance(model, Model):
        return pack(*_neural_parts(model), model.package_version)
    scorer = model.scorer
    header = {
        "signature": model.signature,
        "encoder": {
            "name": ENCODER,
            "base_colours": scorer.base_colours,
            "rounds": scorer.rounds,
            "neighbours": "multiset" if scorer.multiset else "set",
        },
        "model": {"name": MODEL, "ff_weight": scorer.ff_weight, "shift": scorer.shift},
        "style": asdict(model.style),
        "training": model.summary,
        "seed": model.seed,
        "package_version": model.package_version,
    }
    arrays = _to_arrays(scorer)
    if model.policy is not None:
        logits = model.policy.logits
        header[POLICY] = {
            "ff_weight": logits.ff_weight,
            "shift": logits.shift,
            "intercept": model.policy.intercept,
        }
        arrays.update(_to_arrays(logits, f"{POLICY}_"))
    return pack(header, arrays, model.package_version)


def from_bytes(data: bytes, file: str) -> AnyModel:
    """The model in the bytes of a file called `file`."""
    header, arrays = unpack(data, file)
    reader = Header(header, file)
    kind = reader.word("model", "name", [MODEL, *NETWORKS, TASK_NETWORK])
    if kind == MODEL:
        return _from_parts(reader, arrays)
    if kind == TASK_NETWORK:
        from beeline.learned import task_file

        return task_file.from_parts(reader, arrays)
    from beeline.learned import neural_file

    return neural_file.from_parts(reader, arrays)


def _neural_parts(model: NeuralModel | TaskModel) -> tuple[dict[str, Any], dict[str, Any]]:
    from beeline.learned import neural_file, task_file
    from beeline.learned.task_model import TaskModel

    if isinstance(model, TaskModel):
        return task_file.to_parts(model)
    return neural_file.to_parts(model)


def _from_parts(reader: Header, arrays: Mapping[str, NDArray[np.int64]]) -> Model:
    from beeline.models.wl_linear import WLPolicy

    reader.word("encoder", "name", [ENCODER])
    of_policy = {name for name in arrays if name.startswith(f"{POLICY}_")}
    scorer = _to_scorer(
        reader, {name: array for name, array in arrays.items() if name not in of_policy}, "model"
    )
    policy = None
    if reader.has(POLICY) or of_policy:
        stripped = {name.removeprefix(f"{POLICY}_"): arrays[name] for name in of_policy}
        policy = WLPolicy(
            _to_scorer(reader, stripped, POLICY),
            reader.real(POLICY, "intercept", -LARGEST_INTERCEPT, LARGEST_INTERCEPT),
        )
    signature = reader.signature()
    style = reader.part("style")
    known = {each.name for each in fields(SearchStyle)}
    reader.require(style.keys() == known, "the fields of 'style'")
    reader.require(all(isinstance(value, bool) for value in style.values()), "'style'")
    model = Model(signature, scorer, SearchStyle(**style), *reader.origin(), policy)
    if model.base_colours.count != scorer.base_colours:
        counts = f"{scorer.base_colours:,} base colours instead of {model.base_colours.count:,}"
        refuse(f"it has {counts} for its domain", reader.file)
    for each in [scorer] if policy is None else [scorer, policy.logits]:
        _check_meaning(model, each, reader.file)
    return model


def _check_meaning(model: Model, scorer: WLLinear, file: str) -> None:
    """Refuse a table whose colours mean nothing in the model's domain."""
    from beeline.encode.colours import STATUSES
    from beeline.models.colour_rows import check_rows

    base, parameters = model.base_colours, model.signature["predicates"]
    arities = [len(parameters.get(name, ())) for name in base.predicates]
    starts, items = scorer.table_starts, scorer.table_items
    try:
        check_rows(len(base.kinds), arities, len(STATUSES), starts, items)
    except ValueError as error:
        refuse(str(error), file)


def _to_arrays(scorer: WLLinear, prefix: str = "") -> dict[str, NDArray[np.int64]]:
    """The rows of the colour table without what their lengths and neighbour sets imply."""
    import numpy as np

    starts, items = scorer.table_starts, scorer.table_items
    place = np.arange(len(items)) - np.repeat(starts[:-1], np.diff(starts))
    arrays = {
        "own_colours": items[place == 0],
        "neighbours": np.diff(starts) // 2,  # of each row
        "keys": items[place % 2 == 1],
        "weights": scorer.weights,
    }
    if scorer.multiset:
        arrays["counts"] = items[(place > 0) & (place % 2 == 0)]
    return {f"{prefix}{name}": array for name, array in arrays.items()}


def _to_scorer(reader: Header, arrays: Mapping[str, NDArray[np.int64]], part: str) -> WLLinear:
    """The scorer whose fixed point is in this part of the header."""
    import numpy as np

    from beeline.models.wl_linear import WLLinear

    neighbours_word = reader.word("encoder", "neighbours", list(NEIGHBOURS))
    multiset = NEIGHBOURS[neighbours_word]
    base_colours = reader.number("encoder", "base_colours", 1, 2**24)
    expected = {"own_colours", "neighbours", "keys", "weights"} | (
        {"counts"} if multiset else set()
    )
    if arrays.keys() != expected:
        refuse(f"it has the arrays {', '.join(sorted(arrays))}", reader.file)
    own, neighbours, keys = arrays["own_colours"], arrays["neighbours"], arrays["keys"]
    counts = arrays["counts"] if multiset else np.ones_like(keys)
    weights = arrays["weights"]
    rows_fit = len(own) == len(neighbours) and _within(neighbours, 0, len(keys))
    if not rows_fit or neighbours.sum() != len(keys) or len(counts) != len(keys):
        refuse("the lengths of its rows do not fit its arrays", reader.file)
    if len(weights) != base_colours + len(own):
        refuse(f"{len(weights):,} weights for {base_colours + len(own):,} colours", reader.file)
    if not _within(weights, -LARGEST_WEIGHT, LARGEST_WEIGHT):
        refuse("a weight is too large", reader.file)
    if not all(_within(array, 0, 2**31 - 1) for array in (own, keys, counts)):
        refuse("a colour has a number that is out of range", reader.file)
    starts = np.concatenate(([0], np.cumsum(1 + 2 * neighbours))).astype(np.int64)
    place = np.arange(starts[-1]) - np.repeat(starts[:-1], np.diff(starts))
    items = np.empty(starts[-1], dtype=np.int32)
    items[place == 0] = own
    items[place % 2 == 1] = keys
    items[(place > 0) & (place % 2 == 0)] = counts
    scorer = WLLinear(
        base_colours=base_colours,
        rounds=reader.number("encoder", "rounds", 0, MOST_ROUNDS),
        multiset=multiset,
        table_starts=starts,
        table_items=items,
        weights=weights,
        ff_weight=reader.number(part, "ff_weight", -LARGEST_WEIGHT, LARGEST_WEIGHT),
        shift=reader.number(part, "shift", 0, 62),
    )
    try:
        scorer.table()
    except ValueError as error:
        refuse(str(error), reader.file)
    return scorer


def _within(array: NDArray[np.int64], low: int, high: int) -> bool:
    return bool(low <= array.min(initial=0) and array.max(initial=0) <= high)
