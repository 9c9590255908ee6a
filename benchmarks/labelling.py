"""States labelled per second: all labels of a dataset against two heuristics of pyperplan.

The states are those of plans with their siblings, the same ones for both, on generated
tasks of four domains that pyperplan can read. Ours computes blind, goal count, h_max,
h_add, h_FF, LM-cut and the features of the relaxed plan, with the time to set all of them up;
pyperplan's loop computes LM-cut and h_FF, without its set-up. Seconds are processor time; the
fastest of several rounds counts, ours and theirs in turn.

    python benchmarks/labelling.py -o labelling.json
"""

from __future__ import annotations

import argparse
import json
import logging
import statistics
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pyperplan import grounding
from pyperplan.heuristics.lm_cut import LmCutHeuristic
from pyperplan.heuristics.relaxation import hFFHeuristic
from pyperplan.pddl.parser import Parser
from pyperplan.search.searchspace import make_root_node

from beeline import _native
from beeline.data.plan_walk import heuristic_labels, walk_plan
from beeline.generators import domain_text, instances
from beeline.pddl import parse_domain, parse_problem
from beeline.planning.solve import solve
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from beeline.task.ground_task import GroundTask

SIZES: dict[str, dict[str, float]] = {
    "blocksworld": {"blocks": 12},
    "gripper": {"balls": 10},
    "miconic": {"floors": 12, "passengers": 8},
    "visitall": {"width": 6, "height": 6},
}
TARGET = 100


class Case(NamedTuple):
    """A task in both worlds, and the same states in both."""

    name: str
    task: GroundTask
    states: _native.States
    ids: NDArray[np.uint32]
    their_task: Any
    their_states: list[Any]


def make_case(name: str, seed: int, limit: int) -> Case:
    """States of a plan and what is generated from them, up to a limit."""
    task_name, text = next(iter(instances(name, seed=seed, count=1, **SIZES[name])))
    task = ground(parse_problem(parse_domain(domain_text(name)), text))
    plan = solve(task, "gbfs", "ff").plan
    assert plan is not None
    states = _native.States(task.native)
    walk = walk_plan(task, states, plan)
    theirs = their_task(domain_text(name), text)
    actions = {operator.name: operator for operator in theirs.operators}
    ids, their_states = [walk.states[0]], [theirs.initial_state]
    current = theirs.initial_state
    for operator, state in zip(walk.operators, walk.states[:-1], strict=True):
        applicable, successors = (array.tolist() for array in states.successors(state))
        for each, successor in zip(applicable, successors, strict=True):
            ids.append(successor)
            their_states.append(actions[task.operator_name(each)].apply(current))
        current = actions[task.operator_name(operator)].apply(current)
    chosen = np.linspace(0, len(ids) - 1, min(limit, len(ids))).astype(int)
    return Case(
        task_name,
        task,
        states,
        np.array(ids, dtype=np.uint32)[chosen],
        theirs,
        [their_states[place] for place in chosen],
    )


def their_task(domain: str, text: str) -> Any:
    """The task as pyperplan grounds it."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, "domain.pddl"), Path(folder, "task.pddl")]
        for file, content in zip(files, (domain, text), strict=True):
            file.write_text(content)
        parser = Parser(str(files[0]), str(files[1]))
        problem = parser.parse_problem(parser.parse_domain())
    return grounding.ground(problem)


def our_round(case: Case, repeats: int) -> tuple[float, NDArray[np.float64]]:
    """Seconds for one labelling of all states, and LM-cut."""
    start = time.process_time()
    for _ in range(repeats):
        labels = heuristic_labels(case.task, case.states, case.ids)
    return (time.process_time() - start) / repeats, labels["lmcut"]


def their_round(case: Case) -> tuple[float, list[float]]:
    """Seconds for one loop over all states, and LM-cut."""
    lmcut, ff = LmCutHeuristic(case.their_task), hFFHeuristic(case.their_task)
    nodes = [make_root_node(state) for state in case.their_states]
    start = time.process_time()
    values = [(lmcut(node), ff(node)) for node in nodes]
    return time.process_time() - start, [value for value, _ in values]


def measure(name: str, seed: int, limit: int, rounds: int) -> dict[str, Any]:
    """Rates of both on one task."""
    case = make_case(name, seed, limit)
    count = len(case.ids)
    ours, theirs = [], []
    for _ in range(rounds):
        seconds, our_values = our_round(case, repeats=20)
        ours.append(count / seconds)
        seconds, their_values = their_round(case)
        theirs.append(count / seconds)
    return {
        "task": case.name,
        "states": count,
        "operators": case.task.num_operators,
        "ours": max(ours),
        "pyperplan": max(theirs),
        "ratio": max(ours) / max(theirs),
        "spread": [min(ours) / max(theirs), max(ours) / min(theirs)],
        "equal_lmcut": float(np.mean(our_values == np.array(their_values))),
    }


def main() -> None:
    """Measure all domains, print a table, and say whether the target is met."""
    parser = argparse.ArgumentParser(description="states labelled per second")
    parser.add_argument("-o", "--output", help="JSON file for the numbers")
    parser.add_argument("--states", type=int, default=100, help="states of each task")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=2, help="tasks of each domain")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)  # pyperplan logs what it parses
    rows = [
        measure(name, seed, options.states, options.rounds)
        for name in SIZES
        for seed in range(1, options.seeds + 1)
    ]
    print(f"{'task':<22}{'states':>7}{'ours/s':>10}{'pyperplan/s':>13}{'ratio':>8}  spread")
    for row in rows:
        low, high = row["spread"]
        print(
            f"{row['task']:<22}{row['states']:>7}{row['ours']:>10,.0f}{row['pyperplan']:>13,.1f}"
            f"{row['ratio']:>7,.0f}x  {low:,.0f}-{high:,.0f}x"
        )
    ratio = statistics.geometric_mean(row["ratio"] for row in rows)
    verdict = "met" if ratio >= TARGET else "missed"
    print(f"geometric mean of the ratios: {ratio:,.0f}x (target {TARGET}x: {verdict})")
    if options.output:
        Path(options.output).write_text(json.dumps({"ratio": ratio, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
