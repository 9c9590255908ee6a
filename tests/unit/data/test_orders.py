"""Datasets with several orders of each plan, from the first row to the summary."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from small_sets import digests, make_set, write_tasks

from beeline.core.errors import BeelineError
from beeline.data.instances import read_instances
from beeline.data.reader import Dataset
from beeline.data.summary import summarize

if TYPE_CHECKING:
    from pathlib import Path

    Rows = dict[tuple[int, int], list[dict[str, Any]]]  # by instance and order


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same tasks with one order of each plan and with several."""
    folder = tmp_path_factory.mktemp("orders")
    files = write_tasks(folder / "tasks", "gripper", count=4, balls=5)
    make_set(files, folder / "one", siblings=True)
    make_set(files, folder / "several", siblings=True, orders=4)
    return folder


def by_order(folder: Path) -> Rows:
    found: Rows = {}
    for row in Dataset(folder).states(orders=True):
        found.setdefault((row["instance"], row["order"]), []).append(row)
    return found


def test_the_first_order_is_all_there_is_to_other_readers(place: Path) -> None:
    one, several = (list(Dataset(place / name).states()) for name in ("one", "several"))
    assert len(one) == len(several)
    for before, after in zip(one, several, strict=True):
        # Another order may tell the cost-to-go of a state beside this one.
        assert before["h_star"] in (None, after["h_star"])
        assert {**before, "h_star": None} == {**after, "h_star": None}
    known = [sum(row["h_star"] is not None for row in rows) for rows in (one, several)]
    assert known[0] < known[1]
    batch = next(Dataset(place / "several").batches(columns=["g"], split="train"))
    assert batch.schema.names == ["g"]
    for siblings in (False, True):
        first, second = (
            read_instances(place / name, siblings=siblings) for name in ("one", "several")
        )
        assert [len(each) for each in first] == [len(each) for each in second]
        assert all("order" not in (each.tree or {}) for each in second)


def test_rows_of_all_orders(place: Path) -> None:
    rows = by_order(place / "several")
    plans = {row["instance"]: row for row in Dataset(place / "several").instances()}
    orders = {number: {order for n, order in rows if n == number} for number in plans}
    assert all(found == set(range(len(found))) for found in orders.values())
    assert max(map(len, orders.values())) == 4
    for (number, order), own in rows.items():
        path = [row for row in own if row["on_path"]]
        assert own[: len(path)] == path
        assert [row["step"] for row in path] == list(range(len(path)))
        operators = [row["operator"] for row in path[1:]]
        assert sorted(operators) == sorted(plans[number]["plan"])
        assert (operators == plans[number]["plan"]) or order > 0
        assert path[-1]["g"] == plans[number]["cost"] == path[0]["h_star"]
        assert all(row["g"] + row["h_star"] == plans[number]["cost"] for row in path)
    for number in plans:
        everything = [row for (n, _), own in rows.items() if n == number for row in own]
        facts: dict[int, set[tuple[int, ...]]] = {}
        for row in everything:
            facts.setdefault(row["state"], set()).add(tuple(row["facts"]))
        assert all(len(each) == 1 for each in facts.values())  # numbers are those of states
        assert len(set().union(*facts.values())) == len(facts) == max(facts) + 1


def test_instances_with_all_orders(place: Path) -> None:
    rows = by_order(place / "several")
    instances = read_instances(place / "several", siblings=True, orders=True)
    for number, each in enumerate(instances):
        own = [row for (n, _), own in rows.items() if n == number for row in own]
        assert each.tree is not None
        assert each.tree["order"].tolist() == [row["order"] for row in own]
        assert each.tree["state"].tolist() == [row["state"] for row in own]
    with pytest.raises(BeelineError, match=r"each plan in one order only.*--orders 8"):
        read_instances(place / "one", siblings=True, orders=True)


def test_one_order_leaves_no_trace(place: Path, tmp_path: Path) -> None:
    files = sorted(map(str, (place / "tasks").glob("p*.pddl")))
    make_set([str(place / "tasks/domain.pddl"), *files], tmp_path, siblings=True, orders=1)
    assert digests(tmp_path) == digests(place / "one")
    manifest = Dataset(tmp_path).manifest
    assert manifest.orders == 1
    assert "orders" not in {**manifest.config, **manifest.counts}
    assert "order" not in next(Dataset(tmp_path).states(orders=True))


def test_a_dataset_that_was_stopped_is_completed(place: Path, tmp_path: Path) -> None:
    folder = tmp_path / "set"
    shutil.copytree(place / "several", folder)
    for lost in ("instances/00001.parquet", "states/00002.parquet"):
        (folder / lost).unlink()
    files = [str(place / "tasks/domain.pddl"), *sorted(map(str, (place / "tasks").glob("p*.pddl")))]
    make_set(files, folder, siblings=True, orders=4)
    assert digests(folder) == digests(place / "several")
    with pytest.raises(BeelineError, match="its 'orders' is 4, not 3"):
        make_set(files, folder, siblings=True, orders=3)
    with pytest.raises(BeelineError, match="its 'orders' is 4, not null"):
        make_set(files, folder, siblings=True)


def test_summaries_count_orders(place: Path) -> None:
    one, several = (summarize(Dataset(place / name)) for name in ("one", "several"))
    assert one.orders is None
    assert "orders" not in one.to_json()
    assert several.orders == len(by_order(place / "several")) > several.solved
    assert several.to_json()["orders"] == several.orders
    assert several.states == one.states
    assert Dataset(place / "several").manifest.counts["orders"] == several.orders


@pytest.mark.parametrize("value", ["x", 0, [], 1])
def test_a_manifest_with_odd_orders_is_refused(place: Path, tmp_path: Path, value: object) -> None:
    shutil.copytree(place / "several", tmp_path / "set")
    path = tmp_path / "set/manifest.json"
    content = json.loads(path.read_text())
    content["config"]["orders"] = value
    path.write_text(json.dumps(content))
    message = "belongs to another dataset" if value == 1 else "the manifest is broken"
    with pytest.raises(BeelineError, match=message):
        Dataset(tmp_path / "set")


def test_plans_that_are_not_optimal_have_orders_too(tmp_path: Path) -> None:
    from beeline.planning.solve import solve
    from beeline.task.grounding import load

    files = write_tasks(tmp_path / "tasks", "gripper", count=2, balls=5)
    (tmp_path / "plans").mkdir()
    for number, file in enumerate(files[1:], start=1):
        plan = solve(load(files[0], file), "gbfs", "ff").plan
        assert plan is not None
        (tmp_path / f"plans/p{number}.plan").write_text("\n".join(plan))
    make_set(files, tmp_path / "set", tmp_path / "plans", siblings=True, orders=4)
    rows = by_order(tmp_path / "set")
    assert len(rows) > 2
    for own in rows.values():
        path = [row for row in own if row["on_path"]]
        assert all(row["h_star"] is None for row in own)
        assert all(row["g"] + row["upper"] <= path[-1]["g"] for row in path)
