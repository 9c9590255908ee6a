"""Operators that models prefer: learned from plans, and chosen by planning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from learning_sets import write_training_set

import beeline
from beeline import _native
from beeline.data.plan_walk import walk_plan
from beeline.fitting.operator_pairs import operator_choices
from beeline.fitting.pairs import Family
from beeline.learning.candidates import ALL, Contender, FitJob, fit_candidates
from beeline.learning.learn import learn
from beeline.learning.selection import uses_relaxed_plans, with_reserve
from beeline.learning.settings import Candidate
from beeline.learning.task_examples import Sampling, ground_text, task_families
from beeline.learning.task_set import PlanJob, PlannedTask, find_plan, read_training_set
from beeline.models.colours.model import ColourModel
from beeline.pddl import parse_domain
from beeline.pddl.model import domain_signature
from beeline.planning.model import SearchStyle

if TYPE_CHECKING:
    from pathlib import Path

    from beeline.models.colours.scorer import WLLinear

Tasks = tuple[str, tuple[PlannedTask, ...]]
PLAIN = Candidate(False, 2, False, 1e-4, ALL)


@pytest.fixture(scope="module")
def gripper_set(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[str]]:
    sizes = [{"balls": balls} for balls in (2, 3, 4, 5)]
    return write_training_set(tmp_path_factory.mktemp("gripper"), "gripper", sizes, each=3)


@pytest.fixture(scope="module")
def tasks(gripper_set: tuple[str, list[str]]) -> Tasks:
    training = read_training_set(*gripper_set)
    jobs = [PlanJob(training.domain_text, task, False, 60.0, None) for task in training.tasks]
    return training.domain_text, tuple(sorted(map(find_plan, jobs), key=lambda task: task.size))


def fitted(tasks: Tasks, *candidates: Candidate) -> list[WLLinear]:
    job = FitJob(*tasks, candidates, "rank-siblings", unit_costs=False, seed=0)
    return [each.scorer for each in fit_candidates(job)]


def test_good_operators_are_compared_with_all_others_that_are_applicable() -> None:
    task = beeline.ground(beeline.generators.generate("gripper", seed=1, balls=2))
    states = _native.States(task.native)
    operators, children = states.successors(states.initial)
    good = tuple(children[:2].tolist())
    families = [Family(states.initial, good, ()), Family(states.initial, good, (7,))]
    choices = operator_choices(states, families)
    assert choices.parents.tolist() == [states.initial]
    assert choices.operators.tolist() == operators.tolist()
    pairs = {*zip(choices.pairs.better.tolist(), choices.pairs.worse.tolist(), strict=True)}
    assert pairs == {(one, other) for one in (0, 1) for other in range(2, len(operators))}
    assert {*choices.pairs.weights.tolist()} == {0.5}
    few = operator_choices(states, families, max_pairs=2)
    assert len(few.pairs.better) == 2
    assert few.pairs.weights.sum() == pytest.approx(choices.pairs.weights.sum())


def test_the_operators_of_plans_rank_highest(tasks: Tasks) -> None:
    (scorer,) = fitted(tasks, PLAIN._replace(operators=1e-4))
    hits = []
    for planned in tasks[1]:
        task = ground_text(tasks[0], planned.name, planned.text, False)
        states, families = task_families(task, planned, Sampling(states=5))
        score = scorer.evaluator(task)
        for family in families:
            operators, children = (each.tolist() for each in states.successors(family.parent))
            child_of = dict(zip(operators, children, strict=True))
            preferred = score.preferred(states, family.parent)
            hits.append(all(child_of[operator] in family.good for operator in preferred))
    assert len(hits) > 50
    assert np.mean(hits) > 0.95


def test_scores_of_states_are_the_same_with_them_and_without(tasks: Tasks) -> None:
    ranked = PLAIN._replace(operators=1e-3)
    alone, (beside, more) = fitted(tasks, PLAIN), fitted(tasks, ranked, PLAIN)
    task = ground_text(tasks[0], tasks[1][-1].name, tasks[1][-1].text, False)
    states = _native.States(task.native)
    walk = walk_plan(task, states, tasks[1][-1].plan or ())
    ids = np.array(walk.states, dtype=np.uint32)
    values = [each.evaluator(task).evaluate(states, ids).tolist() for each in (*alone, beside)]
    assert values[0] == values[1]
    assert more.operators is None
    assert more.weights.tobytes() == alone[0].weights.tobytes()
    assert more.table_items.tobytes() == alone[0].table_items.tobytes()


def test_a_model_that_needs_relaxed_plans_keeps_operators_in_reserve(tasks: Tasks) -> None:
    ranked = PLAIN._replace(operators=1e-3)
    (plain,), (spare,) = fitted(tasks, PLAIN), fitted(tasks, ranked)
    (other,) = fitted(tasks, ranked._replace(l2=1e-2))
    style = SearchStyle(preferred=True)
    signature = domain_signature(parse_domain(tasks[0]))
    leader = Contender(PLAIN, ColourModel(signature, plain, style, {}, 0, "0"))
    assert uses_relaxed_plans(leader.model)
    kept = with_reserve(leader, spare)
    assert kept.model.has_preferred
    assert uses_relaxed_plans(kept.model)
    assert kept.model.scorer.scores_like(plain)
    assert with_reserve(leader, other) is leader


def test_fits_are_the_same_every_time(tasks: Tasks) -> None:
    wanted = [
        PLAIN._replace(operators=l2, rounds=rounds) for l2 in (1e-2, 1e-5) for rounds in (1, 2)
    ]
    for one, two in zip(fitted(tasks, *wanted), fitted(tasks, *wanted[::-1])[::-1], strict=True):
        assert one.operators is not None
        assert two.operators is not None
        assert one.operators.weights.tobytes() == two.operators.weights.tobytes()
        assert one.operators.numbers.tobytes() == two.operators.numbers.tobytes()


def test_a_candidate_says_whether_operators_are_ranked() -> None:
    ranked = PLAIN._replace(operators=1e-3)
    assert Candidate.from_json(ranked.to_json()) == ranked
    assert "operators" not in PLAIN.to_json()
    assert str(ranked) == f"{PLAIN}, operators ranked with l2 0.001"


def test_learning_takes_them_where_they_save_work(
    gripper_set: tuple[str, list[str]], tmp_path: Path
) -> None:
    """One ball at a time is as good as two to a score of states, and twice the way."""
    quick: dict[str, Any] = {"rounds": 1, "neighbours": "set", "h_ff": False, "jobs": 1}
    domain, files = gripper_set
    model = learn(domain, files, warn=lambda _: None, **quick)
    assert model.has_preferred
    assert model.style.preferred
    model.save(tmp_path / "m.beeline")
    task = beeline.ground(beeline.generators.generate("gripper", seed=3, balls=60))
    result = beeline.plan(
        tmp_path / "m.beeline", task, fallback=False, as_found=True, max_expansions=2000
    )
    assert result.length is not None
    assert result.expanded <= 1.1 * result.length
    assert result.evaluated <= 2 * result.length
