"""Deadlines ring once, and leave nothing behind."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from beeline.core.limits import TimeIsUp, alarm


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
