"""Running suites: records, what is repeated and what is not, limits and failures."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from typing import TYPE_CHECKING

import executor_jobs
import pytest
from suites import FF, records, run_in_place, write_suite

from beeline.backends.local import LocalExecutor
from beeline.core.errors import BeelineError
from beeline.core.records import Glance, WorkerDiedError, code_version
from beeline.evaluate.evaluation import evaluate_suite, list_runs, planned_runs
from beeline.evaluate.record_reading import read_records
from beeline.evaluate.single_run import failed_outcome, outcome
from beeline.evaluate.suite import read_suite
from beeline.models.model_file import load_model, packaged_path

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    run_in_place(monkeypatch)


@pytest.mark.usefixtures("in_place")
class TestRecords:
    def test_a_record_says_what_was_run_and_what_came_out(self, tmp_path: Path) -> None:
        suite = write_suite(tmp_path, FF + "[limits]\ntime = 60\n")
        evaluate_suite(suite, tmp_path / "records")
        record = records(tmp_path / "records")["lamps/p01--ff--seed0"]
        assert record["settings"]["search"]["heuristics"] == ["ff"]
        assert record["total_time"] >= record["search_time"] > 0
        assert record["peak_memory"] > 2**20
        assert 0 < record["processor_time"] < 60
        varying = ("settings", "search_time", "total_time", "processor_time", "peak_memory")
        assert {key: record[key] for key in record if key not in varying} == {
            "code": code_version(),
            "format": 1,
            "domain": "lamps",
            "task": "p01",
            "configuration": "ff",
            "seed": 0,
            "status": "solved",
            "reason": None,
            "cost": 2,
            "length": 2,
            "expanded": 3,
            "evaluated": 4,
            "generated": 3,
            "initial_h": 2.0,
            "cost_bound": None,
            "limits": {"time": 60.0, "memory": None, "evaluations": None, "expansions": None},
            "plan": ["(switch l1)", "(switch l0)"],
        }

    def test_the_suite_is_told_without_dates_or_names_of_machines(self, tmp_path: Path) -> None:
        evaluate_suite(write_suite(tmp_path), tmp_path / "records")
        told = json.loads((tmp_path / "records" / "suite.json").read_text())
        assert (told["name"], told["runs"], told["tasks"]) == ("lamps", 2, {"lamps": 2})
        assert told["configurations"] == [{"name": "ff", "heuristic": "ff", "seeds": [0]}]
        assert set(told["machine"]) == {"cores", "memory", "platform"}

    def test_what_has_a_record_is_not_repeated(self, tmp_path: Path) -> None:
        suite, folder = write_suite(tmp_path), tmp_path / "records"
        glances: list[Glance] = []
        assert evaluate_suite(suite, folder, progress=glances.append).made == 2
        assert [(glance.done, glance.total) for glance in glances] == [(1, 2), (2, 2)]
        texts = {path: path.read_bytes() for path in folder.rglob("*.json")}
        assert evaluate_suite(suite, folder).made == 0
        assert {path: path.read_bytes() for path in folder.rglob("*.json")} == texts

    def test_what_changes_is_repeated_and_nothing_else(self, tmp_path: Path) -> None:
        suite, folder = write_suite(tmp_path), tmp_path / "records"
        evaluate_suite(suite, folder)
        write_suite(tmp_path, sizes=(2, 4))
        assert [state.value for _, state in list_runs(suite, folder)] == ["done", "changed"]
        assert evaluate_suite(suite, folder).made == 1
        assert records(folder)["lamps/p02--ff--seed0"]["cost"] == 4

    def test_a_broken_record_is_made_again(self, tmp_path: Path) -> None:
        suite, folder = write_suite(tmp_path), tmp_path / "records"
        evaluate_suite(suite, folder)
        (folder / "runs" / "lamps" / "p01--ff--seed0.json").write_text('{"format": 1, "se')
        assert evaluate_suite(suite, folder).made == 1
        assert records(folder)["lamps/p01--ff--seed0"]["status"] == "solved"

    def test_records_of_other_code_count_and_are_told(self, tmp_path: Path) -> None:
        suite, folder = write_suite(tmp_path), tmp_path / "records"
        assert evaluate_suite(suite, folder).other_versions == 0
        path = folder / "runs" / "lamps" / "p01--ff--seed0.json"
        record = json.loads(path.read_text())
        del record["code"]  # as in records that are older than this field
        path.write_text(json.dumps(record))
        evaluation = evaluate_suite(suite, folder)
        assert (evaluation.made, evaluation.other_versions) == (0, 1)

    def test_records_that_are_not_of_the_suite_are_counted(self, tmp_path: Path) -> None:
        suite, folder = write_suite(tmp_path), tmp_path / "records"
        evaluate_suite(suite, folder)
        (tmp_path / "tasks" / "p02.pddl").unlink()
        evaluation = evaluate_suite(suite, folder)
        assert (evaluation.runs, evaluation.other_records) == (1, 1)

    def test_records_of_another_suite_are_left_alone(self, tmp_path: Path) -> None:
        suite, folder = write_suite(tmp_path), tmp_path / "records"
        evaluate_suite(suite, folder)
        suite.write_text(suite.read_text().replace('"lamps"', '"others"'))
        with pytest.raises(BeelineError, match="records of the suite 'lamps'"):
            evaluate_suite(suite, folder)

    def test_a_task_that_cannot_be_read_fails_alone(self, tmp_path: Path) -> None:
        suite, folder = write_suite(tmp_path), tmp_path / "records"
        task = tmp_path / "tasks" / "p01.pddl"
        task.write_text(task.read_text().replace("(on l0)", "(off l0)"))
        evaluation = evaluate_suite(suite, folder)
        assert evaluation.statuses == {"ff": {"failed": 1, "solved": 1}}
        record = records(folder)["lamps/p01--ff--seed0"]
        assert "p01.pddl:1: " in record["reason"]
        assert (record["status"], record["cost"], record["plan"]) == ("failed", None, None)
        assert evaluate_suite(suite, folder).made == 0
        assert evaluate_suite(suite, folder, retry_failed=True).made == 1

    def test_limits_are_statuses(self, tmp_path: Path) -> None:
        suite = write_suite(tmp_path, FF + "[limits]\nevaluations = 1\n")
        assert evaluate_suite(suite, tmp_path / "a").statuses == {"ff": {"evaluation_limit": 2}}
        suite = write_suite(tmp_path, FF + "[limits]\ntime = 1e-6\n")
        assert evaluate_suite(suite, tmp_path / "b").statuses == {"ff": {"time_limit": 2}}
        suite = write_suite(tmp_path, FF + "[limits]\nprocessor_time = 1e-6\n")
        assert evaluate_suite(suite, tmp_path / "c").statuses == {"ff": {"time_limit": 2}}
        (run, _) = read_records(tmp_path / "c").runs
        assert (run.time_limit, run.processor_time_limit) == (None, 1e-6)

    def test_a_model_plans_alone_or_guides_a_search(self, tmp_path: Path) -> None:
        suite = tmp_path / "suite.toml"
        suite.write_text("""name = "learned"
            [[tasks]]
            generator = "gripper"
            parameters = { balls = 2 }
            [[configurations]]
            name = "plan"
            model = "auto"
            fallback = false
            [[configurations]]
            name = "search"
            model = "packaged:{domain}"
            search = "wastar"
            heuristic = "model,ff"
        """)
        evaluation = evaluate_suite(suite, tmp_path / "records")
        assert evaluation.statuses == {"plan": {"solved": 1}, "search": {"solved": 1}}
        made = records(tmp_path / "records").values()
        assert [record["settings"]["search"]["search"] for record in made] == ["learned", "wastar"]


def test_files_that_change_under_a_suite_are_noticed(tmp_path: Path) -> None:
    suite = tmp_path / "suite.toml"
    model = tmp_path / "gripper.beeline"
    model.write_bytes(packaged_path("gripper").read_bytes())
    tasks = '[[tasks]]\ngenerator = "gripper"\nparameters = { balls = 1 }\n'
    suite.write_text(f'name = "m"\n{tasks}[[configurations]]\nname = "m"\nmodel = "{model}"\n')
    (run,) = planned_runs(read_suite(suite))
    assert outcome(run)["status"] == "solved"
    changed = replace(load_model("gripper"), seed=99)
    changed.save(model)
    found = outcome(run)
    assert (found["status"], found["plan"]) == ("failed", None)
    assert "gripper.beeline: has changed" in found["reason"]


@pytest.mark.parametrize(
    ("number", "status", "words"),
    [
        (signal.SIGXCPU, "time_limit", "after its time limit"),
        (signal.SIGKILL, "failed", "perhaps the machine ran out of memory"),
        (signal.SIGSEGV, "failed", "it died"),
    ],
)
def test_a_run_that_was_killed_is_recorded_with_the_reason(
    number: int, status: str, words: str
) -> None:
    found = failed_outcome(WorkerDiedError("it died", number))
    assert found["status"] == status
    assert words in found["reason"]


def test_the_system_enforces_limits_that_nobody_watches() -> None:
    with LocalExecutor(2, isolated=True) as executor:
        executor.submit("time", executor_jobs.burn, 0.01)
        executor.submit("memory", executor_jobs.hoard, 200)
        ended = {each.key: each for each in executor.finished()}
    assert ended["memory"].result() == "refused"
    assert isinstance(ended["time"].error, WorkerDiedError)
    assert failed_outcome(ended["time"].error)["status"] == "time_limit"


def test_the_memory_limit_holds_for_each_process(tmp_path: Path) -> None:
    suite = tmp_path / "suite.toml"
    hard = '[[tasks]]\ngenerator = "blocksworld"\nparameters = { blocks = 60 }\n'
    easy = '[[tasks]]\ngenerator = "gripper"\nparameters = { balls = 1 }\n'
    configuration = '[[configurations]]\nname = "bfs"\nsearch = "bfs"\n'
    limits = '[limits]\nmemory = "60M"\n'
    suite.write_text(f'name = "memory"\n{hard}{easy}{configuration}{limits}')
    with LocalExecutor(1, isolated=True) as executor:
        for run in planned_runs(read_suite(suite)):
            executor.submit(run.task.domain, outcome, run)
        ended = {each.key: each.result() for each in executor.finished()}
    assert ended["blocksworld"]["status"] == "memory_limit"
    assert ended["blocksworld"]["peak_memory"] <= 60 * 2**20
    assert ended["gripper"]["status"] == "solved"
    assert ended["gripper"]["peak_memory"] < ended["blocksworld"]["peak_memory"]
