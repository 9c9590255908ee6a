"""Whatever is done to a PDDL text, the result is a usable task or a `BeelineError`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beeline import pddl
from beeline.core.errors import BeelineError
from beeline.pddl.model import GOAL_ACTION

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline.pddl.model import NormalizedTask, Problem

TOKEN = re.compile(r"[()]|[^\s()]+")
SPICE = (
    *("(", ")", "()", "(and)", "and", "or", "not", "forall", "exists", "when", "imply", "="),
    *("?x", "?y", "?", "a", "b", "t1", "-", "-1", "0", "2.5", ";", "@goal-reached", "type@truck"),
    *("increase", "total-cost", "(total-cost)", "object", "either", "(either truck boat)"),
    *(":action", ":parameters", ":precondition", ":effect", ":init", ":goal", ":types"),
    *(":objects", ":metric", "minimize", "at", "(at ?x ?y)", "(on a b)", "(forall (?x) (done))"),
)


def mutate(data: st.DataObject, text: str) -> str:
    """A few random edits of tokens, then perhaps of characters."""
    tokens = TOKEN.findall(text)
    for _ in range(data.draw(st.integers(0, 3))):
        if not tokens:
            break
        index = data.draw(st.integers(0, len(tokens) - 1))
        other = data.draw(st.integers(0, len(tokens) - 1))
        match data.draw(st.sampled_from(["delete", "repeat", "swap", "spice", "copy", "cut"])):
            case "delete":
                del tokens[index : index + data.draw(st.integers(1, 3))]
            case "repeat":
                tokens[index:index] = tokens[index : index + data.draw(st.integers(1, 20))]
            case "swap":
                tokens[index], tokens[other] = tokens[other], tokens[index]
            case "spice":
                tokens[index] = data.draw(st.sampled_from(SPICE))
            case "copy":
                tokens[index] = tokens[other]
            case _:
                del tokens[min(index, other) : max(index, other)]
    result = " ".join(tokens)
    if data.draw(st.integers(0, 4)) == 0 and result:
        index = data.draw(st.integers(0, len(result) - 1))
        strange = data.draw(st.sampled_from(["", "(", ")", "?", "-", " ", "\n", ";", "é", "\0"]))
        result = result[:index] + strange + result[index + 1 :]
    return result


def load(domain: str, problem: str) -> NormalizedTask | None:
    """The normalised task, or None if it was refused in the proper way."""
    try:
        loaded = pddl.parse_problem(pddl.parse_domain(domain, "d.pddl"), problem, "p.pddl")
        task = pddl.normalize(loaded)
    except BeelineError as error:
        message = str(error)
        assert message.startswith(("d.pddl:", "p.pddl:"))
        assert "\n" not in message
        assert "cannot understand" not in message  # our own checks come before the translator's
        return None
    return task


def check(task: NormalizedTask) -> None:
    problem = task.problem
    arities = {name: predicate.arity for name, predicate in problem.domain.predicates.items()}
    for name, *args in problem.init:
        assert arities[name] == len(args)
        assert all(arg in problem.objects for arg in args)
    for action in task.actions:
        declared = {name for name, _ in action.parameters}
        assert len(declared) == len(action.parameters) >= action.external
        literals = [(declared, literal) for literal in action.precondition]
        for effect in action.effects:
            inner = declared | {name for name, _ in effect.parameters}
            literals += [(inner, literal) for literal in (*effect.condition, effect.literal)]
        for known, literal in literals:
            assert all(arg in known or arg in problem.objects for arg in literal.args)
    for literal in task.goal or ():
        assert all(arg in problem.objects for arg in literal.args)
    if sum(len(action.effects) for action in task.actions) < 60:
        pddl.find_invariants(task, [[] for _ in task.actions])
    written = pddl.parse_domain(pddl.format_domain(problem.domain))
    copy = pddl.parse_problem(written, pddl.format_problem(problem))
    assert (copy.goal, copy.init, copy.objects) == (problem.goal, problem.init, problem.objects)


@pytest.mark.parametrize("name", ["blocks", "delivery"])
@settings(max_examples=400)
@given(data=st.data())
def test_mutated_files_give_a_task_or_a_proper_error(
    name: str, data: st.DataObject, blocks: tuple[str, str], delivery: tuple[str, str]
) -> None:
    domain, problem = {"blocks": blocks, "delivery": delivery}[name]
    which = data.draw(st.sampled_from(["domain", "problem", "both"]))
    if which != "problem":
        domain = mutate(data, domain)
    if which != "domain":
        problem = mutate(data, problem)
    task = load(domain, problem)
    if task is not None:
        check(task)


@settings(max_examples=300)
@given(text=st.text(max_size=200), prefix=st.sampled_from(["", "(define ", "(define (domain d) "]))
def test_arbitrary_text_is_refused_properly(text: str, prefix: str) -> None:
    outcome: object
    try:
        outcome = pddl.parse_domain(prefix + text)
    except BeelineError as error:
        outcome = error
    assert str(outcome).count("\n") == 0


def literals(condition: Any) -> set[tuple[Any, ...]]:
    parts = condition.parts or [condition] if not hasattr(condition, "predicate") else [condition]
    return {(p.predicate, p.args, p.negated) for p in parts if hasattr(p, "predicate")}


@settings(max_examples=150)
@given(data=st.data())
def test_what_the_translator_accepts_is_understood_alike(
    data: st.DataObject, blocks: tuple[str, str], translate: Callable[[str, str], Any]
) -> None:
    domain, problem = blocks[0], mutate(data, blocks[1])
    try:
        expected = translate(domain, problem)
    except (Exception, SystemExit):
        return
    task = load(domain, problem)
    if task is None:
        return
    ours = {
        (a.name, len(a.parameters), frozenset(a.precondition))
        for a in task.actions
        if a.name != GOAL_ACTION
    }
    theirs = {
        (a.name, len(a.parameters), frozenset(literals(a.precondition))) for a in expected.actions
    }
    assert ours == theirs
    facts = {(a.predicate, *a.args) for a in expected.init if getattr(a, "predicate", "=") != "="}
    assert set(task.problem.init) == facts
    if not expected.axioms:
        assert set(task.goal or ()) == literals(expected.goal)


def test_unmutated_files_are_accepted(
    parse: Callable[[str, str], Problem], blocks: tuple[str, str], delivery: tuple[str, str]
) -> None:
    for texts in (blocks, delivery):
        check(pddl.normalize(parse(*texts)))
