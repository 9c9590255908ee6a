"""Colours in words: what the features of a model count.

A colour of round r stands for everything that can be seen from a node along r edges. Unfolded,
that is a tree; it is told from the node outwards, without what follows from what was said before
(the way back, and the coarser colours that a node had in earlier rounds).
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline.models.colours.graph import ARTIFICIAL_PREDICATE, SEVERAL_TYPES, STATUSES, colour_graph
from beeline.models.colours.scorer import CONTEXT, DISTANCE, FF, POSITIONS, rounds_of_colours
from beeline.planning.heuristics import make_evaluator
from beeline.planning.model import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.models.colours.model import ColourModel
    from beeline.task.ground_task import GroundTask

VARIABLES = tuple(f"?{letter}" for letter in "xyzuvwabcdefghijklmnopqrst")
ANYTHING = "_"
SHOWN_NEIGHBOURS = 8  # in each list
DEPTH = 2  # how far lists are nested
LONGEST = 400  # characters
EXTRA_WORDS = {
    FF: "h_FF, the cost of a relaxed plan",
    DISTANCE: "steps that goals are away, each on its own",
    CONTEXT: "h_cea, what goals cost with what their steps need, each on its own",
}

# By status: what one atom of a list is called, and how a count of such atoms is put.
_IN_LISTS = ("{}", "reached goal {}", "open goal {}", "unwanted {}", "rightly absent {}")
_COUNTED = (
    "facts {} that are no goals",
    "reached goals {}",
    "open goals {}",
    "facts {} that the goal forbids",
    "absent {} that the goal forbids",
)
_WHETHER = (
    "whether {} is true, and no goal",
    "whether the goal {} is reached",
    "whether the goal {} is open",
    "whether {} is true and the goal forbids it",
    "whether {} is absent, as the goal wants",
)
LEGEND = (
    "open goals are not true yet, reached goals are",
    "_ is any object; lists name every atom that an object stands in",
    "of several equal atoms in a list only one is named",  # neighbour sets
    "2 x (p ?x _): the object stands in exactly two such atoms",  # neighbour multisets
)


class Feature(NamedTuple):
    """A colour with its weight."""

    colour: int
    round: int
    weight: float
    words: str


def strongest_features(model: ColourModel, top: int) -> list[Feature]:
    """The features with the largest weights, whatever their signs, in words."""
    scorer = model.scorer
    weights = scorer.weights.tolist()
    rounds = rounds_of_colours(scorer.base_colours, scorer.table_starts, scorer.table_items)
    colours = sorted(range(len(weights)), key=lambda colour: (-abs(weights[colour]), colour))
    words, unit = ColourWords(model), 2**scorer.shift
    return [
        Feature(colour, int(rounds[colour]), weights[colour] / unit, words.describe(colour))
        for colour in colours[:top]
        if weights[colour]
    ]


def reasons(
    model: ColourModel, task: GroundTask, states: States, ids: NDArray[np.uint32]
) -> list[list[Reason]]:
    """Why the score changes from each state to the next: weight times change of count.

    Colours with the same words count as one. Nodes of a colour that the model does not know weigh
    nothing, as in the score.
    """
    scorer, unit = model.scorer, 2**model.scorer.shift
    graph = colour_graph(task, model.reading, scorer.ignored, chains=scorer.chains)
    starts, colours, counts, _ = scorer.table().embed(graph, states, ids)
    rows = [
        dict(zip(colours[a:b].tolist(), counts[a:b].tolist(), strict=True))
        for a, b in pairwise(starts)
    ]
    weights, words = scorer.weights.tolist(), cache(ColourWords(model).describe)
    extra = np.zeros(len(ids))
    if scorer.extra_weight:
        extra = make_evaluator(scorer.extra, task).evaluate(states, ids)
    told = []
    for place, (before, after) in enumerate(pairwise(rows)):
        changes: dict[str, float] = {}
        for colour in sorted({*before, *after}):
            change = weights[colour] * (after.get(colour, 0) - before.get(colour, 0))
            if change:
                text = words(colour)
                changes[text] = changes.get(text, 0.0) + change / unit
        if extra[place] != extra[place + 1]:
            change = float(extra[place + 1] - extra[place])
            changes[EXTRA_WORDS[scorer.extra]] = scorer.extra_weight / unit * change
        found = [Reason(text, change) for text, change in changes.items() if change]
        told.append(sorted(found, key=lambda each: (-abs(each.change), each.words)))
    return told


def legend(model: ColourModel) -> list[str]:
    """How to read the words."""
    return [*LEGEND[:2], LEGEND[3 if model.scorer.multiset else 2]]


class _Neighbour(NamedTuple):
    colour: int
    position: int
    times: int


class ColourWords:
    """Puts the colours of one model into words."""

    def __init__(self, model: ColourModel) -> None:
        scorer = model.scorer
        self._base = model.base_colours
        self._parameters = model.signature["predicates"]
        self._multiset, self._chains = scorer.multiset, scorer.chains
        self._starts = scorer.table_starts.tolist()
        self._items = scorer.table_items.tolist()

    def describe(self, colour: int) -> str:
        """What the number of nodes with this colour counts.

        The text is cut where it would become too long or too deeply nested.
        """
        base = self._base_colour(colour)
        is_object = base < len(self._base.kinds)
        describe = self._describe_object if is_object else self._describe_atom
        text = describe(colour, base, iter(VARIABLES))
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 4].rstrip()} ..."

    def _describe_object(self, colour: int, kind: int, names: Iterator[str]) -> str:
        name, constant = self._base.kinds[kind], self._constant(kind)
        is_base = self._row(colour) is None
        variable = constant or next(names)
        listed = self._listed_atoms(colour, variable, names, DEPTH)
        if constant:
            what = "is there" if is_base else f"stands in {listed or 'no atom'}"
            return f"whether {name} {what}"
        counted = "objects of several types" if name == SEVERAL_TYPES else plural(name)
        return counted if is_base else f"{counted} {variable} with {listed or 'no atoms'}"

    def _describe_atom(self, colour: int, base: int, names: Iterator[str]) -> str:
        predicate, status = self._predicate_and_status(base)
        arguments = self._row(colour)
        if arguments is None:
            constants: list[str | None] = [None] * len(self._parameters.get(predicate, ()))
        else:
            constants = [self._constant(self._base_colour(each.colour)) for each in arguments]
        variables = [constant or next(names, ANYTHING) for constant in constants]
        details = []
        for variable, argument in zip(variables, arguments or (), strict=False):
            way_back = self._own(colour)
            about = self._about_argument(argument, variable, predicate, names, DEPTH, way_back)
            if about:
                details.append(f"{variable} {about}")
        atom = self._atom(predicate, variables)
        text = (_COUNTED if variables else _WHETHER)[status].format(atom)
        return f"{text}, where {'; '.join(details)}" if details else text

    def _about_argument(
        self,
        argument: _Neighbour,
        variable: str,
        predicate: str,
        names: Iterator[str],
        depth: int,
        way_back: int | None,
    ) -> str:
        """What is known of an argument beyond what its predicate says: its kind, its atoms."""
        parts = []
        kind = self._base_colour(argument.colour)
        if not self._constant(kind):
            name = self._base.kinds[kind]
            parameters = self._parameters.get(predicate, ())
            declared = parameters[argument.position] if argument.position < len(parameters) else []
            if [name] != declared:
                parts.append("is of several types" if name == SEVERAL_TYPES else f"is {a(name)}")
        if self._row(argument.colour) is not None:
            back = None if way_back is None else (way_back, argument.position)
            if depth == 0:
                parts.append("...")
            else:
                listed = self._listed_atoms(argument.colour, variable, names, depth - 1, back)
                nothing = "nothing else" if self._multiset else "no other kinds of atoms"
                parts.append(f"has {listed or nothing}")
        return " and ".join(parts)

    def _listed_atoms(
        self,
        colour: int,
        variable: str,
        names: Iterator[str],
        depth: int,
        way_back: tuple[int, int] | None = None,
    ) -> str:
        """The atoms that an object stands in, except the one that led to it."""
        counts: dict[str, int] = {}
        for neighbour in sorted(self._row(colour) or [], key=self._reading_order):
            count = neighbour.times
            if way_back is not None and self._is_way_back(neighbour, way_back):
                count = count - 1 if self._multiset else 0
            if count:
                text = self._listed_atom(neighbour, variable, names, depth)
                counts[text] = counts.get(text, 0) + count
        texts = [
            f"{count} x {text}" if count > 1 and self._multiset else text
            for text, count in counts.items()
        ]
        more = len(texts) - SHOWN_NEIGHBOURS
        if more > 0:
            texts = [*texts[:SHOWN_NEIGHBOURS], f"{more} more"]
        return ", ".join(texts)

    def _listed_atom(
        self, neighbour: _Neighbour, variable: str, names: Iterator[str], depth: int
    ) -> str:
        predicate, status = self._predicate_and_status(self._base_colour(neighbour.colour))
        arguments = self._row(neighbour.colour)
        arity = len(self._parameters.get(predicate, ())) if arguments is None else len(arguments)
        arity = max(arity, neighbour.position + 1)
        words = [variable if place == neighbour.position else ANYTHING for place in range(arity)]
        details = []
        for argument in arguments or ():
            if argument.position == neighbour.position:
                continue
            constant = self._constant(self._base_colour(argument.colour))
            if constant:
                words[argument.position] = constant
            way_back = self._own(neighbour.colour)
            name = constant or ANYTHING
            if self._row(argument.colour) is not None and depth > 0:
                name = constant or next(names, ANYTHING)
            about = self._about_argument(argument, name, predicate, names, depth, way_back)
            if about:
                words[argument.position] = name
                details.append(about if name == ANYTHING else f"{name} {about}")
        text = _IN_LISTS[status].format(self._atom(predicate, words))
        return f"{text} [{'; '.join(details)}]" if details else text

    # What rows and base colours say

    def _row(self, colour: int) -> list[_Neighbour] | None:
        """The neighbours in a colour's row; None for a base colour."""
        row = colour - self._base.count
        if row < 0:
            return None
        items = self._items[self._starts[row] + 1 : self._starts[row + 1]]
        return [
            _Neighbour(key // POSITIONS, key % POSITIONS, count)
            for key, count in zip(items[::2], items[1::2], strict=True)
        ]

    def _own(self, colour: int) -> int | None:
        """The colour that a node had in the round before."""
        row = colour - self._base.count
        return self._items[self._starts[row]] if row >= 0 else None

    def _base_colour(self, colour: int) -> int:
        own = self._own(colour)
        while own is not None:
            colour, own = own, self._own(own)
        return colour

    def _is_way_back(self, neighbour: _Neighbour, way_back: tuple[int, int]) -> bool:
        """Whether an atom may be the one, of this colour or a finer one, that led here."""
        colour: int | None = way_back[0]
        while colour is not None and neighbour.colour != colour:
            colour = self._own(colour)
        return colour is not None and neighbour.position == way_back[1]

    def _predicate_and_status(self, base: int) -> tuple[str, int]:
        predicate, status = divmod(base - len(self._base.kinds), len(STATUSES))
        return self._base.predicates[predicate], status

    def _constant(self, kind: int) -> str | None:
        is_constant = self._base.kinds.index(SEVERAL_TYPES) < kind < len(self._base.kinds)
        return self._base.kinds[kind] if is_constant else None

    def _reading_order(self, neighbour: _Neighbour) -> tuple[int, int, int, int]:
        base = self._base_colour(neighbour.colour)
        _, status = self._predicate_and_status(base)
        return status, base, neighbour.position, neighbour.colour

    def _atom(self, predicate: str, words: list[str]) -> str:
        name = predicate
        if predicate == ARTIFICIAL_PREDICATE:
            name = "chain" if self._chains and len(words) in (0, 3) else "an inner condition"
        return f"({' '.join([name, *words])})"


def plural(noun: str) -> str:
    """The plural of a type's name.

    >>> plural("truck"), plural("city"), plural("box"), plural("tray")
    ('trucks', 'cities', 'boxes', 'trays')
    """
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def a(noun: str) -> str:
    """A noun with its article.

    >>> a("truck"), a("airport")
    ('a truck', 'an airport')
    """
    return f"an {noun}" if noun[:1] in "aeiou" else f"a {noun}"


def feature_lines(model: ColourModel, top: int, *, with_legend: bool) -> Iterator[str]:
    """The strongest features as a table for readers, if there are any."""
    features, scorer = strongest_features(model, top), model.scorer
    if features or scorer.extra_weight:
        yield ""
        yield f"{'weight':>10}  round  the number of"
    if scorer.extra_weight:
        weight = scorer.extra_weight / 2**scorer.shift
        yield f"{weight:>+10.3f}  {'':5}  {EXTRA_WORDS[scorer.extra]}"
    for feature in features:
        yield f"{feature.weight:>+10.3f}  {feature.round:>5}  {feature.words}"
    if features and with_legend:
        yield ""
        yield from (f"({line})" for line in legend(model))
