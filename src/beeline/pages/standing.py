"""Where things stand: which facts say that one object is on, in or at another.

In a group of facts of which at most one is true, as grounding finds them, all facts with the same
object say where that object is: `(at ball x)` for all x, and `(carry ball arm)`. Such an object has
one *parent* in a state: another object, or a word, as in `(on-table a)`. A group without an object
in common, such as `(at-robby x)` for all x, tells of something that has no name but the
predicate's. What the groups tell is kept as a rule about predicates, and read off the facts of each
state.

Of groups that contradict each other, those come first that speak of cells of a grid, then those
with the most relations, then those whose facts name the object before its place; a group that would
put a thing into what stands on it is left out.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from beeline.pddl.model import Problem
    from beeline.task.ground_task import GroundTask

    Fact = tuple[str, ...]  # predicate, then objects
    Facts = frozenset[Fact]

SLOT = "#"  # begins the name of a parent that is no object but a predicate
MOST_FACTS = 200_000  # in all groups together; larger tasks have no pictures anyway


class _Group(NamedTuple):
    """Facts of which at most one is true; `places` has the child's position in each predicate."""

    child: str  # empty: something without a name
    facts: tuple[Fact, ...]
    places: dict[str, int]

    def edges(self) -> Iterator[tuple[str, str, str]]:
        """Predicate, child and possible parent."""
        for name, *words in self.facts:
            place = self.places[name]
            for position, word in enumerate(words):
                if position != place:
                    yield name, self.child or name, word


@dataclass
class Rules:
    """What predicates say about places.

    `children` has the position of what stands somewhere, `slots` are predicates of one object that
    are a place of their own, `movers` those whose only object is the place of something without a
    name. In `stacks` things stand on things of their own kind.
    """

    children: dict[str, int] = field(default_factory=dict)
    slots: set[str] = field(default_factory=set)
    movers: set[str] = field(default_factory=set)
    stacks: set[str] = field(default_factory=set)
    fixed: dict[str, str] = field(default_factory=dict)  # parents that never change
    known: set[str] = field(default_factory=set)  # objects that stand somewhere at times

    def names(self) -> set[str]:
        """All predicates that say where something is."""
        return {*self.children, *self.slots, *self.movers}

    def parents(self, facts: Iterable[Fact]) -> dict[str, tuple[str, str]]:
        """Parent, and the predicate that says so, of everything that stands somewhere."""
        found: dict[str, tuple[str, str]] = {}
        for fact in sorted(facts, key=lambda fact: (fact[0] not in self.stacks, fact)):
            name, words = fact[0], fact[1:]
            if name in self.movers:
                found.setdefault(name, (words[0], name))
            elif name in self.slots:
                found.setdefault(words[0], (SLOT + name, name))
            elif name in self.children:
                place = self.children[name]
                others = [word for at, word in enumerate(words) if at != place]
                parent = next((word for word in others if word in self.known), others[-1])
                found.setdefault(words[place], (parent, name))
        for child, parent in self.fixed.items():
            found.setdefault(child, (parent, ""))
        return found


def find_rules(task: GroundTask, places: Iterable[str]) -> Rules:
    """What a task's facts say about places; `places`, such as cells, stand nowhere themselves."""
    rules, cells = Rules(), set(places)
    groups = [each for each in _groups(task) if each.child not in cells]
    weight: dict[str, int] = {}
    for group in groups:
        for name in group.places:
            weight[name] = weight.get(name, 0) + 1

    def rank(group: _Group) -> tuple[int, ...]:
        return (
            not group.child,
            cells.isdisjoint(group.facts[0][1:]),
            -len({fact[0] for fact in group.facts if len(fact) > 2}),
            any(place > 0 for place in group.places.values()),
            -max(weight[name] for name in group.places),
        )

    above: dict[str, dict[str, set[str]]] = {}  # possible parents, by child and predicate
    for group in sorted(groups, key=rank):
        if _agrees(group, rules, above):
            _accept(group, rules, above)
    _add_fixed(task.problem, rules, above, cells)
    return rules


def _groups(task: GroundTask) -> Iterator[_Group]:
    """The groups that tell where something is."""
    if task.num_facts > MOST_FACTS:
        return
    derived = task.problem.domain.derived_predicates()
    names = [tuple(name[1:-1].split()) for name in task.fact_names]
    fact_of = task.native.fact_of.tolist()
    offsets, (starts, items) = task.offsets.tolist(), task.mutex_groups
    rows = [range(a, b) for a, b in itertools.pairwise(offsets)]
    listed = items.tolist()
    rows += [listed[a:b] for a, b in itertools.pairwise(starts)]
    for row in rows:
        facts = tuple(names[fact_of[value]] for value in row if fact_of[value] >= 0)
        predicates = {fact[0] for fact in facts}
        if len(facts) < 2 or predicates & derived or any("@" in p for p in predicates):
            continue
        common = set(facts[0][1:]).intersection(*(fact[1:] for fact in facts))
        for child in sorted(common):
            found = {fact[0]: fact.index(child, 1) - 1 for fact in facts}
            if all(fact[found[fact[0]] + 1] == child for fact in facts) and any(
                len(fact) > 2 for fact in facts
            ):
                yield _Group(child, facts, found)
        if not common and len(predicates) == 1 and len(facts[0]) == 2:
            yield _Group("", facts, {facts[0][0]: -1})


def _agrees(group: _Group, rules: Rules, above: dict[str, dict[str, set[str]]]) -> bool:
    for name, place in group.places.items():
        if not group.child:
            if name in rules.slots or name in rules.children:
                return False
        elif name in rules.movers or rules.children.get(name, place) != place:
            return False
    known = above.get(group.child)
    if known is not None and not known.keys() & group.places.keys():
        return False  # such as a plane, which is somewhere, and at a level of fuel
    return not any(
        child in _reachable(parent, above, name) for name, child, parent in group.edges()
    )


def _reachable(start: str, above: dict[str, dict[str, set[str]]], but: str) -> set[str]:
    """What an object may stand on, on that in turn, and so on, by all predicates but one."""
    found, stack = {start}, [start]
    while stack:
        for name, parents in above.get(stack.pop(), {}).items():
            new = parents - found if name != but else set()
            found |= new
            stack += new
    return found - {start}


def _accept(group: _Group, rules: Rules, above: dict[str, dict[str, set[str]]]) -> None:
    arity = {fact[0]: len(fact) - 1 for fact in group.facts}
    for name, place in group.places.items():
        if not group.child:
            rules.movers.add(name)
        elif arity[name] == 1:
            rules.slots.add(name)
        else:
            rules.children[name] = place
    rules.known.add(group.child or next(iter(group.places)))
    for name, child, parent in group.edges():
        above.setdefault(child, {}).setdefault(name, set()).add(parent)
        if name in above.get(parent, {}):
            rules.stacks.add(name)


def _add_fixed(
    problem: Problem, rules: Rules, above: dict[str, dict[str, set[str]]], cells: set[str]
) -> None:
    """Static facts of two objects that put each thing of a kind into one place or mover."""
    changed = problem.domain.changed_predicates()
    parents = {each for kinds in above.values() for several in kinds.values() for each in several}
    facts: dict[str, list[tuple[str, str]]] = {}
    for fact in problem.init:
        if len(fact) == 3 and fact[0] not in changed:
            facts.setdefault(fact[0], []).append((fact[1], fact[2]))
    for pairs in facts.values():
        children = {child for child, _ in pairs}
        hosts = {parent for _, parent in pairs}
        if len(children) < len(pairs) or children & hosts or children & (cells | above.keys()):
            continue
        if children & rules.fixed.keys():
            continue
        if hosts <= parents | above.keys() or children <= parents:
            if children & parents and len(hosts) * 2 > len(children):
                continue  # hardly a grouping of places
            rules.fixed.update(pairs)


def places_of(standing: Sequence[dict[str, tuple[str, str]]]) -> dict[str, None]:
    """What something stands on and that stands nowhere itself, in order: places and words."""
    children = {child for state in standing for child in state}
    found: dict[str, None] = {}
    for state in standing:
        for parent, _ in state.values():
            if parent not in children:
                found[parent] = None
    return found
