"""Samples of one task on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from small_sets import digests, write_tasks

from beeline import load
from beeline.core.errors import BeelineError
from beeline.data.instances import read_instances
from beeline.data.reader import Dataset
from beeline.data.regression import regression_samples, true_facts
from beeline.data.regression_settings import RegressionSettings
from beeline.data.state_spaces import state_space_samples, write_regression, write_state_space
from beeline.data.summary import summarize, summarize_samples
from beeline.data.task_sets import given_tasks

SETTINGS = RegressionSettings(120, strategy="fsm", random_share=0.2, seed=5)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_tasks(tmp_path_factory.mktemp("tasks") / "blocks", count=1, blocks=4)


def sample(files: list[str], folder: Path, settings: RegressionSettings = SETTINGS) -> None:
    task = load(*files)
    samples = regression_samples(task, settings)
    write_regression(folder, given_tasks(files[0], files[1:]), task, settings, samples)


def enumerate_all(files: list[str], folder: Path, count: int | None = None) -> None:
    task = load(*files)
    samples = state_space_samples(task, count=count)
    write_state_space(folder, given_tasks(files[0], files[1:]), task, samples, count=count)


class TestRegression:
    def test_rows_are_the_samples(self, files: list[str], tmp_path: Path) -> None:
        sample(files, tmp_path / "set")
        task = load(*files)
        samples = regression_samples(task, SETTINGS)
        rows = list(Dataset(tmp_path / "set").states())
        assert len(rows) == len(samples)
        starts, items = true_facts(task, samples.values)
        for place, row in enumerate(rows):
            assert row["facts"] == items[starts[place] : starts[place + 1]].tolist()
            assert row["h"] == samples.estimates[place]
            assert row["is_random"] == samples.is_random[place]
            assert (row["depth"] is None) == row["is_random"]
            assert row["partial"] == [v for v in samples.partial[place].tolist() if v >= 0]
            begin, end = samples.preferred[0][place : place + 2]
            assert row["preferred"] == samples.preferred[1][begin:end].tolist()
            assert row["complete"]
        values = [tuple(row) for row in samples.values.tolist()]
        numbers = [row["state"] for row in rows]
        assert len(set(zip(numbers, values, strict=True))) == len(set(values)) == len(set(numbers))

    def test_the_instance_has_all_names(self, files: list[str], tmp_path: Path) -> None:
        sample(files, tmp_path / "set")
        task = load(*files)
        (row,) = Dataset(tmp_path / "set").instances()
        assert row["facts"] == task.fact_names
        assert row["operators"] == task.operator_names
        assert row["values"] == task.value_names
        assert row["costs"] == task.costs.tolist()
        assert row["task"] == Path(files[1]).read_text()

    def test_equal_seeds_write_equal_bytes(self, files: list[str], tmp_path: Path) -> None:
        for name in ("one", "two", "one"):
            sample(files, tmp_path / name)
        assert digests(tmp_path / "one") == digests(tmp_path / "two")

    def test_other_settings_are_refused(self, files: list[str], tmp_path: Path) -> None:
        sample(files, tmp_path / "set")
        before = digests(tmp_path / "set")
        with pytest.raises(BeelineError, match="its 'count' is 120, not 7"):
            sample(files, tmp_path / "set", RegressionSettings(7, strategy="fsm", seed=5))
        with pytest.raises(BeelineError, match="the dataset that is there is another one"):
            enumerate_all(files, tmp_path / "set")
        assert digests(tmp_path / "set") == before

    def test_the_summary_counts(self, files: list[str], tmp_path: Path) -> None:
        sample(files, tmp_path / "set")
        samples = regression_samples(load(*files), SETTINGS)
        summary = summarize_samples(Dataset(tmp_path / "set"))
        assert summary.states == len(samples) == sum(summary.costs.values())
        assert summary.random == int(samples.is_random.sum())
        assert summary.preferred == len(samples.preferred[1])
        assert summary.problems == []
        assert summary.to_json()["sizes"]["operators"] == load(*files).num_operators


class TestStateSpaces:
    def test_rows_are_the_states(self, files: list[str], tmp_path: Path) -> None:
        enumerate_all(files, tmp_path / "set")
        space = state_space_samples(load(*files))
        dataset = Dataset(tmp_path / "set")
        h_star = [row["h_star"] for row in dataset.states(columns=["h_star"])]
        assert h_star == space.h_star.tolist()
        rows = [row["preferred"] for row in dataset.states(columns=["preferred"])]
        assert [op for row in rows for op in row] == space.ideal[1].tolist()
        summary = summarize_samples(dataset)
        assert summary.states == summary.distinct == space.states
        assert summary.dead_ends == 0
        assert max(summary.costs) == space.d_star

    def test_a_part_of_them(self, files: list[str], tmp_path: Path) -> None:
        enumerate_all(files, tmp_path / "set", count=10)
        numbers = [row["state"] for row in Dataset(tmp_path / "set").states()]
        assert numbers == np.sort(numbers).tolist()
        assert len(numbers) == 10


class TestRefusals:
    def test_where_plans_are_needed(self, files: list[str], tmp_path: Path) -> None:
        sample(files, tmp_path / "regression")
        enumerate_all(files, tmp_path / "statespace")
        for kind in ("regression", "statespace"):
            for use in (read_instances, lambda folder: summarize(Dataset(folder))):
                with pytest.raises(BeelineError, match=f"no plans.*beeline data {kind}"):
                    use(tmp_path / kind)

    def test_an_unknown_kind_is_refused(self, files: list[str], tmp_path: Path) -> None:
        sample(files, tmp_path / "set")
        manifest = tmp_path / "set" / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"regression"', '"dreams"'))
        with pytest.raises(BeelineError, match="the sampler 'dreams' is unknown"):
            Dataset(tmp_path / "set")
