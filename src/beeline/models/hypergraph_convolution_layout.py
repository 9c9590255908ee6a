"""The weights of hypergraph convolutions by name, with their shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from beeline.encode.slot_words import SlotWords

SEEN = 5  # a vertex sees itself, means (received, sent) and maxima (received, sent)


def shapes(words: SlotWords, heads: int, layers: int, width: int) -> dict[str, tuple[int, ...]]:
    """The shape of each weight.

    >>> from beeline.encode.slot_words import SlotWords
    >>> shapes(SlotWords({}), 1, 1, 4)["convolutions.0.vertices.weight"]
    (4, 20)
    """
    if layers < 1 or width < 1:
        raise BeelineError(f"hgconv with {layers} layers of width {width}: both must be > 0")
    result: dict[str, tuple[int, ...]] = {"kinds": (words.kinds, width)}
    for number in range(layers):
        prefix = f"convolutions.{number}."
        result[prefix + "slots"] = (words.num_slots, width, width)
        result[prefix + "actions"] = (2, len(words.actions) + 1, width)
        result[prefix + "vertices.weight"] = (width, SEEN * width)
        result[prefix + "vertices.bias"] = (width,)
    result["hidden.weight"], result["hidden.bias"] = (width, 2 * width), (width,)
    result["output.weight"], result["output.bias"] = (heads, width), (heads,)
    return result
