"""Searches that look at one of all states that differ only in the names of objects."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from random_tasks import RandomTask

from beeline import _native, generators
from beeline.cli.main import main
from beeline.core.errors import BeelineError, Status
from beeline.pddl import parse_domain, parse_problem
from beeline.planning.solve import solve
from beeline.task.grounding import ground
from beeline.task.validator import validate

if TYPE_CHECKING:
    from pathlib import Path

    from beeline.pddl.model import Problem
    from beeline.planning.result import Result


def both(problem: Problem, search: str = "astar", heuristic: str = "blind") -> list[Result]:
    """Without symmetry and with it; plans are checked."""
    found = []
    for symmetry in (False, True):
        result = solve(ground(problem), search, heuristic, symmetry=symmetry)
        assert result.plan is None or validate(problem, result.plan).cost == result.cost
        found.append(result)
    return found


def items(seed: int) -> Problem:
    """Random actions on items and places; items have one of two goals, and places differ."""
    random = Random(seed)
    fluents = ["(a ?i ?p)", "(a ?i ?q)", "(b ?i)", "(c ?p)", "(c ?q)", "(d)"]
    actions = ""
    for number in range(4):
        needs = random.sample(fluents, 2)
        makes, deletes = random.sample(fluents, 2), random.sample(fluents, 1)
        way = random.choice(["(s ?p ?q)", "(s ?q ?p)", "(t ?p)", "(not (b ?i))", ""])
        effects = [*makes, *(f"(not {each})" for each in deletes if each not in makes)]
        actions += f"""(:action o{number} :parameters (?i - item ?p ?q - place)
         :precondition (and {" ".join(needs)} {way})
         :effect (and {" ".join(effects)} (increase (total-cost) {random.randint(0, 2)})))"""
    domain = f"""(define (domain d) (:requirements :typing :negative-preconditions :action-costs)
     (:types item place) (:functions (total-cost))
     (:predicates (a ?i - item ?p - place) (b ?i - item) (c ?p - place) (d)
      (s ?p ?q - place) (t ?p - place)) {actions})"""
    names, places = [f"i{n}" for n in range(random.randint(2, 4))], ["p", "q", "r"]
    facts = [f"(a {item} {random.choice(places)})" for item in names]
    facts += [f"(s {x} {y})" for x in places for y in places if random.random() < 0.5]
    facts += [f"({x} {y})" for x in "ct" for y in places if random.random() < 0.5]
    facts += [f"(b {item})" for item in names if random.random() < 0.5]
    facts += ["(d)"] * random.randint(0, 1)
    goals = random.sample([f"(a {{}} {place})" for place in places] + ["(b {})"], 2)
    wanted = [random.choice(goals).format(item) for item in names]
    return parse_problem(
        parse_domain(domain),
        f"""(define (problem p) (:domain d) (:objects {" ".join(names)} - item
         {" ".join(places)} - place) (:init (= (total-cost) 0) {" ".join(facts)})
         (:goal (and {" ".join(wanted)})) (:metric minimize (total-cost)))""",
    )


def crates(*, weights: tuple[int, ...], goals: str = "abcd", near: str = "") -> Problem:
    """Crates a to d are lifted for what their kind weighs; those `near` can also be kicked."""
    domain = parse_domain("""(define (domain crates) (:requirements :action-costs)
     (:predicates (down ?x) (up ?x) (near ?x)) (:functions (total-cost) (weight ?x))
     (:action lift :parameters (?x) :precondition (down ?x)
      :effect (and (up ?x) (not (down ?x)) (increase (total-cost) (weight ?x))))
     (:action kick :parameters (?x) :precondition (and (near ?x) (down ?x))
      :effect (and (up ?x) (not (down ?x)) (increase (total-cost) 1)))
     (:action drop :parameters (?x) :precondition (up ?x)
      :effect (and (down ?x) (not (up ?x)) (increase (total-cost) 1))))""")
    facts = [f"(down {name}) (= (weight {name}) {w})" for name, w in zip("abcd", weights)]  # noqa: B905
    facts += [f"(near {name})" for name in near]
    return parse_problem(
        domain,
        f"(define (problem p) (:domain crates) (:objects a b c d)"
        f" (:init (= (total-cost) 0) {' '.join(facts)})"
        f" (:goal (and {' '.join(f'(up {name})' for name in goals)}))"
        " (:metric minimize (total-cost)))",
    )


class TestPlans:
    def test_random_tasks_have_plans_of_the_same_cost(self) -> None:
        for seed in range(100):
            texts = RandomTask(seed, conditional=0.3 if seed % 3 == 0 else 0.0)
            plain, folded = both(parse_problem(parse_domain(texts.domain), texts.task))
            assert (plain.status, plain.cost) == (folded.status, folded.cost)

    def test_random_tasks_with_objects_that_are_alike_have_plans_of_the_same_cost(self) -> None:
        found, fewer = set(), 0
        for seed in range(400):
            plain, folded = both(items(seed))
            assert (plain.status, plain.cost) == (folded.status, folded.cost)
            found.add(plain.status)
            fewer += folded.expanded < plain.expanded
        assert found == {Status.SOLVED, Status.UNSOLVABLE}
        assert fewer > 40

    @pytest.mark.parametrize("heuristic", ["lmcut", "blind"])
    @pytest.mark.parametrize(
        ("name", "sizes"),
        [
            ("gripper", {"balls": 4}),
            ("gripper", {"balls": 5, "random_goals": 1}),
            ("spanner", {"spanners": 4, "nuts": 3, "locations": 3}),
            ("childsnack", {"children": 2, "allergic": 1, "trays": 2, "sandwiches": 3}),
            ("ferry", {"cars": 5, "locations": 3}),
            ("miconic", {"passengers": 4, "floors": 3}),
            ("transport", {"vehicles": 2, "packages": 3, "locations": 3}),
            ("satellite", {}),
        ],
    )
    def test_generated_tasks_have_plans_of_the_same_cost(
        self, name: str, sizes: dict[str, int], heuristic: str
    ) -> None:
        for seed in range(3):
            problem = generators.generate(name, seed=seed, **sizes)
            plain, folded = both(problem, heuristic=heuristic)
            assert plain.cost == folded.cost
            assert plain.optimal
            assert folded.optimal
            assert folded.expanded <= plain.expanded

    def test_balls_are_counted_and_not_told_apart(self) -> None:
        result = solve(ground(generators.generate("gripper", balls=60)), "astar", symmetry=True)
        assert result.optimal
        assert result.expanded < 5000

    @pytest.mark.parametrize(
        ("changes", "states"),
        [
            ({}, 5),  # how many are up
            ({"weights": (2, 2, 3, 3)}, 9),  # of each weight
            ({"goals": "abc"}, 5),  # the fourth does not matter, and is no variable
            ({"near": "a"}, 8),
            ({"weights": (2, 3, 4, 5)}, 16),
        ],
    )
    def test_what_differs_in_costs_goals_or_actions_is_told_apart(
        self, changes: dict[str, Any], states: int
    ) -> None:
        problem = crates(**{"weights": (2, 2, 2, 2), **changes})
        result = solve(ground(problem), "astar", "blind", symmetry=True)
        assert result.states == (states if changes.get("goals") is None else 4)

    def test_greedy_search_and_anytime_mode_keep_names(self) -> None:
        problem = generators.generate("gripper", balls=8)
        for more in ({"search": "gbfs", "heuristic": "ff", "preferred": "ff"}, {"anytime": True}):
            settings: Any = {"search": "astar", "heuristic": "lmcut", "symmetry": True, **more}
            result = solve(ground(problem), **settings)
            assert result.plan is not None
            assert validate(problem, result.plan).cost == result.cost


class TestWords:
    @pytest.mark.parametrize(
        "settings",
        [
            {"search": "lama-first"},
            {"search": "gbfs", "heuristic": "landmarks"},
            {"search": "gbfs", "heuristic": "ff", "deferred": True},
            {"search": "beam", "heuristic": "ff"},
        ],
    )
    def test_searches_that_look_at_ways_are_refused(self, settings: dict[str, Any]) -> None:
        with pytest.raises(BeelineError, match="symmetry is for searches that evaluate"):
            solve(ground(generators.generate("gripper")), **settings, symmetry=True)

    def test_the_engine_refuses_evaluators_that_look_at_paths(self) -> None:
        task = ground(generators.generate("gripper"))
        states, config = _native.States(task.native), _native.SearchConfig()
        config.evaluators = [_native.make_heuristic("landmarks", task.native)]
        config.queues = [_native.QueueSpec([_native.KeySpec()])]
        config.symmetry = True
        with pytest.raises(ValueError, match="look at paths"):
            _native.Search(states, states.initial, config)

    def test_commands_take_it(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        folder, made = tmp_path / "tasks", tmp_path / "plans"
        assert main(["generate", "gripper", "-p", "balls=16", "-o", str(folder), "--quiet"]) == 0
        (task,) = (file for file in folder.glob("*.pddl") if file.name != "domain.pddl")
        files = [str(folder / "domain.pddl"), str(task)]
        assert main(["solve", *files, "--search", "astar", "--symmetry", "--quiet"]) == 0
        assert capsys.readouterr().out.count("(drop") == 10
        call = [
            "data",
            "plans",
            *files,
            "-o",
            str(made),
            "--splits",
            "train=1",
            "--max-evaluations",
            "1000",
            "--quiet",
        ]
        assert main([*call, "--symmetry"]) == 0
