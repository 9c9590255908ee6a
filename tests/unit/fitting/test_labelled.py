"""Targets, bounds and residuals, and which states cannot be learned from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from small_sets import make_set, write_tasks

from beeline.core.errors import BeelineError
from beeline.data.instances import InstanceStates, read_instances
from beeline.fitting.labels import label_states
from beeline.pddl import parse_domain, parse_problem

if TYPE_CHECKING:
    from pathlib import Path

DOMAIN = parse_domain("(define (domain d) (:predicates (p ?x)))")
PROBLEM = parse_problem(
    DOMAIN, "(define (problem t) (:domain d) (:objects a b) (:init (p a)) (:goal (p b)))"
)
NOTHING = np.nan


def instance(**columns: list[float]) -> InstanceStates:
    """States with one more true fact each, in a task of two facts."""
    count = len(columns["h_star"])
    features = {
        name: np.array(columns.get(name, [0.0] * count))
        for name in ("h_star", "upper", "blind", "max", "lmcut", "ff")
    }
    lengths = np.arange(count) % 3
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    items = np.concatenate([np.arange(length) for length in lengths]).astype(np.int32)
    return InstanceStates(PROBLEM, (("p", "a"), ("p", "b")), starts, items, features)


def test_labels_are_the_columns_that_were_chosen() -> None:
    states = instance(
        h_star=[5.0, 4.0], upper=[7.0, NOTHING], blind=[1.0, 1.0], lmcut=[3.0, 4.0], ff=[6.0, 4.0]
    )
    labelled = label_states([states], lower="lmcut", upper="plan", residual="ff")
    assert labelled.target.tolist() == [5.0, 4.0]
    assert labelled.lower.tolist() == [3.0, 4.0]
    assert labelled.upper.tolist() == [7.0, np.inf]
    assert labelled.residual.tolist() == [6.0, 4.0]
    plain = label_states([states], lower="none", residual="none")
    assert plain.lower.tolist() == [-np.inf, -np.inf]
    assert plain.residual.tolist() == [0.0, 0.0]
    assert label_states([states], lower="blind").lower.tolist() == [1.0, 1.0]


def test_states_that_lack_a_label_are_dropped_and_counted() -> None:
    first = instance(
        h_star=[NOTHING, 9.0, 3.0, 2.0, 1.0],
        upper=[8.0, NOTHING, NOTHING, NOTHING, NOTHING],
        lmcut=[1.0, np.inf, 1.0, 1.0, 1.5],
        ff=[8.0, 9.0, np.inf, 2.0, 1.0],
    )
    last = instance(h_star=[0.0], ff=[0.0])
    labelled = label_states([first, last])
    assert labelled.target.tolist() == [2.0, 0.0]  # goal states stay
    assert labelled.dropped == {
        "no finite target": 1,
        "infinite lower bound": 1,
        "no finite residual": 1,
        "target out of bounds": 1,
    }
    assert [len(each) for each in labelled.instances] == [1, 1]
    kept = labelled.instances[0]
    assert kept.items.tolist() == first.items[first.starts[3] : first.starts[4]].tolist()
    assert kept.features["ff"].tolist() == [2.0]
    with pytest.raises(BeelineError, match=r"no state is left.*1 with no finite target"):
        label_states([instance(h_star=[NOTHING])])


@pytest.mark.parametrize("choice", ["target", "lower", "upper", "residual"])
def test_unknown_words_are_refused_by_name(choice: str) -> None:
    words: dict[str, Any] = {choice: "landmarks"}
    with pytest.raises(BeelineError, match=f"unknown {choice} 'landmarks'"):
        label_states([instance(h_star=[1.0])], **words)


def test_plans_that_are_not_optimal_are_targets_only_if_wanted(tmp_path: Path) -> None:
    files = write_tasks(tmp_path / "tasks", "ferry", count=2, cars=1, locations=3)
    plans = tmp_path / "plans"
    plans.mkdir()
    make_set(files, tmp_path / "optimal")
    from beeline.data.reader import Dataset

    for row, file in zip(Dataset(tmp_path / "optimal").instances(), ("p1", "p2"), strict=True):
        (plans / f"{file}.plan").write_text("".join(f"{step}\n" for step in row["plan"]))
    make_set(files, tmp_path / "given", plans=plans)
    given = read_instances(tmp_path / "given")
    with pytest.raises(BeelineError, match="no finite target"):
        label_states(given)
    labelled = label_states(given, target="plan", upper="plan")
    optimal = label_states(read_instances(tmp_path / "optimal"))
    assert labelled.target.tolist() == labelled.upper.tolist() == optimal.target.tolist()
