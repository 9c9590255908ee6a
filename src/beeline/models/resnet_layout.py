"""Where the weights of a residual network lie, for training with torch and planning without."""

from __future__ import annotations

from math import prod

HIDDEN = 250
LAYERS = ("first", "second", "block_first", "block_second", "output")


def shapes(inputs: int, heads: int, hidden: int = HIDDEN) -> dict[str, tuple[int, ...]]:
    """The matrices [outputs, inputs] and biases of all layers, in the order of the weights.

    >>> shapes(66, 1)["first.weight"], shapes(66, 1)["output.bias"]
    ((250, 66), (1,))
    """
    if min(inputs, heads, hidden) < 1:
        raise ValueError(f"{inputs} inputs, {hidden} hidden units, {heads} outputs")
    sizes = {
        "first": (hidden, inputs),
        "second": (hidden, hidden),
        "block_first": (hidden, hidden),
        "block_second": (hidden, hidden),
        "output": (heads, hidden),
    }
    found: dict[str, tuple[int, ...]] = {}
    for layer in LAYERS:
        found[f"{layer}.weight"] = sizes[layer]
        found[f"{layer}.bias"] = sizes[layer][:1]
    return found


def sizes(inputs: int, heads: int, hidden: int = HIDDEN) -> list[int]:
    """How many weights each of these has.

    >>> sum(sizes(66, 1))
    205251
    """
    return [prod(shape) for shape in shapes(inputs, heads, hidden).values()]
