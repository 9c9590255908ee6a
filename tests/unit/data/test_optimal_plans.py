from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from random_tasks import RandomTask
from search_tasks import ground_texts
from small_sets import digests, make_set, write_tasks

from beeline.backends.local import LocalExecutor
from beeline.core.errors import BeelineError
from beeline.data.optimal_plans import Instance, sample_instance, sample_plans
from beeline.data.reader import Dataset
from beeline.data.task_sets import PlanSettings, Source, generated_tasks, given_tasks
from beeline.planning.solve import solve
from beeline.task.grounding import load

if TYPE_CHECKING:
    from beeline.data.summary import Summary

DISJUNCTIVE = """(define (domain doors) (:requirements :adl)
 (:predicates (open ?d) (dusty ?d))
 (:action unlock :parameters (?d) :precondition (not (open ?d)) :effect (open ?d))
 (:action dust :parameters (?d) :precondition (dusty ?d) :effect (not (dusty ?d))))
"""
TWO_WAYS = """(define (problem p) (:domain doors) (:objects a b c)
 (:init (open a) (dusty a) (dusty b)) (:goal (or (and (open b) (open c)) (open d))))
""".replace("(open d)", "(and (open c) (not (open a)))")


def generate(folder: Path, jobs: int = 1, **settings: int) -> Summary:
    tasks = generated_tasks("blocksworld", count=6, seed=2, parameters={"blocks": 5})
    with LocalExecutor(jobs) as executor:
        return sample_plans(tasks, PlanSettings(**settings), folder, executor)  # type: ignore[arg-type]


def write_plans(files: list[str], folder: Path, search: str, extra: tuple[str, ...] = ()) -> None:
    folder.mkdir()
    for file in files[1:]:
        plan = solve(load(files[0], file), search).plan
        assert plan is not None
        (folder / f"{Path(file).stem}.plan").write_text("\n".join([*plan, *extra]))


class TestRandomTasks:
    def test_too_hard_instances_are_replaced_by_others(self, tmp_path: Path) -> None:
        generate(tmp_path / "free")
        free = list(Dataset(tmp_path / "free").instances())
        limit = sorted(row["evaluated"] for row in free)[3]
        generate(tmp_path / "limited", max_evaluations=limit)
        limited = list(Dataset(tmp_path / "limited").instances())
        assert all(row["status"] == "solved" for row in limited)
        for before, after in zip(free, limited, strict=True):
            assert after["evaluated"] <= limit
            assert after["outcomes"][:-1] == ["evaluation_limit"] * (after["attempts"] - 1)
            assert (before["task"] == after["task"]) == (after["attempts"] == 1)
        assert any(row["attempts"] > 1 for row in limited)

    def test_after_the_last_attempt_an_instance_is_given_up(self, tmp_path: Path) -> None:
        summary = generate(tmp_path, max_evaluations=1, attempts=3)
        assert summary.statuses == {"evaluation_limit": 6}
        assert summary.attempts == 18
        assert "none of 6 instances has a plan" in summary.problems[0]

    def test_short_plans_are_trivial(self, tmp_path: Path) -> None:
        generate(tmp_path, min_length=10)
        rows = list(Dataset(tmp_path).instances())
        assert any("trivial" in row["outcomes"] for row in rows)
        assert all(len(row["plan"]) >= 10 for row in rows if row["plan"])

    def test_the_number_of_processes_does_not_matter(self, tmp_path: Path) -> None:
        generate(tmp_path / "one", jobs=1)
        generate(tmp_path / "two", jobs=2)
        assert digests(tmp_path / "one") == digests(tmp_path / "two")


class TestGivenPlans:
    def test_costs_of_any_plan_are_upper_bounds(self, tmp_path: Path) -> None:
        files = write_tasks(tmp_path / "tasks", blocks=6)
        write_plans(files, tmp_path / "plans", "gbfs")
        summary = make_set(files, tmp_path / "set", tmp_path / "plans")
        assert not summary.h_star
        assert summary.coverage["upper"] == summary.states > 0
        for row in Dataset(tmp_path / "set").instances():
            assert row["optimal"] is False

    def test_costs_of_plans_declared_optimal_are_h_star(self, tmp_path: Path) -> None:
        files = write_tasks(tmp_path / "tasks", blocks=5)
        write_plans(files, tmp_path / "plans", "astar")
        make_set(files, tmp_path / "own", siblings=True)
        summary = make_set(
            files, tmp_path / "set", tmp_path / "plans", siblings=True, optimal_plans=True
        )
        assert not summary.upper
        own = list(Dataset(tmp_path / "own").states())
        assert list(Dataset(tmp_path / "set").states()) == own

    def test_steps_that_do_not_matter_are_passed_over(self, tmp_path: Path) -> None:
        (tmp_path / "domain.pddl").write_text(DISJUNCTIVE)
        (tmp_path / "p1.pddl").write_text(TWO_WAYS)
        (tmp_path / "plans").mkdir()
        (tmp_path / "plans/p1.plan").write_text("(dust a)\n(unlock b)\n(dust b)\n(unlock c)\n")
        files = [str(tmp_path / "domain.pddl"), str(tmp_path / "p1.pddl")]
        settings = {"splits": (("train", 1.0),)}
        make_set(files, tmp_path / "set", tmp_path / "plans", **settings)
        rows = list(Dataset(tmp_path / "set").states())
        steps = [row["operator"] for row in rows if row["operator"] and "@" not in row["operator"]]
        assert steps == ["(unlock b)", "(unlock c)"]
        make_set(files, tmp_path / "own", **settings)
        assert len(list(Dataset(tmp_path / "own").states())) == len(rows)

    @pytest.mark.parametrize("name", ["p1.plan", "p1.pddl.plan", "p1.soln", "p1.plan.12"])
    def test_plan_files_may_have_the_usual_names(self, tmp_path: Path, name: str) -> None:
        files = write_tasks(tmp_path / "tasks", count=1, blocks=4)
        write_plans(files, tmp_path / "plans", "gbfs")
        text = (tmp_path / "plans/p1.plan").read_text()
        (tmp_path / "plans/p1.plan").unlink()
        (tmp_path / "plans/p1.plan.2").write_text(text if name != "p1.plan.12" else "(bad)")
        (tmp_path / "plans" / name).write_text(text)
        tasks = given_tasks(files[0], files[1:], plans=str(tmp_path / "plans"))
        assert tasks.sources[0].plan

    def test_a_plan_of_another_task_is_named(self, tmp_path: Path) -> None:
        files = write_tasks(tmp_path / "tasks", blocks=6)
        write_plans(files, tmp_path / "plans", "gbfs")
        plans = tmp_path / "plans"
        (plans / "p2.plan").write_text((plans / "p1.plan").read_text())
        with pytest.raises(BeelineError, match=r"does not fit the task .*p2\.pddl") as caught:
            make_set(files, tmp_path / "set", plans)
        assert caught.value.file == str(plans / "p2.plan")
        assert not (tmp_path / "set").exists()

    def test_a_task_without_a_plan_is_named(self, tmp_path: Path) -> None:
        files = write_tasks(tmp_path / "tasks", blocks=4)
        write_plans(files[:-1], tmp_path / "plans", "gbfs")
        with pytest.raises(BeelineError, match=r"no plan for the task .*p4\.pddl"):
            make_set(files, tmp_path / "set", tmp_path / "plans")
        with pytest.raises(BeelineError, match="no such folder of plans"):
            make_set(files, tmp_path / "set", tmp_path / "nowhere")


class TestGivenTasks:
    def test_tasks_of_two_domains_are_refused_by_name(self, tmp_path: Path) -> None:
        blocks = write_tasks(tmp_path / "blocks", blocks=4)
        ferry = write_tasks(tmp_path / "ferry", "ferry", cars=1, locations=2)
        with pytest.raises(BeelineError, match="belongs to domain 'ferry'") as caught:
            make_set([*blocks, ferry[1]], tmp_path / "set")
        assert caught.value.file == ferry[1]

    def test_a_task_named_twice_is_refused(self, tmp_path: Path) -> None:
        files = write_tasks(tmp_path / "blocks", blocks=4)
        with pytest.raises(BeelineError, match="named twice"):
            make_set([*files, files[1]], tmp_path / "set")

    def test_no_tasks_at_all_are_refused(self, tmp_path: Path) -> None:
        files = write_tasks(tmp_path / "blocks", blocks=4)
        with pytest.raises(BeelineError, match="no task"):
            make_set(files[:1], tmp_path / "set")

    def test_unsolvable_and_trivial_tasks_are_kept_as_such(self, tmp_path: Path) -> None:
        (tmp_path / "domain.pddl").write_text(DISJUNCTIVE)
        for name, goal in (("never", "(dusty c)"), ("done", "(open a)"), ("good", "(open b)")):
            (tmp_path / f"{name}.pddl").write_text(
                "(define (problem p) (:domain doors) (:objects a b c) (:init (open a))"
                f" (:goal {goal}))"
            )
        files = [str(tmp_path / f"{name}.pddl") for name in ("domain", "never", "done", "good")]
        summary = make_set(files, tmp_path / "set", splits=(("train", 1.0),))
        assert summary.statuses == {"solved": 1, "trivial": 1, "unsolvable": 1}
        assert not summary.problems

    def test_poor_sets_say_what_to_add(self, tmp_path: Path) -> None:
        (tmp_path / "domain.pddl").write_text(DISJUNCTIVE)
        text = "(define (problem p) (:domain doors) (:objects a) (:init (open a)) (:goal (open a)))"
        (tmp_path / "done.pddl").write_text(text)
        summary = make_set(
            [str(tmp_path / "domain.pddl"), str(tmp_path / "done.pddl")], tmp_path / "set"
        )
        assert "the dataset is empty" in summary.problems[0]
        files = write_tasks(tmp_path / "blocks", count=1, blocks=4)
        summary = make_set(files, tmp_path / "one")
        assert "the split 'val' is empty" in summary.problems[0]


@pytest.mark.parametrize("first", range(0, 200, 40))
def test_plans_of_odd_tasks_are_followed_to_the_goal(first: int) -> None:
    """Disjunctions, conditional effects and zero costs: names alone do not tell operators."""
    for seed in range(first, first + 40):
        odd = RandomTask(seed)
        task = ground_texts(odd.domain, odd.task)
        result = solve(task, "astar", "lmcut")
        source = Source("odd", text=odd.task)
        row, columns = sample_instance(odd.domain, Instance(0, "train", source), PlanSettings())
        if not result.plan:
            assert columns is None
        else:
            assert columns is not None
            assert columns["h_star"][0] == row["cost"] == result.cost
            assert columns["h_star"][-1] == columns["lmcut"][-1] == 0
