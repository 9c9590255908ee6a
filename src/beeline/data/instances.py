"""The states along the plans of a dataset, instance by instance, as all encoders take them.

With siblings, these are all states that a search generates when it expands nothing but a plan.

Columns go from Arrow to numpy whole: there is no Python loop over states.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from beeline.core.errors import BeelineError
from beeline.data.manifest import LABELS
from beeline.data.reader import Dataset
from beeline.data.regression import rows_at

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from beeline.pddl.model import Problem

TARGETS = ("h_star", "upper")
COLUMNS = (*TARGETS, *LABELS)
TREE = ("state", "step", "on_path", "parent", "g")  # how states were generated
ORDER = "order"


@dataclass(frozen=True, eq=False)
class InstanceStates:
    """One task and its labelled states.

    `facts` are the task's facts in the order of the dataset's numbers; the true facts of state
    `i` are `items[starts[i]:starts[i + 1]]`. With `unit_costs`, labels count actions, whatever the
    task says they cost. `features` has a column float64[states] for
    `h_star`, `upper` and each label of the dataset, NaN where the dataset has nothing. `tree` has
    the columns of the dataset that say how states were generated, if siblings were read, too; a
    state then has a row for each time that it was generated, and no parent is -1. With several
    orders of the plan, their rows follow each other, and `tree` has the column `order`.
    """

    problem: Problem
    facts: tuple[tuple[str, ...], ...]  # (predicate, *objects)
    starts: NDArray[np.int64]  # [states + 1]
    items: NDArray[np.int32]
    features: dict[str, NDArray[np.float64]]
    unit_costs: bool = False
    tree: dict[str, NDArray[np.int64]] | None = None

    def __len__(self) -> int:
        return len(self.starts) - 1

    def taken(self, rows: NDArray[np.int64]) -> InstanceStates:
        """The same task with these rows only, in this order."""
        starts, items = rows_at((self.starts, self.items), rows)
        tree = self.tree
        return replace(
            self,
            starts=starts,
            items=items,
            features={name: column[rows] for name, column in self.features.items()},
            tree=None if tree is None else {name: column[rows] for name, column in tree.items()},
        )


def read_instances(
    dataset: Dataset | str | os.PathLike[str],
    *,
    split: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    siblings: bool = False,
    orders: bool = False,
) -> list[InstanceStates]:
    """The states on the plans of solved instances, in the dataset's order.

    States without a finite cost (`h_star`, or `upper` where that is missing) are left out; with
    `siblings` all rows are taken, and with `orders` also those of all other orders of the plans; a
    dataset that has none is refused. At most `limit` instances are taken, drawn by `seed`.
    """
    if not isinstance(dataset, Dataset):
        dataset = Dataset(dataset)
    dataset.require_plans()
    if siblings and not dataset.manifest.config.get("siblings", False):
        message = "the dataset has only the states of plans, not those generated beside them"
        hint = "make it with 'beeline data plans --siblings'"
        raise BeelineError(message, str(dataset.folder), hint=hint)
    if orders and not siblings:
        raise ValueError("orders of plans are read with their siblings")
    if orders and dataset.manifest.orders == 1:
        message = "the dataset has each plan in one order only"
        hint = "make it with 'beeline data plans --siblings --orders 8', or take --orders first"
        raise BeelineError(message, str(dataset.folder), hint=hint)
    columns = ["instance", "name", "status", "facts", "task"]
    rows = {
        row["instance"]: row
        for row in dataset.instances(split=split, columns=columns)
        if row["status"] == "solved"
    }
    if not rows:
        message = "the dataset has no solved instance" + (f" in split '{split}'" if split else "")
        hint = "add tasks that can be solved within the limits"
        raise BeelineError(message, str(dataset.folder), hint=hint)
    chosen = drawn(sorted(rows), limit, seed)
    tree = (*TREE, ORDER) if orders else TREE if siblings else ()
    return _with_states(dataset, {number: rows[number] for number in chosen}, tree)


def drawn(numbers: list[int], limit: int | None, seed: int) -> list[int]:
    """At most `limit` of the numbers, in their order; equal seeds draw equal ones.

    >>> drawn([3, 5, 8, 13], 2, seed=0) == drawn([3, 5, 8, 13], 2, seed=0)
    True
    >>> drawn([3, 5], None, seed=0)
    [3, 5]
    """
    if limit is not None and limit < 1:
        raise BeelineError(f"the limit on instances is {limit}", hint="at least 1 is needed")
    if limit is None or limit >= len(numbers):
        return numbers
    places = np.random.default_rng(seed).permutation(len(numbers))[:limit]
    return [numbers[place] for place in np.sort(places)]


def _with_states(
    dataset: Dataset, rows: Mapping[int, Any], tree_columns: Sequence[str]
) -> list[InstanceStates]:
    from beeline.pddl import parse_domain, parse_problem

    domain = parse_domain(dataset.domain_text)
    unit_costs = bool(dataset.manifest.config.get("unit_costs", False))
    table = _state_table(dataset, list(rows), tree_columns)
    numbers = table["instance"].to_numpy()
    # Rows of an instance lie together: a new one begins wherever the number changes.
    first = np.flatnonzero(np.diff(numbers, prepend=-1))
    ends = np.append(first, len(numbers))
    facts = table["facts"].combine_chunks()
    offsets = facts.offsets.to_numpy().astype(np.int64)
    values = facts.values.to_numpy()
    features = {name: table[name].to_numpy().astype(np.float64) for name in COLUMNS}
    tree = {name: table[name].cast("int64").fill_null(-1).to_numpy() for name in tree_columns}
    instances = []
    for begin, end in zip(first.tolist(), ends[1:].tolist(), strict=True):
        row = rows[int(numbers[begin])]
        states = InstanceStates(
            parse_problem(domain, row["task"], row["name"]),
            tuple(tuple(name.strip("()").split()) for name in row["facts"]),
            offsets[begin : end + 1] - offsets[begin],
            values[offsets[begin] : offsets[end]].astype(np.int32),
            {name: column[begin:end].copy() for name, column in features.items()},
            unit_costs,
            {name: column[begin:end].copy() for name, column in tree.items()} or None,
        )
        instances.append(states)
    return instances


def _state_table(dataset: Dataset, numbers: list[int], tree_columns: Sequence[str]) -> Any:
    """The rows on the plans of these instances that have a finite cost, or all their rows.

    All are taken if columns of the tree are wanted, and those of all orders with its `order`.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    members = pa.array(numbers, pa.int32())
    kept = []
    columns = ["instance", *(tree_columns or ("on_path",)), "facts", *COLUMNS]
    for batch in dataset.batches(columns=columns, orders=ORDER in tree_columns):
        wanted = pc.is_in(batch["instance"], members)
        if not tree_columns:
            cost = pc.coalesce(batch["h_star"], batch["upper"])
            finite = pc.fill_null(pc.is_finite(cost), False)
            wanted = pc.and_(pc.and_(batch["on_path"], finite), wanted)
        kept.append(batch.filter(wanted))
    table = pa.Table.from_batches(kept) if kept else None
    if table is None or not table.num_rows:
        message = "no state of the dataset has a finite cost"
        hint = "'beeline data summary DIR' says what is in it"
        raise BeelineError(message, str(dataset.folder), hint=hint)
    return table.combine_chunks()
