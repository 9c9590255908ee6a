"""Every family of models fulfils one contract, and nobody else knows which family it is."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from coloured_walks import Walk, small_task
from hand_tables import HandTable
from neural_models import OPTIONS, home, random_model
from one_state_space import random_task_model, walk
from operator_tables import random_operator_model

import beeline
from beeline import _native
from beeline.core.errors import BeelineError
from beeline.models import model_file
from beeline.models.families import NETWORKS, LearnedModel
from beeline.planning.model import MOST_WRITTEN, most_written
from beeline.planning.python_heuristics import PythonHeuristic
from beeline.task.grounding import MOST_OPERATORS, ground
from beeline.task.states import StateBatch

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask

SOURCE = Path(beeline.__file__).parent
FAMILIES = ["colours", "operators", *NETWORKS, "resnet"]


def made(family: str) -> tuple[LearnedModel, GroundTask]:
    """A model with some weights, and a task that it fits."""
    if family == "resnet":
        return random_task_model(walk()), walk()
    if family == "operators":
        return random_operator_model(Walk(small_task("gripper"))), small_task("gripper")
    domain, size = home(family)
    problem = beeline.generators.generate(domain, seed=5, **size)
    task = beeline.ground(problem)
    if family == "colours":
        return HandTable(problem.domain).model(), task
    assert family in OPTIONS
    return random_model(family, problem.domain), task


@pytest.mark.parametrize("family", FAMILIES)
class TestEveryFamily:
    def test_it_fulfils_the_contract(self, family: str) -> None:
        model, task = made(family)
        assert isinstance(model, beeline.Model)
        assert isinstance(model, LearnedModel)
        assert model.domain_name == task.problem.domain.name
        assert model.has_heuristic or model.has_preferred

    def test_its_file_holds_all_of_it(self, family: str, tmp_path: Path) -> None:
        model, _ = made(family)
        model.save(tmp_path / "m.beeline")
        found = beeline.load_model(tmp_path / "m.beeline")
        assert type(found) is type(model)
        assert model_file.to_bytes(found) == (tmp_path / "m.beeline").read_bytes()
        header, arrays = found.parts()
        assert json.loads(json.dumps(header))["signature"] == found.signature
        assert arrays
        assert (found.summary, found.package_version) == (model.summary, model.package_version)

    def test_it_fits_its_domain_and_refuses_others(self, family: str) -> None:
        model, task = made(family)
        other = beeline.ground(beeline.generators.generate("spanner", seed=1))
        assert model.fits(task.problem.domain)
        assert not model.fits(other.problem.domain)
        for use in (model.heuristic_for, lambda it: beeline.plan(model, it)):
            with pytest.raises(BeelineError, match="does not fit the domain"):
                use(other)

    def test_plan_and_solve_take_it(self, family: str) -> None:
        model, task = made(family)
        assert beeline.plan(model, task, max_expansions=20_000).solved
        assert beeline.solve(task, "gbfs", model, max_expansions=20_000).solved

    def test_its_score_is_its_heuristic(self, family: str) -> None:
        model, task = made(family)
        states = _native.States(task.native)
        score = model.score(task, states)
        assert score.work > 0
        batch = StateBatch(task, states, task.initial_state.batch.ids)
        heuristic = model.heuristic_for(task)
        if not isinstance(heuristic, _native.Evaluator):
            heuristic = PythonHeuristic(heuristic).evaluator(task, states)
        assert (score.evaluator.evaluate(states, batch.ids)).tolist() == (
            heuristic.evaluate(states, batch.ids)
        ).tolist()

    def test_it_describes_itself_to_programs_and_readers(self, family: str) -> None:
        model, _ = made(family)
        brief, full = model.describe(), model.describe(top=3)
        assert brief["domain"] == model.domain_name
        assert full["signature"] == model.signature
        assert brief.items() <= full.items() or {**full, **brief} == full
        assert json.loads(json.dumps(full))["seed"] == brief["seed"]
        lines = list(model.lines(3, legend=True))
        assert any(model.domain_name in line for line in lines)
        assert any(line.startswith("made by") for line in lines)

    def test_an_estimate_is_chosen_where_there_is_a_distribution(self, family: str) -> None:
        model, _ = made(family)
        if model.has_distribution:
            assert model.with_estimate("mu").describe()["distribution"]["estimate"] == "mu"
        else:
            with pytest.raises(BeelineError, match="no distribution to estimate a cost from"):
                model.with_estimate("mu")

    def test_without_written_operators_it_scores_or_says_that_it_needs_them(
        self, family: str
    ) -> None:
        model, task = made(family)
        unwritten = ground(task.problem, most_operators=0)
        most = MOST_OPERATORS if model.needs_operators else MOST_WRITTEN
        assert most_written(model) == most
        if not model.needs_operators:
            states = _native.States(unwritten.native)
            value = model.score(unwritten, states).evaluator.evaluate(
                states, np.array([states.initial], dtype=np.uint32)
            )
            assert np.isfinite(value).all()


def test_nobody_outside_a_folder_asks_for_the_class_of_a_model() -> None:
    classes = {"ColourModel", "NeuralModel", "TaskModel", "LearnedModel"}
    asked = []
    for path in SOURCE.rglob("*.py"):
        if path.relative_to(SOURCE).parts[0] == "models":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
                asked += [f"{path}:{node.lineno}"] * bool(names & classes)
    assert asked == []
