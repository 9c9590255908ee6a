"""Networks at planning time, by name: what weights each has, and how it scores states.

The linear model is a product of matrices; hypergraph convolutions and neural logic machines run in
the engine: none of them needs torch, as STRIPS hypergraph networks do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from beeline.core.errors import BeelineError
from beeline.encode.registry import encoder_family

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from beeline._native import NeuralLogicMachine, States
    from beeline.learned.neural_model import NeuralModel
    from beeline.task.ground_task import GroundTask

    Shapes = dict[str, tuple[int, ...]]


class Scorer(Protocol):
    """A network bound to the states of one search."""

    def __call__(self, ids: NDArray[np.uint32]) -> NDArray[np.float32]:
        """Raw outputs of these states, float32[n, heads]; infinite or NaN for dead ends."""


class InferenceEntry(NamedTuple):
    """How a network is used without training.

    The `shapes` of its weights follow from vocabulary, options and heads; an error of any kind if
    these make no sense. `work` is what a state costs on a usual machine, in microseconds.
    `exact`: the vocabulary must be the one of the task's domain, bodies of actions included.
    """

    shapes: Callable[[NeuralModel], Shapes]
    bind: Callable[[NeuralModel, GroundTask, States], Scorer]
    work: Callable[[GroundTask], float]
    exact: bool = True


def inference_entry(name: str) -> InferenceEntry:
    """How the network of a name is used.

    >>> inference_entry("linear").exact
    True
    """
    if name not in INFERENCE:
        raise BeelineError(f"there is no way to plan with the network '{name[:60]}'")
    return INFERENCE[name]


def vocabulary_of(model: NeuralModel) -> Any:
    """The vocabulary of a model's encoder."""
    return encoder_family(model.encoder).vocabulary_from_json(model.vocabulary)


def _require_options(model: NeuralModel, *names: str) -> None:
    if model.options.keys() != set(names):
        raise ValueError(f"its options are {', '.join(sorted(model.options)) or 'missing'}")


# Linear regression


def _linear_shapes(model: NeuralModel) -> Shapes:
    _require_options(model)
    features = len(vocabulary_of(model).features)
    heads = model.distribution.heads
    return {"layer.weight": (heads, features), "layer.bias": (heads,)}


def _bind_linear(model: NeuralModel, task: GroundTask, states: States) -> Scorer:
    import numpy as np

    inputs = encoder_family(model.encoder).search_inputs(vocabulary_of(model), task, states)
    matrix = model.weights["layer.weight"].T.copy()
    bias = model.weights["layer.bias"]

    def score(ids: NDArray[np.uint32]) -> NDArray[np.float32]:
        with np.errstate(invalid="ignore"):  # infinite features of dead ends
            raw: NDArray[np.float32] = inputs.batch(ids) @ matrix + bias
        return raw

    return score


def _linear_work(task: GroundTask) -> float:
    return 10.0 + 0.02 * task.num_operators


# Neural logic machines


def _machine(model: NeuralModel) -> NeuralLogicMachine:
    from beeline import _native

    options = model.options
    _require_options(model, "width", "breadth", "depth", "distinct")
    return _native.NeuralLogicMachine(
        vocabulary_of(model).sizes,
        options["width"],
        options["breadth"],
        options["depth"],
        model.distribution.heads,
        options["distinct"],
    )


def _machine_shapes(model: NeuralModel) -> Shapes:
    from beeline.encode.relational import CONSTANT, GOAL, NEGATIVE_GOAL, TYPE

    signature = model.signature
    predicates = signature["predicates"]
    for arity, names in enumerate(vocabulary_of(model).channels):
        fitting = {name for name, parameters in predicates.items() if len(parameters) == arity}
        known = fitting | {role + name for role in (GOAL, NEGATIVE_GOAL) for name in fitting}
        if arity == 1:
            known |= {TYPE + name for name in signature["types"]}
            known |= {CONSTANT + name for name in signature["constants"]}
        if len(set(names)) < len(names) or not known.issuperset(names):
            raise ValueError(f"its domain has no such inputs of arity {arity}")
    return {"weights": (_machine(model).parameters,)}


def _bind_machine(model: NeuralModel, task: GroundTask, states: States) -> Scorer:
    from beeline.encode.relational import relational_encoding

    evaluate, weights = _machine(model).evaluate, model.weights["weights"]
    encoding = relational_encoding(vocabulary_of(model), task)

    def score(ids: NDArray[np.uint32]) -> NDArray[np.float32]:
        return evaluate(weights, encoding, states, ids)

    return score


def _machine_work(task: GroundTask) -> float:
    return 10.0 + 0.1 * float(task.num_objects) ** 3


# Hypergraph networks


def _hypergraph_shapes(model: NeuralModel) -> Shapes:
    from beeline.encode.hypergraph_union import EDGE_FEATURES

    options, heads = model.options, model.distribution.heads
    _require_options(model, "hidden", "steps", "sizes")
    hidden, steps, sizes = options["hidden"], options["steps"], options["sizes"]
    if not (type(hidden) is type(steps) is int and type(sizes) is bool and min(hidden, steps) > 0):
        raise ValueError(f"it has {hidden} hidden units, {steps} steps, sizes {sizes}")
    inputs = {
        "encode_vertices": 2,
        "encode_edges": EDGE_FEATURES,
        "update_edges": 2 * hidden * (1 + vocabulary_of(model).places),
        "update_vertices": 3 * hidden,
        "update_state": (4 if sizes else 2) * hidden,
        "decode": hidden,
        **({"encode_sizes": 2} if sizes else {}),
    }
    shapes: Shapes = {"output.weight": (heads, hidden), "output.bias": (heads,)}
    for name, width in inputs.items():
        shapes[f"{name}.first.weight"] = (hidden, width)
        shapes[f"{name}.second.weight"] = (hidden, hidden)
        shapes[f"{name}.first.bias"] = shapes[f"{name}.second.bias"] = (hidden,)
    return shapes


def _bind_hypergraph(model: NeuralModel, task: GroundTask, states: States) -> Scorer:
    from beeline.models.registry import require_torch

    require_torch()
    from beeline.models.torch_inference import frozen_network

    vocabulary = vocabulary_of(model)
    network = frozen_network(
        model.network, vocabulary, model.distribution.heads, model.options, model.weights
    )
    inputs = encoder_family(model.encoder).search_inputs(vocabulary, task, states)

    def score(ids: NDArray[np.uint32]) -> NDArray[np.float32]:
        return network(inputs.batch(ids))

    return score


def _hypergraph_work(task: GroundTask) -> float:
    return 2000.0 + 1.0 * (task.num_operators + task.num_facts)


# Hypergraph convolutions


def _convolution_shapes(model: NeuralModel) -> Shapes:
    from beeline.models.hypergraph_convolution_layout import shapes

    options = model.options
    _require_options(model, "layers", "width", "residual")
    layers, width, residual = options["layers"], options["width"], options["residual"]
    sensible = type(layers) is type(width) is int and type(residual) is bool
    if not (sensible and 0 < layers < len(model.weights) and width > 0):
        raise ValueError(f"it has {layers} layers of width {width}, residual {residual}")
    return shapes(vocabulary_of(model), model.distribution.heads, layers, width)


def _bind_convolution(model: NeuralModel, task: GroundTask, states: States) -> Scorer:
    from beeline.encode.hypercolours import ColouredTask
    from beeline.models.hypergraph_convolution_inference import FrozenConvolution

    options, words = model.options, vocabulary_of(model)
    network = FrozenConvolution(
        model.weights,
        ColouredTask(task, words),
        layers=options["layers"],
        residual=options["residual"],
    )

    def score(ids: NDArray[np.uint32]) -> NDArray[np.float32]:
        return network(states.facts(ids))

    return score


def _convolution_work(task: GroundTask) -> float:
    return 5.0 + 0.05 * (task.num_operators + task.num_facts)


INFERENCE = {
    "linear": InferenceEntry(_linear_shapes, _bind_linear, _linear_work),
    "nlm": InferenceEntry(_machine_shapes, _bind_machine, _machine_work, exact=False),
    "hgn": InferenceEntry(_hypergraph_shapes, _bind_hypergraph, _hypergraph_work),
    "hgconv": InferenceEntry(_convolution_shapes, _bind_convolution, _convolution_work),
}
