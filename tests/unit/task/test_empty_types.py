"""Quantifiers over types with and without objects: validator, search and plain logic agree."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beeline.pddl import format_domain, format_problem, parse_domain, parse_problem
from beeline.planning.solve import solve
from beeline.task.grounding import ground
from beeline.task.validator import validate

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from beeline.pddl.model import Problem

    State = frozenset[tuple[str, ...]]

DOORS = """(define (domain d) (:requirements :adl) (:types key door room)
 (:predicates (open ?d - door) (g) (fits ?k - key ?d - door))
 (:action finish :parameters () :effect (g)))"""
ONE_ROOM = """(define (problem p) (:domain d) (:objects r - room) (:init)
 (:goal (and (g) {goal})))"""

MEMBERS: dict[str, tuple[str, ...]] = {
    "full": ("a", "b"),
    "none": (),
    "sub": (),  # a subtype of full
    "(either none sub)": (),
    "(either none full)": ("a", "b"),
    "object": ("a", "b"),
}
STATIC: State = frozenset({("p", "a")})
FLUENT: State = frozenset({("q", "a"), ("q", "b")})


def loaded(domain: str, task: str) -> Problem:
    """The problem, also after it was written and read again."""
    problem = parse_problem(parse_domain(domain), task)
    again = parse_problem(parse_domain(format_domain(problem.domain)), format_problem(problem))
    assert again.goal == problem.goal
    assert [(a.precondition, a.effects) for a in again.domain.actions] == [
        (a.precondition, a.effects) for a in problem.domain.actions
    ]
    return problem


def is_solved(problem: Problem) -> bool:
    result = solve(ground(problem), "astar", "blind")
    assert result.status.value in ("solved", "unsolvable")
    return result.status.value == "solved"


@pytest.mark.parametrize(
    ("goal", "solvable"),
    [
        ("(exists (?k - key) (and))", False),
        ("(exists (?k - key) (= ?k ?k))", False),
        ("(forall (?k - key) (or))", True),
        ("(exists (?k - key) (forall (?d - door) (fits ?k ?d)))", False),
        ("(forall (?k - key) (exists (?d - door) (fits ?k ?d)))", True),
        ("(not (exists (?k - key) (and)))", True),
        ("(not (forall (?k - (either key door)) (or)))", False),
        ("(exists (?r - room ?k - key) (= ?r ?r))", False),
        ("(exists (?r - room) (forall (?k - key) (fits ?k ?r)))", True),
        ("(forall (?r - room) (exists (?k - key) (= ?r ?r)))", False),
        ("(imply (exists (?k - key) (and)) (or))", True),
    ],
)
def test_goals_about_types_without_objects(goal: str, solvable: bool) -> None:
    problem = loaded(DOORS, ONE_ROOM.format(goal=goal))
    assert is_solved(problem) == solvable
    assert validate(problem, [("finish",)]).valid == solvable


def test_a_precondition_about_types_without_objects() -> None:
    precondition = "(forall (?k - key) (exists (?d - door) (fits ?k ?d)))"
    domain = DOORS.replace(":effect (g)", f":precondition {precondition} :effect (g)")
    problem = loaded(domain, ONE_ROOM.format(goal="(and)"))
    assert solve(ground(problem)).plan == ("(finish)",)


def condition(head: str, *parts: Any) -> tuple[Any, ...]:
    return (head, *parts)


def formulas(scope: tuple[str, ...], depth: int, *, static: bool) -> st.SearchStrategy[Any]:
    terms = st.sampled_from(("a", "b", *scope))
    predicates = ("p", "full", "sub") if static else ("p", "q", "full", "none")
    atom = st.one_of(
        st.tuples(st.sampled_from(predicates), terms),
        st.tuples(st.just("="), terms, terms),
        st.sampled_from([("and",), ("or",)]),
    )
    if depth == 0:
        return atom
    smaller = formulas(scope, depth - 1, static=static)
    variable = f"?y{len(scope)}"
    inner = formulas((*scope, variable), depth - 1, static=static)
    quantified = st.tuples(
        st.sampled_from(["forall", "exists"]),
        st.sampled_from(sorted(MEMBERS)).map(lambda word: (variable, "-", word)),
        inner,
    )
    return st.one_of(
        atom,
        quantified,
        quantified,
        st.builds(condition, st.sampled_from(["and", "or"]), smaller, smaller),
        st.builds(condition, st.just("imply"), smaller, smaller),
        st.builds(condition, st.just("not"), smaller),
    )


def text(tree: Any) -> str:
    return tree if isinstance(tree, str) else f"({' '.join(map(text, tree))})"


def holds(tree: Any, state: State, values: Mapping[str, str]) -> bool:
    head, *rest = tree
    if head == "not":
        return not holds(rest[0], state, values)
    if head == "imply":
        return not holds(rest[0], state, values) or holds(rest[1], state, values)
    if head in ("and", "or"):
        return (all if head == "and" else any)([holds(part, state, values) for part in rest])
    if head in ("forall", "exists"):
        (variable, _, word), body = rest
        cases = [holds(body, state, {**values, variable: name}) for name in MEMBERS[word]]
        return (all if head == "forall" else any)(cases)
    names = tuple(values.get(word, word) for word in rest)
    if head == "=":
        return names[0] == names[1]
    return names[0] in MEMBERS[head] if head in MEMBERS else (head, *names) in state


def toggles() -> Iterator[tuple[list[tuple[str, ...]], State]]:
    """Each set of objects that are switched off: the steps, and the state after them."""
    for chosen in product([False, True], repeat=2):
        off = [name for name, wanted in zip(MEMBERS["full"], chosen, strict=True) if wanted]
        steps = [("off", name) for name in off]
        yield steps, STATIC | FLUENT - {("q", name) for name in off}


def task_with(precondition: str = "(and)", effect: str = "(g)", goal: str = "(g)") -> Problem:
    return loaded(
        f"""(define (domain d) (:requirements :adl) (:types full none - object sub - full)
         (:constants a b - full) (:predicates (p ?x) (q ?x) (r ?x) (g))
         (:action off :parameters (?x - full) :effect (not (q ?x)))
         (:action try :parameters (?x - full) :precondition {precondition} :effect {effect}))""",
        f"(define (problem t) (:domain d) (:init (p a) (q a) (q b)) (:goal {goal}))",
    )


@settings(max_examples=150)
@given(formula=formulas((), 3, static=False))
def test_random_goals_are_judged_by_plain_logic(formula: Any) -> None:
    problem = task_with(goal=text(formula))
    truths = []
    for steps, state in toggles():
        truths.append(holds(formula, state, {}))
        assert validate(problem, steps).valid == truths[-1]
    assert is_solved(problem) == any(truths)


@settings(max_examples=150)
@given(formula=formulas(("?x",), 3, static=False))
def test_random_preconditions_are_judged_by_plain_logic(formula: Any) -> None:
    problem = task_with(precondition=text(formula))
    truths = []
    for steps, state in toggles():
        for name in MEMBERS["full"]:
            truths.append(holds(formula, state, {"?x": name}))
            assert validate(problem, [*steps, ("try", name)]).valid == truths[-1]
    assert is_solved(problem) == any(truths)


@settings(max_examples=100)
@given(formula=formulas(("?x", "?z"), 2, static=True), word=st.sampled_from(sorted(MEMBERS)))
def test_random_conditions_of_effects_are_judged_by_plain_logic(formula: Any, word: str) -> None:
    effect = f"(and (g) (forall (?z - {word}) (when {text(formula)} (r ?z))))"
    painted = {
        name: {z for z in MEMBERS[word] if holds(formula, STATIC, {"?x": name, "?z": z})}
        for name in MEMBERS["full"]
    }
    for place in MEMBERS["full"]:
        problem = task_with(effect=effect, goal=f"(r {place})")
        for name in MEMBERS["full"]:
            assert validate(problem, [("try", name)]).valid == (place in painted[name])
        assert is_solved(problem) == any(place in found for found in painted.values())
