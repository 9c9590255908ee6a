"""`train` with several orders of each plan: first, separate and merged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from small_sets import make_set, write_tasks

import beeline
from beeline.core.errors import BeelineError
from beeline.data.instances import InstanceStates, read_instances
from beeline.fitting.labels import label_plans
from beeline.fitting.losses import ORDERS, PLAN_LOSSES, PlanLossSettings
from beeline.fitting.plan_graph import merged_graph, summed_graph
from beeline.fitting.plan_objectives import PlanObjective
from beeline.learning.training_aims import TRAINING_LOSSES, chosen_aim
from beeline.models import model_file

if TYPE_CHECKING:
    from pathlib import Path

QUICK: dict[str, Any] = {"model": "linear", "steps": 4, "validate_every": 2}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same tasks with one order of each plan and with several."""
    folder = tmp_path_factory.mktemp("orders")
    files = write_tasks(folder / "tasks", "gripper", count=4, balls=5)
    choices: dict[str, Any] = {"siblings": True, "splits": (("train", 0.5), ("val", 0.5))}
    make_set(files, folder / "one", **choices)
    make_set(files, folder / "several", orders=3, **choices)
    return folder


@pytest.fixture(scope="module")
def instances(place: Path) -> list[InstanceStates]:
    return read_instances(place / "several", siblings=True, orders=True)


def one_order(states: InstanceStates, order: int) -> InstanceStates:
    """The rows of one order, as if it were the first."""
    assert states.tree is not None
    rows = states.taken(np.flatnonzero(states.tree["order"] == order))
    assert rows.tree is not None
    return replace(rows, tree={**rows.tree, "order": np.zeros(len(rows), dtype=np.int64)})


class TestLabels:
    def test_the_first_order_is_the_same_in_both_datasets(
        self, place: Path, instances: list[InstanceStates]
    ) -> None:
        settings = PlanLossSettings("rank-astar")
        plain = PlanObjective(
            label_plans(read_instances(place / "one", siblings=True)), settings
        ).describe()
        assert PlanObjective(label_plans(instances), settings).describe() == plain
        assert "orders" not in plain
        described = [
            PlanObjective(label_plans(instances, orders=orders), settings).describe()
            for orders in ("separate", "merged")
        ]
        assert [each["orders"] for each in described] == ["separate", "merged"]
        assert len({each["labels"] for each in [plain, *described]}) == 3

    @pytest.mark.parametrize("orders", ["separate", "merged"])
    def test_graphs_are_unions_of_those_of_the_orders(
        self, instances: list[InstanceStates], orders: str
    ) -> None:
        plans = label_plans(instances, orders=orders)
        for states, read, graph in zip(plans.instances, instances, plans.graphs, strict=True):
            assert states.tree is not None
            assert read.tree is not None
            numbers = states.tree["state"]
            assert sorted(numbers) == sorted(set(read.tree["state"].tolist()))
            row = {int(number): place for place, number in enumerate(numbers)}
            graphs = []
            for order in np.unique(read.tree["order"]).tolist():
                alone = label_plans([one_order(read, order)])
                tree = alone.instances[0].tree
                assert tree is not None
                rows = np.array([row[int(number)] for number in tree["state"]])
                graphs.append(alone.graphs[0].renumbered(rows, len(row)))
            union = summed_graph(graphs) if orders == "separate" else merged_graph(graphs)
            for name in ("path", "better", "worse", "children", "chosen", "parents", "costs"):
                assert getattr(graph, name).tolist() == getattr(union, name).tolist()

    def test_an_instance_with_one_order(self, instances: list[InstanceStates]) -> None:
        alone = [one_order(each, 0) for each in instances]
        first = label_plans(alone)
        for orders in ("separate", "merged"):
            same = label_plans(alone, orders=orders)
            for one, other in zip(first.graphs, same.graphs, strict=True):
                assert len(one.better) == len(other.better)
                assert len(one.parents) == len(other.parents)

    def test_what_cannot_be(self, place: Path, instances: list[InstanceStates]) -> None:
        with pytest.raises(BeelineError, match=r"unknown orders 'all'.*first, separate, merged"):
            label_plans(instances, orders="all")
        with pytest.raises(ValueError, match="without the orders"):
            label_plans(read_instances(place / "one", siblings=True), orders="merged")


@pytest.mark.parametrize("loss", PLAN_LOSSES)
@pytest.mark.parametrize("orders", ["separate", "merged"])
def test_every_loss_of_plans_takes_all_orders(loss: str, orders: str, place: Path) -> None:
    model = beeline.train(place / "several", loss=loss, orders=orders, **QUICK)
    assert model.summary["loss"]["orders"] == orders
    assert np.isfinite(list(model.summary["validation"].values())).all()
    loaded = model_file.from_bytes(model_file.to_bytes(model), "m")
    task = beeline.ground(beeline.generators.generate("gripper", seed=3, balls=2))
    assert beeline.solve(task, heuristic=loaded).solved


def test_learning_puts_merged_pairs_in_order(place: Path) -> None:
    found = [
        beeline.train(
            place / "several", model="linear", loss="rank-gbfs", steps=steps, select="violations"
        ).summary["validation"]["violations"]
        for steps in (1, 200)
    ]
    assert found[1] < found[0]


def test_merged_orders_are_usual_where_there_are_several(place: Path) -> None:
    data = {
        orders: model_file.to_bytes(
            beeline.train(place / "several", loss="rank-astar", orders=orders, **QUICK)
        )
        for orders in (None, *ORDERS)
    }
    assert data[None] == data["merged"]
    assert len(set(data.values())) == 3
    plain = beeline.train(place / "one", loss="rank-astar", **QUICK)
    assert model_file.to_bytes(plain) == data["first"]
    assert "orders" not in plain.summary["loss"]


def test_training_that_was_stopped_goes_on(place: Path, tmp_path: Path) -> None:
    choices: dict[str, Any] = {"loss": "policy", "validate_every": 2, "model": "linear"}
    for steps in (4, 8):
        resumed = beeline.train(place / "several", steps=steps, folder=tmp_path, **choices)
    unbroken = beeline.train(place / "several", steps=8, **choices)
    assert model_file.to_bytes(resumed) == model_file.to_bytes(unbroken)
    with pytest.raises(BeelineError, match="another run"):
        beeline.train(place / "several", steps=8, orders="first", folder=tmp_path, **choices)


def test_datasets_of_both_kinds_share_the_first_order(place: Path) -> None:
    both, warnings = [place / "several", place / "one"], list[str]()
    model = beeline.train(both, loss="rank-gbfs", warn=warnings.append, **QUICK)
    assert "orders" not in model.summary["loss"]
    assert warnings == [f"only the first order of each plan is used: {place / 'one'} has no other"]
    with pytest.raises(BeelineError, match="each plan in one order only"):
        beeline.train(both, loss="rank-gbfs", orders="merged", **QUICK)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"loss": "rank-gbfs", "orders": "merged"}, "one order only.*--orders 8.*--orders first"),
        ({"loss": "l2", "orders": "separate"}, "one order only"),
        ({"loss": "l2", "orders": "all"}, "unknown orders 'all'.*first, separate, merged"),
        ({"loss": "gaussian", "orders": "first"}, "'gaussian' does not look at orders.*rank-astar"),
    ],
)
def test_orders_that_make_no_sense(place: Path, choices: dict[str, Any], message: str) -> None:
    with pytest.raises(BeelineError, match=message):
        beeline.train(place / "one", **QUICK, **choices)


def test_aims_know_their_orders() -> None:
    for name in TRAINING_LOSSES:
        aim = chosen_aim(name)
        assert aim.suited(several_orders=False).orders == "first"
        several = aim.suited(several_orders=True)
        assert several.orders == ("merged" if name in PLAN_LOSSES else "first")
        assert ("orders" in several.to_json()) is (name in PLAN_LOSSES)
    for orders in ORDERS:
        chosen = chosen_aim("rank-astar", orders=orders)
        assert {chosen.suited(several_orders=several).orders for several in (False, True)} == {
            orders
        }
