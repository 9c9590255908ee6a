"""From tasks to a model that goes straight to the goal of larger ones."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from learning_sets import blocks, ferry

import beeline
from beeline.core.errors import BeelineError
from beeline.learning.learn import NoModelError, learn
from beeline.models.model_file import load as load_model
from beeline.planning.plan import plan

QUICK = {"rounds": 2, "neighbours": "set", "h_ff": False, "warn": lambda _: None}


@pytest.fixture(scope="module")
def ferry_set(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[str]]:
    return ferry(tmp_path_factory.mktemp("ferry"), range(2, 6), each=2)


def test_blocks_learned_from_small_towers_solve_large_ones(tmp_path: Path) -> None:
    domain, files = blocks(tmp_path, range(3, 9), each=4)
    model = learn(domain, files, warn=lambda _: None)
    assert model.summary["tasks"]["with_plans"] >= 20
    assert model.summary["held_out"]["solved"] == model.summary["held_out"]["tasks"]
    _, large = blocks(tmp_path / "large", range(20, 31, 5), seed=7)
    for file in large:
        result = plan(model, beeline.load(domain, file), fallback=False, max_expansions=3000)
        assert result.length is not None
        assert result.expanded <= 1.5 * result.length


@pytest.mark.usefixtures("few_made_tasks")
def test_equal_calls_give_equal_files(ferry_set: tuple[str, list[str]], tmp_path: Path) -> None:
    domain, files = ferry_set
    models = [
        learn(domain, chosen, jobs=jobs, seed=3, **QUICK)  # type: ignore[arg-type]
        for chosen, jobs in ((files, 1), (list(reversed(files)), 2))
    ]
    paths = [tmp_path / "one.beeline", tmp_path / "two.beeline"]
    for model, path in zip(models, paths, strict=True):
        model.save(path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    again = load_model(paths[0])
    _, large = ferry(tmp_path / "large", range(20, 21), seed=9)
    task = beeline.load(domain, large[0])
    result = plan(again, task, fallback=False, max_expansions=2000)
    assert result.length is not None
    assert result.expanded <= 1.5 * result.length


@pytest.mark.usefixtures("few_made_tasks")
def test_a_single_task_is_learned_from_with_a_warning(tmp_path: Path) -> None:
    domain, files = blocks(tmp_path, range(4, 5))
    warnings: list[str] = []
    quick = {**QUICK, "warn": warnings.append}
    model = learn(domain, files, jobs=1, **quick)  # type: ignore[arg-type]
    assert any("one task" in warning for warning in warnings)
    assert model.summary["tasks"]["given"] == 1


@pytest.mark.usefixtures("few_made_tasks")
def test_actions_that_cost_nothing_are_no_obstacle(tmp_path: Path) -> None:
    domain = tmp_path / "domain.pddl"
    domain.write_text("""(define (domain free) (:requirements :action-costs)
     (:predicates (at ?p) (next ?p ?q)) (:functions (total-cost))
     (:action go :parameters (?p ?q) :precondition (and (at ?p) (next ?p ?q))
      :effect (and (at ?q) (not (at ?p)) (increase (total-cost) 0))))""")
    for length in range(3, 9):
        places = [f"p{number}" for number in range(length)]
        ways = " ".join(f"(next {a} {b}) (next {b} {a})" for a, b in pairwise(places))
        (tmp_path / f"t{length}.pddl").write_text(
            f"(define (problem t{length}) (:domain free) (:objects {' '.join(places)})"
            f" (:init (at p0) (= (total-cost) 0) {ways}) (:goal (at {places[-1]}))"
            " (:metric minimize (total-cost)))"
        )
    model = learn(domain, [tmp_path], jobs=1, **QUICK)  # type: ignore[arg-type]
    result = plan(model, beeline.load(domain, tmp_path / "t8.pddl"))
    assert result.length == 7


def test_tasks_without_plans_are_an_error(tmp_path: Path) -> None:
    domain, files = blocks(tmp_path, range(3, 4))
    text = Path(files[0]).read_text()
    start = text.lower().index("(:goal")
    Path(files[0]).write_text(text[:start] + "(:goal (and (on b1 b2) (on b2 b1))))")
    with pytest.raises(BeelineError, match="no plan was found"):
        learn(domain, files, jobs=1, **QUICK)  # type: ignore[arg-type]


def test_hardly_any_time_is_an_error_without_a_model(ferry_set: tuple[str, list[str]]) -> None:
    domain, files = ferry_set
    with pytest.raises(NoModelError, match="the time limit was reached before there was a model"):
        learn(domain, files, time_limit=0.01, jobs=1, **QUICK)  # type: ignore[arg-type]


@pytest.mark.usefixtures("few_made_tasks")
def test_python_warnings_are_the_default(tmp_path: Path) -> None:
    domain, files = blocks(tmp_path, range(4, 5))
    with pytest.warns(UserWarning, match="one task"):
        beeline.learn(domain, files, jobs=1, rounds=1, neighbours="set", h_ff=False)
