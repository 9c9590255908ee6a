"""Landmarks against Fast Downward's: how many there are, and the value of the initial state.

Fast Downward's `landmark_sum` with landmarks by `lm_rhw` and reasonable orders looks at the initial
state of each task, and so does the heuristic `landmarks`. Reasonable orders are advice, and where
two landmarks interfere the last word decides, so values may differ a little; numbers of landmarks
should agree.

    python benchmarks/landmark_counts.py ../shared/data/ipc/*/training -o counts.json
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from pathlib import Path
from typing import Any

import downward
import numpy as np
from measured_process import run

import beeline
from beeline import _native
from beeline.core.files import write_atomically

SEARCH = "lazy_greedy([landmark_sum(lm_reasonable_orders_hps(lm_rhw()))],max_time=0)"
LANDMARKS = re.compile(r"contains (\d+) landmarks, of which (\d+) are disjunctive")


def compare(domain: Path, task_file: Path, folder: Path) -> dict[str, Any]:
    """Numbers of landmarks, disjunctive ones, and the initial value, of both planners."""
    sas = downward.translate(domain, task_file, folder)
    output = run([str(downward.binary()), "--search", SEARCH], stdin=sas).output
    sas.unlink()
    counts = LANDMARKS.findall(output)
    value = re.findall(downward.FIGURES["initial_h"], output)
    task = beeline.load(domain, task_file)
    heuristic = _native.make_heuristic("landmarks", task.native)
    assert isinstance(heuristic, _native.LandmarkCountHeuristic)
    states = _native.States(task.native)
    ours = [
        len(heuristic.landmarks),
        sum(len(values) > 1 for values in heuristic.landmarks),
        float(heuristic.evaluate(states, np.array([states.initial], np.uint32))[0]),
    ]
    theirs = [*map(int, counts[-1]), float(value[-1])] if counts and value else None
    return {"task": str(task_file), "ours": ours, "theirs": theirs}


def main() -> None:
    """Compare all tasks of some folders, whose domain is in the folder or in the one above it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--most", type=int, default=15, help="tasks of each folder; 15")
    options = parser.parse_args()
    records = []
    with tempfile.TemporaryDirectory() as scratch:
        for folder in options.folders:
            for task in sorted(folder.glob("p*.pddl"))[: options.most]:
                record = compare(folder.parent / "domain.pddl", task, Path(scratch))
                records.append(record)
                mark = " " if record["ours"] == record["theirs"] else "!"
                print(mark, task, record["ours"], record["theirs"], flush=True)
    known = [record for record in records if record["theirs"] is not None]
    for place, what in enumerate(("landmarks", "disjunctive ones", "initial values")):
        same = sum(record["ours"][place] == record["theirs"][place] for record in known)
        print(f"{what}: {same} of {len(known)} equal")
    write_atomically(options.output, json.dumps(records, indent=1) + "\n")


if __name__ == "__main__":
    main()
