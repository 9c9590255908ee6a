"""From one task to a model of its state space."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import pytest
from one_state_space import walk

import beeline
from beeline.core.errors import BeelineError
from beeline.generators import generate
from beeline.learning import learn_task as per_task
from beeline.learning.learn_task import TaskGlance, learn_task
from beeline.models.model_file import to_bytes
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from pathlib import Path

    from beeline.task.ground_task import GroundTask

SMALL: dict[str, Any] = {"count": 60, "hidden": 16, "epochs": 4}


def blocks(count: int = 4, seed: int = 1) -> GroundTask:
    return ground(generate("blocksworld", seed=seed, blocks=count))


def test_both_networks_are_learned_from_samples_of_their_own() -> None:
    seen: list[TaskGlance] = []
    model = learn_task(blocks(), **SMALL, progress=seen.append)
    samples, networks = model.summary["samples"], model.summary["networks"]
    assert 0 < samples["heuristic"]["random"] <= 12  # a fifth
    assert samples["operators"]["random"] == 0
    assert samples["operators"]["distinct"] == samples["operators"]["samples"] == 60
    assert networks["heuristic"]["epochs"] == networks["operators"]["epochs"] == 4
    assert [(each.network, each.epoch) for each in seen] == [
        (name, epoch) for name in per_task.NETWORKS for epoch in range(1, 5)
    ]
    assert beeline.plan(model, blocks()).status is beeline.Status.SOLVED


def test_a_learned_heuristic_is_close_to_the_truth() -> None:
    task = walk()
    model = learn_task(task, count=60, hidden=32, epochs=150, learning_rate=3e-3)
    result = beeline.solve(task, "gbfs", model, preferred=model)
    assert result.initial_h == pytest.approx(4.0, abs=1.0)
    assert result.expanded < beeline.solve(task, "gbfs", "blind").expanded


def test_equal_calls_give_equal_models() -> None:
    first, again = (learn_task(blocks(3), **SMALL, seed=5) for _ in range(2))
    assert to_bytes(first) == to_bytes(again)
    assert to_bytes(first) != to_bytes(learn_task(blocks(3), **SMALL, seed=6))


def test_a_folder_keeps_what_was_trained(tmp_path: Path) -> None:
    first = learn_task(blocks(3), **SMALL, folder=tmp_path)

    def never(_: TaskGlance) -> None:
        raise AssertionError

    again = learn_task(blocks(3), **SMALL, folder=tmp_path, progress=never)
    assert to_bytes(first) == to_bytes(again)


@pytest.mark.parametrize(("network", "left"), [("heuristic", 1), ("operators", 2)])
def test_ctrl_c_gives_the_best_model_so_far(network: str, left: int) -> None:
    def interrupt(glance: TaskGlance) -> None:
        if (glance.network, glance.epoch) == (network, 3):
            signal.raise_signal(signal.SIGINT)

    warnings: list[str] = []
    settings = {**SMALL, "epochs": 10_000}
    model = learn_task(
        blocks(3),
        **settings,
        patience=10_000 if network == "heuristic" else 3,
        progress=interrupt,
        warn=warnings.append,
    )
    assert len(model.networks) == left
    assert model.summary["networks"][network]["epochs"] in (3, 4)
    assert f"interrupted: the weights for the {network} are the best ones so far" in warnings


def test_the_time_limit_is_for_both_networks() -> None:
    settings = {**SMALL, "epochs": 100_000}
    model = learn_task(blocks(3), **settings, patience=100_000, time_limit=0.6)
    assert len(model.networks) == 2
    assert {each["ended_by"] for each in model.summary["networks"].values()} == {"time_limit"}


def test_how_many_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    task = blocks(4)  # 125 states, and as many with a block in the hand
    count = per_task._sample_count
    assert count(task, 77, None) == 77
    assert count(task, None, None) == per_task.LEAST_SAMPLES
    assert count(task, None, 10.0) < count(task, None, 20.0) < 100
    monkeypatch.setattr(per_task, "MOST_STATES", 100)
    assert count(task, None, None) == per_task.DEFAULT_COUNT
    with pytest.raises(BeelineError, match="a count and a percentage"):
        learn_task(task, count=1, percent=1.0)


def test_one_network_may_be_enough() -> None:
    model = learn_task(blocks(3), **SMALL, networks=("operators",))
    assert not model.has_heuristic
    assert model.has_preferred
    with pytest.raises(BeelineError, match="there are heuristic, operators"):
        learn_task(blocks(3), networks=("policy",))


def test_a_task_without_a_plan_has_nothing_to_learn() -> None:
    with pytest.raises(BeelineError, match="unsolvable"):
        learn_task(walk(at="b", seen="", goal="abcde", one_way=True), count=10)
