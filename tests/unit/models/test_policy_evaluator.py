"""Linear models with a policy: fitted, saved, loaded, and asked for both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from learning_sets import blocks

import beeline
from beeline import _native
from beeline.cli.main import main
from beeline.core.errors import BeelineError
from beeline.data.plan_walk import walk_plan
from beeline.fitting.plan_graph import task_plan_graph
from beeline.learning.candidates import ALL, FitJob, fit_candidates
from beeline.learning.settings import Candidate
from beeline.learning.task_examples import ground_text
from beeline.learning.task_set import PlanJob, PlannedTask, find_plan, read_training_set
from beeline.models import model_file
from beeline.models.colours.model import ColourModel, PolicyEvaluator
from beeline.models.model_file import pack, unpack
from beeline.pddl import parse_domain
from beeline.pddl.model import domain_signature
from beeline.planning.model import SearchStyle
from beeline.task.states import StateBatch

if TYPE_CHECKING:
    from pathlib import Path

    from beeline.task.ground_task import GroundTask

    Fitted = tuple[ColourModel, list[tuple[GroundTask, PlannedTask]]]


@pytest.fixture(scope="module", params=[False, True], ids=["colours", "colours and h_FF"])
def fitted(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Fitted:
    """A model with a policy, and the tasks that it was fitted to."""
    domain, files = blocks(tmp_path_factory.mktemp("blocks"), range(3, 6))
    training = read_training_set(domain, files)
    found = [
        find_plan(PlanJob(training.domain_text, each, False, 60.0, None)) for each in training.tasks
    ]
    candidate = Candidate(False, 2, request.param, 1e-4, ALL)
    job = FitJob(training.domain_text, tuple(found), (candidate,), "policy", False, 0)
    (result,) = fit_candidates(job)
    signature = domain_signature(parse_domain(training.domain_text))
    model = ColourModel(signature, result.scorer, SearchStyle(), {}, 0, "0.1.0", result.policy)
    tasks = [ground_text(training.domain_text, each.name, each.text, False) for each in found]
    return model, list(zip(tasks, found, strict=True))


def test_the_steps_of_the_plans_have_the_highest_logits(fitted: Fitted) -> None:
    model, tasks = fitted
    right, steps, errors = 0, 0, []
    for task, planned in tasks:
        states = _native.States(task.native)
        walk = walk_plan(task, states, planned.plan or ())
        graph, ids = task_plan_graph(task, states, walk)
        evaluator = model.heuristic_for(task)
        assert isinstance(evaluator, PolicyEvaluator)
        h, logits = evaluator.evaluate_policy(StateBatch(task, states, ids))
        assert h.shape == logits.shape == (graph.count,)
        errors += (h[graph.path] - graph.costs).tolist()
        for place, chosen in enumerate(graph.successors):
            children = graph.children[graph.child_starts[place] : graph.child_starts[place + 1]]
            right += logits[chosen] == logits[children].max()
            steps += 1
    assert right >= 0.8 * steps
    assert np.mean(np.abs(errors)) < 1.0


def test_estimates_are_the_same_with_and_without_logits(fitted: Fitted) -> None:
    model, tasks = fitted
    task = tasks[0][0]
    states = _native.States(task.native)
    batch = StateBatch(task, states, np.array([states.initial], dtype=np.uint32))
    evaluator = PolicyEvaluator(model, task)
    assert evaluator.evaluate(batch).tolist() == evaluator.evaluate_policy(batch)[0].tolist()


def test_searches_take_the_model(fitted: Fitted) -> None:
    model, tasks = fitted
    for task, _ in tasks:
        assert beeline.solve(task, "gbfs", model, max_expansions=2000).solved
        assert beeline.plan(model, task, fallback=False, max_expansions=2000).solved


def test_what_is_saved_is_what_is_loaded(fitted: Fitted) -> None:
    model, tasks = fitted
    data = model_file.to_bytes(model)
    loaded = model_file.from_bytes(data, "m")
    assert isinstance(loaded, ColourModel)
    assert model_file.to_bytes(loaded) == data
    task = tasks[-1][0]
    states = _native.States(task.native)
    batch = StateBatch(task, states, states.successors(states.initial)[1])
    for one, other in zip(
        PolicyEvaluator(model, task).evaluate_policy(batch),
        PolicyEvaluator(loaded, task).evaluate_policy(batch),
        strict=True,
    ):
        assert one.tolist() == other.tolist()


def test_broken_policies_are_refused(fitted: Fitted) -> None:
    header, arrays = unpack(model_file.to_bytes(fitted[0]), "m")
    half = {name: array for name, array in arrays.items() if name != "policy_weights"}
    none = {name: array for name, array in arrays.items() if not name.startswith("policy_")}
    headless = {name: part for name, part in header.items() if name != "policy"}
    endless = {**header, "policy": {**header["policy"], "intercept": 1e300}}
    for parts in ((header, half), (header, none), (headless, arrays), (endless, arrays)):
        with pytest.raises(BeelineError):
            model_file.from_bytes(pack(*parts, "0.1.0"), "m")


def test_the_policy_is_shown(
    fitted: Fitted, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fitted[0].save(tmp_path / "m.beeline")
    assert main(["models", "info", str(tmp_path / "m.beeline")]) == 0
    assert "logits of children" in capsys.readouterr().out


def test_models_without_a_policy_are_told_apart(fitted: Fitted) -> None:
    model, tasks = fitted
    plain = ColourModel(model.signature, model.scorer, SearchStyle(), {}, 0, "0.1.0")
    assert b"policy" not in model_file.to_bytes(plain)
    assert isinstance(plain.heuristic_for(tasks[0][0]), _native.Evaluator)
    with pytest.raises(BeelineError, match="has no policy"):
        PolicyEvaluator(plain, tasks[0][0])
