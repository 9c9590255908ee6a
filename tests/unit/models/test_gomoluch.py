"""A search sees the very features that a network was trained on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from small_sets import make_set, write_tasks

from beeline import _native
from beeline.data.instances import read_instances
from beeline.data.plan_walk import walk_plan
from beeline.data.reader import Dataset
from beeline.models.features.encoding import FEATURES, dataset_inputs, search_inputs, vocabulary
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("name", ["blocksworld", "gripper", "visitall"])
def test_features_in_search_equal_those_of_the_dataset(name: str, tmp_path: Path) -> None:
    make_set(write_tasks(tmp_path / "tasks", name, count=3), tmp_path / "set", siblings=True)
    dataset = Dataset(tmp_path / "set")
    plans = [row["plan"] for row in dataset.instances()]
    instances = read_instances(dataset)
    words = vocabulary(instances[0].problem.domain)
    inputs = dataset_inputs(words, instances)
    assert len(inputs) == sum(map(len, instances))
    first = 0
    for instance, plan in zip(instances, plans, strict=True):
        task = ground(instance.problem)
        states = _native.States(task.native)
        ids = np.array(walk_plan(task, states, plan).states, dtype=np.uint32)
        searched = search_inputs(words, task, states).batch(ids)
        learned = inputs.batch(np.arange(first, first + len(instance)))
        assert searched.dtype == learned.dtype == np.float32
        assert np.array_equal(searched, learned)
        wanted = np.stack([instance.features[each] for each in FEATURES], axis=1)
        assert np.array_equal(learned, wanted.astype(np.float32))
        first += len(instance)
