"""Ground tasks equal the output of Fast Downward's translator, to the order of operators."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from adl_tasks import ADL_TASKS, DERIVED_TASKS
from hypothesis import given, settings
from hypothesis import strategies as st
from random_tasks import RandomTask
from translator_equality import compare, translator_view

from beeline.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

LOGISTICS = """(define (domain trips) (:requirements :typing)
 (:types truck parcel - locatable place locatable - object)
 (:predicates (at ?l - locatable ?p - place) (in ?x - parcel ?t - truck) (road ?a ?b - place)
              (broken ?t - truck) (fuelled ?t - truck))
 (:functions (total-cost) (length ?a ?b - place))
 (:action drive :parameters (?t - truck ?a ?b - place)
  :precondition (and (at ?t ?a) (road ?a ?b) (not (broken ?t)) (fuelled ?t) (not (= ?a ?b)))
  :effect (and (not (at ?t ?a)) (at ?t ?b) (not (fuelled ?t))
               (increase (total-cost) (length ?a ?b))))
 (:action fuel :parameters (?t - truck) :precondition (not (fuelled ?t))
  :effect (and (fuelled ?t) (increase (total-cost) 2)))
 (:action load :parameters (?x - parcel ?t - truck ?p - place)
  :precondition (and (at ?x ?p) (at ?t ?p)) :effect (and (not (at ?x ?p)) (in ?x ?t)))
 (:action unload :parameters (?x - parcel ?t - truck ?p - place)
  :precondition (and (in ?x ?t) (at ?t ?p)) :effect (and (at ?x ?p) (not (in ?x ?t))))
 (:action lose :parameters (?x - parcel) :precondition () :effect
  (and (forall (?p - place) (not (at ?x ?p))) (forall (?t - truck) (not (in ?x ?t))))))
"""

LOGISTICS_TASK = """(define (problem two-trucks) (:domain trips)
 (:objects t1 t2 - truck p1 p2 - parcel a b c d - place)
 (:init (at t1 a) (at t2 b) (at p1 c) (at p2 d) (road a b) (road b c) (road c d) (road d a)
        (road b b) (broken t2) (= (total-cost) 0) (= (length a b) 3) (= (length b c) 4)
        (= (length c d) 5) (= (length b b) 1))
 (:goal (and (at p1 a) (not (at p2 d)) (not (fuelled t2)))) (:metric minimize (total-cost)))
"""


def differences(folder: Path, domain: str, task: str) -> list[str]:
    (folder / "domain.pddl").write_text(domain)
    (folder / "task.pddl").write_text(task)
    return compare((folder / "domain.pddl", folder / "task.pddl"))["differences"]


def test_costs_roads_and_lost_parcels_ground_alike(tmp_path: Path) -> None:
    assert differences(tmp_path, LOGISTICS, LOGISTICS_TASK) == []


@pytest.mark.parametrize("blocks", [1, 2, 5])
def test_blocksworld_grounds_alike(tmp_path: Path, blocks: int) -> None:
    from grounding import BLOCKSWORLD, blocksworld_task

    assert differences(tmp_path, BLOCKSWORLD, blocksworld_task(blocks)) == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("random")


@settings(max_examples=400)
@given(seed=st.integers(0, 2**32))
def test_random_tasks_ground_alike(folder: Path, seed: int) -> None:
    task = RandomTask(seed)
    assert differences(folder, task.domain, task.task) == []


@settings(max_examples=300)
@given(seed=st.integers(0, 2**32))
def test_conditional_effects_ground_alike(folder: Path, seed: int) -> None:
    task = RandomTask(seed, conditional=0.4)
    assert differences(folder, task.domain, task.task) == []


@settings(max_examples=300)
@given(seed=st.integers(0, 2**32))
def test_derived_predicates_ground_alike(folder: Path, seed: int) -> None:
    task = RandomTask(seed, conditional=0.2, derived=True)
    assert differences(folder, task.domain, task.task) == []


@settings(max_examples=200)
@given(seed=st.integers(0, 2**32), conditional=st.sampled_from((0.0, 0.3)))
def test_nested_quantifiers_ground_alike(folder: Path, seed: int, conditional: float) -> None:
    task = RandomTask(seed, conditional=conditional, nested=0.3)
    assert differences(folder, task.domain, task.task) == []


@pytest.mark.parametrize("texts", [*ADL_TASKS.values(), *DERIVED_TASKS.values()])
def test_adl_tasks_ground_alike(tmp_path: Path, texts: tuple[str, str]) -> None:
    assert differences(tmp_path, *texts) == []


@pytest.mark.parametrize("name", ADL_TASKS)
def test_inspect_counts_what_the_translator_counts(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    files = tmp_path / "domain.pddl", tmp_path / "task.pddl"
    for file, text in zip(files, ADL_TASKS[name], strict=True):
        file.write_text(text)
    assert main(["inspect", *map(str, files), "--json"]) == 0
    counts = json.loads(capsys.readouterr().out)
    theirs = translator_view(*files)
    atoms = [value for values in theirs["variables"] for value in values]
    assert counts["facts"] == sum(not value.startswith(("none", "(not ")) for value in atoms)
    for key, part in {"mutex_groups": "mutexes", "goals": "goal"}.items():
        assert counts[key] == len(theirs[part])
    for key in ("operators", "variables", "axioms"):
        assert counts[key] == len(theirs[key])


def test_repeated_variables_and_types_of_universal_effects_count(tmp_path: Path) -> None:
    from beeline.pddl import parse_domain, parse_problem
    from beeline.task.grounding import ground

    domain = parse_domain("""(define (domain d) (:types lamp switch)
      (:predicates (linked ?a ?b) (on ?x))
      (:action loop :parameters (?x) :precondition (linked ?x ?x) :effect (on ?x))
      (:action all :parameters () :effect (forall (?l - lamp) (on ?l))))""")
    problem = parse_problem(
        domain,
        """(define (problem p) (:domain d) (:objects l1 l2 - lamp s - switch)
      (:init (linked l1 s) (linked s l1)) (:goal (and (on l1) (on l2))))""",
    )
    task = ground(problem)
    assert task.native.reachable_facts == 2
    assert task.operator_names == ["(all)"]
