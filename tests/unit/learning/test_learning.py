"""What comes of learning: usable models from all kinds of tasks, and clear words otherwise."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from few_made_tasks import BEELINE
from learning_sets import blocks, ferry
from search_tasks import PUZZLE, puzzle_task
from workshop_in_place import WorkshopInPlace

import beeline
from beeline.core.errors import BeelineError
from beeline.fitting.losses import LOSSES
from beeline.learning import task_set as finding_plans
from beeline.learning.learn import NoModelError
from beeline.planning.plan import plan
from beeline.planning.solve import solve
from beeline.task.plan_file import write_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline.models.colours.model import ColourModel
    from beeline.task.ground_task import GroundTask

    Tasks = tuple[str, list[str]]

QUICK: dict[str, Any] = {"rounds": 2, "neighbours": "set", "h_ff": False}

LAMPS = """(define (domain lamps) (:predicates (on ?l) (off ?l))
 (:action light :parameters (?l) :precondition (off ?l) :effect (and (on ?l) (not (off ?l)))))
"""


@pytest.fixture(autouse=True)
def in_place(monkeypatch: pytest.MonkeyPatch) -> type[WorkshopInPlace]:
    """Jobs run in this process; the class is new, so that a test may set what fails."""

    class Workshop(WorkshopInPlace):
        pass

    monkeypatch.setattr("beeline.learning.learn.Workshop", Workshop)
    return Workshop


@pytest.fixture
def few_candidates(monkeypatch: pytest.MonkeyPatch, few_made_tasks: None) -> None:
    """Fewer models to choose from, where the choice is beside the point."""
    monkeypatch.setattr("beeline.learning.settings.PENALTIES", (1e-3,))
    monkeypatch.setattr("beeline.learning.settings.MULTISET_PENALTIES", (1e-3,))


@pytest.fixture(scope="module")
def few_blocks(tmp_path_factory: pytest.TempPathFactory) -> Tasks:
    return blocks(tmp_path_factory.mktemp("blocks"), range(3, 5), each=3)


def learned(tasks: Tasks, **options: Any) -> tuple[ColourModel, list[str]]:
    """A model and the warnings on the way to it."""
    warnings: list[str] = []
    domain, files = tasks
    model = beeline.learn(domain, files, **{**QUICK, "warn": warnings.append, **options})
    return model, warnings


def lamp_task(folder: Path, name: str, count: int, goal: str | None = None) -> str:
    """Lamps that are off and shall be on; or another goal."""
    lamps = [f"l{number}" for number in range(count)]
    off = " ".join(f"(off {lamp})" for lamp in lamps)
    goal = goal or f"(and {' '.join(f'(on {lamp})' for lamp in lamps)})"
    path = folder / f"{name}.pddl"
    path.write_text(
        f"(define (problem {name}) (:domain lamps) (:objects {' '.join(lamps)})"
        f" (:init {off}) (:goal {goal}))"
    )
    return str(path)


def lamp_domain(folder: Path) -> str:
    path = folder / "domain.pddl"
    path.write_text(LAMPS)
    return str(path)


class TestModels:
    @pytest.mark.parametrize(
        ("make", "small", "each", "large"),
        [(blocks, range(3, 6), 6, 10), (ferry, range(2, 5), 3, 8)],
        ids=["blocksworld", "ferry"],
    )
    def test_tasks_twice_as_large_are_solved_with_few_expansions(
        self, make: Callable[..., Tasks], small: range, each: int, large: int, tmp_path: Path
    ) -> None:
        tasks = make(tmp_path / "small", small, each=each)
        model, _ = learned(tasks)
        _, files = make(tmp_path / "large", range(large, large + 1), each=3, seed=40)
        for file in files:  # blocks have millions of states, ferries hundreds of millions
            result = plan(model, beeline.load(tasks[0], file), fallback=False, max_expansions=500)
            assert result.plan is not None

    @pytest.mark.usefixtures("few_candidates")
    @pytest.mark.parametrize("loss", LOSSES)
    def test_every_loss_gives_a_model_that_finds_plans(self, few_blocks: Tasks, loss: str) -> None:
        model, _ = learned((few_blocks[0], few_blocks[1][:3]), loss=loss)
        assert model.summary["settings"]["loss"] == loss
        task = beeline.load(few_blocks[0], few_blocks[1][3])
        result = plan(model, task, fallback=False, max_expansions=2000)
        assert result.plan is not None

    @pytest.mark.usefixtures("few_candidates")
    @pytest.mark.parametrize(
        ("rounds", "neighbours"), [(1, "multiset"), (2, "set"), (3, "multiset"), (4, "set")]
    )
    def test_rounds_and_neighbours_are_the_users_choice(
        self, few_blocks: Tasks, rounds: int, neighbours: str
    ) -> None:
        model, _ = learned(few_blocks, rounds=rounds, neighbours=neighbours)
        assert model.scorer.rounds == rounds
        assert model.scorer.multiset == (neighbours == "multiset")
        chosen = model.summary["candidate"]
        assert (chosen["rounds"], chosen["neighbours"]) == (rounds, neighbours)

    @pytest.mark.usefixtures("few_candidates")
    @pytest.mark.parametrize("h_ff", [False, True])
    def test_relaxed_plans_are_the_users_choice(self, few_blocks: Tasks, h_ff: bool) -> None:
        model, _ = learned(few_blocks, h_ff=h_ff)
        assert bool(model.scorer.extra_weight) == h_ff
        assert model.summary["candidate"]["h_ff"] == h_ff

    @pytest.mark.usefixtures("few_made_tasks")
    def test_equal_calls_in_unlike_processes_give_equal_files(
        self, few_blocks: Tasks, tmp_path: Path
    ) -> None:
        there, here = tmp_path / "there.beeline", tmp_path / "here.beeline"
        call = [sys.executable, "-c", BEELINE, "learn", few_blocks[0], *few_blocks[1]]
        options = ["-o", str(there), "--jobs", "2", "--rounds", "2", "--neighbours", "set"]
        subprocess.run(
            [*call, *options, "--no-h-ff", "--quiet"],
            env={**os.environ, "PYTHONHASHSEED": "1"},  # this process has another one
            check=True,
            capture_output=True,
        )
        learned(few_blocks)[0].save(here)
        assert here.read_bytes() == there.read_bytes()


@pytest.mark.usefixtures("few_candidates")
class TestPlansOfTheUser:
    @pytest.fixture
    def plans(self, few_blocks: Tasks, tmp_path: Path) -> Path:
        """A folder with plans of all tasks but the last."""
        for file in few_blocks[1][:-1]:
            steps = solve(beeline.load(few_blocks[0], file)).plan
            assert steps is not None
            path = tmp_path / f"{Path(file).stem}.plan"
            write_plan(path, steps)
        return tmp_path

    def test_they_are_learned_from(self, few_blocks: Tasks, plans: Path) -> None:
        model, _ = learned(few_blocks, plans=plans)
        sources = model.summary["tasks"]["plans_by"]
        assert sources.keys() <= {"given", "astar", "model"}  # a model may have found better ones
        assert sources["given"] + sources.get("model", 0) == len(few_blocks[1]) - 1
        assert sources["astar"] == 1

    def test_a_wrong_step_is_refused_by_its_line(self, few_blocks: Tasks, plans: Path) -> None:
        path = plans / f"{Path(few_blocks[1][2]).stem}.plan"
        lines = path.read_text().splitlines()
        path.write_text("\n".join([lines[0], lines[0], *lines[1:]]))  # not twice in a row
        with pytest.raises(BeelineError, match="does not fit the task") as caught:
            learned(few_blocks, plans=plans)
        assert (caught.value.file, caught.value.line) == (str(path), 2)

    def test_a_plan_that_stops_short_is_refused(self, few_blocks: Tasks, plans: Path) -> None:
        path = plans / f"{Path(few_blocks[1][2]).stem}.plan"
        path.write_text(path.read_text().splitlines()[0])
        with pytest.raises(BeelineError, match="does not fit the task") as caught:
            learned(few_blocks, plans=plans)
        assert caught.value.file == str(path)

    def test_their_folder_must_exist(self, few_blocks: Tasks, tmp_path: Path) -> None:
        with pytest.raises(BeelineError, match="no such folder of plans"):
            learned(few_blocks, plans=tmp_path / "none")


@pytest.mark.usefixtures("few_candidates")
class TestOddSets:
    def test_the_same_task_twice_counts_once(self, few_blocks: Tasks, tmp_path: Path) -> None:
        copy = tmp_path / "z-copy.pddl"  # the first one by name is kept
        copy.write_text(Path(few_blocks[1][0]).read_text())
        model, warnings = learned((few_blocks[0], [str(copy), *few_blocks[1]]))
        assert model.summary["tasks"]["given"] == len(few_blocks[1])
        twin = Path(few_blocks[1][0]).stem
        assert f"z-copy is the same task as {twin} and is left out" in warnings

    def test_few_equal_and_easy_tasks_are_learned_from_with_warnings(self, tmp_path: Path) -> None:
        files = [
            lamp_task(tmp_path, "one", 3, "(on l0)"),
            lamp_task(tmp_path, "two", 3, "(and (on l0) (on l1))"),
        ]
        model, warnings = learned((lamp_domain(tmp_path), files))
        few, alike, easy = warnings
        assert few.startswith("2 tasks to learn from, and variants of them; 10 or more")
        assert alike.startswith("all tasks have 3 objects: ")
        assert easy.startswith("every task has a plan of at most 3 steps: too easy")
        assert model.summary["tasks"]["longest_plan"] == 2

    def test_one_single_task_is_enough_for_a_model(self, few_blocks: Tasks) -> None:
        model, (warning,) = learned((few_blocks[0], few_blocks[1][-1:]))
        assert warning.startswith("one task to learn from, ")
        task = beeline.load(few_blocks[0], few_blocks[1][-1])
        assert plan(model, task, fallback=False, max_expansions=1000).plan is not None

    def test_tasks_that_teach_nothing_are_left_out(self, tmp_path: Path) -> None:
        files = [lamp_task(tmp_path, f"p{count}", count) for count in range(4, 9)]
        files += [
            lamp_task(tmp_path, "trivial", 3, "(off l0)"),
            lamp_task(tmp_path, "trivial-too", 4, "(off l0)"),
            lamp_task(tmp_path, "impossible", 3, "(and (on l0) (off l0))"),
        ]
        model, warnings = learned((lamp_domain(tmp_path), files))
        assert model.summary["tasks"]["with_plans"] == 5
        assert [each for each in warnings if each.endswith("left out")] == [
            "trivial and 1 more have nothing to do: the goal holds in the beginning; left out",
            "impossible has no plan; left out",
        ]

    @pytest.mark.parametrize("goal", ["(off l0)", "(and (on l0) (off l0))"])
    def test_nothing_else_is_an_error(self, tmp_path: Path, goal: str) -> None:
        domain = lamp_domain(tmp_path)
        files = [lamp_task(tmp_path, f"p{count}", count, goal) for count in (2, 3)]
        with pytest.raises(BeelineError, match="no plan was found for any of the 2 tasks") as error:
            learned((domain, files))
        assert error.value.file == domain
        assert error.value.hint is not None

    @pytest.mark.parametrize("improvement", [True, False])
    def test_tasks_without_a_plan_within_limits_are_left_to_the_model(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        in_place: type[WorkshopInPlace],
        improvement: bool,
    ) -> None:
        in_place.die_in = None if improvement else "improving plans"

        def few_evaluations(_: float, task: GroundTask, __: int) -> int:
            return 2 if task.num_operators > 60 else 10_000

        monkeypatch.setattr(finding_plans, "evaluations", few_evaluations)
        domain = tmp_path / "domain.pddl"
        domain.write_text(PUZZLE)
        sizes = [(2, 2, 2), (2, 2, 8), (3, 2, 3), (3, 2, 4), (3, 2, 5)]
        files = []
        for width, height, seed in sizes:
            files.append(str(tmp_path / f"p{seed}.pddl"))
            Path(files[-1]).write_text(puzzle_task(width, height, seed))
        model, warnings = learned((str(domain), files))
        tasks = model.summary["tasks"]
        assert tasks["plans_by"]["astar"] == 2
        assert tasks["with_plans"] == 2 + tasks["plans_by"].get("model", 0)
        if improvement:
            assert tasks["plans_by"]["model"] > 0
        else:
            said = "only 2 of 5 tasks have a plan; add smaller tasks, or give plans with --plans"
            assert said in warnings

    def test_a_domain_without_actions_is_refused(self, tmp_path: Path) -> None:
        domain = tmp_path / "domain.pddl"
        domain.write_text("(define (domain lamps) (:predicates (on ?l) (off ?l)))")
        with pytest.raises(BeelineError, match="the domain 'lamps' has no actions") as caught:
            learned((str(domain), [lamp_task(tmp_path, "p", 2)]))
        assert caught.value.file == str(domain)

    def test_tasks_of_equal_names_in_unlike_folders_are_all_learned_from(
        self, tmp_path: Path
    ) -> None:
        files = []
        for count in (4, 5):
            folder = tmp_path / f"of{count}"
            folder.mkdir()
            files.append(lamp_task(folder, "p", count))
        model, _ = learned((lamp_domain(tmp_path), files))
        assert model.summary["tasks"]["with_plans"] == 2


@pytest.mark.usefixtures("few_candidates")
class TestAnEarlyEnd:
    @pytest.fixture
    def tasks(self, few_blocks: Tasks, tmp_path: Path) -> Tasks:
        """With a plan that is not known to be optimal, so that improvement has something to do."""
        file = few_blocks[1][-1]
        steps = solve(beeline.load(few_blocks[0], file)).plan
        assert steps is not None
        path = tmp_path / f"{Path(file).stem}.plan"
        write_plan(path, steps)
        return few_blocks[0], [*few_blocks[1][1:4], file]

    def test_all_phases_take_place(
        self, tasks: Tasks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        made: list[WorkshopInPlace] = []

        def workshop(*given: Any, **options: Any) -> WorkshopInPlace:
            made.append(WorkshopInPlace(*given, **options))
            return made[-1]

        monkeypatch.setattr("beeline.learning.learn.Workshop", workshop)
        learned(tasks, plans=tmp_path)
        kinds = list(dict.fromkeys(re.sub(r" \(.*", "", name) for name in made[0].phases))
        assert kinds[:3] == ["planning", "making more tasks", "making larger tasks"]
        ranked = ["fitting operators", "ranking operators"]
        assert [each for each in kinds if each in ranked] == ranked
        kinds = [each for each in kinds if each not in ranked]
        assert kinds[3:6] == ["fitting", "choosing", "improving plans"]
        assert kinds[-4:-1] == ["last fit", "checking the last fit", "choosing the style of search"]
        assert kinds[-1] == "leaving out features"

    @pytest.mark.parametrize("phase", ["planning", "fitting"])
    def test_before_the_first_fit_there_is_no_model(
        self, tasks: Tasks, phase: str, in_place: type[WorkshopInPlace]
    ) -> None:
        in_place.stop_in = phase
        with pytest.raises(NoModelError, match="someone said so before there was a model"):
            learned(tasks)

    @pytest.mark.parametrize(
        "phase",
        [
            *("choosing", "improving plans", "last fit", "checking the last fit"),
            *("choosing the style of search", "leaving out features"),
        ],
    )
    def test_after_it_the_best_model_so_far_is_kept(
        self, tasks: Tasks, tmp_path: Path, phase: str, in_place: type[WorkshopInPlace]
    ) -> None:
        in_place.stop_in = phase
        model, warnings = learned(tasks, plans=tmp_path)
        assert "someone said so: the model is the best one so far" in warnings
        model.save(tmp_path / "m.beeline")
        task = beeline.load(tasks[0], tasks[1][0])
        assert plan(model, task).plan is not None

    def test_workers_that_all_die_while_fitting_are_an_error(
        self, tasks: Tasks, in_place: type[WorkshopInPlace]
    ) -> None:
        in_place.die_in = "fitting"
        with pytest.raises(BeelineError, match="all workers died while fitting"):
            learned(tasks)

    @pytest.mark.parametrize("phase", ["choosing", "improving plans", "checking", "leaving out"])
    def test_workers_that_all_die_while_planning_have_solved_nothing(
        self, tasks: Tasks, tmp_path: Path, phase: str, in_place: type[WorkshopInPlace]
    ) -> None:
        in_place.die_in = phase
        model, _ = learned(tasks, plans=tmp_path)
        assert model.scorer.num_features > 0

    @pytest.mark.parametrize("limit", ["time_limit", "memory_limit"])
    @pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf")])
    def test_senseless_limits_are_refused(
        self, few_blocks: Tasks, limit: str, value: float
    ) -> None:
        with pytest.raises(BeelineError, match=limit.replace("_", " ")):
            learned(few_blocks, **{limit: value})
