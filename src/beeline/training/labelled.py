"""What is learned about each state: its cost-to-go, bounds of it, and a first guess.

The target x is h*. A lower bound l comes from an admissible heuristic, an upper bound u from a
plan that need not be cheapest, and the residual base h is what a network's output is added to:
mu = output + h (Núñez-Molina et al., "On using admissible bounds for learning forward search
heuristics", section 3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline.encode.instances import InstanceStates

    Floats = NDArray[np.float64]

TARGETS = ("optimal", "plan")
LOWER_BOUNDS = ("none", "blind", "max", "lmcut")
UPPER_BOUNDS = ("none", "plan")
RESIDUALS = ("none", "ff", "lmcut")


@dataclass(frozen=True, eq=False)
class LabelledStates:
    """Labels float64[n] of the states of some instances, in their order.

    Missing bounds are infinite, a missing residual base is zero. `instances` have exactly the
    states that are labelled; `dropped` says how many others there were, and why.
    """

    instances: list[InstanceStates]
    target: Floats
    lower: Floats
    upper: Floats
    residual: Floats
    ff: Floats
    lmcut: Floats
    choices: dict[str, str]
    dropped: dict[str, int]

    def __len__(self) -> int:
        return len(self.target)


def label_states(
    instances: Sequence[InstanceStates],
    *,
    target: str = "optimal",
    lower: str = "lmcut",
    upper: str = "none",
    residual: str = "ff",
) -> LabelledStates:
    """Targets, bounds and residual bases of all states; those that lack one are dropped.

    The target "optimal" is h*; "plan" is the cost of the plan's rest where h* is unknown.
    """
    choices = {"target": target, "lower": lower, "upper": upper, "residual": residual}
    known = {
        "target": TARGETS,
        "lower": LOWER_BOUNDS,
        "upper": UPPER_BOUNDS,
        "residual": RESIDUALS,
    }
    for what, word in choices.items():
        if word not in known[what]:
            raise BeelineError(
                f"unknown {what} '{word[:60]}'", hint=f"there are {', '.join(known[what])}"
            )
    columns = {
        name: np.concatenate([each.features[name] for each in instances])
        for name in ("h_star", "upper", "blind", "max", "lmcut", "ff")
    }
    count = len(columns["h_star"])
    x = columns["h_star"]
    if target == "plan":
        x = np.where(np.isnan(x), columns["upper"], x)
    bound_below = np.full(count, -np.inf) if lower == "none" else columns[lower]
    bound_above = np.full(count, np.inf)
    if upper == "plan":
        bound_above = np.where(np.isnan(columns["upper"]), np.inf, columns["upper"])
    base = np.zeros(count) if residual == "none" else columns[residual]
    faults = {
        "no finite target": ~np.isfinite(x),
        "infinite lower bound": bound_below == np.inf,
        "no finite residual": ~np.isfinite(base),
        "target out of bounds": (x < bound_below) | (x > bound_above),
    }
    keep = np.ones(count, dtype=bool)
    dropped = {}
    for reason, fault in faults.items():
        lost = int(np.count_nonzero(fault & keep))
        if lost:
            dropped[reason] = lost
        keep &= ~fault
    if not keep.any():
        reasons = ", ".join(f"{lost} with {reason}" for reason, lost in dropped.items())
        raise BeelineError(
            f"no state is left to learn from: {reasons}",
            hint="solve the tasks to optimality, or take plans as targets",
        )
    return LabelledStates(
        _kept(instances, keep),
        x[keep],
        bound_below[keep],
        bound_above[keep],
        base[keep],
        columns["ff"][keep],
        columns["lmcut"][keep],
        choices,
        dropped,
    )


def _kept(instances: Sequence[InstanceStates], keep: NDArray[np.bool_]) -> list[InstanceStates]:
    if keep.all():
        return list(instances)
    kept = []
    first = 0
    for each in instances:
        mask = keep[first : first + len(each)]
        first += len(each)
        if mask.all():
            kept.append(each)
        elif mask.any():
            lengths = np.diff(each.starts)
            kept.append(
                replace(
                    each,
                    starts=np.concatenate([[0], np.cumsum(lengths[mask])]).astype(np.int64),
                    items=each.items[np.repeat(mask, lengths)],
                    features={name: column[mask] for name, column in each.features.items()},
                )
            )
    return kept
