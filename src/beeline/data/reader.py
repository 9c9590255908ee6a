"""Reading a dataset without loading it: rows, or batches of columns, shard after shard.

The Open lists along a plan are what ranking losses compare. Let a forward search expand only the
states s_0, s_1, ... of a plan. O_i is its Open list after i expansions: every state generated so
far, each once with its lowest g, but none that has been expanded. A heuristic ranks perfectly if
s_i comes before all others in O_i, for every i (Chrestien et al., "Optimize planning heuristics to
rank, not to estimate cost-to-goal", definition 1).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.data import shards
from beeline.data.manifest import PLANS, read_manifest

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow

    Row = Mapping[str, Any]


BATCH_SIZE = 4096


class Dataset:
    """A dataset directory, open for reading.

    A missing or broken shard is refused by name, here if one can see it at a glance, otherwise
    when it is read; so is a dataset that is not finished yet, unless `unfinished` ones are wanted.
    """

    def __init__(self, folder: str | os.PathLike[str], *, unfinished: bool = False) -> None:
        self.folder = Path(folder)
        self.manifest = read_manifest(self.folder)
        self._shards: Sequence[int] = range(self.manifest.shards)
        folder, table = self.folder, shards.INSTANCES_FOLDER
        there = [n for n in self._shards if shards.shard_path(folder, table, n).exists()]
        if unfinished:
            self._shards = there
        elif not self.manifest.complete:
            raise BeelineError(
                f"the dataset is not finished: {len(there)} of {self.manifest.shards} shards are"
                " there",
                str(self.folder),
                hint="run the command that made it again; it goes on where it stopped",
            )
        for number in self._shards:
            for table in shards.TABLES:
                shards.check_shard(shards.shard_path(self.folder, table, number), self.manifest)

    def __repr__(self) -> str:
        return f"<Dataset {self.folder}: {self.manifest.counts.get('states', 'unfinished')} states>"

    @property
    def domain_text(self) -> str:
        """The PDDL text of the domain."""
        return self.manifest.domain_text

    def require_plans(self) -> Dataset:
        """The dataset itself, if it is one of plans; samples of one task are refused by name."""
        if self.manifest.kind != PLANS:
            raise BeelineError(
                f"the dataset has no plans: it was made by 'beeline data {self.manifest.kind}'",
                str(self.folder),
                hint="take one that was made by 'beeline data plans'",
            )
        return self

    def instances(
        self, *, split: str | None = None, columns: Sequence[str] | None = None
    ) -> Iterator[dict[str, Any]]:
        """The rows of the table `instances`, in order, of one split or of all."""
        wanted = None if columns is None else [*dict.fromkeys([*columns, "split"])]
        if split is not None and split not in self.manifest.splits:
            message = f"the dataset has no split '{split}'"
            hint = f"there are: {', '.join(self.manifest.splits)}"
            raise BeelineError(message, str(self.folder), hint=hint)
        for batch in self._batches(shards.INSTANCES_FOLDER, wanted, BATCH_SIZE):
            for row in batch.to_pylist():
                if split is None or row["split"] == split:
                    if columns is not None and "split" not in columns:
                        del row["split"]
                    yield row

    def batches(
        self,
        *,
        split: str | None = None,
        columns: Sequence[str] | None = None,
        batch_size: int = BATCH_SIZE,
        orders: bool = False,
    ) -> Iterator[pyarrow.RecordBatch]:
        """The table `states` as record batches of at most this size, in order.

        Of plans in several orders only the first one is given, without the column `order`, unless
        all `orders` are wanted.
        """
        import pyarrow as pa
        import pyarrow.compute

        members = None
        if split is not None:
            rows = self.instances(split=split, columns=["instance"])
            members = pa.array([row["instance"] for row in rows], pa.int32())
        first_only = self.manifest.orders > 1 and not orders
        needed = ["instance", "order"] if first_only else ["instance"]
        wanted = None if columns is None else [*dict.fromkeys([*columns, *needed])]
        for batch in self._batches(shards.STATES_FOLDER, wanted, batch_size):
            if first_only:
                batch = batch.filter(pyarrow.compute.equal(batch["order"], 0))
                batch = batch.drop_columns(["order"])
            if members is not None:
                batch = batch.filter(pyarrow.compute.is_in(batch["instance"], members))
            if columns is not None:
                batch = batch.select(list(columns))
            if batch.num_rows:
                yield batch

    def states(
        self,
        *,
        split: str | None = None,
        columns: Sequence[str] | None = None,
        orders: bool = False,
    ) -> Iterator[dict[str, Any]]:
        """The rows of the table `states`, in order, of one split or of all; `orders` as above."""
        for batch in self.batches(split=split, columns=columns, orders=orders):
            yield from batch.to_pylist()

    def _batches(
        self, table: str, columns: Sequence[str] | None, size: int
    ) -> Iterator[pyarrow.RecordBatch]:
        import pyarrow

        for number in self._shards:
            path = shards.shard_path(self.folder, table, number)
            with shards.read_shard(path, self.manifest) as opened:
                try:
                    yield from opened.iter_batches(batch_size=size, columns=columns)
                except (OSError, pyarrow.ArrowException) as error:
                    raise shards.corrupt(path, error) from None


def open_lists(rows: Sequence[Row]) -> Iterator[tuple[int, list[int]]]:
    """For i = 1, 2, ...: the row of s_i, and the rows of the other states in O_i.

    `rows` are the rows of one instance with its siblings, of which `state`, `step`, `on_path`
    and `g` are used; the answer refers to them by index. The total cost is linear in the sum of
    the sizes of the Open lists. In a plan that visits a state twice, the second visit expands
    nothing, and that step is left out.

    >>> rows = [
    ...     {"state": 0, "step": 0, "on_path": True, "g": 0},
    ...     {"state": 1, "step": 1, "on_path": True, "g": 1},
    ...     {"state": 2, "step": 2, "on_path": True, "g": 2},
    ...     {"state": 3, "step": 1, "on_path": False, "g": 1},
    ...     {"state": 0, "step": 2, "on_path": False, "g": 2},
    ...     {"state": 4, "step": 2, "on_path": False, "g": 2},
    ... ]
    >>> list(open_lists(rows))
    [(1, [3]), (2, [3, 5])]
    """
    path = sorted(
        (i for i, row in enumerate(rows) if row["on_path"]), key=lambda i: int(rows[i]["step"])
    )
    generated: dict[int, list[int]] = {}
    for index, row in enumerate(rows):
        if row["step"]:
            generated.setdefault(row["step"], []).append(index)
    closed = {rows[path[0]]["state"]}
    in_open: dict[int, int] = {}  # state to row
    for index in path[1:]:
        for other in generated[rows[index]["step"]]:
            state = rows[other]["state"]
            known = in_open.get(state)
            if state not in closed and (known is None or rows[other]["g"] < rows[known]["g"]):
                in_open[state] = other
        state = rows[index]["state"]
        if state in closed:
            continue
        yield index, [other for key, other in in_open.items() if key != state]
        closed.add(state)
        del in_open[state]
