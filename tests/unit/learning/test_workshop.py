"""Jobs of learning: in order, under limits, stopped by signals, with workers that die."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from workshop_jobs import die_if_odd, square, wait

from beeline.backends import Workers
from beeline.learning.workshop import Phase, Stopped, Workshop, stopping_by


def test_values_come_in_the_order_of_the_jobs() -> None:
    phases: list[Phase] = []
    with Workshop(Workers("local", 2), progress=phases.append) as workshop:
        assert workshop.run("squares", square, range(5)) == [0, 1, 4, 9, 16]
        assert workshop.run("nothing", square, []) == []
    assert phases[0] == ("squares", 0, 5)
    assert phases[5] == ("squares", 5, 5)


def test_a_worker_that_dies_costs_its_own_job_only() -> None:
    with Workshop(Workers("local", 1)) as workshop:
        assert workshop.run("deaths", die_if_odd, [0, 1, 2]) == [0, None, 2]


def test_an_error_in_a_job_is_an_error_here() -> None:
    with Workshop(Workers("local", 1)) as workshop:
        with pytest.raises(TypeError):
            workshop.run("errors", square, ["a", "b"])
        assert workshop.run("squares", square, [3]) == [9]  # nothing is left of the other jobs


def test_at_the_end_of_its_share_a_phase_gives_what_it_has() -> None:
    with Workshop(Workers("local", 2), time_limit=6.0) as workshop:
        values = workshop.run("waiting", wait, [0.0, 30.0], share=0.5)
        assert values == [0.0, None]
        assert workshop.run("squares", square, [2]) == [4]


def test_at_the_time_limit_learning_stops() -> None:
    with (
        Workshop(Workers("local", 1), time_limit=0.5) as workshop,
        pytest.raises(Stopped, match="time limit"),
    ):
        workshop.run("waiting", wait, [30.0])


def test_a_signal_stops_the_work() -> None:
    timer = threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGTERM))
    timer.start()
    with (
        Workshop(Workers("local", 1)) as workshop,
        pytest.raises(Stopped, match="SIGTERM"),
        stopping_by([signal.SIGTERM]),
    ):
        workshop.run("waiting", wait, [30.0])
    timer.join()
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
