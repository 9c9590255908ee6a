"""Normalised conditions mean what the written ones mean."""

from __future__ import annotations

import pickle
from itertools import chain, combinations, pairwise, product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beeline import pddl
from beeline.pddl.model import GOAL_ACTION, GOAL_PREDICATE
from beeline.pddl.source import MAX_DEPTH
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from beeline.pddl.model import LiftedLiteral, NormalizedTask, Problem

TYPES = {"o": "t", "u": "s", "v": "s"}
STATIC = {("link", "u", "v"), ("link", "v", "o")}
CHANGING = [("on", "o"), ("on", "u"), ("on", "v"), ("lit",)]
Fact = tuple[str, ...]


def text_of(tree: Any) -> str:
    return tree if isinstance(tree, str) else "(" + " ".join(map(text_of, tree)) + ")"


def members(word: str) -> list[str]:
    return [name for name, declared in TYPES.items() if word in ("object", declared)]


def holds(tree: Any, state: set[Fact], values: Mapping[str, str]) -> bool:
    """Evaluate a condition as written; independent of the code under test."""
    head, *rest = tree
    if head == "and":
        return all(holds(part, state, values) for part in rest)
    if head == "or":
        return any(holds(part, state, values) for part in rest)
    if head == "not":
        return not holds(rest[0], state, values)
    if head == "imply":
        return not holds(rest[0], state, values) or holds(rest[1], state, values)
    if head in ("forall", "exists"):
        (variable, _, word), part = rest
        instances = (holds(part, state, {**values, variable: name}) for name in members(word))
        return all(instances) if head == "forall" else any(instances)
    args = [values.get(arg, arg) for arg in rest]
    if head == "=":
        return args[0] == args[1]
    if head == "s":
        return TYPES[args[0]] == "s"
    return (head, *args) in state


def all_hold(
    literals: Iterable[LiftedLiteral],
    state: set[Fact],
    values: Mapping[str, str],
    task: NormalizedTask,
) -> bool:
    """Whether literals hold, some of which axioms of the task may define."""
    for literal in literals:
        defining = [axiom for axiom in task.axioms if axiom.name == literal.predicate]
        args = [values.get(arg, arg) for arg in literal.args]
        head = literal.predicate.removeprefix("type@")
        is_true = (
            any(
                [bound[name] for name, _ in axiom.parameters[: axiom.external]] == args
                and all_hold(axiom.precondition, state, bound, task)
                for axiom in defining
                for bound in bindings(axiom.parameters)
            )
            if defining or "new-axiom" in head
            else holds([head, *args], state, values)
        )
        if is_true == literal.negated:
            return False
    return True


def bindings(parameters: Iterable[tuple[str, str]]) -> Iterator[dict[str, str]]:
    pairs = list(parameters)
    for choice in product(*(members(word) for _, word in pairs)):
        yield {name: value for (name, _), value in zip(pairs, choice, strict=True)}


def states() -> Iterator[set[Fact]]:
    for chosen in chain.from_iterable(combinations(CHANGING, n) for n in range(len(CHANGING) + 1)):
        yield STATIC | set(chosen)


def conditions(free: tuple[str, ...], *, static: bool = False) -> st.SearchStrategy[Any]:
    """Conditions of depth at most 3 whose free variables are among `free`."""

    def build(depth: int, variables: tuple[str, ...]) -> st.SearchStrategy[Any]:
        terms = st.sampled_from([*variables, *variables, *TYPES])
        atoms = [
            st.tuples(st.just("link"), terms, terms),
            st.tuples(st.just("="), terms, terms),
            st.tuples(st.just("s"), terms),
        ]
        if not static:
            atoms += [st.tuples(st.just("on"), terms), st.just(("lit",))]
        leaf = st.one_of(atoms)
        if depth == 0:
            return leaf
        part = build(depth - 1, variables)
        fresh = "?x" if depth == 2 else f"?y{depth}"
        inner = build(depth - 1, (*variables, fresh))
        typed = st.tuples(st.just(fresh), st.just("-"), st.sampled_from(["t", "s", "object"]))
        return st.one_of(
            leaf,
            st.tuples(st.just("not"), part),
            st.tuples(st.sampled_from(["and", "or"]), part, part),
            st.tuples(st.just("imply"), part, part),
            st.tuples(st.sampled_from(["forall", "exists"]), typed, inner),
        )

    return build(3, free)


def task_with(
    precondition: Any, goal: Any, condition: Any = ("and",), *, exact: bool = False
) -> NormalizedTask:
    domain = pddl.parse_domain(f"""
      (define (domain d) (:types s t) (:constants o - t u v - s)
       (:predicates (on ?x) (link ?x ?y) (lit))
       (:action touch :parameters (?x - s) :precondition {text_of(precondition)}
        :effect (and (on ?x) (lit)))
       (:action undo :parameters (?z) :precondition (on ?z) :effect (and (not (on ?z)) (lit)))
       (:action paint :parameters (?x - s)
        :effect (forall (?y) (when {text_of(condition)} (and (on ?y) (not (lit)))))))""")
    problem = pddl.parse_problem(
        domain,
        """(define (problem t) (:domain d)
       (:init (link u v) (link v o)) (:goal """
        + text_of(goal)
        + "))",
    )
    return pddl.normalize(problem, exact=exact)


@given(conditions(("?x",)), st.booleans())
@settings(max_examples=150)
def test_normalised_preconditions_mean_the_same(precondition: Any, exact: bool) -> None:
    task = task_with(precondition, ["lit"], exact=exact)
    variants = [action for action in task.actions if action.name == "touch"]
    for state in states():
        for name in members("s"):
            found = any(
                values["?x"] == name and all_hold(variant.precondition, state, values, task)
                for variant in variants
                for values in bindings(variant.parameters)
            )
            assert found == holds(precondition, state, {"?x": name})


@given(conditions(()), st.booleans())
@settings(max_examples=150)
def test_normalised_goals_mean_the_same(goal: Any, exact: bool) -> None:
    task = task_with(["lit"], goal, exact=exact)
    artificial = [action for action in task.actions if action.name == GOAL_ACTION]
    for state in states():
        if task.goal is None:
            reached = False
        elif artificial:
            assert task.goal == ((GOAL_PREDICATE, (), False),)
            assert all(action.external == 0 and action.cost == 0 for action in artificial)
            reached = any(
                all_hold(action.precondition, state, values, task)
                for action in artificial
                for values in bindings(action.parameters)
            )
        else:
            reached = all_hold(task.goal, state, {}, task)
        # A goal predicate that no action can reach leaves the goal unreachable.
        if task.goal == ((GOAL_PREDICATE, (), False),) and not artificial:
            reached = False
        assert reached == holds(goal, state, {})


@given(conditions(("?x", "?y"), static=True), st.booleans())
@settings(max_examples=150)
def test_normalised_conditions_of_effects_mean_the_same(condition: Any, exact: bool) -> None:
    task = task_with(["lit"], ["lit"], condition, exact=exact)
    (paint,) = [action for action in task.actions if action.name == "paint"]
    for name in members("s"):
        found = {
            (effect.literal.predicate, *[values.get(arg, arg) for arg in effect.literal.args])
            for effect in paint.effects
            for values in bindings([*paint.parameters, *effect.parameters])
            if values["?x"] == name and all_hold(effect.condition, STATIC, values, task)
        }
        expected = {o for o in TYPES if holds(condition, STATIC, {"?x": name, "?y": o})}
        assert found == {("on", o) for o in expected} | ({("lit",)} if expected else set())


def test_the_problem_stays_as_it_was(
    parse: Callable[[str, str], Problem], delivery: tuple[str, str]
) -> None:
    problem = parse(*delivery)
    before = pddl.format_domain(problem.domain), pddl.format_problem(problem)
    pddl.normalize(problem)
    assert (pddl.format_domain(problem.domain), pddl.format_problem(problem)) == before
    assert problem.domain.actions[1].precondition.parts[2].word == "forall"


def test_a_task_with_everything(
    parse: Callable[[str, str], Problem], delivery: tuple[str, str]
) -> None:
    task = pddl.normalize(parse(*delivery))
    names = [action.name for action in task.actions]
    assert sorted(names) == sorted(["load", "unload", "move", "move", GOAL_ACTION])
    unload = task.actions[names.index("unload")]
    assert (unload.external, unload.parameters[-1]) == (2, ("?v", "vehicle"))
    assert unload.cost is None
    assert task.actions[names.index("move")].cost == ("length", "?a", "?b")
    assert task.actions[names.index("load")].cost == 1
    invented = {axiom.name for axiom in task.axioms}
    assert task.fluent_predicates == {"at", "lies", "in", "done", GOAL_PREDICATE} | invented
    assert not task.exact


def test_the_translators_form_has_axioms_for_universal_conditions_and_the_goal(
    parse: Callable[[str, str], Problem], delivery: tuple[str, str]
) -> None:
    task = pddl.normalize(parse(*delivery), exact=True)
    assert task.exact
    assert sorted(action.name for action in task.actions) == ["load", "move", "move", "unload"]
    assert len({axiom.name for axiom in task.axioms}) == 2
    assert task.goal is not None
    assert [literal.predicate for literal in task.goal] == [task.axioms[1].name, "lies"]
    again = pickle.loads(pickle.dumps(task))
    assert (again.exact, again.actions) == (True, task.actions)


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("(and)", ()),
        ("(or)", None),
        ("(forall (?x - s) (link ?x u))", None),
        ("(exists (?x - s) (and))", ()),
        ("(forall (?x - t) (on ?x))", (("on", ("o",), False),)),
    ],
)
def test_goals_that_statics_decide(goal: str, expected: Any) -> None:
    task = task_with(["lit"], goal)
    assert task.goal == expected
    assert GOAL_ACTION not in [action.name for action in task.actions]


@pytest.mark.parametrize(
    ("opening", "body"),
    [
        ("(not ", "(lit)"),
        ("(and (lit) ", "(lit)"),
        ("(or (lit) ", "(lit)"),
        ("(imply (lit) ", "(lit)"),
        ("(forall (?x - t) ", "(on ?x)"),
        ("(exists (?x - t) ", "(on ?x)"),
        ("(not (exists (?x - t) (not (forall (?y - t) ", "(on ?x)"),
    ],
)
def test_conditions_nested_as_deep_as_allowed_are_normalised(opening: str, body: str) -> None:
    levels = opening.count("(") - opening.count(")")
    count = (MAX_DEPTH - 8) // levels
    condition = opening * count + body + ")" * levels * count
    task = task_with(condition, condition)
    assert task.actions


def test_actions_that_can_never_apply_are_dropped_but_their_effects_count() -> None:
    domain = pddl.parse_domain("""(define (domain d) (:predicates (p) (q))
      (:action a :parameters () :precondition (or) :effect (p))
      (:action b :parameters () :effect (q)))""")
    text = "(define (problem t) (:domain d) (:init) (:goal (q)))"
    task = pddl.normalize(pddl.parse_problem(domain, text))
    assert [action.name for action in task.actions] == ["b"]
    assert task.fluent_predicates == {"p", "q"}
    assert pddl.find_invariants(task, [[]]) == []


def test_a_static_premise_inside_a_universal_condition_stays_small() -> None:
    count = 30
    names = [f"o{number}" for number in range(count)]
    links = " ".join(f"(link {a} {b})" for a, b in pairwise(names))
    domain = pddl.parse_domain("""(define (domain d) (:predicates (link ?x ?y) (on ?x))
      (:action a :parameters (?x)
       :precondition (forall (?y) (imply (link ?x ?y) (on ?y))) :effect (on ?x)))""")
    problem = pddl.parse_problem(
        domain,
        f"""(define (problem t) (:domain d)
      (:objects {" ".join(names)}) (:init {links}) (:goal (on o0)))""",
    )
    task = ground(problem)
    assert not task.has_axioms
    assert sorted(task.operator_names) == sorted(f"(a {name})" for name in names)
    (first,) = task.operator_ids("(a o0)")
    assert [task.value_names[value] for value in task.operator_conditions(first)] == ["(on o1)"]
