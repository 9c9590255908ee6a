"""Derived atoms of states, against axioms applied object by object until nothing changes."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from adl_tasks import DERIVED_TASKS
from encoded_walks import walk

from beeline.pddl import parse_domain, parse_problem
from beeline.pddl.axioms import strata
from beeline.task.derivation import Derivation
from beeline.task.grounding import ground
from beeline.task.lifted_state import Semantics, State

if TYPE_CHECKING:
    from beeline.pddl.model import Problem

# Recursion through each way to say something: joins of two derived atoms, repeated variables and
# constants, types, cases inside cases, what hides in a larger condition, and no arguments at all.
KINDS = """(define (domain kinds) (:requirements :adl :derived-predicates)
 (:types spot item - object hall - spot)
 (:constants gate - spot)
 (:predicates (road ?x ?y - spot) (at ?i - item ?x - spot) (shut ?x - spot) (alarm)
  (way ?x ?y - spot) (loop ?x - spot) (open-hall ?x - hall) (safe ?x - spot) (near ?i ?j - item)
  (doomed ?x - spot) (all-safe) (even ?x - spot) (odd ?x - spot) (lost ?i - item) (anything ?x))
 (:derived (way ?x ?y - spot) (and (road ?x ?y) (not (shut ?y))))
 (:derived (way ?x ?y - spot) (exists (?z - spot) (and (way ?x ?z) (way ?z ?y))))
 (:derived (loop ?x - spot) (way ?x ?x))
 (:derived (open-hall ?h - hall) (or (road gate ?h) (exists (?x - spot)
  (or (and (loop ?x) (way ?x ?h)) (exists (?g - hall) (and (open-hall ?g) (road ?g ?h)))))))
 (:derived (safe ?x - spot) (forall (?y - spot) (imply (road ?x ?y) (or (shut ?y) (safe ?y)))))
 (:derived (doomed ?x - spot) (and (not (safe ?x)) (not (exists (?h - hall) (way ?x ?h)))))
 (:derived (all-safe) (or (alarm) (forall (?x - spot) (safe ?x))))
 (:derived (even ?x - spot) (= ?x gate))
 (:derived (even ?y - spot) (exists (?x - spot) (and (odd ?x) (road ?x ?y))))
 (:derived (odd ?y - spot) (and (exists (?x - spot) (and (even ?x) (road ?x ?y)))
  (or (not (shut ?y)) (exists (?x - spot) (even ?y)))))
 (:derived (near ?i ?j - item) (exists (?x ?y - spot) (and (at ?i ?x) (at ?j ?y)
  (or (= ?x ?y) (road ?x ?y)))))
 (:derived (near ?i ?j - item) (exists (?k - item) (and (near ?k ?j) (near ?i ?k) (not (alarm)))))
 (:derived (lost ?i - item) (not (exists (?x - spot) (and (at ?i ?x) (way gate ?x)))))
 (:derived (anything ?x) (all-safe))
 (:action ring :parameters () :precondition (not (alarm)) :effect (alarm)))
"""
ACTIONS = """
 (:action shut :parameters (?x - spot) :precondition (not (shut ?x)) :effect (shut ?x))
 (:action open :parameters (?x - spot) :precondition (shut ?x) :effect (not (shut ?x)))
 (:action pave :parameters (?x ?y - spot) :precondition (not (road ?x ?y)) :effect (road ?x ?y))
 (:action tear :parameters (?x ?y - spot) :precondition (road ?x ?y) :effect (not (road ?x ?y)))
 (:action hush :parameters () :precondition (alarm)
  :effect (and (not (alarm)) (forall (?x - spot) (when (shut ?x) (not (shut ?x))))))
 (:action bring :parameters (?i - item ?x ?y - spot) :precondition (and (at ?i ?x) (not (= ?x ?y)))
  :effect (and (not (at ?i ?x)) (at ?i ?y)))
"""
EVERYTHING = """(or (all-safe) (exists (?i ?j - item) (or (near ?i ?j) (lost ?i)))
 (exists (?h - hall) (open-hall ?h)) (exists (?x - spot)
  (or (loop ?x) (doomed ?x) (even ?x) (odd ?x) (anything ?x) (way ?x gate))))"""
SPOTS, ITEMS = ["gate", "hall1", "hall2", "yard", "lane", "field"], ["cup", "key", "map"]


def kinds(seed: int, domain: str = KINDS, goal: str = "(and)") -> Problem:
    """A random map with some items and closed doors."""
    random = np.random.default_rng(seed)
    facts = [f"(road {x} {y})" for x, y in product(SPOTS, SPOTS) if random.random() < 0.22]
    facts += [f"(shut {x})" for x in SPOTS if random.random() < 0.3]
    facts += [f"(at {item} {random.choice(SPOTS)})" for item in ITEMS]
    facts += ["(alarm)"] * int(random.random() < 0.3)
    return parse_problem(
        parse_domain(domain),
        f"""(define (problem p) (:domain kinds)
        (:objects hall1 hall2 - hall yard lane field - spot {" ".join(ITEMS)} - item)
        (:init {" ".join(facts)}) (:goal {goal}))""",
    )


def initial_state(problem: Problem) -> State:
    semantics = Semantics(problem)
    state = semantics.initial_state()
    Derivation(problem, semantics).derive(state)
    return state


def derived_by_the_book(problem: Problem, state: State) -> dict[str, set[tuple[str, ...]]]:
    """Each axiom for all objects, as long as that makes anything true."""
    semantics = Semantics(problem)
    facts = {predicate: set(atoms) for predicate, atoms in state.facts.items()}
    for layer in strata(problem.domain.axioms):
        for axiom in layer:
            facts[axiom.predicate] = set()
        size = -1
        while size != (size := sum(map(len, facts.values()))):
            for axiom in layer:
                names = [name for name, _ in axiom.parameters]
                members = [problem.objects_of_type(word) for _, word in axiom.parameters]
                for args in product(*members):
                    values = dict(zip(names, args, strict=True))
                    if semantics.holds(axiom.condition, values, State(facts)):
                        facts[axiom.predicate].add(args)
    return facts


@pytest.mark.parametrize("seed", range(25))
def test_atoms_of_all_kinds_of_axioms_are_those_of_the_book(seed: int) -> None:
    problem = kinds(seed)
    state = initial_state(problem)
    assert state.facts == derived_by_the_book(problem, state)


@pytest.mark.parametrize("name", DERIVED_TASKS)
def test_atoms_are_right_after_any_changes(name: str) -> None:
    """States need not be within reach: facts are drawn at random, again and again."""
    domain, text = DERIVED_TASKS[name]
    problem = parse_problem(parse_domain(domain), text)
    derivation = Derivation(problem, Semantics(problem))
    state, random = initial_state(problem), np.random.default_rng(4)
    derived = {axiom.predicate for axiom in problem.domain.axioms}
    facts = [fact for fact in problem.init if fact[0] not in derived]
    objects = [*problem.objects]
    for _ in range(20):
        some = [facts[int(place)] for place in random.integers(len(facts), size=2)]
        drawn = [(fact[0], tuple(random.choice(objects, len(fact) - 1).tolist())) for fact in some]
        state.change([(fact[0], fact[1:]) for fact in some[:1]], drawn)
        derivation.derive(state)
        assert state.facts == derived_by_the_book(problem, state)


@pytest.mark.parametrize("seed", range(12))
def test_the_engine_updates_what_follows_as_if_it_had_known_nothing(seed: int) -> None:
    simpler = KINDS.replace("(or (shut ?y) (safe ?y))", "(shut ?y)")  # for the engine
    task = ground(kinds(seed, simpler.replace("(:action", f"{ACTIONS}(:action"), EVERYTHING))
    states, ids = walk(task, 300, seed)
    assert len({*task.native.axiom_layers.tolist()}) > 3
    assert len({*ids.tolist()}) > 200
    np.testing.assert_array_equal(states.insert(states.values(ids)), ids)


def test_a_long_chain_takes_a_few_look_ups_for_each_new_atom(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[int] = []
    plain = Semantics._atom_holds

    def counted(self: Semantics, *words: object) -> bool:
        looked.append(1)
        return plain(self, *words)  # type: ignore[arg-type]

    monkeypatch.setattr(Semantics, "_atom_holds", counted)
    domain = parse_domain("""(define (domain chain) (:requirements :derived-predicates)
     (:predicates (on ?x ?y) (above ?x ?y))
     (:derived (above ?x ?y) (or (on ?x ?y) (exists (?z) (and (on ?x ?z) (above ?z ?y)))))
     (:action nothing :parameters () :precondition () :effect ()))""")
    names = [f"b{number}" for number in range(60)]
    problem = parse_problem(
        domain,
        f"(define (problem p) (:domain chain) (:objects {' '.join(names)}) (:init"
        + "".join(f"(on {x} {y})" for x, y in zip(names[1:], names, strict=False))
        + ") (:goal (and)))",
    )
    state = initial_state(problem)
    assert len(state.facts["above"]) == 60 * 59 // 2
    assert len(looked) <= 2 * len(state.facts["above"])
    lowest = names[0]
    state.change([("on", (names[1], lowest))], [])
    Derivation(problem, Semantics(problem)).derive(state)
    assert len(state.facts["above"]) == 59 * 58 // 2
    looked.clear()
    state.change([], [("on", (names[1], lowest))])
    Derivation(problem, Semantics(problem)).derive(state)
    assert len(state.facts["above"]) == 60 * 59 // 2
    assert len(looked) <= 2 * 59
