"""Labelled states of a dataset are its rows, no more and no fewer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from small_sets import make_set, write_tasks

from beeline.core.errors import BeelineError
from beeline.data.instances import drawn, read_instances
from beeline.data.manifest import LABELS
from beeline.data.reader import Dataset

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def ferry_set(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ferry")
    files = write_tasks(folder / "tasks", "ferry", count=5, cars=2, locations=3)
    make_set(files, folder / "set", siblings=True)
    return folder / "set"


def test_states_are_the_rows_on_plans_in_order(ferry_set: Path) -> None:
    dataset = Dataset(ferry_set)
    rows = [row for row in dataset.states() if row["on_path"]]
    names = {row["instance"]: row["facts"] for row in dataset.instances()}
    found = read_instances(ferry_set)
    assert sum(map(len, found)) == len(rows)
    place = 0
    for instance in found:
        for state in range(len(instance)):
            row = rows[place]
            true = instance.items[instance.starts[state] : instance.starts[state + 1]]
            atoms = [f"({' '.join(instance.facts[fact])})" for fact in true]
            assert atoms == [names[row["instance"]][fact] for fact in row["facts"]]
            for name in ("h_star", *LABELS):
                assert instance.features[name][state] == row[name]
            assert np.isnan(instance.features["upper"][state])
            place += 1


def test_problems_are_those_of_the_dataset(ferry_set: Path) -> None:
    for instance in read_instances(ferry_set):
        assert instance.problem.domain.name == "ferry"
        arguments = {name for _, *names in instance.facts for name in names}
        assert arguments <= set(instance.problem.objects)


def test_a_limit_draws_the_same_instances_for_the_same_seed(ferry_set: Path) -> None:
    everything = [each.problem.name for each in read_instances(ferry_set)]
    some = [each.problem.name for each in read_instances(ferry_set, limit=2, seed=3)]
    assert some == [everything[place] for place in drawn(list(range(5)), 2, seed=3)]
    draws = [drawn(list(range(20)), 5, seed) for seed in range(10)]
    assert all(draw == sorted(set(draw)) and len(draw) == 5 for draw in draws)
    assert len({tuple(draw) for draw in draws}) == 10


def test_a_split_is_a_part(ferry_set: Path) -> None:
    sizes = [len(read_instances(ferry_set, split=name)) for name in ("train", "val")]
    assert sizes == [4, 1]
    with pytest.raises(BeelineError, match="no split 'test'"):
        read_instances(ferry_set, split="test")
    with pytest.raises(BeelineError, match="limit on instances is 0"):
        read_instances(ferry_set, limit=0)


def test_a_set_without_plans_is_refused(tmp_path: Path) -> None:
    files = write_tasks(tmp_path / "tasks", "ferry", count=2, cars=2, locations=3)
    make_set(files, tmp_path / "set", max_evaluations=1)
    with pytest.raises(BeelineError, match="no solved instance"):
        read_instances(tmp_path / "set")
