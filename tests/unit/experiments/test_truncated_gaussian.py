"""The whole experiment on a tiny scale."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from admissible_bounds import datasets, grid, training
from admissible_bounds.datasets import SetSettings
from admissible_bounds.grid import Choice, training_runs
from truncated_gaussian import main

import beeline
from beeline.core.errors import BeelineError
from beeline.data.manifest import Manifest

if TYPE_CHECKING:
    from pathlib import Path

TINY = {
    "train": SetSettings("seed003-train", 1, 2000, 6),
    "val": SetSettings("seed003-val", 2, 2000, 3),
    "test": SetSettings("seed003-val", 3, 2000, 3, ("--attempts", "3")),
}
WORDS = ["--domains", "ferry", "--models", "linear", "--steps-scale", "0.002", "--seeds", "1"]
WORDS += ["--tasks", "1", "--max-evaluations", "40", "--jobs", "1"]

FOLDERS = ("training", "planning")


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(datasets, "SETS", TINY)
        words = ["-o", str(folder / "results"), "--data", str(folder), *WORDS]
        assert main([*words, "--stage", "data"]) == 0
    return folder


def errors_in(report: str) -> str:
    return next(line for line in report.splitlines() if "| MSE | here |" in line)


def test_every_stage_leaves_records_and_is_not_repeated(
    sets: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["-o", str(tmp_path), "--data", str(sets), *WORDS]
    assert main(words) == 0
    trained, searched = (sorted(tmp_path.joinpath(name).rglob("*.json")) for name in FOLDERS)
    assert (len(trained), len(searched)) == (8, 7)
    record = json.loads(trained[0].read_text())
    assert record["settings"]["steps"] == 0.002 * grid.STEPS["linear"]["ferry"]
    assert set(record["test"]) == {"mse", "mse_clip", "nll", "nll_clip"}
    model = beeline.load_model(tmp_path / "models" / f"{trained[0].stem}.beeline")
    assert model.domain_name == "ferry"
    whole = tmp_path.joinpath("report.md").read_text()
    assert "| ferry | train | seed003-train | 6 of 6 |" in whole
    assert "| TN has a smaller error than N and N+clip with learn/ff |" in whole
    assert "–" not in errors_in(whole)

    times = [path.stat().st_mtime_ns for path in (*trained, *searched)]
    capsys.readouterr()
    assert main(words) == 0
    assert "8 of 8 runs have records" in capsys.readouterr().out
    assert [path.stat().st_mtime_ns for path in (*trained, *searched)] == times
    assert tmp_path.joinpath("report.md").read_text() == whole

    trained[0].unlink()
    assert main([*words, "--stage", "report"]) == 0
    assert "–" in errors_in(tmp_path.joinpath("report.md").read_text())


def test_large_test_sets_are_sampled_once_for_all(
    sets: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = training.domain_inputs.__wrapped__("linear", "ferry", str(sets)).parts["test"]
    monkeypatch.setattr(training, "MAX_TEST_SECONDS", 1e-4)
    some, again = (
        training.domain_inputs.__wrapped__("linear", "ferry", str(sets)).parts["test"]
        for _ in range(2)
    )
    assert whole.of == len(whole.inputs) == some.of > len(some.inputs) > 0
    assert len(some.labelled["ff"]) == len(some.labelled["none"]) == len(some.inputs)
    rows = np.arange(len(some.inputs))
    features = some.inputs.batch(rows)
    assert np.array_equal(features, again.inputs.batch(rows))
    # The second feature is h_FF, which labels have, too: rows belong together.
    assert features[:, 1].tolist() == some.labelled["none"].ff.tolist()


def test_runs_with_the_same_inputs_follow_each_other() -> None:
    runs = training_runs(Choice())
    groups = [(run.model, run.domain) for run in runs]
    changes = sum(one != other for one, other in pairwise(groups))
    assert changes + 1 == len(set(groups)) == 9
    assert len({run.key for run in runs}) == len(runs) == 9 * 8 * 2
    assert {run.domain for run in runs if run.model == "hgn"} == {"visitall"}


def test_training_needs_complete_sets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-o", str(tmp_path), *WORDS, "--stage", "train"]) == 1
    assert "run the stage 'data' first" in capsys.readouterr().err


def test_a_set_of_another_domain_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "train" / "ferry"
    place.mkdir(parents=True)
    other = Manifest("0", {"generator": "gripper"}, 1, {}, "", 1, ["train"], {"instances": 1})
    other.write(place)
    with pytest.raises(BeelineError, match="generator 'gripper'"):
        datasets.complete_manifest(place, "ferry", "train")
