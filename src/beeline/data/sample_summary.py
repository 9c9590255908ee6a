"""What is in a dataset of samples of one task, and whether one can learn from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from beeline.data.schema import REGRESSION
from beeline.data.summary import MIN_TARGETS

if TYPE_CHECKING:
    from beeline.data.reader import Dataset


@dataclass
class SampleSummary:
    """Counts of the samples; `problems` say why one cannot learn from them.

    `costs` are estimates or, in a state space, h*: value to number of states.
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
    costs: dict[int, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """All fields as plain values."""
        costs = {str(value): count for value, count in sorted(self.costs.items())}
        return {**vars(self), "costs": costs}

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
    for row in dataset.instances(columns=["name", "objects", "variables", "facts", "operators"]):
        summary.task = row["name"]
        summary.sizes = {"objects": row["objects"], "variables": row["variables"]}
        summary.sizes |= {name: len(row[name]) for name in ("facts", "operators")}
    is_regression = manifest.kind == REGRESSION
    cost = "h" if is_regression else "h_star"
    columns = ["state", cost, "preferred", *(["is_random", "complete"] if is_regression else [])]
    seen: list[Any] = []
    for batch in dataset.batches(columns=columns):
        arrays = {name: batch[name].to_numpy(zero_copy_only=False) for name in columns[:2]}
        summary.states += batch.num_rows
        seen.append(arrays["state"])
        finite = np.isfinite(arrays[cost])
        summary.dead_ends += int(np.count_nonzero(~finite))
        values, counts = np.unique(arrays[cost][finite], return_counts=True)
        for value, count in zip(values, counts, strict=True):
            summary.costs[int(value)] = summary.costs.get(int(value), 0) + int(count)
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
