"""TensorBoard events, and loss curves as pictures."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import pytest
from linear_states import train_linear

from beeline.core.errors import BeelineError
from beeline.fitting.logs import CSV_NAME, EVENTS_FOLDER, plot_curves, read_log

if TYPE_CHECKING:
    from pathlib import Path


def scalars(folder: Path, tag: str) -> list[tuple[int, float]]:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(folder / EVENTS_FOLDER))
    events.Reload()
    # Files that were begun within one second come in any order.
    return sorted((event.step, event.value) for event in events.Scalars(tag))


def test_events_of_a_resumed_run_are_those_of_the_table(tmp_path: Path) -> None:
    train_linear(tmp_path, steps=20, tensorboard=True)
    train_linear(tmp_path, steps=40, tensorboard=True)
    log = read_log(tmp_path / CSV_NAME)
    for tag, column in (("train/loss", "train_loss"), ("val/mse_clip", "val_mse_clip")):
        found = scalars(tmp_path, tag)
        assert [step for step, _ in found] == log["step"] == [10, 20, 30, 40]
        assert [value for _, value in found] == pytest.approx(log[column], rel=1e-6)


def test_without_tensorboard_training_says_so_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec

    def missing(name: str, *others: Any) -> Any:
        return None if name == "tensorboard" else find(name, *others)

    monkeypatch.setattr(importlib.util, "find_spec", missing)
    with pytest.warns(UserWarning, match=r"CSV only \(.* -m pip install .*tensorboard"):
        train_linear(tmp_path, steps=10, tensorboard=True)
    assert len(read_log(tmp_path / CSV_NAME)["step"]) == 1


def test_numbers_in_the_table_are_exact(tmp_path: Path) -> None:
    trained = train_linear(tmp_path)
    assert read_log(tmp_path / CSV_NAME) == trained.history


def test_broken_tables_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n")
    (tmp_path / "b.csv").write_text("step,train_loss\n10\n")
    with pytest.raises(BeelineError, match="not a log of training"):
        read_log(tmp_path / "a.csv")
    with pytest.raises(BeelineError, match="the log of training is broken"):
        read_log(tmp_path / "b.csv")


def test_curves_are_drawn_for_up_to_ten_runs(tmp_path: Path) -> None:
    history = {"step": [10.0, 20.0], "train_loss": [3.0, 1.0], "val_mse": [2.0, 0.5]}
    plot_curves({"seed 0": history, "seed 1": history}, tmp_path / "curves.png", title="ferry")
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(BeelineError, match="there are 0 runs"):
        plot_curves({}, tmp_path / "nothing.png")
    with pytest.raises(BeelineError, match="cannot draw the curves"):
        plot_curves({"seed 0": history}, tmp_path / "curves.docx")
