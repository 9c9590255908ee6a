"""Every model learns by every loss of its kind, and what comes out finds plans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from learning_sets import ferry
from neural_models import OPTIONS, home
from small_sets import make_set, write_tasks

import beeline
from beeline import _native
from beeline.fitting.losses import LOSSES
from beeline.learning.candidates import ALL, FitJob, fit_candidates
from beeline.learning.settings import Candidate
from beeline.learning.task_set import PlanJob, find_plan, read_training_set
from beeline.learning.training_aims import TRAINING_LOSSES
from beeline.models import model_file
from beeline.models.colours.model import ColourModel
from beeline.models.families import NETWORKS
from beeline.pddl import parse_domain
from beeline.pddl.model import domain_signature
from beeline.planning.model import SearchStyle
from beeline.task.states import StateBatch

if TYPE_CHECKING:
    from pathlib import Path

    from beeline.learning.task_set import PlannedTask


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Sets of the domains that networks are made for."""
    folder = tmp_path_factory.mktemp("sets")
    for domain, size in dict(map(home, NETWORKS)).items():
        files = write_tasks(folder / f"{domain}-tasks", domain, count=4, **size)
        splits = (("train", 0.5), ("val", 0.5))
        make_set(files, folder / domain, siblings=True, splits=splits)
    return {domain: folder / domain for domain, _ in map(home, NETWORKS)}


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, tuple[PlannedTask, ...]]:
    domain, files = ferry(tmp_path_factory.mktemp("tasks"), range(2, 4))
    training = read_training_set(domain, files)
    jobs = [PlanJob(training.domain_text, each, False, 60.0, None) for each in training.tasks]
    return training.domain_text, tuple(map(find_plan, jobs))


def check_planning(model: Any, *, policy: bool, domain: str = "ferry", **size: float) -> None:
    """Searches take the model as it comes from its file, and find plans."""
    loaded = model_file.from_bytes(model_file.to_bytes(model), "model")
    size = size or {"cars": 1, "locations": 4}
    task = beeline.ground(beeline.generators.generate(domain, seed=5, **size))
    assert beeline.plan(loaded, task, fallback=False, max_expansions=5000).solved
    for search in ("gbfs", "astar"):
        assert beeline.solve(task, search, loaded, max_expansions=5000).solved
    heuristic = loaded.heuristic_for(task)
    assert bool(getattr(heuristic, "has_policy", False)) == policy
    if policy:
        states = _native.States(task.native)
        children = states.successors(states.initial)[1]
        h, logits = heuristic.evaluate_policy(StateBatch(task, states, children))
        assert h.shape == logits.shape == children.shape
        assert np.isfinite(h).all()
        assert np.isfinite(logits).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_linear_models_of_colours(planned: tuple[str, tuple[PlannedTask, ...]], loss: str) -> None:
    candidate = Candidate(False, 1, False, 1e-3, ALL)
    (fitted,) = fit_candidates(FitJob(*planned, (candidate,), loss, unit_costs=False, seed=0))
    signature = domain_signature(parse_domain(planned[0]))
    model = ColourModel(signature, fitted.scorer, SearchStyle(), {}, 0, "0.1.0", fitted.policy)
    check_planning(model, policy=loss == "policy")


@pytest.mark.parametrize("loss", TRAINING_LOSSES)
@pytest.mark.parametrize("network", NETWORKS)
def test_networks(datasets: dict[str, Path], network: str, loss: str) -> None:
    domain, size = home(network)
    model = beeline.train(
        datasets[domain],
        model=network,
        loss=loss,
        options=OPTIONS.get(network),
        steps=3,
        validate_every=3,
    )
    assert model.summary["steps"] == 3
    small = {} if domain == "ferry" else size
    check_planning(model, policy=loss == "policy", domain=domain, **small)


def test_losses_of_plans_are_there_for_both_kinds_of_models() -> None:
    of_plans = {name for name, entry in LOSSES.items() if entry.plan}
    assert of_plans >= {"rank-astar", "rank-gbfs", "rank-trajectory", "l2", "bellman", "policy"}
    assert of_plans <= set(TRAINING_LOSSES)
