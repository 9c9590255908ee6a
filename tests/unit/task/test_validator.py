"""The validator: verdicts, first failures, costs; and agreement with a brute-force replay."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_replay import all_steps, brute_force, successor

from beeline.core.errors import BeelineError
from beeline.pddl import parse_domain, parse_problem
from beeline.task.lifted_state import Semantics
from beeline.task.validator import FailureKind, validate

if TYPE_CHECKING:
    from beeline.pddl.model import Problem

    Step = tuple[str, ...]

BLOCKS = """(define (domain blocks) (:requirements :strips :typing) (:types block)
 (:predicates (on ?x ?y - block) (table ?x - block) (clear ?x - block) (held ?x - block) (free))
 (:action pick :parameters (?x - block) :precondition (and (clear ?x) (table ?x) (free))
  :effect (and (held ?x) (not (clear ?x)) (not (table ?x)) (not (free))))
 (:action drop :parameters (?x - block) :precondition (held ?x)
  :effect (and (clear ?x) (table ?x) (free) (not (held ?x))))
 (:action stack :parameters (?x ?y - block) :precondition (and (held ?x) (clear ?y))
  :effect (and (on ?x ?y) (clear ?x) (free) (not (held ?x)) (not (clear ?y))))
 (:action unstack :parameters (?x ?y - block) :precondition (and (on ?x ?y) (clear ?x) (free))
  :effect (and (held ?x) (clear ?y) (not (on ?x ?y)) (not (clear ?x)) (not (free)))))"""
TOWER = """(define (problem tower) (:domain blocks) (:objects a b c - block)
 (:init (table a) (table b) (on c a) (clear b) (clear c) (free)) (:goal (and (on a b) (on b c))))"""
TOWER_PLAN = [
    ("unstack", "c", "a"),
    ("drop", "c"),
    ("pick", "b"),
    ("stack", "b", "c"),
    ("pick", "a"),
    ("stack", "a", "b"),
]

# Everything that conditions and effects may have: negation, disjunction, implication, equality,
# types as predicates, quantifiers inside each other, universal and conditional effects.
WORKSHOP = """(define (domain workshop) (:requirements :adl :typing :action-costs)
 (:types tool part - thing machine) (:constants master - machine)
 (:predicates (at ?t - thing ?m - machine) (linked ?m ?n - machine) (idle) (hot ?m - machine)
  (fits ?t - thing ?m - machine) (done ?p - part))
 (:functions (distance ?m ?n - machine) (total-cost))
 (:action carry :parameters (?t - thing ?m ?n - machine)
  :precondition (and (at ?t ?m) (not (= ?m ?n)) (or (linked ?m ?n) (linked ?n ?m))
                     (imply (part ?t) (not (hot ?n))))
  :effect (and (not (at ?t ?m)) (at ?t ?n) (increase (total-cost) (distance ?m ?n))))
 (:action heat :parameters (?m - machine)
  :precondition (forall (?t - (either tool part))
                 (or (not (at ?t ?m)) (exists (?n - machine) (and (fits ?t ?n) (linked ?m ?n)))))
  :effect (and (hot ?m) (not (idle)) (increase (total-cost) 3)))
 (:action sweep :parameters (?m - machine)
  :precondition (exists (?p - part) (at ?p ?m))
  :effect (and (forall (?t - thing) (and (not (at ?t ?m)) (when (fits ?t master) (at ?t master))))
               (idle)))
 (:action work :parameters (?p - part) :precondition (exists (?t - tool ?m - machine)
                 (and (at ?t ?m) (at ?p ?m) (hot ?m)))
  :effect (and (done ?p) (forall (?m - machine) (not (hot ?m)))))
 (:action rest :parameters () :precondition (not (idle)) :effect (and (idle) (not (idle)))))"""
SHIFT_GOAL = "(and (forall (?p - part) (done ?p)) (not (exists (?m - machine) (hot ?m))))"
SHIFT = f"""(define (problem shift) (:domain workshop)
 (:objects saw - tool wheel lid - part lathe oven - machine)
 (:init (at saw lathe) (at wheel lathe) (at lid oven) (linked lathe oven) (linked oven master)
  (linked master lathe) (fits saw oven) (fits wheel oven) (fits lid master) (fits saw master)
  (= (distance lathe oven) 2) (= (distance oven lathe) 2) (= (distance oven master) 4)
  (= (distance master lathe) 1) (= (total-cost) 0))
 (:goal {SHIFT_GOAL})
 (:metric minimize (total-cost)))"""


def problem_of(domain: str, task: str) -> Problem:
    return parse_problem(parse_domain(domain), task)


def small_problem(
    precondition: str = "()", effect: str = "(q)", goal: str = "(q)", init: str = ""
) -> Problem:
    domain = f"""(define (domain small) (:requirements :adl) (:types sort - kind kind)
     (:constants k - kind s t - sort) (:predicates (p ?x) (r ?x ?y) (q))
     (:action go :parameters (?x - kind) :precondition {precondition} :effect {effect}))"""
    task = f"(define (problem small) (:domain small) (:init {init}) (:goal {goal}))"
    return problem_of(domain, task)


class TestVerdicts:
    def test_a_right_plan_is_valid_with_its_length_and_cost(self) -> None:
        verdict = validate(problem_of(BLOCKS, TOWER), TOWER_PLAN)
        assert verdict.valid
        assert (verdict.length, verdict.cost, verdict.failure) == (6, 6, None)

    def test_case_does_not_matter(self) -> None:
        loud = [tuple(word.upper() for word in step) for step in TOWER_PLAN]
        assert validate(problem_of(BLOCKS, TOWER), loud).valid

    def test_the_first_failing_step_is_named_with_its_preconditions(self) -> None:
        plan = [*TOWER_PLAN[:2], ("stack", "a", "b"), ("nonsense",)]
        verdict = validate(problem_of(BLOCKS, TOWER), plan)
        assert not verdict.valid
        assert verdict.cost is None
        failure = verdict.failure
        assert failure is not None
        assert failure.kind is FailureKind.PRECONDITION
        assert (failure.step, failure.action) == (3, "(stack a b)")
        assert failure.unsatisfied == ("(held a)",)
        assert failure.message == "precondition not satisfied: (held a)"

    def test_all_unsatisfied_preconditions_are_listed(self) -> None:
        failure = validate(problem_of(BLOCKS, TOWER), [TOWER_PLAN[0], ("pick", "a")]).failure
        assert failure is not None
        assert failure.unsatisfied == ("(free)",)
        failure = validate(problem_of(BLOCKS, TOWER), [("stack", "a", "a")]).failure
        assert failure is not None
        assert failure.message == "preconditions not satisfied: (held a), (clear a)"

    def test_a_plan_that_stops_early_misses_goals(self) -> None:
        failure = validate(problem_of(BLOCKS, TOWER), TOWER_PLAN[:4]).failure
        assert failure is not None
        assert failure.kind is FailureKind.GOAL
        assert (failure.step, failure.action) == (None, None)
        assert failure.unsatisfied == ("(on a b)",)

    @pytest.mark.parametrize(
        ("step", "kind", "message"),
        [
            (
                ("pik", "a"),
                FailureKind.UNKNOWN_ACTION,
                "unknown action 'pik', did you mean 'pick'?",
            ),
            (("fly",), FailureKind.UNKNOWN_ACTION, "unknown action 'fly'"),
            (("pick",), FailureKind.WRONG_ARITY, "action 'pick' takes 1 object, not 0"),
            (("stack", "a"), FailureKind.WRONG_ARITY, "action 'stack' takes 2 objects, not 1"),
            (("pick", "z"), FailureKind.UNKNOWN_OBJECT, "unknown object 'z'"),
        ],
    )
    def test_steps_that_make_no_sense(self, step: Step, kind: FailureKind, message: str) -> None:
        failure = validate(problem_of(BLOCKS, TOWER), [step]).failure
        assert failure is not None
        assert (failure.kind, failure.message, failure.step) == (kind, message, 1)

    @pytest.mark.parametrize("step", [(), "", "pick a", "()"])
    def test_what_is_no_step_is_refused(self, step: Step | str) -> None:
        with pytest.raises(BeelineError, match="not a step of a plan"):
            validate(problem_of(BLOCKS, TOWER), [step])

    def test_objects_must_have_the_type_of_the_parameter(self) -> None:
        failure = validate(problem_of(WORKSHOP, SHIFT), [("work", "saw")]).failure
        assert failure is not None
        assert failure.kind is FailureKind.WRONG_TYPE
        assert failure.message == "object 'saw' for ?p is not of type 'part'"

    def test_the_empty_plan_is_valid_when_the_goal_holds(self) -> None:
        assert validate(small_problem(init="(q)"), []).valid
        assert not validate(small_problem(), []).valid


class TestConditions:
    @pytest.mark.parametrize(
        ("precondition", "init", "unsatisfied"),
        [
            ("(p ?x)", "(p s)", "(p k)"),
            ("(not (p ?x))", "(p k)", "(not (p k))"),
            ("(= ?x s)", "", "(= k s)"),
            ("(not (= ?x k))", "", "(not (= k k))"),
            ("(sort ?x)", "", "(sort k)"),
            ("(or (p ?x) (r ?x s))", "", "(or (p k) (r k s))"),
            ("(or (and (p ?x) (q)) (p t))", "(q)", "(or (and (p k) (q)) (p t))"),
            ("(imply (q) (p ?x))", "(q)", "(or (not (q)) (p k))"),
            ("(exists (?y - sort) (r ?x ?y))", "(r k k)", "(exists (?y - sort) (r k ?y))"),
            ("(forall (?y - sort) (r ?x ?y))", "(r k s)", "(r k t)"),
            ("(forall (?y) (imply (sort ?y) (p ?y)))", "(p s)", "(or (not (sort t)) (p t))"),
            ("(not (exists (?y) (r ?x ?y)))", "(r k t)", "(not (r k t))"),
            ("(forall (?y) (exists (?z) (r ?y ?z)))", "(r k s)", "(exists (?z - object) (r s ?z))"),
            ("(exists (?y - (either sort kind)) (r ?y ?y))", "",
             "(exists (?y - (either kind sort)) (r ?y ?y))"),
            ("(and (q) (and (p s) (not (p k))))", "(p k)", "(q) (p s) (not (p k))"),
            ("(or)", "", "(or)"),
        ],
    )  # fmt: skip
    def test_the_smallest_unsatisfied_part_is_shown(
        self, precondition: str, init: str, unsatisfied: str
    ) -> None:
        failure = validate(small_problem(precondition, init=init), [("go", "k")]).failure
        assert failure is not None
        assert " ".join(failure.unsatisfied) == unsatisfied

    @pytest.mark.parametrize(
        ("precondition", "init"),
        [
            ("()", ""),
            ("(and)", ""),
            ("(kind ?x)", ""),
            ("(imply (p ?x) (q))", ""),
            ("(forall (?y ?z - sort) (or (= ?y ?z) (r ?y ?z)))", "(r s t) (r t s)"),
            ("(exists (?y ?z) (and (r ?y ?z) (p ?z) (not (= ?y ?z))))", "(r s t) (p t)"),
            ("(not (forall (?y) (p ?y)))", "(p k)"),
        ],
    )
    def test_conditions_that_hold(self, precondition: str, init: str) -> None:
        assert validate(small_problem(precondition, init=init), [("go", "k")]).valid


class TestQuantifiersAmongManyObjects:
    """Facts lead to the objects that matter: few atoms are looked at, however many there are."""

    COUNT = 2000
    DOMAIN = """(define (domain net) (:requirements :adl) (:types place token)
     (:constants t - token)
     (:predicates (road ?a ?b - place) (at ?t - token ?p - place) (q))
     (:action go :parameters (?a - place) :precondition {precondition} :effect (q)))"""

    def looked_at(self, monkeypatch: pytest.MonkeyPatch, precondition: str) -> int:
        places = [f"p{number}" for number in range(self.COUNT)]
        roads = " ".join(f"(road {a} {b})" for a, b in pairwise(places))
        problem = problem_of(
            self.DOMAIN.format(precondition=precondition),
            f"""(define (problem t) (:domain net) (:objects {" ".join(places)} - place)
             (:init {roads} (at t p3)) (:goal (q)))""",
        )
        count = 0
        plain = Semantics._atom_holds

        def counted(self: Semantics, *words: Any) -> bool:
            nonlocal count
            count += 1
            return plain(self, *words)

        monkeypatch.setattr(Semantics, "_atom_holds", counted)
        assert validate(problem, [("go", "p0")]).valid
        return count

    @pytest.mark.parametrize(
        "precondition",
        [
            "(exists (?b ?c ?d - place) (and (road ?a ?b) (road ?b ?c) (road ?c ?d) (at t ?d)))",
            "(exists (?t - token ?p - place) (and (at ?t ?p) (not (road ?a ?p))))",
            "(forall (?b ?c - place) (imply (and (road ?a ?b) (road ?b ?c)) (not (= ?a ?c))))",
            "(not (exists (?b ?c - place) (and (road ?a ?b) (road ?b ?c) (= ?a ?c))))",
        ],
    )
    def test_few_atoms_are_looked_at(
        self, precondition: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert self.looked_at(monkeypatch, precondition) < 30


class TestEffects:
    def test_adding_wins_over_deleting(self) -> None:
        problem = small_problem(effect="(and (q) (not (q)) (not (p ?x)) (p k))", goal="(p k)")
        assert validate(problem, [("go", "k")]).valid

    def test_effects_see_the_state_before_the_step(self) -> None:
        effect = "(and (forall (?y) (when (r ?x ?y) (p ?y))) (q))"
        problem = small_problem(effect=effect, goal="(and (p s) (not (p t)))", init="(r k s)")
        assert validate(problem, [("go", "k")]).valid

    def test_universal_effects_reach_every_object_of_the_type(self) -> None:
        effect = "(forall (?y - sort ?z - sort) (r ?y ?z))"
        goal = "(and (r s s) (r s t) (r t s) (r t t) (not (r k s)))"
        assert validate(small_problem(effect=effect, goal=goal), [("go", "k")]).valid


class TestCosts:
    PLAN = (("carry", "wheel", "lathe", "oven"), ("rest",), ("heat", "lathe"))

    def test_costs_add_up_by_the_metric(self) -> None:
        problem = problem_of(WORKSHOP, SHIFT.replace(SHIFT_GOAL, "(and)"))
        assert validate(problem, self.PLAN).cost == 2 + 0 + 3
        assert validate(problem, self.PLAN, unit_costs=True).cost == 3

    def test_without_a_metric_each_step_costs_one(self) -> None:
        task = SHIFT.replace("(:metric minimize (total-cost))", "").replace(SHIFT_GOAL, "(and)")
        assert validate(problem_of(WORKSHOP, task), self.PLAN).cost == 3

    @pytest.mark.parametrize("metric", ["(:metric minimize (total-cost))", ""])
    def test_an_undefined_cost_makes_a_step_inapplicable(self, metric: str) -> None:
        task = SHIFT.replace("(:metric minimize (total-cost))", metric)
        failure = validate(
            problem_of(WORKSHOP, task.replace("(= (distance lathe oven) 2)", "")),
            [("carry", "wheel", "lathe", "oven")],
        ).failure
        assert failure is not None
        assert failure.kind is FailureKind.UNDEFINED_COST
        assert failure.unsatisfied == ("(distance lathe oven)",)


class TestActionsOfOneName:
    DOMAIN = """(define (domain twins) (:requirements :typing) (:types red blue)
     (:predicates (p) (q) (r))
     (:action go :parameters () :precondition () :effect (p))
     (:action go :parameters () :precondition () :effect (q))
     (:action go :parameters (?x - red) :precondition (q) :effect (r))
     (:action go :parameters (?x - blue) :precondition (p) :effect (r)))"""
    TASK = """(define (problem t) (:domain twins) (:objects one - red two - blue)
     (:init) (:goal (r)))"""

    @pytest.mark.parametrize("name", ["one", "two"])
    def test_a_plan_is_valid_if_any_choice_makes_it_so(self, name: str) -> None:
        assert validate(problem_of(self.DOMAIN, self.TASK), [("go",), ("go", name)]).valid

    def test_branches_do_not_mix(self) -> None:
        task = self.TASK.replace("(:goal (r))", "(:goal (and (p) (q)))")
        problem = problem_of(self.DOMAIN, task)
        assert not validate(problem, [("go",)]).valid
        assert validate(problem, [("go",), ("go",)]).valid

    def test_a_failure_tells_all_arities(self) -> None:
        failure = validate(problem_of(self.DOMAIN, self.TASK), [("go", "one", "two")]).failure
        assert failure is not None
        assert failure.message == "action 'go' takes 0 or 1 objects, not 2"


def random_walk(problem: Problem, data: st.DataObject, length: int) -> list[Step]:
    state = frozenset(problem.init)
    walk = []
    for _ in range(length):
        options = {step: successor(problem, step, state) for step in all_steps(problem)}
        applicable = {step: reached[0] for step, reached in options.items() if reached}
        if not applicable:
            break
        step = data.draw(st.sampled_from(sorted(applicable)))
        walk.append(step)
        state = applicable[step]
    return walk


PROBLEMS = {"blocks": problem_of(BLOCKS, TOWER), "workshop": problem_of(WORKSHOP, SHIFT)}


@pytest.mark.parametrize("name", sorted(PROBLEMS))
@settings(max_examples=40)
@given(data=st.data(), length=st.integers(0, 8))
def test_random_walks_and_altered_walks_are_judged_as_by_brute_force(
    name: str, data: st.DataObject, length: int
) -> None:
    problem = PROBLEMS[name]
    walk = random_walk(problem, data, length)
    verdict = validate(problem, walk)
    assert verdict.failure is None or verdict.failure.kind is FailureKind.GOAL
    for position in range(len(walk)):
        other = data.draw(st.sampled_from(all_steps(problem)))
        for plan in (
            walk[:position] + walk[position + 1 :],
            [*walk[:position], other, *walk[position + 1 :]],
            [*walk[:position], other, *walk[position:]],
        ):
            verdict = validate(problem, plan)
            step = verdict.failure.step if verdict.failure else None
            assert (verdict.valid, verdict.cost, step) == brute_force(problem, plan)


@pytest.mark.parametrize("name", sorted(PROBLEMS))
@settings(max_examples=20)
@given(data=st.data())
def test_unsatisfied_parts_are_empty_exactly_for_applicable_steps(
    name: str, data: st.DataObject
) -> None:
    problem = PROBLEMS[name]
    walk = random_walk(problem, data, 3)
    for step in all_steps(problem):
        failure = validate(problem, [*walk, step]).failure
        fails_here = failure is not None and failure.step == len(walk) + 1
        assert fails_here == (brute_force(problem, [*walk, step])[2] is not None)
        if fails_here:
            assert failure is not None
            assert failure.unsatisfied


def test_ten_thousand_steps_among_thousands_of_objects_take_seconds_at_most() -> None:
    count = 3000
    names = " ".join(f"b{number}" for number in range(count))
    facts = " ".join(f"(table b{number}) (clear b{number})" for number in range(count))
    problem = problem_of(
        BLOCKS,
        f"(define (problem many) (:domain blocks) (:objects {names} - block)"
        f" (:init (free) {facts}) (:goal (on b0 b1)))",
    )
    plan = [
        step
        for number in range(2500)
        for step in (
            ("pick", f"b{number}"),
            ("stack", f"b{number}", f"b{number + 1}"),
            ("unstack", f"b{number}", f"b{number + 1}"),
            ("drop", f"b{number}"),
        )
    ]
    plan += [("pick", "b0"), ("stack", "b0", "b1")]
    start = time.perf_counter()
    assert validate(problem, plan).cost == 10_002
    assert time.perf_counter() - start < 5
