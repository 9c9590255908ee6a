"""Lists of numbers side by side in flat arrays, and the true facts of a dataset as such lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from beeline.data.instances import InstanceStates
    from beeline.task.ground_task import GroundTask

    Ints = NDArray[np.int64]

Encoded = TypeVar("Encoded")


class Rows(NamedTuple):
    """Lists of numbers, with weights or without: row `i` is `items[starts[i]:starts[i + 1]]`.

    >>> rows = Rows(np.array([0, 2, 3]), np.array([1, 2, 0]))
    >>> rows.at(np.array([1, 0, 1])).items.tolist(), rows.dense(3).tolist()
    ([0, 1, 2, 0], [[0, 1, 1], [1, 0, 0]])
    """

    starts: Ints
    items: NDArray[Any]
    weights: NDArray[np.float32] | None = None

    @property
    def owners(self) -> Ints:
        """The row that each item stands in."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def at(self, places: Ints) -> Rows:
        """Some rows, in this order, without weights."""
        first = self.starts[places]
        counts = self.starts[places + 1] - first
        return Rows(starts_of(counts), self.items[ranges_of(first, counts)])

    def dense(self, width: int, kind: Any = np.uint8) -> NDArray[Any]:
        """1 where a row has an item, 0 elsewhere: [rows, width]."""
        matrix = np.zeros((len(self.starts) - 1, width), dtype=kind)
        matrix[self.owners, self.items] = 1
        return matrix


def starts_of(sizes: ArrayLike) -> Ints:
    """Where ranges of these sizes begin if they follow each other, and the end.

    >>> starts_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    counts = np.asarray(sizes, dtype=np.int64)
    starts = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=starts[1:])
    return starts


def ranges_of(first: Ints, counts: Ints) -> Ints:
    """The numbers first[i] .. first[i] + counts[i] - 1 for all i.

    >>> ranges_of(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(counts)
    result = np.repeat(first - (ends - counts), counts)
    result += np.arange(len(result))
    return result


def fact_numbers(task: GroundTask, instance: InstanceStates) -> Ints:
    """The task's number of each fact of an instance, -1 for those that it does not have."""
    numbers = {name: number for number, name in enumerate(task.fact_names)}
    found = [numbers.get(f"({' '.join(fact)})", -1) for fact in instance.facts]
    return np.array(found, dtype=np.int64)


def labelled_facts(
    instances: Sequence[InstanceStates],
    encode: Callable[[GroundTask], Encoded],
    numbers: Callable[[GroundTask, InstanceStates], Ints] = fact_numbers,
) -> tuple[list[Encoded], Ints, Rows]:
    """Encoded tasks, the place among them of each state's task, and its true facts.

    Facts have the numbers of their task; those with a number below 0 are left out.
    """
    from beeline.task.grounding import ground

    tasks, sizes, items = [], [], []
    for instance in instances:
        task = ground(instance.problem, unit_costs=instance.unit_costs)
        facts = numbers(task, instance)[instance.items]
        owners = Rows(instance.starts, facts).owners[facts >= 0]
        tasks.append(encode(task))
        sizes.append(np.bincount(owners, minlength=len(instance)))
        items.append(facts[facts >= 0])
    task_of = np.repeat(np.arange(len(tasks)), [len(each) for each in sizes])
    return tasks, task_of, Rows(starts_of(np.concatenate(sizes)), np.concatenate(items))
