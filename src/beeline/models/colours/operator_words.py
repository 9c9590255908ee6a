"""Scores of operators in words: which actions a model prefers, and when.

Parameters of an action are called ?1, ?2 and so on, so that they are not taken for the variables
that the words for a colour use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from beeline.models.colours.operators import AROUND, NO_NODE
from beeline.models.colours.scorer import POSITIONS
from beeline.models.colours.words import ColourWords

if TYPE_CHECKING:
    from collections.abc import Iterator

    from beeline.models.colours.model import ColourModel
    from beeline.models.colours.operators import Slot

WHETHER = "whether "


class OperatorFeature(NamedTuple):
    """A slot with a colour of its node, and the weight of both."""

    weight: float
    words: str


def strongest_operator_features(model: ColourModel, top: int) -> list[OperatorFeature]:
    """The features with the largest weights, whatever their signs, in words."""
    scores = model.scorer.operators
    if scores is None:
        return []
    weights, unit = scores.weights.tolist(), 2**scores.shift
    order = sorted(range(len(weights)), key=lambda each: (-abs(weights[each]), each))[:top]
    words = ColourWords(model)
    found = []
    for each in order:
        slot, colour = scores.slots[scores.numbers[each]], int(scores.colours[each])
        arity = len(model.signature["actions"][slot.action])
        action = _atom(slot.action, tuple(range(arity)))
        found.append(OperatorFeature(weights[each] / unit, action + _when(slot, colour, words)))
    return found


def _when(slot: Slot, colour: int, words: ColourWords) -> str:
    if slot.predicate is None and not slot.args:
        return ""
    about = _parameter(slot.args[0])
    if slot.predicate not in (None, AROUND):
        about = _atom(slot.predicate, slot.args)
    if colour == NO_NODE:
        return f", {about} being neither true nor a goal"
    if slot.predicate == AROUND:
        colour, position = divmod(colour, POSITIONS)
        return f", {_parameter(slot.args[0])} at place {position + 1} of {words.describe(colour)}"
    text = words.describe(colour)
    if text.startswith(WHETHER):
        return f", where {text.removeprefix(WHETHER)}"
    return f", {about} being one of the {text}"


def _atom(name: str, args: tuple[int | str, ...]) -> str:
    return f"({' '.join([name, *map(_parameter, args)])})"


def _parameter(arg: int | str) -> str:
    return arg if isinstance(arg, str) else f"?{arg + 1}"


def operator_lines(model: ColourModel, top: int) -> Iterator[str]:
    """The strongest features of operators as a table for readers, if there are any."""
    features = strongest_operator_features(model, top)
    if features:
        yield ""
        yield f"{'weight':>10}  an operator is preferred for"
    for feature in features:
        yield f"{feature.weight:>+10.3f}  {feature.words}"
