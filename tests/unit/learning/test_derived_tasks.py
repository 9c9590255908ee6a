"""Tasks made from given ones: valid, solvable, and as different as they claim to be."""

from __future__ import annotations

from pathlib import Path

import pytest
from learning_sets import blocks, ferry, write_training_set

import beeline
from beeline.learning.derived_tasks import (
    CrowdJob,
    JoinJob,
    VariantJob,
    crowd,
    crowded,
    find_variant,
    goal_parts,
    join,
)
from beeline.learning.task_set import PlanJob, PlannedTask, TrainingTask, find_plan
from beeline.pddl import parse_domain, parse_problem
from beeline.task.validator import validate

Texts = tuple[str, str]


@pytest.fixture(params=["blocks", "ferry", "satellite"])
def texts(request: pytest.FixtureRequest, tmp_path: Path) -> Texts:
    """A domain and a task of it."""
    if request.param == "satellite":
        sizes = {"satellites": 2, "instruments": 2, "modes": 2, "targets": 2, "observations": 3}
        domain, files = write_training_set(tmp_path, "satellite", [sizes])
    else:
        domain, files = (blocks if request.param == "blocks" else ferry)(tmp_path, range(5, 6))
    return Path(domain).read_text(), Path(files[0]).read_text()


def job(texts: Texts) -> PlanJob:
    return PlanJob(texts[0], TrainingTask("task", texts[1], 0), False, 60.0, None)


def check_plan(domain: str, task: PlannedTask) -> int:
    """The number of objects of a task whose plan must be valid."""
    problem = parse_problem(parse_domain(domain, "<d>"), task.text, task.name)
    assert task.plan is not None
    assert validate(problem, task.plan).cost == task.cost
    return len(problem.objects)


def test_variants_have_plans_and_are_never_larger(texts: Texts) -> None:
    whole = parse_problem(parse_domain(texts[0], "<d>"), texts[1], "<t>")
    found = [find_variant(VariantJob(job(texts), number, 4, seed=1)) for number in range(4)]
    made = [task for task in found if task is not None]
    assert len({task.text for task in made}) == len(made) >= 3
    for task in made:
        assert check_plan(texts[0], task) <= len(whole.objects)
        assert task.goals <= len(goal_parts(whole.goal))
    assert min(task.goals for task in made) < len(goal_parts(whole.goal))
    again = [find_variant(VariantJob(job(texts), number, 4, seed=1)) for number in range(4)]
    assert again == found


def test_several_tasks_in_one_have_the_plans_of_their_parts(texts: Texts) -> None:
    part = find_plan(job(texts))
    whole = join(JoinJob(texts[0], (part, part), False))
    assert whole is not None
    assert part.plan is not None
    assert whole.plan is not None
    assert len(whole.plan) == 2 * len(part.plan)
    constants = len(parse_domain(texts[0], "<d>").constants)
    assert check_plan(texts[0], whole) == 2 * (check_plan(texts[0], part) - constants) + constants
    assert whole.name == "task-and-task"


def test_a_crowded_task_has_more_to_do_in_the_same_world(texts: Texts) -> None:
    part, whole = find_plan(job(texts)), crowd(CrowdJob(job(texts), 1, 2))
    assert whole is not None
    assert whole.plan is not None
    assert part.plan is not None
    assert check_plan(texts[0], whole) > check_plan(texts[0], part)
    assert len(whole.plan) > len(part.plan)
    more = crowd(CrowdJob(job(texts), 1, 3))
    assert more is not None
    assert more.plan is None  # nobody needs it
    assert more.goals > whole.goals


LIGHTS = """(define (domain lights) (:predicates (lit ?l) (wired ?l ?s) (bulb-2 ?l))
 (:action press :parameters (?l ?s) :precondition (wired ?l ?s) :effect (lit ?l)))"""


def test_what_is_wired_to_something_is_no_part_of_a_crowd() -> None:
    domain = parse_domain(LIGHTS, "<d>")
    problem = parse_problem(
        domain,
        "(define (problem p) (:domain lights) (:objects a s) (:init (wired a s)) (:goal (lit a)))",
        "<t>",
    )
    assert crowded(problem, 2) is None


def test_more_passengers_take_the_same_lift(tmp_path: Path) -> None:
    domain, files = write_training_set(tmp_path, "miconic", [{"floors": 4, "passengers": 2}])
    lifted = parse_domain(Path(domain).read_text(), domain)
    problem = parse_problem(lifted, Path(files[0]).read_text(), files[0])
    more = crowded(problem, 3)
    assert more is not None
    assert len(more.objects) == len(problem.objects) + 4
    assert sum(fact[0] == "above" for fact in more.init) == 6
    assert sum(fact[0] == "destin" for fact in more.init) == 6


def test_a_crowd_may_be_of_one_kind(tmp_path: Path) -> None:
    cities = {"cities": 2, "city_size": 2, "trucks": 2, "airplanes": 1, "packages": 3}
    domain, files = write_training_set(tmp_path, "logistics", [cities])
    lifted = parse_domain(Path(domain).read_text(), domain)
    text = Path(files[0]).read_text().replace("(:goal (and", "(:goal (and (at truck1 city1-loc2)")
    problem = parse_problem(lifted, text, files[0])
    everyone, parcels = crowded(problem, 2), crowded(problem, 2, one_kind=True)
    assert everyone is not None
    assert parcels is not None
    new = [{*each.objects} - {*problem.objects} for each in (everyone, parcels)]
    assert {name.rstrip("0123456789-") for name in new[1]} == {"package"}
    assert new[0] > new[1]


def test_new_names_are_new() -> None:
    text = """(define (problem p) (:domain lights) (:objects a a-2 s) (:init (wired s s))
     (:goal (and (lit a) (lit a-2))))"""
    problem = crowded(parse_problem(parse_domain(LIGHTS, "<d>"), text, "<t>"), 2)
    assert problem is not None
    assert sorted(problem.objects) == ["a", "a-2", "a-2-2", "a-2x", "s"]
    assert len(goal_parts(problem.goal)) == 4


def test_a_single_task_is_enough(tmp_path: Path) -> None:
    domain, files = blocks(tmp_path, range(6, 7))
    with pytest.warns(UserWarning, match="one task to learn from"):
        model = beeline.learn(domain, files, rounds=2, neighbours="set", h_ff=False, jobs=1)
    assert model.summary["tasks"]["given"] == 1
    assert model.summary["tasks"]["made"] > 20
    large = beeline.generators.generate("blocksworld", seed=3, blocks=12)
    assert beeline.plan(model, beeline.ground(large), fallback=False, max_expansions=2000).solved


@pytest.mark.usefixtures("few_made_tasks")
def test_what_was_made_is_kept_if_wanted(tmp_path: Path) -> None:
    domain, files = ferry(tmp_path / "given", range(2, 5))
    kept = tmp_path / "kept"
    with pytest.warns(UserWarning, match="3 tasks to learn from"):
        model = beeline.learn(
            domain, files, rounds=1, neighbours="set", h_ff=False, jobs=1, keep_tasks=kept
        )
    assert len(list(kept.glob("*.pddl"))) == model.summary["tasks"]["made"]
    for file in kept.glob("*.pddl"):
        beeline.load(domain, file)


def test_what_grows_with_the_fourth_power_makes_no_large_crowd() -> None:
    domain = """(define (domain knots) (:predicates (loose ?r) (tied ?r))
     (:action tie :parameters (?a ?b ?c ?d)
      :precondition (and (loose ?a) (loose ?b) (loose ?c) (loose ?d)) :effect (tied ?a)))"""
    ropes = " ".join(f"r{number}" for number in range(4))
    loose = " ".join(f"(loose r{number})" for number in range(4))
    goal = " ".join(f"(tied r{number})" for number in range(4))
    task = f"""(define (problem p) (:domain knots) (:objects {ropes})
     (:init {loose}) (:goal (and {goal})))"""
    assert crowd(CrowdJob(job((domain, task)), 4**4, 4)) is not None
    assert crowd(CrowdJob(job((domain, task)), 4**4, 16)) is None
