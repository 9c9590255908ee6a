"""What is in a dataset, of plans or of samples of one task, and whether one can learn from it."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from beeline.data.manifest import LABELS, REGRESSION

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from beeline.data.reader import Dataset


MIN_TARGETS = 2  # different costs-to-go that a model needs to see


@dataclass
class SplitSummary:
    """Counts of one split."""

    instances: int = 0
    solved: int = 0
    optimal: int = 0
    states: int = 0
    path_states: int = 0


@dataclass
class Summary:
    """Counts, sizes and coverage of a dataset; `problems` say why it cannot be learned from."""

    domain: str
    config: dict[str, Any]
    instances: int = 0
    solved: int = 0  # instances with a plan
    states: int = 0  # rows of the table; of plans in several orders, those of the first one
    splits: dict[str, SplitSummary] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)
    attempts: int = 0
    h_star: Counter[int] = field(default_factory=Counter)  # states by value
    upper: Counter[int] = field(default_factory=Counter)
    dead_ends: int = 0  # states from which there is no plan, by h_star or a label
    coverage: dict[str, int] = field(default_factory=dict)  # states with a value, by label
    ranges: dict[str, tuple[int, int]] = field(default_factory=dict)  # sizes of solved instances
    orders: int | None = None  # of all plans together, if there can be several of each
    problems: list[str] = field(default_factory=list)

    def counts(self) -> dict[str, Any]:
        """The numbers that the manifest keeps."""
        return {
            "instances": self.instances,
            "solved": self.solved,
            "states": self.states,
            "splits": {name: vars(split) for name, split in self.splits.items()},
            **({} if self.orders is None else {"orders": self.orders}),
        }

    def to_json(self) -> dict[str, Any]:
        """All fields as plain values."""
        return {
            **self.counts(),
            "domain": self.domain,
            "statuses": self.statuses,
            "attempts": self.attempts,
            "dead_ends": self.dead_ends,
            "h_star": _by_text(self.h_star),
            "upper": _by_text(self.upper),
            "coverage": self.coverage,
            "sizes": {name: list(ends) for name, ends in self.ranges.items()},
            "problems": self.problems,
            "config": self.config,
        }


def summarize(dataset: Dataset) -> Summary:
    """Read a dataset once, batch by batch, and count."""
    import pyarrow.compute as pc

    manifest = dataset.require_plans().manifest
    summary = Summary(str(manifest.domain.get("name")), manifest.config)
    summary.splits = {name: SplitSummary() for name in manifest.splits}
    summary.coverage = dict.fromkeys(["h_star", "upper", *LABELS], 0)
    split_of = _count_instances(dataset, summary)
    _count_states(dataset, summary, split_of)
    if manifest.orders > 1:
        # Each order of a plan has one row for its first step.
        steps = dataset.batches(columns=["step", "on_path"], orders=True)
        summary.orders = sum(
            pc.sum(pc.and_(batch["on_path"], pc.equal(batch["step"], 0))).as_py() for batch in steps
        )
    summary.problems = list(_problems(summary))
    return summary


def _count_instances(dataset: Dataset, summary: Summary) -> dict[int, str]:
    split_of = {}
    statuses: Counter[str] = Counter()
    columns = ["instance", "split", "status", "attempts", "plan", "cost", "optimal"]
    sizes = ["objects", "variables", "operators", "facts"]
    for row in dataset.instances(columns=[*columns, *sizes]):
        split_of[row["instance"]] = row["split"]
        split = summary.splits[row["split"]]
        split.instances += 1
        summary.instances += 1
        summary.attempts += row["attempts"]
        statuses[row["status"]] += 1
        if row["status"] == "solved":
            split.solved += 1
            summary.solved += 1
            split.optimal += bool(row["optimal"])
            row["facts"] = len(row["facts"])
            row["plan length"] = len(row["plan"])
            for name in [*sizes, "plan length", "cost"]:
                low, high = summary.ranges.get(name, (row[name], row[name]))
                summary.ranges[name] = (min(low, row[name]), max(high, row[name]))
    summary.statuses = dict(sorted(statuses.items()))
    return split_of


def _count_states(dataset: Dataset, summary: Summary, split_of: dict[int, str]) -> None:
    import numpy as np

    for batch in dataset.batches(columns=["instance", "on_path", "h_star", "upper", *LABELS]):
        columns = {name: batch[name].to_numpy(zero_copy_only=False) for name in batch.schema.names}
        summary.states += batch.num_rows
        numbers, places = np.unique(columns["instance"], return_inverse=True)
        totals = np.bincount(places)
        on_path = np.bincount(places, weights=columns["on_path"].astype(float))
        for number, total, path in zip(numbers, totals, on_path, strict=True):
            split = summary.splits[split_of[int(number)]]
            split.states += int(total)
            split.path_states += int(path)
        for name in summary.coverage:
            summary.coverage[name] += int(np.count_nonzero(~np.isnan(columns[name])))
        summary.h_star.update(_histogram(columns["h_star"]))
        summary.upper.update(_histogram(columns["upper"]))
        dead = [np.isinf(columns[name]) for name in ("h_star", *LABELS)]
        summary.dead_ends += int(np.count_nonzero(np.any(dead, axis=0)))


def _histogram(values: Any) -> dict[int, int]:
    """How often each finite value occurs."""
    import numpy as np

    distinct, counts = np.unique(values[np.isfinite(values)], return_counts=True)
    return dict(zip(map(int, distinct), map(int, counts), strict=True))


def _by_text(histogram: Mapping[int, int]) -> dict[str, int]:
    return {str(value): count for value, count in sorted(histogram.items())}


def _problems(summary: Summary) -> Iterable[str]:
    """Why one cannot learn from the dataset, and what to add."""
    if not summary.solved:
        outcomes = ", ".join(f"{count} {word}" for word, count in summary.statuses.items())
        yield (
            f"the dataset is empty: none of {summary.instances} instances has a plan ({outcomes});"
            " take smaller tasks or raise --max-evaluations"
        )
        return
    for name, split in summary.splits.items():
        if not split.solved:
            yield (
                f"the split '{name}' is empty: {split.instances} instances, none with a plan;"
                " add instances, or leave the split out"
            )
    targets = summary.h_star or summary.upper
    if len(targets) < MIN_TARGETS:
        yield (
            f"all costs-to-go are the same ({', '.join(map(str, targets)) or 'none'});"
            " add tasks with longer plans"
        )


def bar_chart(histogram: dict[int, int], *, bins: int = 12, width: int = 40) -> list[str]:
    """A histogram as lines of text.

    >>> print(*bar_chart({0: 2, 1: 4, 3: 1}, width=4), sep="\\n")
    0 2 ##
    1 4 ####
    2 0
    3 1 #
    """
    if not histogram:
        return []
    low, high = min(histogram), max(histogram)
    step = math.ceil((high - low + 1) / bins)
    counts = [0] * ((high - low) // step + 1)
    for value, count in histogram.items():
        counts[(value - low) // step] += count
    firsts = range(low, high + 1, step)
    labels = [str(first) if step == 1 else f"{first}-{first + step - 1}" for first in firsts]
    digits, letters = len(str(max(counts))), max(map(len, labels))
    bars = ["#" * math.ceil(count * width / max(counts)) for count in counts]
    return [
        f"{label:>{letters}} {count:>{digits}} {bar}".rstrip()
        for label, count, bar in zip(labels, counts, bars, strict=True)
    ]


@dataclass
class SampleSummary:
    """Counts of the samples; `problems` say why one cannot learn from them.

    `task` has the names of all tasks, with commas, and `sizes` are those of the largest. `costs`
    are estimates or, in a state space, h*: value to number of states.
    """

    domain: str
    sampler: str
    config: dict[str, Any]
    task: str = ""
    sizes: dict[str, int] = field(default_factory=dict)
    states: int = 0
    distinct: int = 0  # different states
    random: int = 0
    incomplete: int = 0
    dead_ends: int = 0
    preferred: int = 0  # operators, summed over states
    preferred_states: int = 0  # states that have one
    costs: Counter[int] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """All fields as plain values."""
        return {**vars(self), "costs": _by_text(self.costs)}

    def lines(self) -> list[tuple[str, str]]:
        """Names and values, for people."""
        kept = "all states" if self.config.get("count") is None else "random states"
        rows = [
            ("domain", self.domain),
            ("task", self.task),
            ("sampler", f"{self.sampler}, {self.config.get('strategy', kept)}"),
            *((name, f"{size:,}") for name, size in self.sizes.items()),
            ("states", f"{self.states:,}, {self.distinct:,} of them different"),
        ]
        if self.sampler == REGRESSION:
            rows.append(("random", f"{self.random:,} states"))
            rows.append(("incomplete", f"{self.incomplete:,} states"))
        else:
            rows.append(("dead ends", f"{self.dead_ends:,} states"))
        mean = self.preferred / max(1, self.preferred_states)
        rows.append(("preferred", f"{self.preferred_states:,} states, {mean:.2f} operators each"))
        return rows


def summarize_samples(dataset: Dataset) -> SampleSummary:
    """Read a dataset of samples once, batch by batch, and count."""
    import numpy as np

    manifest = dataset.manifest
    summary = SampleSummary(str(manifest.domain.get("name")), manifest.kind, manifest.config)
    names: dict[str, None] = {}
    for row in dataset.instances(columns=["name", "objects", "variables", "facts", "operators"]):
        names[row["name"]] = None
        sizes = {"objects": row["objects"], "variables": row["variables"]}
        sizes |= {name: len(row[name]) for name in ("facts", "operators")}
        summary.sizes = {name: max(n, summary.sizes.get(name, 0)) for name, n in sizes.items()}
    summary.task = ", ".join(names)
    is_regression = manifest.kind == REGRESSION
    cost = "h" if is_regression else "h_star"
    columns = ["state", cost, "instance", "preferred"]
    columns += ["is_random", "complete"] if is_regression else []
    seen: list[Any] = []
    for batch in dataset.batches(columns=columns):
        arrays = {name: batch[name].to_numpy(zero_copy_only=False) for name in columns[:3]}
        summary.states += batch.num_rows
        seen.append(arrays["instance"].astype(np.int64) << 32 | arrays["state"].astype(np.int64))
        summary.dead_ends += int(np.count_nonzero(~np.isfinite(arrays[cost])))
        summary.costs.update(_histogram(arrays[cost]))
        lengths = batch["preferred"].value_lengths().to_numpy(zero_copy_only=False)
        summary.preferred += int(lengths.sum())
        summary.preferred_states += int(np.count_nonzero(lengths))
        if is_regression:
            summary.random += batch["is_random"].true_count
            summary.incomplete += batch["complete"].false_count
    summary.distinct = len(np.unique(np.concatenate(seen))) if seen else 0
    if len(summary.costs) < MIN_TARGETS:
        summary.problems.append(
            f"all costs are the same ({', '.join(map(str, summary.costs)) or 'none'});"
            " take more samples, or another task"
        )
    return summary
