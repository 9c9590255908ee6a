"""Learning in domains with costs, constants, negative goals, conditional effects, relations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from learning_sets import write_training_set
from workshop_in_place import WorkshopInPlace

import beeline
from beeline.learning.task_set import read_training_set, static_relations
from beeline.pddl import parse_domain, parse_problem
from beeline.planning.plan import plan

if TYPE_CHECKING:
    from beeline.models.colours.model import ColourModel


@pytest.fixture(autouse=True)
def in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beeline.learning.learn.Workshop", WorkshopInPlace)


def learned(domain: Path, files: list[str], *, unit_costs: bool = False) -> ColourModel:
    return beeline.learn(
        domain,
        files,
        rounds=2,
        neighbours="set",
        h_ff=False,
        unit_costs=unit_costs,
        warn=lambda _: None,
    )


class TestCosts:
    DOMAIN = """(define (domain ways) (:requirements :action-costs)
     (:predicates (at ?p) (next ?p ?q) (shortcut ?p ?q)) (:functions (total-cost))
     (:action walk :parameters (?p ?q) :precondition (and (at ?p) (next ?p ?q))
      :effect (and (at ?q) (not (at ?p)) (increase (total-cost) 1)))
     (:action fly :parameters (?p ?q) :precondition (and (at ?p) (shortcut ?p ?q))
      :effect (and (at ?q) (not (at ?p)) (increase (total-cost) 20))))"""

    @pytest.mark.parametrize(("unit_costs", "length"), [(False, 8), (True, 1)])
    def test_the_cheapest_plans_are_learned(
        self, tmp_path: Path, unit_costs: bool, length: int
    ) -> None:
        domain = tmp_path / "domain.pddl"
        domain.write_text(self.DOMAIN)
        files = []
        for size in range(4, 10):
            places = [f"p{number}" for number in range(size)]
            ways = " ".join(f"(next p{n} p{n + 1}) (next p{n + 1} p{n})" for n in range(size - 1))
            files.append(str(tmp_path / f"t{size}.pddl"))
            Path(files[-1]).write_text(
                f"(define (problem t) (:domain ways) (:objects {' '.join(places)}) (:init (at p0)"
                f" (shortcut p0 {places[-1]}) {ways} (= (total-cost) 0)) (:goal (at {places[-1]}))"
                " (:metric minimize (total-cost)))"
            )
        model = learned(domain, files, unit_costs=unit_costs)
        assert model.summary["tasks"]["longest_plan"] == length
        assert model.summary["settings"]["unit_costs"] is unit_costs
        task = beeline.load(domain, files[0], unit_costs=unit_costs)
        assert plan(model, task, fallback=False).plan is not None


def test_constants_negative_goals_and_conditional_effects(tmp_path: Path) -> None:
    domain = tmp_path / "domain.pddl"
    domain.write_text("""(define (domain house)
     (:requirements :typing :negative-preconditions :conditional-effects)
     (:types room lamp) (:constants hall - room)
     (:predicates (at ?r - room) (in ?l - lamp ?r - room) (on ?l - lamp) (broken ?l - lamp))
     (:action go :parameters (?r ?s - room)
      :precondition (and (at ?r) (not (at ?s))) :effect (and (at ?s) (not (at ?r))))
     (:action switch-off :parameters (?l - lamp ?r - room)
      :precondition (and (at ?r) (in ?l ?r) (on ?l)) :effect (not (on ?l)))
     (:action leave :parameters () :precondition (at hall)
      :effect (and (not (at hall)) (forall (?l - lamp)
       (when (broken ?l) (not (on ?l)))))))""")
    files = []
    for count in range(2, 7):
        numbers = range(count)
        init = " ".join(f"(in l{n} r{n}) (on l{n})" for n in numbers)
        dark = " ".join(f"(not (on l{n}))" for n in numbers)
        files.append(str(tmp_path / f"t{count}.pddl"))
        Path(files[-1]).write_text(
            f"(define (problem t) (:domain house)"
            f" (:objects {' '.join(f'r{n}' for n in numbers)} - room"
            f" {' '.join(f'l{n}' for n in numbers)} - lamp)"
            f" (:init (at hall) (broken l0) {init}) (:goal (and {dark} (not (at hall)))))"
        )
    model = learned(domain, files)
    assert model.summary["tasks"]["with_plans"] == 5
    result = plan(model, beeline.load(domain, files[-1]), fallback=False, max_expansions=1000)
    assert result.plan is not None


class TestRelations:
    """What static facts say about pairs of objects of one kind."""

    def test_dense_relations_are_found(self, tmp_path: Path) -> None:
        found = {}
        for name, sizes in (
            ("miconic", {"floors": 6, "passengers": 2}),
            ("spanner", {"locations": 9, "spanners": 3, "nuts": 2}),
            ("ferry", {}),
        ):
            domain, files = write_training_set(tmp_path / name, name, [sizes])
            found[name] = read_training_set(domain, files).relations
        assert found["miconic"] == (
            ("above",),
            ("above",),
            False,
        )  # not where passengers want to go
        assert found["spanner"] == (("link",), (), False)
        assert found["ferry"] == ((), (), True)  # cars and where they shall be

    def test_few_objects_are_no_dense_relation(self, tmp_path: Path) -> None:
        sizes = [{"floors": 3, "passengers": 2}]
        domain, files = write_training_set(tmp_path, "miconic", sizes)
        assert read_training_set(domain, files).relations[:2] == (("above",), ())

    @pytest.mark.parametrize(("rings", "dense"), [(0, ("road",)), (1, ("road",)), (2, ())])
    def test_what_is_sparse_in_some_tasks_is_no_dense_relation(
        self, rings: int, dense: tuple[str, ...]
    ) -> None:
        domain = parse_domain("""(define (domain walk) (:predicates (at ?x) (road ?x ?y))
         (:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y))
          :effect (and (at ?y) (not (at ?x)))))""")
        problems = []
        for number in range(10):
            reach = 2 if number < rings else 8  # a ring, or all ways
            roads = [f"(road p{n} p{(n + k) % 8})" for n in range(8) for k in range(1, reach)]
            objects = " ".join(f"p{n}" for n in range(8))
            text = f"(:objects {objects}) (:init (at p0) {' '.join(roads)}) (:goal (at p4))"
            problems.append(parse_problem(domain, f"(define (problem p) (:domain walk) {text})"))
        assert static_relations(domain, problems) == (("road",), dense, False)

    def test_a_lift_learned_in_small_houses_goes_straight_in_high_ones(
        self, tmp_path: Path
    ) -> None:
        sizes = [
            {"floors": floors, "passengers": passengers}
            for floors in range(3, 9)
            for passengers in (2, 4)
        ]
        domain, files = write_training_set(tmp_path / "small", "miconic", sizes)
        settings = {"rounds": 3, "neighbours": "set", "h_ff": False, "warn": lambda _: None}
        model = beeline.learn(domain, files, **settings)
        assert model.ignored == ["above"]
        assert ("not looked at", "above: true of most pairs of a kind") in list(model._rows())
        path = tmp_path / "lift.beeline"
        model.save(path)
        large = [{"floors": 40, "passengers": 60}]
        domain, files = write_training_set(tmp_path / "large", "miconic", large)
        result = plan(
            beeline.load_model(path),
            beeline.load(domain, files[0]),
            fallback=False,
            max_expansions=400,
        )
        assert result.length is not None
        assert result.expanded <= 1.2 * result.length
