"""Candidates fitted on planned tasks: every loss gives scorers that lead somewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from learning_sets import blocks

from beeline import _native
from beeline.fitting.losses import LOSSES
from beeline.learning.candidates import ALL, FitJob, fit_candidates
from beeline.learning.settings import Candidate
from beeline.learning.task_examples import Sampling, ground_text, task_families
from beeline.learning.task_set import PlanJob, PlannedTask, find_plan, read_training_set
from beeline.models.colours.graph import BaseColours
from beeline.models.colours.model import ColourModel
from beeline.pddl import parse_domain
from beeline.pddl.model import domain_signature
from beeline.planning.model import SearchStyle
from beeline.planning.plan import plan


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, tuple[PlannedTask, ...]]:
    domain, files = blocks(tmp_path_factory.mktemp("blocks"), range(3, 6), each=2)
    training = read_training_set(domain, files)
    found = [
        find_plan(PlanJob(training.domain_text, task, False, 60.0, None)) for task in training.tasks
    ]
    usable = [task for task in found if task.plan is not None]
    return training.domain_text, tuple(sorted(usable, key=lambda task: task.size))


def job(
    tasks: tuple[str, tuple[PlannedTask, ...]],
    *candidates: Candidate,
    loss: str = "rank-siblings",
) -> FitJob:
    return FitJob(tasks[0], tasks[1], candidates, loss, unit_costs=False, seed=0)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("h_ff", [False, True])
def test_every_loss_leads_to_plans(
    tasks: tuple[str, tuple[PlannedTask, ...]], loss: str, h_ff: bool
) -> None:
    candidate = Candidate(False, 2, h_ff, 1e-4, ALL)
    domain, planned = tasks
    (fitted,) = fit_candidates(job((domain, planned[:-2]), candidate, loss=loss))
    assert fitted.scorer.rounds == 2
    assert bool(fitted.scorer.extra_weight) == h_ff
    signature = domain_signature(parse_domain(domain))
    model = ColourModel(signature, fitted.scorer, SearchStyle(), {}, 0, "0")
    last = planned[-1]  # larger than those that it has learned from
    task = ground_text(domain, last.name, last.text, False)
    result = plan(model, task, fallback=False, max_expansions=2000)
    assert result.plan is not None


def test_fits_are_the_same_every_time_and_in_any_company(
    tasks: tuple[str, tuple[PlannedTask, ...]],
) -> None:
    strong, weak = (Candidate(False, 2, False, l2, ALL) for l2 in (1e-2, 1e-4))
    together = fit_candidates(job(tasks, weak, strong))
    assert [each.candidate for each in together] == [weak, strong]
    again = fit_candidates(job(tasks, weak, strong))
    for one, two in zip(together, again, strict=True):
        assert one.scorer.weights.tobytes() == two.scorer.weights.tobytes()
        assert one.scorer.table_items.tobytes() == two.scorer.table_items.tobytes()


def test_fewer_rounds_are_columns_of_the_same_table(
    tasks: tuple[str, tuple[PlannedTask, ...]],
) -> None:
    one, three = (Candidate(False, rounds, False, 1e-3, ALL) for rounds in (1, 3))
    together = fit_candidates(job(tasks, one, three))[0].scorer
    (alone,) = (each.scorer for each in fit_candidates(job(tasks, one)))
    assert together.rounds == alone.rounds == 1
    assert together.num_rows == alone.num_rows
    np.testing.assert_array_equal(np.sort(together.weights), np.sort(alone.weights))


def test_scorers_fit_the_engine(tasks: tuple[str, tuple[PlannedTask, ...]]) -> None:
    domain = parse_domain(tasks[0])
    (fitted,) = fit_candidates(job(tasks, Candidate(True, 2, False, 1e-3, ALL)))
    assert fitted.scorer.base_colours == BaseColours.of(domain).count
    task = ground_text(tasks[0], tasks[1][0].name, tasks[1][0].text, False)
    states = _native.States(task.native)
    ids = np.array([states.initial], dtype=np.uint32)
    value = fitted.scorer.evaluator(task).evaluate(states, ids)
    assert np.isfinite(value).all()


def test_states_drawn_at_random_come_with_all_their_best_children(
    tasks: tuple[str, tuple[PlannedTask, ...]],
) -> None:
    planned = tasks[1][0]
    task = ground_text(tasks[0], planned.name, planned.text, False)
    _, families = task_families(task, planned, Sampling(states=5))
    _, more = task_families(task, planned, Sampling(states=10))
    assert len(planned.plan or ()) <= len(families) <= len(planned.plan or ()) + 5
    assert len(more) >= len(families)
    assert all(family.good for family in more)


def test_there_must_be_tasks(tasks: tuple[str, tuple[PlannedTask, ...]]) -> None:
    empty = FitJob(
        tasks[0], (), (Candidate(False, 1, False, 1e-3, ALL),), "l2", unit_costs=False, seed=0
    )
    with pytest.raises(ValueError, match="no tasks"):
        fit_candidates(empty)


def test_plans_that_are_missing_are_a_mistake(tmp_path: Path) -> None:
    from beeline.fitting.losses import loss_entry
    from beeline.learning.task_examples import task_examples

    domain, files = blocks(tmp_path, range(3, 4))
    text = Path(files[0]).read_text()
    task = ground_text(Path(domain).read_text(), "t", text, False)
    table = _native.ColourTable(50, 1, False)
    unplanned = PlannedTask("t", text, 1, 1, "time_limit")
    with pytest.raises(ValueError, match="has no plan"):
        task_examples(table, task, unplanned, loss_entry("l2"), Sampling())
