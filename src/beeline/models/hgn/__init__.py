"""STRIPS hypergraph networks: the places of an action's literals.

They say which argument of a hyperedge each ground fact is.

A hyperedge treats its vertices by place, so places must mean the same in all tasks of a domain
and must not depend on the names of objects. The place of a fact is that of the first literal of
the action schema, in the order in which the domain lists them, that it is an instance of. The
instances of a quantified literal share its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from beeline.pddl.model import lasting, literals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from typing_extensions import Self

    from beeline.pddl.model import ActionSchema, Domain, LiftedLiteral

ANY = -1  # an argument that a quantifier binds
PARTS = ("needed", "forbidden", "added", "deleted")  # that a literal can play


class PlacedLiteral(NamedTuple):
    """An atom of an action schema and its place.

    Arguments are numbers of the action's parameters, names of constants, or ANY.
    """

    predicate: str
    arguments: tuple[int | str, ...]
    place: int


@dataclass(frozen=True)
class SchemaSlots:
    """The literals of one action that can change, by the part that they play.

    Places number the senders (`needed`, `forbidden`) and the receivers (`added`, `deleted`), both
    from 0. `deleted` facts count as receivers only where a negated fact is a vertex.
    """

    needed: tuple[PlacedLiteral, ...]
    forbidden: tuple[PlacedLiteral, ...]
    added: tuple[PlacedLiteral, ...]
    deleted: tuple[PlacedLiteral, ...]

    @property
    def senders(self) -> int:
        """How many places senders have."""
        return _places(self.needed, self.forbidden)

    @property
    def receivers(self) -> int:
        """How many places receivers have."""
        return _places(self.added, self.deleted)

    def to_json(self) -> dict[str, list[Any]]:
        """The slots as plain values."""
        return {
            part: [[name, list(arguments), place] for name, arguments, place in getattr(self, part)]
            for part in PARTS
        }

    @staticmethod
    def from_json(content: dict[str, list[Any]]) -> SchemaSlots:
        """The slots that `to_json` wrote; a ValueError if they are none."""
        slots = SchemaSlots(
            *(
                tuple(PlacedLiteral(name, tuple(args), place) for name, args, place in content[key])
                for key in PARTS
            )
        )
        for literal in slots.literals():
            if (
                type(literal.predicate) is not str
                or type(literal.place) is not int
                or literal.place < 0
                or any(
                    type(each) is not str and (type(each) is not int or each < ANY)
                    for each in literal.arguments
                )
            ):
                raise ValueError("an atom of an action is none")
        return slots

    def check_parameters(self, name: str, parameters: Sequence[object]) -> None:
        """Raise a ValueError if atoms name parameters that the action `name` does not have."""
        numbers = [each for it in self.literals() for each in it.arguments if isinstance(each, int)]
        if max(numbers, default=ANY) >= len(parameters):
            raise ValueError(f"its action '{name[:40]}' has too few parameters")

    def literals(self) -> Iterator[PlacedLiteral]:
        """All of them."""
        return chain(self.needed, self.forbidden, self.added, self.deleted)


@dataclass(frozen=True)
class Schemas:
    """The slots of all actions of a domain, by the name of the action."""

    schemas: dict[str, SchemaSlots]

    def to_json(self) -> dict[str, Any]:
        """The slots as plain values."""
        return {"schemas": {name: slots.to_json() for name, slots in self.schemas.items()}}

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Self:
        """The slots that `to_json` wrote."""
        parts = content["schemas"].items()
        return cls({name: SchemaSlots.from_json(slots) for name, slots in parts})


def schema_slots(domain: Domain) -> dict[str, SchemaSlots]:
    """The slots of each action of a domain that has an effect, by the action's name.

    >>> from beeline.pddl import parse_domain
    >>> domain = parse_domain('''(define (domain d) (:predicates (p ?x) (q ?x) (near ?x ?y))
    ...   (:action go :parameters (?x ?y)
    ...    :precondition (and (near ?x ?y) (p ?x) (not (q ?y)))
    ...    :effect (and (p ?y) (q ?y) (not (p ?x)))))''')
    >>> slots = schema_slots(domain)["go"]
    >>> slots.needed[0], slots.forbidden[0].place, slots.senders, slots.receivers
    (PlacedLiteral(predicate='p', arguments=(0,), place=0), 1, 2, 2)
    """
    changing = domain.changed_predicates()
    actions = [action for action in domain.actions if action.effects]
    conditions = {
        action.name: [
            (literal, _inner(quantified, _parameters(action)))
            for literal, quantified in literals(action.precondition)
            if literal.predicate in changing
        ]
        for action in actions
    }
    negated = {
        literal.predicate for each in conditions.values() for literal, _ in each if literal.negated
    }
    return {action.name: _slots(action, conditions[action.name], negated) for action in actions}


def _slots(
    action: ActionSchema, conditions: list[tuple[LiftedLiteral, dict[str, int]]], negated: set[str]
) -> SchemaSlots:
    needed: list[PlacedLiteral] = []
    forbidden: list[PlacedLiteral] = []
    for place, (literal, scope) in enumerate(conditions):
        (forbidden if literal.negated else needed).append(_placed(literal, scope, place))
    added: list[PlacedLiteral] = []
    deleted: list[PlacedLiteral] = []
    effects = [
        (effect.literal, _inner((name for name, _ in effect.parameters), _parameters(action)))
        for effect in lasting(action.effects)
    ]
    for literal, scope in effects:
        if not literal.negated:
            added.append(_placed(literal, scope, len(added)))
    following = len(added)
    for literal, scope in effects:
        if literal.negated:
            # Only a goal can ask for the negation of other predicates: no place of their own.
            own = literal.predicate in negated
            deleted.append(_placed(literal, scope, following if own else 0))
            following += own
    return SchemaSlots(tuple(needed), tuple(forbidden), tuple(added), tuple(deleted))


def _parameters(action: ActionSchema) -> dict[str, int]:
    return {name: number for number, (name, _) in enumerate(action.parameters)}


def _inner(quantified: Iterable[str], scope: dict[str, int]) -> dict[str, int]:
    """The scope inside a quantifier."""
    return {**scope, **dict.fromkeys(quantified, ANY)}


def _placed(literal: LiftedLiteral, scope: dict[str, int], place: int) -> PlacedLiteral:
    arguments = tuple(scope.get(argument, argument) for argument in literal.args)
    return PlacedLiteral(literal.predicate, arguments, place)


def _places(*parts: tuple[PlacedLiteral, ...]) -> int:
    return max((literal.place + 1 for part in parts for literal in part), default=0)
