"""Scores of operators: what can be done in a state, ranked by the colours of what it is about.

An action has slots: one for itself, one for each of its parameters, and one for each atom of its
conditions and effects. In a state, the slot of an operator has a node of the state's graph, an
object or an atom, or none; an atom that is an open goal is a node. Another slot for each parameter
is for all atoms around it. Features are pairs of a slot and a colour of its node, for each round of
refinement, and the score of an operator is the sum of their weights, in fixed point like that of
states. The colours are those of the state's own score, which a search has at hand: operators are
ranked before their successors are generated.
"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from beeline.models.colours.graph import BaseColours
from beeline.models.colours.scorer import POSITIONS, fixed_point_shift
from beeline.models.model_file import refuse
from beeline.pddl.model import literals

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from beeline._native import ColourScore
    from beeline.models.colours.model import ColourModel
    from beeline.models.colours.renamed import Reading
    from beeline.models.colours.scorer import Ints, Longs
    from beeline.models.colours.words import ColourWords
    from beeline.models.model_file import Header
    from beeline.pddl.matching import Matching
    from beeline.pddl.model import Domain
    from beeline.task.ground_task import GroundTask

    NativeSlots = list[tuple[int, int, int, list[int]]]

NO_NODE = -1  # the colour of a slot without a node
AROUND = "*"  # stands for all atoms that a parameter is in
PART = "operators"  # of a header
LARGEST_WEIGHT = 2**40  # sums of weights stay within 64 bits


class Slot(NamedTuple):
    """What of an action one feature looks at: an atom, a parameter, or nothing but the action.

    `args` are numbers of parameters, and names of constants. With the predicate `AROUND` it is all
    atoms around a parameter, whose colours come as `16 * colour + position`.
    """

    action: str
    predicate: str | None
    args: tuple[int | str, ...]


def action_slots(domain: Domain) -> tuple[Slot, ...]:
    """The slots of all actions that have an effect, in an order that depends on names alone.

    >>> from beeline.pddl import parse_domain
    >>> text = '''(define (domain d) (:predicates (at ?x) (road ?x ?y)) (:action go :parameters
    ...   (?x ?y) :precondition (and (at ?x) (road ?x ?y)) :effect (and (at ?y) (not (at ?x)))))'''
    >>> [f"{slot.predicate}{slot.args}" for slot in action_slots(parse_domain(text))]
    ['None()', 'None(0,)', 'None(1,)', '*(0,)', '*(1,)', 'at(0,)', 'at(1,)', 'road(0, 1)']
    """
    slots: list[Slot] = []
    for action in sorted(domain.actions, key=lambda each: each.name):
        if not action.effects:
            continue
        places = {name: place for place, (name, _) in enumerate(action.parameters)}
        known: dict[str, int | str] = {**{name: name for name in domain.constants}, **places}
        found = [literal for literal, _ in literals(action.precondition)]
        found += [it for each in action.effects for it, _ in literals(each.condition)]
        found += [each.literal for each in action.effects]
        atoms = {
            (it.predicate, tuple(known[arg] for arg in it.args))
            for it in found
            if it.predicate in domain.predicates and all(arg in known for arg in it.args)
        }
        slots += [Slot(action.name, None, ())]
        for whole in (None, AROUND):
            slots += [Slot(action.name, whole, (place,)) for place in places.values()]
        slots += [Slot(action.name, *atom) for atom in sorted(atoms, key=_by_name)]
    return tuple(slots)


def _by_name(atom: tuple[str, tuple[int | str, ...]]) -> tuple[Any, ...]:
    return atom[0], [(isinstance(arg, str), str(arg).zfill(4)) for arg in atom[1]]


def slots_in(
    task: GroundTask, slots: Sequence[Slot], reading: Reading | None = None
) -> NativeSlots:
    """The slots of a task's actions as the engine takes them; for `reading` see `colour_graph`."""
    base = BaseColours.of(task.problem.domain) if reading is None else reading.base
    predicates: dict[str | None, int] = {name: it for it, name in enumerate(base.predicates)}
    predicates |= {None: -1, AROUND: -2}
    objects = {name: ~number for number, name in enumerate(task.objects)}
    return [
        (
            action,
            number,
            predicates[slot.predicate],
            [objects[arg] if isinstance(arg, str) else arg for arg in slot.args],
        )
        for action, name in enumerate(task.action_names)
        for number, slot in enumerate(slots)
        if slot.action == name
    ]


@dataclass(frozen=True, eq=False)
class OperatorScores:
    """Weights of (slot, colour), higher for better operators: sums of them / 2**shift.

    Operators within `margin` of the highest score are preferred like it. Scores in `reserve` are
    for tasks that are too large for relaxed plans; elsewhere, searches prefer operators of these.
    """

    slots: tuple[Slot, ...]
    numbers: Ints  # [weights]: the slot
    colours: Ints  # [weights]: NO_NODE, or a colour of the scorer's table
    weights: Longs  # [weights], fixed point
    shift: int
    margin: int = 0  # fixed point
    reserve: bool = False

    @staticmethod
    def from_floats(
        slots: tuple[Slot, ...],
        numbers: NDArray[np.int64],
        colours: NDArray[np.int64],
        weights: NDArray[np.float64],
        margin: float = 0.0,
    ) -> OperatorScores:
        """Scores with these weights, rounded like those of states; zeros are left out."""
        import numpy as np

        shift = fixed_point_shift(float(np.abs(weights).max(initial=0.0)))
        rounded = np.rint(np.ldexp(weights, shift)).astype(np.int64)
        kept = np.flatnonzero(rounded)
        order = kept[np.lexsort((colours[kept], numbers[kept]))]
        return OperatorScores(
            slots,
            numbers[order].astype(np.int32),
            colours[order].astype(np.int32),
            rounded[order],
            shift,
            round(math.ldexp(margin, shift)),
        )

    @property
    def used_colours(self) -> NDArray[np.int32]:
        """The colours that have a weight in some slot."""
        import numpy as np

        _, colours, _ = self._without_positions()
        return np.unique(colours[colours != NO_NODE])

    def _without_positions(self) -> tuple[NDArray[np.bool_], NDArray[np.int32], NDArray[np.int32]]:
        """Which weights are of atoms around parameters, their colours, and these as they stand."""
        import numpy as np

        around = np.array([slot.predicate == AROUND for slot in self.slots], dtype=bool)
        is_around, stored = around[np.asarray(self.numbers)], np.asarray(self.colours)
        return is_around, np.where(is_around, stored // POSITIONS, stored), stored

    def add_to(self, score: ColourScore, task: GroundTask, reading: Reading | None) -> None:
        """Make the score of a task's states rank operators, too; for `reading` see `colour_graph`.

        Slots of another domain are those of `renamed`.
        """
        slots = slots_in(task, self.slots, reading)
        margin = math.ldexp(self.margin, -self.shift)
        numbers, colours, weights = (
            cast("Any", each) for each in (self.numbers, self.colours, self.weights)
        )
        score.rank_operators(slots, numbers, colours, weights, self.shift, margin)

    def with_colours(self, new_number: NDArray[np.int64]) -> OperatorScores:
        """The same in a table in which colours have other numbers: int64[colours], ascending."""
        import numpy as np

        is_around, colours, stored = self._without_positions()
        new = new_number[np.maximum(colours, 0)]
        keys = POSITIONS * new + stored % POSITIONS
        new = np.where(is_around, keys, np.where(stored == NO_NODE, NO_NODE, new))
        return replace(self, colours=new.astype(np.int32))

    def with_places(self, moved: NDArray[np.int64]) -> OperatorScores:
        """The same for atoms whose arguments stand elsewhere: int64[colours, old position]."""
        import numpy as np

        is_around, colours, stored = self._without_positions()
        colours = np.where(is_around, colours, 0)
        keys = POSITIONS * colours + moved[colours, stored % POSITIONS]
        return replace(self, colours=np.where(is_around, keys, stored).astype(np.int32))

    def without_weights_below(self, share: float) -> OperatorScores:
        """Without weights below this share of the largest one; a reserve stays as it is."""
        import numpy as np

        if self.reserve:
            return self
        size = np.abs(self.weights)
        kept = size >= share * size.max(initial=0)
        numbers, colours = np.asarray(self.numbers)[kept], np.asarray(self.colours)[kept]
        weights = np.asarray(self.weights)[kept]
        return OperatorScores(self.slots, numbers, colours, weights, self.shift, self.margin)

    def renamed(self, matching: Matching) -> OperatorScores | None:
        """The same for the actions of another domain; None if its atoms cannot be found there."""
        places = {known: (here, its) for here, (known, its) in matching.actions.items()}
        orders = dict(matching.predicates.values())
        constants = {known: here for here, known in matching.constants.items()}
        slots = []
        for slot in self.slots:
            action = places.get(slot.action)
            numbers = [arg for arg in slot.args if isinstance(arg, int)]
            names = [arg for arg in slot.args if isinstance(arg, str)]
            if action is None or not {*names} <= constants.keys():
                return None
            if any(number >= len(action[1]) for number in numbers):
                return None
            args: list[int | str] = [
                constants[arg] if isinstance(arg, str) else action[1][arg] for arg in slot.args
            ]
            if slot.predicate is not None and slot.predicate in orders:
                by_place = dict(zip(orders[slot.predicate], args, strict=True))
                args = [by_place[place] for place in range(len(args))]
            slots.append(Slot(action[0], slot.predicate, tuple(args)))
        return replace(self, slots=tuple(slots))


def operator_parts(scores: OperatorScores) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the file of a model holds of them: a part of the header, and arrays."""
    slots = [[slot.action, slot.predicate, list(slot.args)] for slot in scores.slots]
    header = {
        "slots": slots,
        "shift": scores.shift,
        "margin": scores.margin,
        "reserve": scores.reserve,
    }
    columns = {"slots": scores.numbers, "colours": scores.colours, "weights": scores.weights}
    return header, columns


def operators_from_parts(
    reader: Header,
    arrays: Mapping[str, array[int]],
    signature: Mapping[str, Any],
    colours: int,
) -> OperatorScores:
    """The scores of such parts, which may have been made by anybody, for so many colours."""
    if arrays.keys() != {"slots", "colours", "weights"}:
        refuse(f"its scores of operators have the arrays {', '.join(sorted(arrays))}", reader.file)
    slots = _slots(reader.part(PART).get("slots"), signature)
    numbers, its_colours, weights = (arrays[name] for name in ("slots", "colours", "weights"))
    if slots is None:
        refuse("its slots of operators are none of the actions of its domain", reader.file)
    rows = [*zip(numbers, its_colours, strict=False)]
    fits = len(numbers) == len(its_colours) == len(weights) and all(
        0 <= number < len(slots)
        and (
            0 <= colour < min(POSITIONS * colours, 2**31)
            if slots[number].predicate == AROUND
            else NO_NODE <= colour < colours
        )
        for number, colour in rows
    )
    if not fits or any(before >= after for before, after in pairwise(rows)):
        refuse("its scores of operators do not fit its slots and colours", reader.file)
    if max(map(abs, weights), default=0) > LARGEST_WEIGHT:
        refuse("a weight is too large", reader.file)
    shift = reader.number(PART, "shift", 0, 62)
    margin = reader.number(PART, "margin", 0, LARGEST_WEIGHT)
    columns = array("i", numbers), array("i", its_colours), weights
    reserve = bool(reader.entry(PART, "reserve", lambda it: type(it) is bool))
    return OperatorScores(slots, *columns, shift, margin, reserve)


def _slots(values: Any, signature: Mapping[str, Any]) -> tuple[Slot, ...] | None:
    """The slots of such values; None if they are none of the signature's actions."""
    if not isinstance(values, list):
        return None
    slots = []
    for value in values:
        if not isinstance(value, list) or len(value) != 3 or not isinstance(value[2], list):
            return None
        action, predicate, args = value
        known = isinstance(action, str) and action in signature["actions"]
        if not known or not (predicate is None or isinstance(predicate, str)):
            return None
        count = len(signature["actions"][action])
        for arg in args:
            if not (type(arg) is int and 0 <= arg < count) and not (
                isinstance(arg, str) and arg in signature["constants"]
            ):
                return None
        if predicate in (None, AROUND):
            least = 0 if predicate is None else 1
            if not least <= len(args) <= 1 or any(isinstance(arg, str) for arg in args):
                return None
        elif len(args) != len(signature["predicates"].get(predicate, [None] * 99)):
            return None
        slots.append(Slot(action, predicate, tuple(args)))
    return tuple(slots) if len({*slots}) == len(slots) else None


# In words: parameters of an action are called ?1, ?2 and so on, so that they are not taken for the
# variables that the words for a colour use.
WHETHER = "whether "


class OperatorFeature(NamedTuple):
    """A slot with a colour of its node, and the weight of both."""

    weight: float
    words: str


def strongest_operator_features(model: ColourModel, top: int) -> list[OperatorFeature]:
    """The features with the largest weights, whatever their signs, in words."""
    from beeline.models.colours.words import ColourWords

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
