"""Jobs in processes of their own."""

from __future__ import annotations

import operator
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import executor_jobs
import pytest
from processes import any_running, wait_until

from beeline.backends.local import LocalExecutor
from beeline.core.records import WorkerDiedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCRIPT = """
import sys
from beeline.backends.local import LocalExecutor
from executor_jobs import note_and_sleep
with LocalExecutor(1, isolated=True) as executor:
    executor.submit("job", note_and_sleep, sys.argv[1], 60.0)
    list(executor.finished())
"""


@pytest.fixture
def executor() -> Iterator[LocalExecutor]:
    with LocalExecutor(1, isolated=True) as made:
        yield made


def test_each_job_has_a_process_of_its_own(executor: LocalExecutor, tmp_path: Path) -> None:
    for number in range(3):
        executor.submit(str(number), executor_jobs.note_and_sleep, str(tmp_path), 0.0)
    pids = {ended.result() for ended in executor.finished()}
    assert len(pids) == 3
    assert {int(path.name) for path in tmp_path.iterdir()} == pids
    assert not any_running(list(pids))


def test_a_job_that_dies_is_told_with_its_signal_and_not_repeated(
    executor: LocalExecutor, tmp_path: Path
) -> None:
    executor.submit("once", executor_jobs.die_unless_marked, str(tmp_path / "mark"))
    executor.submit("next", operator.add, 1, 2)
    ended = {each.key: each for each in executor.finished()}
    assert ended["next"].result() == 3
    with pytest.raises(WorkerDiedError, match="killed by signal 9") as caught:
        ended["once"].result()
    assert caught.value.signal == signal.SIGKILL


def test_a_job_that_ends_its_process_is_told(executor: LocalExecutor) -> None:
    executor.submit("exit", os._exit, 7)
    (ended,) = executor.finished()
    with pytest.raises(WorkerDiedError, match="ended with 7"):
        ended.result()


def test_large_values_and_errors_travel(executor: LocalExecutor) -> None:
    executor.submit("large", operator.mul, "x", 3_000_000)
    executor.submit("bad", executor_jobs.fail, "no such type")
    ended = {each.key: each for each in executor.finished()}
    assert len(ended["large"].result()) == 3_000_000
    assert "no such type" in str(ended["bad"].error)


def test_no_job_outlives_a_program_that_is_killed(tmp_path: Path) -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert wait_until(lambda: len(list(tmp_path.iterdir())) == 1)
    program.kill()
    program.wait(10)
    pids = [int(path.name) for path in tmp_path.iterdir()]
    assert wait_until(lambda: not any_running(pids), 10)
