"""State spaces and regression samples beside published figures, and how long they take.

The figures are those of Minini's thesis "Discovering and Learning Preferred Operators for Classical
Planning with Neural Networks" (2023), for seven state spaces with all costs 1: sizes (table 4.1),
the largest distance to the goal d*, the limit L and the largest depth of XRS samples (table A.1),
and how many FSM samples are distinct (section 4.4). Depths and shares are means over seeds; depths
are taken after successor improvement.

    python benchmarks/sampling.py ../shared/data/statespaces -o sampling.json
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from beeline import _native, load
from beeline.data.regression import regression_samples
from beeline.data.regression_settings import RegressionSettings, share_of_states
from beeline.data.state_spaces import enumerate_states

SEEDS = 5
DEPTH_PERCENT = (1, 5)
FSM_PERCENT = 5
SPEED_DOMAIN = "npuzzle"
SPEED_SAMPLES = 100_000


class Printed(NamedTuple):
    """What the thesis says of a state space."""

    states: int
    d_star: int
    limit: int
    depths: tuple[int, int]  # of XRS at 1 % and 5 %
    distinct: int  # percent of FSM samples at 5 %


PRINTED = {
    "blocks": Printed(65990, 24, 17, (20, 22), 72),
    "grid": Printed(452353, 32, 44, (15, 19), 84),
    "npuzzle": Printed(181440, 31, 41, (21, 26), 96),
    "rovers": Printed(565824, 19, 27, (15, 18), 58),
    "scanalyzer": Printed(46080, 15, 20, (10, 14), 89),
    "transport": Printed(637632, 17, 35, (12, 16), 96),
    "visitall": Printed(79931, 15, 17, (11, 14), 86),
}


def measure(domain: str, folder: Path, seeds: int) -> dict[str, Any]:
    """Our figures of one state space."""
    task = load(folder / "domain.pddl", folder / "task.pddl", unit_costs=True)
    start = time.perf_counter()
    space = enumerate_states(task)
    seconds = time.perf_counter() - start
    states, d_star = len(space), space.largest_distance
    del space
    depths = {}
    for percent in DEPTH_PERCENT:
        count = share_of_states(states, percent)
        drawn = [regression_samples(task, RegressionSettings(count, seed=s)) for s in range(seeds)]
        assert all(samples.distinct == samples.sampled for samples in drawn)
        depths[str(percent)] = statistics.mean(samples.max_depth for samples in drawn)
    count = share_of_states(states, FSM_PERCENT)
    shares = []
    for seed in range(seeds):
        samples = regression_samples(task, RegressionSettings(count, strategy="fsm", seed=seed))
        shares.append(100 * samples.distinct / samples.sampled)
    partial = _native.PartialStates(task.native)
    start = time.perf_counter()
    ids, estimates, _ = partial.sample("xrs", SPEED_SAMPLES, 0.1, seed=1)
    drawing = time.perf_counter() - start
    found = {
        "states": states,
        "d_star": d_star,
        "limit": _native.regression_limit(task.native),
        "xrs_depths": depths,
        "fsm_distinct": round(statistics.mean(shares), 2),
        "enumeration_seconds": round(seconds, 3),
        "xrs_states_per_second": round(len(ids) / drawing),
    }
    if domain == SPEED_DOMAIN:
        start = time.perf_counter()
        graph = _native.SampleGraph(partial, np.sort(ids))
        graph.improved(estimates[np.argsort(ids)])
        found["sui_samples"] = len(ids)
        found["sui_seconds"] = round(time.perf_counter() - start, 3)
    return found


def row(domain: str, found: dict[str, Any], printed: Printed) -> str:
    """A line of the table: each figure of ours, and the printed one in parentheses."""
    depths = [
        f"{ours:5.1f} ({theirs})"
        for ours, theirs in zip(found["xrs_depths"].values(), printed.depths, strict=True)
    ]
    return "  ".join(
        [
            f"{domain:<10}",
            f"{found['states']:>7} ({printed.states})".ljust(18),
            f"{found['d_star']:>2} ({printed.d_star})",
            f"{found['limit']:>2} ({printed.limit})",
            *depths,
            f"{found['fsm_distinct']:5.1f} ({printed.distinct})",
            f"{found['enumeration_seconds']:7.2f}",
            f"{found['xrs_states_per_second']:>9,}",
        ]
    )


def main() -> None:
    """Measure all state spaces of a folder."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder with a folder for each state space")
    parser.add_argument("-o", "--output", type=Path, help="write figures to this JSON file")
    parser.add_argument("--seeds", type=int, default=SEEDS, help=f"sample seeds; {SEEDS}")
    options = parser.parse_args()
    print("ours (printed); the largest depth of XRS samples, the share of distinct FSM samples")
    print(
        "domain          states         d*       L      XRS 1 %     XRS 5 %     FSM %     "
        "seconds  XRS states/s"
    )
    figures = {}
    for domain, printed in PRINTED.items():
        found = measure(domain, options.data / domain, options.seeds)
        figures[domain] = {**found, "printed": printed._asdict()}
        print(row(domain, found, printed), flush=True)
    sui = figures[SPEED_DOMAIN]
    print(f"SUI on {sui['sui_samples']:,} samples of {SPEED_DOMAIN}: {sui['sui_seconds']:.2f} s")
    if options.output is not None:
        options.output.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
