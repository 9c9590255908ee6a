"""Actions that are not written down: the same operators in every state as when they are."""

from __future__ import annotations

import math
import pickle
from typing import TYPE_CHECKING

import numpy as np
import pytest
from random_tasks import RandomTask

from beeline import _native, generators
from beeline.core.errors import UnsupportedError
from beeline.pddl import parse_domain, parse_problem
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask

MOST_PAIRS = 300  # of states
Step = tuple[str, frozenset[str], int]


def both(domain: str, text: str) -> tuple[GroundTask, GroundTask]:
    """The task with all its operators, and with as few of them as possible."""
    problem = parse_problem(parse_domain(domain), text)
    return ground(problem), ground(problem, most_operators=0)


def built_in(name: str, seed: int = 0) -> tuple[GroundTask, GroundTask]:
    (_, text), *_ = generators.instances(name, seed=seed, count=1)
    return both(generators.domain_text(name), text)


class Walker:
    """Steps through the states of a task, seen as facts that another one has, too."""

    def __init__(self, task: GroundTask, seen: set[str]) -> None:
        self.task = task
        self.states = _native.States(task.native)
        self._seen = seen

    def facts(self, ids: list[int]) -> list[frozenset[str]]:
        starts, items = self.states.true_facts(np.array(ids, dtype=np.uint32))
        names = [self.task.fact_names[item] for item in items.tolist()]
        rows = zip(starts.tolist(), starts[1:].tolist(), strict=False)
        return [frozenset(names[first:last]) & self._seen for first, last in rows]

    def steps(self, state: int) -> dict[Step, int]:
        """By name, facts and cost: the successor."""
        operators, children = self.states.successors(state)
        facts = self.facts(children.tolist()) if len(children) else []
        return {
            (self.task.operator_name(operator), after, self.task.operator_cost(operator)): child
            for operator, child, after in zip(
                operators.tolist(), children.tolist(), facts, strict=True
            )
        }


def compare(written: GroundTask, unwritten: GroundTask) -> int:
    """Walk through both state spaces side by side; how many pairs of states were looked at."""
    known = set(written.fact_names)
    assert known <= set(unwritten.fact_names)
    one, two = Walker(written, known), Walker(unwritten, known)
    pairs = [(one.states.initial, two.states.initial)]
    met = set(pairs)
    for left, right in pairs:
        here = one.facts([left])[0]
        assert two.facts([right])[0] == here
        expected, found = one.steps(left), two.steps(right)
        # What only matters for facts that do not matter may be there.
        assert {step for step in found if step[1] != here} <= set(expected)
        assert set(expected) <= set(found)
        for step, child in expected.items():
            pair = (child, found[step])
            if pair not in met and len(met) < MOST_PAIRS:
                met.add(pair)
                pairs.append(pair)
    return len(pairs)


class TestOperators:
    @pytest.mark.parametrize("name", generators.names())
    def test_built_in_domains_have_the_same_steps_in_every_state(self, name: str) -> None:
        written, unwritten = built_in(name)
        assert unwritten.unwritten
        assert not written.unwritten
        assert compare(written, unwritten) > 10

    @pytest.mark.parametrize("block", range(8))
    def test_random_tasks_have_the_same_steps_in_every_state(self, block: int) -> None:
        compared = 0
        for seed in range(60 * block, 60 * block + 60):
            texts = RandomTask(seed, conditional=0.3 if seed % 3 == 0 else 0.0)
            written, unwritten = both(texts.domain, texts.task)
            if written.unsolvable_reason is None:
                compared += bool(unwritten.unwritten)
                compare(written, unwritten)
        assert compared > 5

    @pytest.mark.parametrize("name", generators.names())
    def test_of_operators_of_a_kind_none_comes_before_the_one_that_is_found(
        self, name: str
    ) -> None:
        """Kinds are drawn anew in every state, so that no answer is that of the state before."""
        _, task = built_in(name, seed=1)
        states, random = _native.States(task.native), np.random.default_rng(1)
        frontier, left_out = [states.initial], 0
        for state in frontier:
            operators, children = states.successors(state)
            if len(frontier) < 100:
                frontier += random.permutation(children)[:3].tolist()
            kinds = random.integers(2, size=task.num_objects, dtype=np.int32)
            firsts: dict[tuple[int, ...], int] = {}
            for operator in operators.tolist():
                action, objects = task.native.operator_words(operator)
                firsts.setdefault((action, *kinds[objects].tolist()), operator)
            found = states.applicable(state, kinds).tolist()
            assert set(firsts.values()) <= set(found) <= set(operators.tolist())
            assert found == [each for each in operators.tolist() if each in set(found)]
            left_out += len(operators) - len(found)
        assert left_out > 0

    def test_conditions_and_effects_are_those_of_the_written_operator(self) -> None:
        written, unwritten = built_in("transport")
        states = _native.States(unwritten.native)
        names = written.value_names, unwritten.value_names
        for operator in states.applicable(states.initial).tolist():
            (number,) = written.operator_ids(unwritten.operator_name(operator))
            needs = [
                {names[i][value] for value in task.operator_conditions(op)}
                for i, (task, op) in enumerate(((written, number), (unwritten, operator)))
            ]
            does = [
                {
                    (*(names[i][value] for value in guards), "=>", names[i][after])
                    for guards, after in task.operator_effects(op)
                }
                for i, (task, op) in enumerate(((written, number), (unwritten, operator)))
            ]
            assert needs[0] == needs[1]
            assert does[0] == does[1]

    def test_an_operator_has_one_number_in_all_states_and_registries(self) -> None:
        _, task = built_in("childsnack")
        numbers: dict[str, int] = {}
        for _ in range(2):
            states = _native.States(task.native)
            frontier = [states.initial]
            for state in frontier[:40]:
                operators, children = states.successors(state)
                frontier += children.tolist()
                for operator in operators.tolist():
                    name = task.operator_name(operator)
                    assert numbers.setdefault(name, operator) == operator
        assert task.native.num_written == len(set(numbers.values()))

    def test_the_order_does_not_depend_on_what_was_met_before(self) -> None:
        _, fresh = built_in("childsnack")
        _, walked = built_in("childsnack")
        states = _native.States(walked.native)
        frontier = [states.initial]
        for state in frontier[:40]:
            frontier += states.successors(state)[1].tolist()
        again = _native.States(walked.native)
        other = _native.States(fresh.native)
        assert [walked.operator_name(op) for op in again.applicable(0).tolist()] == [
            fresh.operator_name(op) for op in other.applicable(0).tolist()
        ]


class TestChoice:
    def test_actions_stay_unwritten_only_where_operators_are_too_many(self) -> None:
        domain, (_, text) = (
            parse_domain(generators.domain_text("childsnack")),
            next(generators.instances("childsnack", seed=0, count=1)),
        )
        problem = parse_problem(domain, text)
        whole = ground(problem, most_operators=math.inf)
        most = whole.native.reachable_instances
        assert not ground(problem, most_operators=most).unwritten
        fewer = ground(problem, most_operators=most - 1)
        assert fewer.unwritten
        assert fewer.num_operators >= whole.num_operators
        # Actions with a small share of all operators are written down.
        assert "move_tray" not in fewer.unwritten or most < 16 * 16

    def test_what_static_conditions_exclude_is_not_counted(self) -> None:
        """1,000 x 1,000 pairs of places, of which 999 are next to each other."""
        places = " ".join(f"l{i}" for i in range(1000))
        near = " ".join(f"(near l{i} l{i + 1})" for i in range(999))
        domain = parse_domain(
            "(define (domain line) (:predicates (at ?x) (near ?x ?y)) (:action go"
            " :parameters (?x ?y) :precondition (and (at ?x) (near ?x ?y))"
            " :effect (and (at ?y) (not (at ?x)))))"
        )
        text = (
            f"(define (problem far) (:domain line) (:objects {places})"
            f" (:init (at l0) {near}) (:goal (at l999)))"
        )
        task = ground(parse_problem(domain, text), most_operators=5000)
        assert not task.unwritten
        assert task.num_operators == 999

    def test_the_translators_form_is_always_written(self) -> None:
        domain = parse_domain(generators.domain_text("ferry"))
        _, text = next(generators.instances("ferry", seed=0, count=1))
        task = ground(parse_problem(domain, text), as_translator=True, most_operators=0)
        assert not task.unwritten

    def test_axioms_and_conditional_effects_are_always_written(self) -> None:
        for seed in range(20):
            texts = RandomTask(seed, derived=True)
            _, task = both(texts.domain, texts.task)
            assert not (task.num_axioms and task.unwritten)


class TestRefusals:
    def test_what_needs_all_operators_is_refused_by_name(self) -> None:
        _, task = built_in("ferry")
        for attribute in ("costs", "conditions", "effects", "effect_conditions", "operator_names"):
            with pytest.raises(UnsupportedError, match="looks at all operators"):
                getattr(task, attribute)
        with pytest.raises(ValueError, match="regression looks at all operators"):
            _native.regression_limit(task.native)
        assert task.ordered is task

    def test_costs_are_known_without_operators(self) -> None:
        for name in ("ferry", "transport"):
            written, unwritten = built_in(name)
            assert unwritten.all_costs_one == bool((written.costs == 1).all())
            assert unwritten.native.lowest_cost == written.costs.min()
            assert unwritten.native.highest_cost == written.costs.max()


class TestArchive:
    def test_a_task_crosses_to_another_process_without_what_was_met(self) -> None:
        _, task = built_in("childsnack")
        states = _native.States(task.native)
        first = [task.operator_name(op) for op in states.applicable(0).tolist()]
        copy = pickle.loads(pickle.dumps(task.native))
        assert copy.num_written == 0 < task.native.num_written
        assert copy.unwritten_actions == task.native.unwritten_actions
        again = _native.States(copy).applicable(0).tolist()
        words = [copy.operator_words(op) for op in again]
        names = [(task.action_names[a], *(task.objects[o] for o in args)) for a, args in words]
        assert [f"({' '.join(name)})" for name in names] == first
