"""A Ray cluster that is made for one run: whom it listens to, and how its jobs are given up."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import executor_jobs
import pytest
from processes import descendants, listening_addresses, wait_until
from workshop_jobs import square, wait

from beeline.backends import Workers
from beeline.backends.ray_backend import CLUSTERS
from beeline.learning.workshop import Workshop

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow  # to start a cluster takes ten seconds


@pytest.fixture(autouse=True)
def no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # where the jobs of tests are


def test_nobody_outside_this_machine_reaches_the_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ray._private import ray_constants

    monkeypatch.delenv(CLUSTERS, raising=False)
    monkeypatch.setattr(ray_constants, "ENABLE_RAY_CLUSTER", True)  # when someone imported Ray
    with Workers("ray", 1).executor() as executor:
        executor.submit("job", executor_jobs.note_and_sleep, str(tmp_path), 600.0)
        assert wait_until(lambda: list(tmp_path.iterdir()), 120)
        found = listening_addresses([os.getpid(), *descendants(os.getpid())])
    assert found == {"127.0.0.1"}
    assert ray_constants.ENABLE_RAY_CLUSTER  # clusters of others are as they want them
    assert CLUSTERS not in os.environ


def test_a_phase_of_learning_ends_in_time_and_the_cluster_goes_on() -> None:
    with Workshop(Workers("ray", 2), time_limit=120.0) as workshop:
        assert workshop.run("squares", square, [1, 2, 3]) == [1, 4, 9]
        assert workshop.run("waiting", wait, [0.0, 600.0], share=0.5) == [0.0, None]
        assert workshop.run("squares", square, [5]) == [25]
