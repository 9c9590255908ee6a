"""Scores of operators: features by the book, incremental and full, and renamed."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from coloured_walks import Walk, as_ids, small_task
from hand_tables import built_in
from operator_tables import looks, random_operator_model, random_operator_scores
from reference_colours import ReferenceColours, literal_goal, true_atoms
from renamed_domains import OtherWords
from search_tasks import ground_texts

import beeline
from beeline import _native, generators
from beeline.core.errors import BeelineError
from beeline.models.colours.operators import AROUND, NO_NODE, Slot, action_slots, slots_in
from beeline.models.colours.renamed import renamed_model
from beeline.pddl import parse_domain
from beeline.pddl.matching import match
from beeline.pddl.outline import Outline
from beeline.task.grounding import ground

both_modes = pytest.mark.parametrize("multiset", [False, True], ids=["sets", "multisets"])
every_domain = pytest.mark.parametrize("domain", generators.names())
SOME = ("blocksworld", "childsnack", "gripper", "rovers", "sokoban", "transport")


def by_the_book(
    walk: Walk, reference: ReferenceColours, state: int, operator: int
) -> set[tuple[int, Any]]:
    """Pairs of a slot and the number of a colour in the reference, from names alone."""
    task = walk.task
    goal, true = literal_goal(task.problem), true_atoms(task, walk.states, state)
    rounds = reference.colours(task.problem, goal, true)
    action, *arguments = task.operator_name(operator).strip("()").split()
    found: set[tuple[int, Any]] = set()
    for number, slot in enumerate(action_slots(task.problem.domain)):
        if slot.action != action:
            continue
        names = tuple(arguments[arg] if isinstance(arg, int) else arg for arg in slot.args)
        nodes: list[Any]
        if slot.predicate == AROUND:
            nodes = [
                (colour, place)
                for _, atoms in rounds
                for atom, colour in atoms.items()
                for place, name in enumerate(atom[1:])
                if name == names[0]
            ]
        elif slot.predicate is None:
            nodes = [objects[names[0]] for objects, _ in rounds] if names else [NO_NODE]
        else:
            atom = (slot.predicate, *names)
            nodes = [atoms.get(atom, NO_NODE) for _, atoms in rounds]
        found |= {(number, colour) for colour in nodes}
    return found


@both_modes
@every_domain
def test_what_operators_look_like_is_as_by_the_book(domain: str, multiset: bool) -> None:
    walk = Walk(small_task(domain), steps=5)
    reference = ReferenceColours(walk.task.problem.domain, 2, multiset=multiset)
    table = walk.table(2, multiset=multiset)
    found = looks(table, walk, walk.ids)
    meanings = {NO_NODE: NO_NODE, **dict(enumerate(reference.meanings(table)))}
    slots = action_slots(walk.task.problem.domain)
    around = {number for number, slot in enumerate(slots) if slot.predicate == AROUND}
    for state, operators in zip(walk.ids.tolist(), found, strict=True):
        for operator, row in list(operators.items())[:12]:
            named = {
                (
                    slot,
                    (meanings[colour // 16], colour % 16) if slot in around else meanings[colour],
                )
                for slot, colour in row
            }
            assert named == by_the_book(walk, reference, state, operator)


@both_modes
@every_domain
def test_incremental_ranks_equal_full_ones_and_the_sums_of_weights(
    domain: str, multiset: bool
) -> None:
    walk = Walk(small_task(domain))
    table = walk.table(2, multiset=multiset, taught=walk.ids[::3])
    scores = random_operator_scores(table, walk)
    weights = {
        (slot, colour): weight
        for slot, colour, weight in zip(
            scores.numbers.tolist(), scores.colours.tolist(), scores.weights.tolist(), strict=True
        )
    }
    expected = [
        {
            operator: sum(weights.get(pair, 0) for pair in row) / 2**scores.shift
            for operator, row in state.items()
        }
        for state in looks(table, walk, walk.ids)
    ]
    zeros = np.zeros(table.size, dtype=np.int64)
    ways = ((False, 0, 256), (True, 0, 256), (True, 1 << 18, 256), (True, 0, 0), (True, 1 << 18, 0))
    for incremental, new_colours, fold_from in ways:
        score = _native.ColourScore(
            walk.graph,
            table,
            zeros,
            incremental=incremental,
            new_colours=new_colours,
            fold_from=fold_from,
        )
        scores.add_to(score, walk.task, None)
        assert score.has_preferred
        for state, row in zip(walk.ids.tolist(), expected, strict=True):
            operators = np.array(list(row), dtype=np.int32)
            assert score.rank(walk.states, state, operators) == list(row.values())
            score.evaluate(walk.states, as_ids(walk.successors(state)))  # goes elsewhere, or looks
            best = {operator for operator, rank in row.items() if rank == max(row.values())}
            assert {*score.preferred(walk.states, state)} == best
        assert score.work > 0


def test_a_margin_makes_nearly_equal_operators_equal() -> None:
    walk = Walk(small_task("blocksworld"))
    table = walk.table(2, multiset=False)
    exact, wide = (random_operator_scores(table, walk, margin=margin) for margin in (0.0, 0.5))
    preferred = []
    for scores in (exact, wide):
        score = _native.ColourScore(walk.graph, table, np.zeros(table.size, dtype=np.int64))
        scores.add_to(score, walk.task, None)
        preferred.append([{*score.preferred(walk.states, state)} for state in walk.ids.tolist()])
        operators = walk.states.applicable(walk.states.initial)
        ranks = score.rank(walk.states, walk.states.initial, operators)
        assert wide is not scores or max(ranks) == 0
    assert all(few <= many for few, many in zip(*preferred, strict=True))
    assert preferred[0] != preferred[1]


class TestSlots:
    def test_constants_are_arguments_by_name(self) -> None:
        text = """(define (domain d) (:requirements :strips) (:constants home)
          (:predicates (at ?x) (far ?x ?y)) (:action go :parameters (?x) :precondition
          (and (at home) (not (= ?x home)) (forall (?z) (far ?z ?x)) (far home ?x))
          :effect (and (not (at home)) (at ?x))))"""
        assert action_slots(parse_domain(text))[3:] == (
            Slot("go", "at", (0,)),
            Slot("go", "at", ("home",)),
            Slot("go", "far", ("home", 0)),
        )

    def test_they_do_not_depend_on_the_order_of_the_file(self) -> None:
        text = generators.domain_text("gripper")
        head, *actions = text.rstrip().removesuffix(")").split("(:action")
        turned = "(:action".join([head, *actions[::-1]]) + ")"
        assert action_slots(parse_domain(turned)) == action_slots(parse_domain(text))

    def test_wrong_ones_are_refused_by_the_engine(self) -> None:
        walk = Walk(small_task("gripper"), steps=2)
        table = walk.table(1, multiset=False)
        score = _native.ColourScore(walk.graph, table, np.zeros(table.size, dtype=np.int64))
        none = np.zeros(0, dtype=np.int32)
        for slot in (
            (0, 0, -1, [9]),
            (0, 0, 1, [~99]),
            (0, 0, -1, [0, 1]),
            (-1, 0, -1, []),
            (0, 0, -2, []),
        ):
            with pytest.raises(ValueError, match="slot"):
                score.rank_operators([slot], none, none, none.astype(np.int64), 0)
        one, two = (np.array(each, dtype=np.int32) for each in ([0], [0, 0]))
        for columns in ((one, two, one), (two, two, two), (~one, one, one)):
            with pytest.raises(ValueError, match="weight"):
                score.rank_operators([], *columns[:2], columns[2].astype(np.int64), 0)
        with pytest.raises(ValueError, match="no weights of operators"):
            score.rank(walk.states, 0, one)
        assert not score.has_preferred


def test_words_say_which_actions_are_preferred_when() -> None:
    model = random_operator_model(Walk(small_task("gripper"), steps=8))
    told = model.describe(top=200)
    words = [feature["words"] for feature in told["top_operators"]]
    assert told["operators"] == len(words)
    assert any(
        text.startswith("(drop ?1 ?2 ?3), (at ?1 ?2) being one of the open") for text in words
    )
    assert any(text.endswith("(at ?1 ?2) being neither true nor a goal") for text in words)
    assert any("being one of the objects ?x with" in text for text in words)
    lines = list(model.lines(3, legend=True))
    assert any("an operator is preferred for" in line for line in lines)
    assert any(line.startswith("operators     ranked by") for line in lines)


@pytest.mark.parametrize("domain", ["blocksworld", "ferry", "gripper", "rovers", "transport"])
def test_neither_names_nor_places_matter_to_ranks(domain: str) -> None:
    problem = generators.generate(domain, seed=3)
    walk = Walk(ground(problem), steps=8)
    model = random_operator_model(walk)
    words = OtherWords(problem.domain, 5, shuffled=True)
    other = words.problem(problem)
    matching = match(Outline(problem.domain), Outline(other.domain))
    assert matching is not None
    renamed = renamed_model(model, matching, other.domain)
    assert renamed is not None
    assert renamed.has_preferred
    ranks = [
        ranks_along(each, task, walk, to)
        for each, task, to in ((model, walk.task, None), (renamed, ground(other), words))
    ]
    assert ranks[0] == ranks[1]
    assert len({rank for row in ranks[0] for rank in row.values()}) > 2


def ranks_along(model: Any, task: Any, walk: Walk, words: OtherWords | None) -> list[Any]:
    """The ranks of operators in the states of a walk, by the names that these had there."""
    states = _native.States(task.native)
    score = model.score(task, states).preferring
    assert score is not None
    found: list[Any] = []
    state = states.initial
    for before, after in pairwise(walk.ids.tolist()):
        operators, children = (each.tolist() for each in walk.states.successors(before))
        if after not in children:
            break
        names = {}
        for operator in operators:
            name = walk.task.operator_name(operator)
            action, *arguments = name.strip("()").split()
            names[name if words is None else words.step(action, *arguments)] = name
        here, reached = (each.tolist() for each in states.successors(state))
        ranks = score.rank(states, state, np.array(here, dtype=np.int32))
        found.append(
            {names[task.operator_name(it)]: rank for it, rank in zip(here, ranks, strict=True)}
        )
        step = walk.task.operator_name(operators[children.index(after)])
        state = next(
            child
            for it, child in zip(here, reached, strict=True)
            if names[task.operator_name(it)] == step
        )
    return found


def test_ranks_in_a_domain_whose_actions_are_not_known_are_left_out() -> None:
    model = random_operator_model(Walk(small_task("gripper"), steps=8))
    scores = model.scorer.operators
    assert scores is not None
    domain = built_in("gripper")
    matching = match(Outline(domain), Outline(domain))
    assert matching is not None
    assert scores.renamed(matching) is not None
    assert scores.renamed(matching._replace(actions={})) is None


class TestSearch:
    @pytest.mark.parametrize("heuristic", ["blind", "goalcount", "ff", "add", "landmarks"])
    @pytest.mark.parametrize("deferred", [False, True], ids=["eager", "deferred"])
    def test_they_are_preferred_in_a_search_with_any_heuristic(
        self, heuristic: str, deferred: bool
    ) -> None:
        task = small_task("gripper")
        model = random_operator_model(Walk(task))
        result = beeline.solve(task, "gbfs", heuristic, preferred=model, deferred=deferred)
        assert result.solved
        both = beeline.solve(task, "gbfs", model, preferred=[model, "ff"], deferred=deferred)
        assert both.solved

    def test_a_model_without_them_is_refused(self) -> None:
        model = beeline.load_model("gripper")
        with pytest.raises(BeelineError, match="has no preferred operators"):
            beeline.solve(small_task("gripper"), "gbfs", "ff", preferred=model)

    @pytest.mark.parametrize("domain", SOME)
    def test_whatever_they_say_a_plan_is_found_in_the_end(self, domain: str) -> None:
        task = small_task(domain)
        for seed in (1, 2, 3):
            model = random_operator_model(Walk(task), seed=seed)
            assert beeline.plan(model, task, fallback=False).solved

    def test_an_unsolvable_task_is_proved_to_be_so(self) -> None:
        domain = """(define (domain d) (:predicates (token ?t) (item ?x) (done ?x))
          (:action use :parameters (?t ?x) :precondition (and (token ?t) (item ?x))
          :effect (and (not (token ?t)) (done ?x))))"""
        problem = """(define (problem p) (:domain d) (:objects s t a b c)
          (:init (token s) (token t) (item a) (item b) (item c))
          (:goal (and (done a) (done b) (done c))))"""
        task = ground_texts(domain, problem)
        model = random_operator_model(Walk(task))
        result = beeline.plan(model, task, fallback=False)
        assert result.status.value == "unsolvable"
        assert result.expanded > 0

    def test_what_leads_back_gives_way_to_the_next_best(self) -> None:
        """Going to and fro looks best in every state: each expansion still finds a new one."""
        task = ground(generators.generate("gripper", seed=1, balls=4))
        walk = Walk(task)
        model = random_operator_model(walk)
        assert model.scorer.operators is not None
        slots = action_slots(task.problem.domain)
        moves = next(number for number, slot in enumerate(slots) if slot.action == "move")
        column = np.array([moves], dtype=np.int32)
        scores = dataclasses.replace(
            model.scorer.operators,
            numbers=column,
            colours=np.array([NO_NODE], dtype=np.int32),
            weights=np.array([1 << 20]),
        )
        scorer = dataclasses.replace(model.scorer, operators=scores)
        states = _native.States(task.native)
        score = scorer.evaluator(task)
        config = _native.SearchConfig()
        config.evaluators = config.preferred = [score]
        config.queues = [_native.QueueSpec([_native.KeySpec()])]
        config.put_off_unpreferred = True
        config.max_expansions = 10
        result = _native.search(states, states.initial, config)
        assert result.counters.expanded == 10
        assert result.counters.evaluated > 10


def test_slots_of_actions_without_operators_are_passed_over() -> None:
    task = small_task("gripper")
    slots = slots_in(task, action_slots(task.problem.domain))
    walk = Walk(task, steps=2)
    table = walk.table(1, multiset=False)
    score = _native.ColourScore(walk.graph, table, np.zeros(table.size, dtype=np.int64))
    none = np.zeros(0, dtype=np.int32)
    score.rank_operators([*slots, (99, 0, -1, [])], none, none, none.astype(np.int64), 0)
    ranks = score.rank(walk.states, 0, walk.states.applicable(0))
    assert {*ranks} == {0.0}
