"""`plan` with neural models: in turns with the classical search, like any other model."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from neural_models import ON_ANY_DOMAIN, home, random_model
from random_tasks import RandomTask

import beeline
from beeline.core.errors import Status
from beeline.models.families import NETWORKS
from beeline.pddl import parse_domain, parse_problem
from beeline.planning import contestants as schedule
from beeline.planning.model import SearchStyle
from beeline.planning.plan import plan
from beeline.planning.solve import solve
from beeline.task.grounding import ground
from beeline.task.validator import validate

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("network", ON_ANY_DOMAIN)
def test_plans_are_found_and_valid(network: str) -> None:
    task = beeline.ground(beeline.generators.generate("blocksworld", seed=1, blocks=4))
    model = random_model(network, task.problem.domain, scale=0.1)
    result = plan(model, task)
    assert result.plan is not None
    verdict = validate(task.problem, result.plan)
    assert verdict.cost == result.cost
    assert result.phases[0]["search"] == "learned"
    assert plan(model, task).plan == result.plan


@pytest.mark.parametrize("network", NETWORKS)
def test_planning_imports_no_torch(network: str, tmp_path: Path) -> None:
    domain, size = home(network)
    problem = beeline.generators.generate(domain, seed=1, **size)
    file = tmp_path / "model.beeline"
    random_model(network, problem.domain).save(file)
    words = f"beeline.generators.generate('{domain}', seed=1, **{size})"
    program = f"""
import sys
sys.modules["torch"] = None
import beeline
assert beeline.plan({str(file)!r}, beeline.ground({words})).solved
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("style", [SearchStyle(), SearchStyle(preferred=True, symmetry=False)])
def test_styles_can_be_chosen(style: SearchStyle) -> None:
    task = beeline.ground(beeline.generators.generate("ferry", seed=1, cars=3, locations=3))
    assert plan(random_model("linear", task.problem.domain), task, style=style).solved


def test_a_plan_is_found_if_and_only_if_there_is_one() -> None:
    answers = set()
    for seed in range(10):
        text = RandomTask(seed)
        task = ground(parse_problem(parse_domain(text.domain, "<d>"), text.task, "<t>"))
        truth = solve(task, "astar", "blind").status
        for network in ON_ANY_DOMAIN:
            model = random_model(network, task.problem.domain, seed=seed)
            assert plan(model, task, fallback=False).status is truth
        answers.add(truth)
    assert answers == {Status.SOLVED, Status.UNSOLVABLE}


def test_a_network_that_leads_nowhere_is_helped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "PATIENCE", 500.0)
    monkeypatch.setattr(schedule, "FIRST_TURN", 500.0)
    task = beeline.ground(beeline.generators.generate("blocksworld", seed=1, blocks=9))
    model = random_model("linear", task.problem.domain, residual="none", lower="none", scale=0.0)
    alone = plan(model, task, fallback=False, max_evaluations=5000)
    helped = plan(model, task, max_evaluations=5000)
    assert alone.status is Status.EVALUATION_LIMIT
    assert helped.solved
    names = [phase["search"] for phase in helped.phases]
    assert names[:4] == ["learned", "sprint", "classical", "beam-30"]


def test_better_plans_are_sought() -> None:
    task = beeline.ground(beeline.generators.generate("ferry", seed=1, cars=3, locations=3))
    result = plan(random_model("linear", task.problem.domain), task, anytime=True)
    assert result.optimal
    assert result.cost == solve(task, "astar").cost


def test_weights_of_networks_have_no_words() -> None:
    domain = beeline.generators.generate("ferry", seed=1).domain
    model = random_model("linear", domain)
    assert "top" not in model.describe(3)
    assert not any("weight  round" in line for line in model.lines(3, legend=True))
