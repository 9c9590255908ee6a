"""Learning with derived predicates: towers whose `clear` and `above` follow from `on`."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from adl_tasks import TOWERS

import beeline
from beeline.core.errors import Status

if TYPE_CHECKING:
    from pathlib import Path


def towers(blocks: int, seed: int) -> str:
    """All blocks on the table, to be piled up in another order."""
    order = np.random.default_rng(seed).permutation(blocks).tolist()
    names = " ".join(f"b{number}" for number in range(blocks))
    table = " ".join(f"(on-table b{number})" for number in range(blocks))
    goal = " ".join(f"(on b{a} b{b})" for a, b in pairwise(order))
    return (
        f"(define (problem towers-{blocks}-{seed}) (:domain towers) (:objects {names} - block)"
        f" (:init {table}) (:goal (and {goal} (above b{order[0]} b{order[-1]}))))"
    )


@pytest.mark.usefixtures("few_made_tasks")
def test_a_model_learned_with_axioms_plans_larger_tasks(tmp_path: Path) -> None:
    domain = tmp_path / "domain.pddl"
    domain.write_text(TOWERS)
    tasks = []
    for blocks in (3, 4):
        for seed in (1, 2, 3, 4):
            tasks.append(tmp_path / f"towers-{blocks}-{seed}.pddl")
            tasks[-1].write_text(towers(blocks, seed))
    few: dict[str, Any] = {"rounds": 2, "neighbours": "set", "h_ff": False, "jobs": 1}
    model = beeline.learn(domain, tasks, warn=lambda _: None, **few)
    model.save(tmp_path / "towers.beeline")
    large = tmp_path / "large.pddl"
    large.write_text(towers(8, 7))
    task = beeline.load(domain, large)
    assert task.has_axioms
    result = beeline.plan(beeline.load_model(tmp_path / "towers.beeline"), task, fallback=False)
    assert result.status is Status.SOLVED
    assert result.plan is not None
    assert beeline.validate(task, result.plan).valid
