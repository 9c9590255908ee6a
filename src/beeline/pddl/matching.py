"""Whether two domains say the same in other words: a matching of their vocabularies.

A matching pairs the predicates and actions of a domain with those of another one, the known one,
up to the order of arguments and parameters, so that preconditions and effects are the same. Labels
are paired if the same slots ask for them, so that a type may be paired with a static predicate;
labels that the known domain does not ask for are listed. Conditions that two objects differ may be
put in several ways, or left out where an action would change nothing.

Backtracking over pairs of actions and of their literals, with at most `MOST_STEPS` of them; counts
of occurrences tell early what cannot be a pair. Equal names are tried first, and among several
matchings the one with the most equal names wins, so that the result depends on nothing else.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, NamedTuple

from beeline.pddl.model import EQUALITY, TYPE
from beeline.pddl.outline import Outline, differences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from beeline.pddl.outline import PlainAction, PlainLiteral, Slots

    Places = tuple[int, ...]  # where the arguments of the known predicate or action stand

MOST_STEPS = 20_000


class Matching(NamedTuple):
    """How to read a domain in the words of a known one.

    Argument `i` of the known predicate or action is argument `places[i]` here.
    """

    actions: Mapping[str, tuple[str, Places]]  # by the domain's names: known name, places
    predicates: Mapping[str, tuple[str, Places]]  # the same
    constants: Mapping[str, str]
    labels: Mapping[str, str]  # the domain's label -> the known one
    otherwise: str | None  # the known label of objects that have none of the above
    ignored: Mapping[str, tuple[frozenset[str], ...]]  # label -> labels asked for beside it
    unused: tuple[str, ...]  # predicates that no action mentions, and that are not known
    likeness: int  # the higher, the more names agree
    single: tuple[str, ...] = ()  # predicates that one atom at most may have in the beginning
    apart: Mapping[str, tuple[frozenset[str], ...]] = {}  # predicates that say that objects with
    # these labels are not the same


def match(known: Outline, domain: Outline) -> Matching | None:
    """The matching of a domain with a known one that has the most equal names, if there is any.

    >>> from beeline.pddl import parse_domain
    >>> known, other = (Outline(parse_domain(text)) for text in (
    ...   '''(define (domain d) (:predicates (at ?x) (road ?x ?y)) (:action go :parameters (?x ?y)
    ...   :precondition (and (at ?x) (road ?x ?y)) :effect (and (at ?y) (not (at ?x)))))''',
    ...   '''(define (domain e) (:predicates (in ?a) (way ?a ?b)) (:action move :parameters (?a ?b)
    ...   :precondition (and (way ?a ?b) (in ?b)) :effect (and (not (in ?b)) (in ?a))))'''))
    >>> match(known, other).actions
    {'move': ('go', (1, 0))}
    >>> match(known, other).predicates
    {'in': ('at', (0,)), 'way': ('road', (1, 0))}
    """
    for mine, theirs in _variants(known, domain):
        found = None if differences(mine, theirs) else _Search(mine, theirs).run()
        if found is not None:
            here = {name: it for it, (name, _) in found.predicates.items()}
            single = {*theirs.single, *(here[name] for name in mine.single)}
            return found._replace(single=tuple(sorted(single)))
    return None


def _variants(known: Outline, domain: Outline) -> Iterator[tuple[Outline, Outline]]:
    """The outlines as they are, then loose ones: the less they take for granted, the earlier."""
    yield known, domain
    yield from ((mine, theirs) for mine in known.variants[:1] for theirs in domain.variants)


def likeness(name: str, other: str) -> int:
    """How much two names agree.

    >>> likeness("pick-up", "pick-up"), likeness("pick-up", "pickup"), likeness("lift", "pickup")
    (2, 1, 0)
    """
    if name == other:
        return 2
    plain, other = (word.replace("-", "").replace("_", "") for word in (name, other))
    return int(plain == other)


class _Partial(NamedTuple):
    """Pairs that were made so far, by known names; never changed, only extended."""

    actions: Mapping[str, tuple[str, Places]] = {}
    predicates: Mapping[str, tuple[str, Places]] = {}
    constants: Mapping[str, str] = {}
    likeness: int = 0  # of predicates and actions


class _Search:
    """Backtracking over the known actions, those with the fewest candidates first."""

    def __init__(self, known: Outline, domain: Outline) -> None:
        self._known, self._domain = known, domain
        self._steps = 0
        self._best: Matching | None = None
        mine, theirs = known.actions or {}, domain.actions or {}
        self._candidates = {
            name: sorted(
                (each for each in theirs.values() if each.shape() == action.shape()),
                key=lambda each, name=name: -likeness(name, each.name),  # type: ignore[misc]
            )
            for name, action in mine.items()
        }
        self._order = sorted(
            mine.values(), key=lambda it: (len(self._candidates[it.name]), -len(it.literals))
        )
        self._hopes = {
            **{name: max(likeness(name, it) for it in domain.uses) for name in known.uses},
            **{
                f"({name})": max(likeness(name, each.name) for each in found)
                for name, found in self._candidates.items()
            },
        }

    def run(self) -> Matching | None:
        """The matching with the most equal names; between equals, the first."""
        self._extend(_Partial())
        return self._best

    def _extend(self, partial: _Partial) -> None:
        if self._steps > MOST_STEPS or not self._can_win(partial):
            return
        if len(partial.actions) == len(self._order):
            found = self._completed(partial)
            if found and (self._best is None or found.likeness > self._best.likeness):
                self._best = found
            return
        known = self._order[len(partial.actions)]
        taken = {name for name, _ in partial.actions.values()}
        for action in self._candidates[known.name]:
            if action.name not in taken:
                gain = likeness(known.name, action.name)
                for paired, parameters in self._pair_literals(known, action, partial):
                    places = tuple(parameters[number] for number in range(known.parameters))
                    actions = {**paired.actions, known.name: (action.name, places)}
                    self._extend(paired._replace(actions=actions, likeness=paired.likeness + gain))

    def _counted(self, orders: Iterable[Places]) -> Iterator[Places]:
        """The same orders, as long as there are steps left."""
        for order in orders:
            self._steps += 1
            if self._steps > MOST_STEPS:
                return
            yield order

    def _can_win(self, partial: _Partial) -> bool:
        """Whether it may still have more equal names, or as many and more in their places."""
        if self._best is None:
            return True
        done = {*partial.predicates, *(f"({name})" for name in partial.actions)}
        hope = sum(value for name, value in self._hopes.items() if name not in done)
        labels = 2 * len(self._known.slots)
        out_of_place = sum(
            places != tuple(range(len(places)))
            for _, places in (*partial.predicates.values(), *partial.actions.values())
        )
        best = _total(partial.likeness + hope, labels, out_of_place)
        return best > self._best.likeness

    def _pair_literals(
        self, known: PlainAction, action: PlainAction, partial: _Partial
    ) -> Iterator[tuple[_Partial, dict[int, int]]]:
        """All ways to pair the literals of two actions that agree with the pairs so far."""
        literals = sorted(
            known.literals, key=lambda it: (it.predicate not in partial.predicates, -len(it.terms))
        )

        def go(
            number: int,
            left: tuple[PlainLiteral, ...],
            so_far: _Partial,
            parameters: dict[int, int],
        ) -> Iterator[tuple[_Partial, dict[int, int]]]:
            if number == len(literals):
                mine = [it for it in range(known.parameters) if it not in parameters]
                theirs = [it for it in range(known.parameters) if it not in parameters.values()]
                for order in self._counted(permutations(theirs)):
                    yield so_far, {**parameters, **dict(zip(mine, order, strict=True))}
                return
            literal = literals[number]
            for place, other in enumerate(left):
                rest = (*left[:place], *left[place + 1 :])
                for paired, places in self._pair_predicates(literal, other, so_far):
                    agreed = _agree(literal, other, places, paired.constants, parameters)
                    if agreed is not None:
                        constants, extended = agreed
                        yield from go(
                            number + 1, rest, paired._replace(constants=constants), extended
                        )

        ordered = sorted(action.literals, key=lambda it: it.predicate not in self._known.uses)
        yield from go(0, tuple(ordered), partial, {})

    def _pair_predicates(
        self, literal: PlainLiteral, other: PlainLiteral, partial: _Partial
    ) -> Iterator[tuple[_Partial, Places]]:
        """The predicates of two literals as a pair, with each order of arguments that may be."""
        if literal.part != other.part or len(literal.terms) != len(other.terms):
            return
        mine, theirs = literal.predicate, other.predicate
        orders = self._counted(permutations(range(len(literal.terms))))
        if EQUALITY in (mine, theirs):
            if mine == theirs:
                yield from ((partial, places) for places in orders)
        elif mine in partial.predicates:
            name, places = partial.predicates[mine]
            if name == theirs:
                yield from ((partial, order) for order in self._counted([places]))
        elif self._known.uses[mine] == self._domain.uses[theirs] and all(
            name != theirs for name, _ in partial.predicates.values()
        ):
            gained = partial.likeness + likeness(mine, theirs)
            for places in orders:
                predicates = {**partial.predicates, mine: (theirs, places)}
                yield partial._replace(predicates=predicates, likeness=gained), places

    def _completed(self, partial: _Partial) -> Matching | None:
        """With labels, constants and predicates that no action mentions, if they can be matched."""
        known, domain = self._known, self._domain
        labels = match_labels(known.slots, domain.slots, partial.actions)
        constants = dict(partial.constants)
        for name in known.domain.constants:
            constants.setdefault(name, name)
        fitting = {*constants.values()} <= {*domain.domain.constants}
        if labels is None or not fitting or len({*constants.values()}) < len(constants):
            return None
        predicates = {here: (name, places) for name, (here, places) in partial.predicates.items()}
        for name in known.unused:  # no action says what they mean: only names can
            arity = known.domain.predicates[name].arity
            if name in domain.unused and domain.domain.predicates[name].arity == arity:
                predicates[name] = name, tuple(range(arity))
        actions = {here: (name, places) for name, (here, places) in partial.actions.items()}
        equal = sum(likeness(_bare(here), _bare(name)) for here, name in labels.pairs.items())
        out_of_place = sum(
            places != tuple(range(len(places)))
            for _, places in (*partial.predicates.values(), *partial.actions.values())
        )
        return Matching(
            {name: actions[name] for name in domain.actions or ()},
            {name: predicates[name] for name in domain.domain.predicates if name in predicates},
            {here: name for name, here in constants.items()},
            labels.pairs,
            labels.otherwise,
            labels.ignored,
            tuple(name for name in domain.unused if name not in predicates),
            _total(partial.likeness, equal, out_of_place),
            apart={
                name: _beside(slots, labels.pairs, domain.slots)
                for name, slots in domain.apart.items()
            },
        )


def _total(names: int, labels: int, out_of_place: int) -> int:
    """Equal names come first, then equal labels, then arguments that stand where they stood."""
    return (names * 1000 + labels) * 1000 - out_of_place


def _bare(label: str) -> str:
    return label.removeprefix(TYPE)


def _agree(
    literal: PlainLiteral,
    other: PlainLiteral,
    places: Places,
    constants: Mapping[str, str],
    parameters: Mapping[int, int],
) -> tuple[dict[str, str], dict[int, int]] | None:
    """Constants and parameters, known -> here, with those of a pair of literals; None if not so."""
    names, numbers = dict(constants), dict(parameters)
    for mine, place in zip(literal.terms, places, strict=True):
        theirs = other.terms[place]
        if isinstance(mine, int) and isinstance(theirs, int):
            if numbers.setdefault(mine, theirs) != theirs:
                return None
        elif isinstance(mine, str) and isinstance(theirs, str):
            if names.setdefault(mine, theirs) != theirs:
                return None
        else:
            return None
    if len({*numbers.values()}) < len(numbers) or len({*names.values()}) < len(names):
        return None
    return names, numbers


def _preference(label: str, known: str) -> tuple[int, bool, str]:
    """The lower, the rather the labels are a pair."""
    differ = label.startswith(TYPE) != known.startswith(TYPE)
    return -likeness(_bare(label), _bare(known)), differ, label


class Labels(NamedTuple):
    """How labels are matched; see `Matching`."""

    pairs: dict[str, str]
    otherwise: str | None
    ignored: dict[str, tuple[frozenset[str], ...]]


def match_labels(
    known: Mapping[str, Slots],
    domain: Mapping[str, Slots],
    actions: Mapping[str, tuple[str, Places]],
) -> Labels | None:
    """Pairs of labels that are asked for by the same slots; None if a known one is left over.

    One known label may be left over if its slots ask for none here: then it is what all objects
    without any label have.
    """
    pairs: dict[str, str] = {}
    missing: list[tuple[str, Slots]] = []
    for label, slots in sorted(known.items(), key=lambda item: (item[0] not in domain, item[0])):
        here = frozenset((actions[name][0], actions[name][1][place]) for name, place in slots)
        choices = [it for it, places in domain.items() if places == here and it not in pairs]
        if choices:
            pairs[min(choices, key=lambda it: _preference(it, label))] = label
        else:
            missing.append((label, here))
    labelled = {slot for slots in domain.values() for slot in slots}
    if len(missing) > 1 or any(slots & labelled for _, slots in missing):
        return None
    ignored = {
        label: _beside(slots, pairs, domain)
        for label, slots in domain.items()
        if label not in pairs
    }
    return Labels(pairs, missing[0][0] if missing else None, ignored)


def _beside(
    slots: Slots, pairs: Mapping[str, str], domain: Mapping[str, Slots]
) -> tuple[frozenset[str], ...]:
    """The labels with a pair that each of these slots asks for."""
    found = (frozenset(it for it in pairs if slot in domain[it]) for slot in sorted(slots))
    return tuple(dict.fromkeys(found))
