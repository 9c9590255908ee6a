"""Coverage reports from records, and runs under limits."""

from __future__ import annotations

import json
import math
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from coverage_report import markdown, read_records, summarise
from limited_process import LimitedRun, Limits, Stopped, run_limited
from planner_run import reason_of_failure, validate
from planners import Job

ORDER = ("lama-first", "mine")


def record(planner: str, domain: str, task: str, **fields: Any) -> dict[str, Any]:
    """A run that solved its task if it has a length."""
    solved = "length" in fields
    return {
        "planner": planner,
        "domain": domain,
        "task": task,
        "solved": solved,
        "reason": None if solved else "time_limit",
        "valid": True if solved else None,
        "length": None,
        "expanded": None,
        "cpu_seconds": 1.0,
        "peak_mb": 10.0,
        "limits": {"cpu_seconds": 60, "memory_gb": 8},
        **fields,
    }


RECORDS = [
    record("mine", "ferry", "easy-p10", length=20, expanded=20),
    record("mine", "ferry", "easy-p20", length=40, expanded=160),
    record("mine", "ferry", "easy-p30", length=7, expanded=7),
    record("mine", "spanner", "easy-p10", reason="invalid_plan", valid=False),
    record("lama-first", "ferry", "easy-p10", length=40, expanded=400),
    record("lama-first", "ferry", "easy-p20", length=20, expanded=200),
    record("lama-first", "ferry", "easy-p30"),
    record("lama-first", "spanner", "easy-p10", length=5, expanded=5),
]


def test_length_ratio_covers_tasks_that_both_solve() -> None:
    figures = summarise(RECORDS, ORDER)["domains"]["ferry"]["mine"]
    assert figures["length_tasks"] == 2
    assert figures["length_ratio"] == pytest.approx(math.sqrt(20 / 40 * 40 / 20))


def test_bee_line_ratio_covers_all_solved_tasks() -> None:
    figures = summarise(RECORDS, ORDER)["domains"]["ferry"]
    assert figures["mine"]["bee_line_ratio"] == pytest.approx(4 ** (1 / 3))
    assert figures["mine"]["bee_line_tasks"] == 3
    assert figures["lama-first"]["bee_line_ratio"] == pytest.approx(10)


def test_invalid_plans_do_not_count_as_solved() -> None:
    summary = summarise(RECORDS, ORDER)
    spanner = summary["domains"]["spanner"]["mine"]
    assert (spanner["solved"], spanner["invalid"]) == (0, 1)
    assert spanner["length_ratio"] is None
    total = summary["total"]["mine"]
    assert (total["solved"], total["runs"]) == (3, 4)
    assert total["failures"] == {"invalid_plan": 1}


def test_report_has_an_overview_and_a_table_per_domain() -> None:
    text = markdown(summarise(RECORDS, ORDER))
    assert "| solved | lama-first | mine |" in text
    assert "| total | 3 of 4 | 3 of 4 |" in text
    assert "| mine | 3 of 3 | 1.00 (2) | 1.59 (3) | 1.0 | 10 | – |" in text
    tables = [part for part in text.split("\n\n") if part.startswith("|")]
    assert [table.split(" | ")[0] for table in tables] == [
        "| solved",
        "| all domains",
        "| ferry",
        "| spanner",
    ]


def test_planners_without_records_of_a_domain_have_a_dash() -> None:
    text = markdown(summarise(RECORDS[:1] + RECORDS[7:], ORDER))
    assert "| ferry | – | 1 of 1 |" in text
    assert markdown(summarise([])) == "No records."


def test_records_of_different_limits_are_not_mixed(tmp_path: Path) -> None:
    other = {**RECORDS[0], "limits": {"cpu_seconds": 10, "memory_gb": 8}}
    for planner, each in (("a", RECORDS[0]), ("b", other)):
        (tmp_path / planner).mkdir()
        (tmp_path / planner / "ferry-easy-p10.json").write_text(json.dumps(each))
    with pytest.raises(SystemExit, match="different limits"):
        read_records(tmp_path)


def run_python(code: str, folder: Path, stop: threading.Event, **limits: float) -> LimitedRun:
    allowed: dict[str, Any] = {"cpu_seconds": 10, "memory_kb": 2**20, "wall_seconds": 30}
    return run_limited([sys.executable, "-c", code], folder, Limits(**{**allowed, **limits}), stop)


def test_processor_time_includes_child_processes(tmp_path: Path) -> None:
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {busy!r}])"
    assert run_python(code, tmp_path, threading.Event()).cpu_seconds >= 0.3


def test_processor_time_of_children_is_limited(tmp_path: Path) -> None:
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'while True: pass'])"
    run = run_python(code, tmp_path, threading.Event(), cpu_seconds=0.5)
    assert 0.5 < run.cpu_seconds < 10
    assert run.code != 0
    assert not run.guarded
    assert reason_of_failure(run, 0.5, None) == "time_limit"


def test_address_space_is_limited(tmp_path: Path) -> None:
    run = run_python("bytearray(2**31)", tmp_path, threading.Event())
    assert run.code == 1
    assert "MemoryError" in run.errors


def test_the_wall_clock_ends_a_sleeper_with_its_children(tmp_path: Path) -> None:
    sleeper = "import time; time.sleep(60)"
    code = (
        "import pathlib, subprocess, sys\n"
        f"child = subprocess.Popen([sys.executable, '-c', {sleeper!r}])\n"
        "pathlib.Path('child').write_text(str(child.pid))\n"
        "child.wait()"
    )
    run = run_python(code, tmp_path, threading.Event(), wall_seconds=1)
    assert run.guarded
    child = int((tmp_path / "child").read_text())
    assert_ends(child)
    assert reason_of_failure(run, 60, None) == "wall_clock_limit"


def assert_ends(pid: int) -> None:
    """The process is gone, or a zombie that nobody waits for."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        stat = Path(f"/proc/{pid}/stat")
        if stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z":
            return
        time.sleep(0.02)
    raise AssertionError(f"process {pid} is still there")


def test_stopping_ends_a_run_at_once(tmp_path: Path) -> None:
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    start = time.perf_counter()
    with pytest.raises(Stopped):
        run_python("import time; time.sleep(60)", tmp_path, stop)
    assert time.perf_counter() - start < 30


@pytest.mark.parametrize(
    ("cpu_seconds", "code", "valid", "reason"),
    [
        (59.0, 0, True, None),
        (60.5, 0, True, "time_limit"),
        (10.0, 0, False, "invalid_plan"),
        (10.0, 22, None, "memory_limit"),
        (10.0, 12, None, "incomplete"),
        (59.0, 23, None, "time_limit"),
        (30.0, 23, None, "wall_clock_limit"),
        (10.0, 35, None, "exit code 35"),
    ],
)
def test_reason_of_failure(
    cpu_seconds: float, code: int, valid: bool | None, reason: str | None
) -> None:
    run = LimitedRun(cpu_seconds, cpu_seconds, 0, "", "", code, guarded=False)
    assert reason_of_failure(run, 60, valid) == reason


def test_plans_are_validated_and_half_a_plan_is_not_valid(tmp_path: Path) -> None:
    example = Path(__file__).parents[3] / "examples" / "blocks"
    domain, task, plan = (example / name for name in ("domain.pddl", "task.pddl", "task.plan"))
    job = Job("blocks", "easy-p10", domain, task, 60, 60, 8, model=tmp_path / "none")
    verdict = validate(job, plan)
    assert verdict["valid"]
    assert verdict["length"] > 1
    half = tmp_path / "plan"
    for text in (plan.read_text().splitlines()[0], "(pick-up"):
        half.write_text(text)
        assert not validate(job, half)["valid"]
