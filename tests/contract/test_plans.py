"""A plan is one value: whatever gives one, everything that takes one takes it unchanged."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import beeline
from beeline.core.errors import BeelineError
from beeline.generators import domain_text, generate
from beeline.pddl.writer import format_problem
from beeline.task.plan_file import Step

MODEL = "gripper"


def found_plans(folder: Path) -> dict[str, beeline.Plan]:
    """The same task's plan from everything that gives one."""
    task = gripper()
    plans = {
        "solve": beeline.solve(task).plan,
        "plan": beeline.plan(MODEL, task).plan,
        "certificate": beeline.certify_ranking(task, "perfect", alpha=0.0).plan,
        "by hand": beeline.Plan(str(step) for step in beeline.solve(task).plan or ()),
        "by words": beeline.Plan(step.words for step in beeline.solve(task).plan or ()),
    }
    beeline.solve(task, on_plan=lambda plan, cost: plans.update({"on_plan": plan}))
    beeline.write_plan(folder / "plan", plans["solve"] or ())
    plans["read_plan"] = beeline.read_plan(folder / "plan")
    plans["pickled"] = pickle.loads(pickle.dumps(plans["read_plan"]))
    return {name: plan for name, plan in plans.items() if plan is not None}


def gripper() -> beeline.GroundTask:
    return beeline.ground(generate(MODEL, seed=1, balls=2))


GIVERS = ("solve", "plan", "certificate", "by hand", "by words", "on_plan", "read_plan", "pickled")


@pytest.mark.parametrize("giver", GIVERS)
def test_a_plan_goes_through_everything_that_takes_one(giver: str, tmp_path: Path) -> None:
    plan = found_plans(tmp_path)[giver]
    task = gripper()
    assert type(plan) is beeline.Plan
    assert all(type(step) is Step for step in plan)
    verdict = beeline.validate(task.problem, plan)
    assert (verdict.valid, verdict.length, verdict.cost) == (True, len(plan), len(plan))
    beeline.write_plan(tmp_path / "again", plan)
    assert beeline.read_plan(tmp_path / "again") == plan
    assert beeline.certify_ranking(task, "perfect", plan, alpha=0.0).plan == plan
    assert json.loads(json.dumps(plan)) == [str(step) for step in plan]


@pytest.mark.usefixtures("few_made_tasks")
@pytest.mark.parametrize("giver", ["solve", "read_plan"])
def test_learning_takes_plans_as_they_are(giver: str, tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(domain_text(MODEL))
    files, plans, folder = [], {}, tmp_path / "plans"
    folder.mkdir()
    for balls in range(1, 5):
        problem = generate(MODEL, seed=balls, balls=balls)
        files.append(str(tmp_path / f"p{balls}.pddl"))
        Path(files[-1]).write_text(format_problem(problem))
        plan = beeline.solve(beeline.ground(problem)).plan
        assert plan is not None
        beeline.write_plan(folder / f"p{balls}.plan", plan)
        plans[files[-1]] = (
            plan if giver == "solve" else beeline.read_plan(folder / f"p{balls}.plan")
        )

    def learned(given: object) -> bytes:
        model = beeline.learn(
            tmp_path / "domain.pddl", files, plans=given, rounds=1, jobs=1, warn=lambda _: None
        )
        model.save(tmp_path / "model.beeline")
        return (tmp_path / "model.beeline").read_bytes()

    assert learned(plans) == learned(folder)


def test_the_plan_of_no_task_is_refused(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text(domain_text(MODEL))
    (tmp_path / "p1.pddl").write_text(format_problem(generate(MODEL, seed=1, balls=1)))
    with pytest.raises(BeelineError, match="none of the tasks"):
        beeline.learn(
            tmp_path / "domain.pddl", tmp_path / "p1.pddl", plans={"p2.pddl": beeline.Plan()}
        )


def test_a_plan_file_of_a_search_says_what_it_costs(tmp_path: Path) -> None:
    beeline.write_plan(tmp_path / "plan", beeline.solve(gripper()).plan or ())
    read = beeline.read_plan(tmp_path / "plan")
    assert (read.cost, read.unit_cost, read.lines[0]) == (len(read), True, 1)


@pytest.mark.parametrize("taker", ["validate", "write_plan", "certify_ranking", "Plan"])
def test_a_lone_string_is_no_plan(taker: str, tmp_path: Path) -> None:
    task = gripper()
    takers = {
        "validate": lambda text: beeline.validate(task.problem, text),
        "write_plan": lambda text: beeline.write_plan(tmp_path / "plan", text),
        "certify_ranking": lambda text: beeline.certify_ranking(task, "ff", text),
        "Plan": beeline.Plan,
    }
    with pytest.raises(BeelineError, match="a plan is a list of steps"):
        takers[taker]("plan.txt")
    assert not (tmp_path / "plan").exists()


def test_steps_have_a_name_and_arguments() -> None:
    step = beeline.Plan(["(Stack a b)"])[0]
    assert (str(step), step.name, step.arguments) == ("(stack a b)", "stack", ("a", "b"))
