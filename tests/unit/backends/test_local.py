from __future__ import annotations

import operator
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import executor_jobs
import pytest
from processes import any_running, wait_until

from beeline.backends import BACKENDS, Workers
from beeline.backends.local import LocalExecutor
from beeline.core.errors import BeelineError
from beeline.core.records import WorkerDiedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCRIPT = """
import sys
from beeline.backends.local import LocalExecutor
from executor_jobs import note_and_sleep
with LocalExecutor(2) as executor:
    for number in range(4):
        executor.submit(str(number), note_and_sleep, sys.argv[1], 60.0)
    list(executor.finished())
"""


@pytest.fixture
def executor() -> Iterator[LocalExecutor]:
    with LocalExecutor(2) as made:
        yield made


def test_every_job_comes_back_once_with_its_value(executor: LocalExecutor) -> None:
    for number in range(50):
        executor.submit(str(number), operator.mul, number, 2)
    results = [(int(each.key), each.result()) for each in executor.finished()]
    assert sorted(results) == [(number, 2 * number) for number in range(50)]


def test_jobs_can_be_added_after_others_have_finished(executor: LocalExecutor) -> None:
    executor.submit("a", operator.add, 1, 1)
    assert [each.value for each in executor.finished()] == [2]
    executor.submit("b", operator.add, 2, 2)
    assert [each.value for each in executor.finished()] == [4]


def test_an_error_belongs_to_its_job_alone(executor: LocalExecutor) -> None:
    executor.submit("bad", executor_jobs.fail, "no such type")
    executor.submit("good", operator.add, 1, 2)
    ended = {each.key: each for each in executor.finished()}
    assert ended["good"].result() == 3
    with pytest.raises(BeelineError, match="no such type") as caught:
        ended["bad"].result()
    assert (caught.value.file, caught.value.line) == ("task.pddl", 3)


def test_an_error_that_cannot_travel_is_told_in_words(executor: LocalExecutor) -> None:
    executor.submit("bad", executor_jobs.fail_stubbornly, "cannot travel")
    (ended,) = executor.finished()
    with pytest.raises(RuntimeError, match="StubbornError: cannot travel"):
        ended.result()


def test_a_worker_that_dies_is_replaced_and_its_job_repeated(
    executor: LocalExecutor, tmp_path: Path
) -> None:
    for number in range(3):
        executor.submit(str(number), executor_jobs.die_unless_marked, str(tmp_path / str(number)))
    assert [each.result() for each in executor.finished()] == ["survived"] * 3


def test_a_job_that_kills_every_worker_fails_and_the_others_go_on(executor: LocalExecutor) -> None:
    executor.submit("deadly", executor_jobs.die)
    for number in range(4):
        executor.submit(str(number), operator.neg, number)
    ended = {each.key: each for each in executor.finished()}
    assert [ended[str(number)].result() for number in range(4)] == [0, -1, -2, -3]
    with pytest.raises(WorkerDiedError, match="signal 9 3 times"):
        ended["deadly"].result()


def test_closing_ends_busy_workers_at_once(tmp_path: Path) -> None:
    with LocalExecutor(2) as executor:
        for number in range(2):
            executor.submit(str(number), executor_jobs.note_and_sleep, str(tmp_path), 60.0)
        executor._assign()
        assert wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
        started = time.monotonic()
    assert time.monotonic() - started < 5
    assert not any_running([int(path.name) for path in tmp_path.iterdir()])


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_worker_outlives_the_program(number: int, tmp_path: Path) -> None:
    path = os.pathsep.join(sys.path)
    program = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": path},
        stderr=subprocess.DEVNULL,
    )
    assert wait_until(lambda: len(list(tmp_path.iterdir())) == 2)
    program.send_signal(number)
    program.wait(10)
    pids = [int(path.name) for path in tmp_path.iterdir()]
    assert wait_until(lambda: not any_running(pids), 10)


@pytest.mark.parametrize(
    ("name", "jobs", "message"),
    [("cluster", None, "unknown backend 'cluster'"), ("local", 0, "number of workers is 0")],
)
def test_nonsense_is_refused(name: str, jobs: int | None, message: str) -> None:
    with pytest.raises(BeelineError, match=message):
        Workers(name, jobs).executor()


def test_the_registry_names_each_backend_as_its_key() -> None:
    assert [entry.name for entry in BACKENDS.values()] == list(BACKENDS)


def test_ray_that_is_not_installed_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BeelineError, match=r"pip install .ray>="):
        Workers("ray").executor()


def test_a_worker_that_is_interrupted_while_it_starts_is_not_left_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen):  # type: ignore[type-arg]
        """The signal arrives when there is a process that nobody knows yet."""

        def __init__(self, *given: object, **named: object) -> None:
            super().__init__(*given, **named)  # type: ignore[call-overload]
            started.append(self)
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    executor = LocalExecutor(1)
    executor.submit("a", operator.add, 1, 1)
    with pytest.raises(KeyboardInterrupt):
        list(executor.finished())
    executor.give_up()
    assert [each.returncode for each in started] == [-signal.SIGKILL]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
