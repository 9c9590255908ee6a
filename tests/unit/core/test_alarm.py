"""Deadlines ring until they are heard, and leave nothing behind."""

from __future__ import annotations

import signal
import sys
import threading
import time

import pytest

from beeline.core.limits import Clock, TimeIsUp, alarm


def wait() -> None:
    while True:
        pass


@pytest.mark.parametrize("seconds", [-1, 0, 1e-6, 1e-5, 0.01])
def test_long_work_ends_and_the_clock_is_free_again(seconds: float) -> None:
    for _ in range(20):
        with pytest.raises(TimeIsUp), alarm(seconds):
            wait()
        assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_the_processor_has_a_clock_of_its_own() -> None:
    with alarm(None, 0.05):
        time.sleep(0.2)  # which is no work
    began = time.process_time()
    with pytest.raises(TimeIsUp), alarm(60, 0.05):
        wait()
    assert 0.05 <= time.process_time() - began < 1
    assert signal.getsignal(signal.SIGPROF) is signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_PROF)[0] == 0


def test_a_clock_keeps_something_for_what_comes_last() -> None:
    assert not Clock().is_nearly_up
    assert not Clock(60, 60).is_nearly_up
    assert not Clock(60).is_nearly_up
    late = Clock(0.1)
    time.sleep(0.098)
    assert late.is_nearly_up


def test_a_clock_knows_what_is_left_of_either_limit() -> None:
    idle = Clock(60, 0.05)
    time.sleep(0.1)
    assert not idle.is_up
    assert 59 < (idle.left() or 0) <= 59.9
    while not idle.has_worked_enough:
        pass
    assert idle.is_up
    assert idle.worked() >= 0.05
    with pytest.raises(TimeIsUp), idle.alarm():
        pass
    later = Clock(0.05, since=idle)
    assert later.is_up
    assert not later.has_worked_enough
    assert Clock().left() is None


@pytest.mark.parametrize("seconds", [None, 100, 1e300])
def test_short_work_is_not_disturbed(seconds: float | None) -> None:
    with alarm(seconds):
        done = True
    assert done
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_a_clock_in_use_is_left_alone() -> None:
    def handler(*_: object) -> None:
        pass

    signal.signal(signal.SIGALRM, handler)
    try:
        with alarm(0.001):
            time.sleep(0.01)
        assert signal.getsignal(signal.SIGALRM) is handler
    finally:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)


def test_other_threads_have_no_deadline() -> None:
    ended = []

    def work() -> None:
        with alarm(0.001):
            ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended == [True]


def test_a_bell_that_was_not_heard_rings_again(monkeypatch: pytest.MonkeyPatch) -> None:
    dropped: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda event: dropped.append(event.exc_type))

    class Slow:
        def __del__(self) -> None:  # Python drops what is raised in here
            while not dropped and time.perf_counter() < end:
                pass

    def work() -> None:
        Slow()
        wait()

    end = time.perf_counter() + 0.5
    with pytest.raises(TimeIsUp), alarm(0.01):
        work()
    assert dropped == [TimeIsUp]
