"""Models with h_cea as a feature: fitted, kept in files, and searched with its operators."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from learning_sets import write_training_set

from beeline.generators import generate
from beeline.learning.candidates import ALL, FitJob, fit_candidates
from beeline.learning.selection import uses_relaxed_plans
from beeline.learning.settings import Candidate, LearnSettings, Relations
from beeline.learning.task_set import PlanJob, find_plan, read_training_set
from beeline.models.colours.model import ColourModel
from beeline.models.colours.scorer import CONTEXT
from beeline.models.model_file import load, save
from beeline.planning.model import SearchStyle
from beeline.planning.plan import plan
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from pathlib import Path

IN_CONTEXT = Candidate(False, 2, False, 1e-4, ALL, context=True)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> ColourModel:
    sizes = [
        {"cities": cities, "city_size": 2, "trucks": cities, "airplanes": 1, "packages": packages}
        for cities, packages in ((2, 3), (3, 4), (3, 5), (4, 6))
    ]
    files = write_training_set(tmp_path_factory.mktemp("logistics"), "logistics", sizes, each=3)
    training = read_training_set(*files)
    jobs = [PlanJob(training.domain_text, task, False, 60.0, None) for task in training.tasks]
    planned = tuple(sorted(map(find_plan, jobs), key=lambda task: task.size))
    job = FitJob(training.domain_text, planned, (IN_CONTEXT,), "rank-siblings", False, 0)
    (fitted,) = fit_candidates(job)
    style = SearchStyle(preferred=True)
    summary = {"candidate": fitted.candidate.to_json()}
    return ColourModel(training.signature, fitted.scorer, style, summary, 0, "0")


def test_a_model_of_small_tasks_goes_straight_in_a_large_one(model: ColourModel) -> None:
    sizes = {"cities": 16, "city_size": 6, "trucks": 16, "airplanes": 16, "packages": 40}
    result = plan(model, ground(generate("logistics", seed=1, **sizes)), fallback=False)
    assert result.plan is not None
    assert result.expanded <= 1.1 * len(result.plan)
    assert result.evaluated < 20 * result.expanded  # successors that are not preferred wait


def test_its_file_says_what_it_looks_at(model: ColourModel, tmp_path: Path) -> None:
    save(model, tmp_path / "m.beeline")
    again = load(tmp_path / "m.beeline")
    assert isinstance(again, ColourModel)
    assert again.scorer.extra == CONTEXT
    assert again.scorer.scores_like(model.scorer)
    told = again.describe(top=3)
    assert told["uses_context"]
    assert told["context_weight"] > 0
    assert not told["uses_h_ff"]


def test_it_prefers_operators_without_relaxed_plans(model: ColourModel) -> None:
    assert model.has_preferred
    assert not uses_relaxed_plans(model)
    without = replace(model, scorer=replace(model.scorer, extra_weight=0))
    assert not without.has_preferred
    assert uses_relaxed_plans(without)


def test_costs_in_context_are_tried_where_goals_are_in_order() -> None:
    settings, paired = LearnSettings(neighbours="set"), Relations(paired=True)
    plain = settings.stages([ALL], paired)
    ordered = settings.stages([ALL], paired, ordered=True)
    assert ordered[0] == plain[0]
    assert ordered[2:] == plain[1:]
    assert all(each.context for each in ordered[1])
    assert not any(each.context for stage in plain for each in stage)


def test_candidates_in_files_are_read_again() -> None:
    assert Candidate.from_json(IN_CONTEXT.to_json()) == IN_CONTEXT
    plain = IN_CONTEXT._replace(context=False)
    assert "context" not in plain.to_json()
    assert Candidate.from_json(plain.to_json()) == plain
