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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from beeline.models.colours.scorer import POSITIONS, BaseColours, fixed_point_shift
from beeline.models.model_file import refuse
from beeline.pddl.model import literals

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from beeline._native import ColourScore
    from beeline.models.colours.renamed import Reading
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
    numbers: NDArray[np.int32]  # [weights]: the slot
    colours: NDArray[np.int32]  # [weights]: NO_NODE, or a colour of the scorer's table
    weights: NDArray[np.int64]  # [weights], fixed point
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
        return np.unique(self._colours[self._colours != NO_NODE])

    @property
    def _colours(self) -> NDArray[np.int32]:
        """Without positions: int32[weights]."""
        return np.where(self.is_around, self.colours // POSITIONS, self.colours)

    @property
    def is_around(self) -> NDArray[np.bool_]:
        """Which weights are of atoms around parameters: bool[weights]."""
        around = np.array([slot.predicate == AROUND for slot in self.slots], dtype=bool)
        return around[self.numbers]

    def add_to(self, score: ColourScore, task: GroundTask, reading: Reading | None) -> None:
        """Make the score of a task's states rank operators, too; for `reading` see `colour_graph`.

        Slots of another domain are those of `renamed`.
        """
        slots = slots_in(task, self.slots, reading)
        margin = math.ldexp(self.margin, -self.shift)
        columns = self.numbers, self.colours, self.weights
        score.rank_operators(slots, *columns, self.shift, margin)

    def with_colours(self, new_number: NDArray[np.int64]) -> OperatorScores:
        """The same in a table in which colours have other numbers: int64[colours], ascending."""
        new = new_number[np.maximum(self._colours, 0)]
        keys = POSITIONS * new + self.colours % POSITIONS
        new = np.where(self.is_around, keys, np.where(self.colours == NO_NODE, NO_NODE, new))
        return replace(self, colours=new.astype(np.int32))

    def with_places(self, moved: NDArray[np.int64]) -> OperatorScores:
        """The same for atoms whose arguments stand elsewhere: int64[colours, old position]."""
        colours = np.where(self.is_around, self._colours, 0)
        keys = POSITIONS * colours + moved[colours, self.colours % POSITIONS]
        return replace(self, colours=np.where(self.is_around, keys, self.colours).astype(np.int32))

    def without_weights_below(self, share: float) -> OperatorScores:
        """Without weights below this share of the largest one; a reserve stays as it is."""
        if self.reserve:
            return self
        size = np.abs(self.weights)
        kept = size >= share * size.max(initial=0)
        columns = (self.numbers[kept], self.colours[kept], self.weights[kept])
        return OperatorScores(self.slots, *columns, self.shift, self.margin)

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


def operator_parts(scores: OperatorScores) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What the file of a model holds of them: a part of the header, and arrays."""
    slots = [[slot.action, slot.predicate, list(slot.args)] for slot in scores.slots]
    header = {
        "slots": slots,
        "shift": scores.shift,
        "margin": scores.margin,
        "reserve": scores.reserve,
    }
    columns: dict[str, NDArray[Any]] = {"slots": scores.numbers, "colours": scores.colours}
    return header, {**columns, "weights": scores.weights}


def operators_from_parts(
    reader: Header,
    arrays: Mapping[str, NDArray[np.int64]],
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
    fits = len(numbers) == len(its_colours) == len(weights) and _within(numbers, 0, len(slots))
    if fits:
        around = np.array([slot.predicate == AROUND for slot in slots], dtype=bool)[numbers]
        pairs = numbers * (POSITIONS * colours + 1) + its_colours - NO_NODE
        fits = bool(
            _within(its_colours[~around], NO_NODE, colours)
            and _within(its_colours[around], 0, POSITIONS * colours)
            and (np.diff(pairs) > 0).all()
        )
    if not fits:
        refuse("its scores of operators do not fit its slots and colours", reader.file)
    if np.abs(weights).max(initial=0) > LARGEST_WEIGHT:
        refuse("a weight is too large", reader.file)
    shift = reader.number(PART, "shift", 0, 62)
    margin = reader.number(PART, "margin", 0, LARGEST_WEIGHT)
    columns = numbers.astype(np.int32), its_colours.astype(np.int32), weights
    reserve = bool(reader.entry(PART, "reserve", lambda it: type(it) is bool))
    return OperatorScores(slots, *columns, shift, margin, reserve)


def _within(array: NDArray[np.int64], low: int, above: int) -> bool:
    return not len(array) or bool(low <= array.min() and array.max() < above)


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
