"""Optimal costs against Fast Downward's: A* with LM-cut, and h_max of initial states.

Tasks are a fixed sample of `ranking` and of the training tasks of `ipc23lt`, domain by domain in
turn, until the wanted number is solved by both planners. Those files have no action costs, so
each task is compared twice: as it is, where all costs are 1, and in a copy whose actions cost
2, 5, 1, 0, 7, 3, 2, ... in the order of the domain file. Two domains of `statespaces` have costs
of their own and are compared with these. The values of h_max are compared on all tasks that were
looked at, solved or not.

    python benchmarks/optimal_costs.py ../shared/data -o costs.json
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import os
import random
import re
import statistics
import sys
import tempfile
from itertools import chain, cycle, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import downward

COSTS = (2, 5, 1, 0, 7, 3)
DOMAINS_WITH_COSTS = ("scanalyzer", "transport")
BOTH = ("unit costs", "added costs")
PATIENCE = 6  # times the limit, and by the clock, where Fast Downward counts processor time
SEED = 2023


class Job(NamedTuple):
    """A task to be solved by both planners, in one or both variants."""

    domain: Path
    task: Path
    variants: tuple[str, ...]
    seconds: float


def read_lists(text: str) -> Any:
    """PDDL as nested lists of words.

    >>> read_lists("(a (b C) ; remark\\n d)")
    ['a', ['b', 'c'], 'd']
    """
    stack: list[list[Any]] = [[]]
    for word in re.findall(r"[()]|[^\s()]+", re.sub(r";[^\n]*", "", text).lower()):
        if word == "(":
            stack.append([])
        elif word == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(word)
    return stack[0][0]


def write_lists(tree: Any) -> str:
    """The opposite of `read_lists`.

    >>> write_lists(["a", ["b", "c"]])
    '(a (b c))'
    """
    return tree if isinstance(tree, str) else f"({' '.join(map(write_lists, tree))})"


def domain_with_costs(text: str) -> str:
    """A domain whose actions all have a cost.

    >>> domain_with_costs("(define (domain d) (:action a :parameters () :effect (p)))")
    '(define (domain d) (:functions (total-cost) - number)
      (:action a :parameters () :effect (and (p) (increase (total-cost) 2))))'
    """
    tree = read_lists(text)
    costs = cycle(map(str, COSTS))
    for section in tree:
        if section[0] == ":requirements":
            section.append(":action-costs")
        elif section[0] == ":action":
            place = section.index(":effect") + 1
            increase = ["increase", ["total-cost"], next(costs)]
            section[place] = ["and", section[place], increase]
    first_action = next(i for i, section in enumerate(tree) if section[0] == ":action")
    tree.insert(first_action, [":functions", ["total-cost"], "-", "number"])
    return write_lists(tree)


def task_with_costs(text: str) -> str:
    """A task that asks for a cheapest plan."""
    tree = read_lists(text)
    next(section for section in tree if section[0] == ":init").append(["=", ["total-cost"], "0"])
    return write_lists([*tree, [":metric", "minimize", ["total-cost"]]])


def solve(domain: Path, task: Path, folder: Path, seconds: float) -> dict[str, Any]:
    """Both planners on one task: cost (None if not found in time), and h_max of the start."""
    import numpy as np

    import beeline
    from beeline import _native as native

    sas = downward.translate(domain, task, folder)
    theirs = downward.search(sas, f"astar(lmcut(),max_time={seconds})")
    their_max = downward.search(sas, "astar(hmax(),max_time=0.01)")
    ground = beeline.load(domain, task).native
    states = native.States(ground)
    initial = np.array([states.initial], dtype=np.uint32)
    our_max = native.make_heuristic("max", ground).evaluate(states, initial)[0]
    record = {
        "h_max": None if math.isinf(our_max) else float(our_max),
        "fast_downward_h_max": their_max.get("initial_h"),
        "fast_downward_cost": theirs.get("cost"),
        "fast_downward_seconds": theirs.get("seconds"),
        "fast_downward_evaluated": theirs.get("evaluated"),
        "fast_downward_lmcut": theirs.get("initial_h"),
    }
    if theirs.get("cost") is None:
        return record
    config = native.SearchConfig()
    lmcut = native.make_heuristic("lmcut", ground)
    config.evaluators = [lmcut]
    config.queues = [native.QueueSpec([native.KeySpec(1.0, 1.0), native.KeySpec()])]
    config.reopen = True
    config.max_seconds = PATIENCE * seconds
    ours = native.search(states, states.initial, config)
    cost = ours.cost if ours.status == native.SearchStatus.SOLVED else None
    return {
        **record,
        "cost": cost,
        "status": ours.status.name,
        "seconds": ours.seconds,
        "evaluated": ours.counters.evaluated,
        "lmcut": ours.initial_h[0],
    }


def is_solved(result: dict[str, Any]) -> bool:
    """Whether there is a cost to compare with."""
    return result["fast_downward_cost"] is not None


def compare(job: Job) -> dict[str, dict[str, Any]]:
    """The results per variant."""
    results = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for variant in job.variants:
            domain, task = job.domain, job.task
            if variant == "added costs":
                domain, task = folder / "domain.pddl", folder / "task.pddl"
                domain.write_text(domain_with_costs(job.domain.read_text()))
                task.write_text(task_with_costs(job.task.read_text()))
            results[variant] = solve(domain, task, folder, job.seconds)
            if not is_solved(results[variant]):
                break  # the task will not count
    return results


def sample(data: Path, seconds: float) -> list[Job]:
    """All candidates, shuffled within their domains, the domains taking turns."""
    folders = [*sorted((data / "ranking").iterdir()), *sorted((data / "ipc23lt").iterdir())]
    rows = []
    for folder in folders:
        training = folder / "training"
        tasks = sorted((training if training.exists() else folder).glob("*.pddl"))
        tasks = [task for task in tasks if task.name != "domain.pddl"]
        random.Random(SEED).shuffle(tasks)
        domain = folder / "domain.pddl"
        rows.append([Job(domain, task, BOTH, seconds) for task in tasks])
    return [job for job in chain.from_iterable(zip_longest(*rows)) if job is not None]


def is_equal(result: dict[str, Any]) -> bool:
    """Whether both planners found the same."""
    same_cost = not is_solved(result) or result["cost"] == result["fast_downward_cost"]
    return same_cost and bool(result["h_max"] == result["fast_downward_h_max"])


def informedness(records: list[dict[str, Any]]) -> dict[str, Any]:
    """How our LM-cut values compare, and what it means for searches of some size."""
    pairs = [(r["lmcut"], r["fast_downward_lmcut"]) for r in records if r.get("cost") is not None]
    ratios = [
        r["evaluated"] / r["fast_downward_evaluated"]
        for r in records
        if r.get("cost") is not None and r["fast_downward_evaluated"] >= 1000
    ]
    return {
        "higher": sum(ours > theirs for ours, theirs in pairs),
        "lower": sum(ours < theirs for ours, theirs in pairs),
        "equal": sum(ours == theirs for ours, theirs in pairs),
        "searches": len(ratios),
        "evaluations_ratio": math.exp(statistics.fmean(map(math.log, ratios))) if ratios else None,
        "evaluations_ratio_range": [min(ratios), max(ratios)] if ratios else None,
    }


def main() -> None:
    """Compare, print and write JSON; the exit code is 1 if anything differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, help="the folder of ranking, ipc23lt and statespaces")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("-t", "--tasks", type=int, default=200)
    parser.add_argument("-s", "--seconds", type=float, default=10.0, help="for each search")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    own_costs = [
        Job(options.data / "statespaces" / name / "domain.pddl", task, ("own costs",), 60.0)
        for name in DOMAINS_WITH_COSTS
        for task in sorted((options.data / "statespaces" / name / "init").glob("*.pddl"))[:10]
    ]
    candidates = sample(options.data, options.seconds)
    records: list[dict[str, Any]] = []
    differences: list[str] = []
    domains: set[str] = set()
    compared = {"unit costs": 0, "added costs": 0, "own costs": 0, "h_max": 0}
    tasks = 0
    with multiprocessing.Pool(options.jobs) as pool:
        jobs = own_costs + candidates
        for job, results in zip(jobs, pool.imap(compare, jobs), strict=True):
            name = str(job.task.relative_to(options.data))
            for variant, result in results.items():
                records.append({"task": name, "variant": variant, **result})
                compared["h_max"] += 1
                compared[variant] += is_solved(result)
                if not is_equal(result):
                    differences.append(f"{name}, {variant}")
                    word = "NOT SOLVED" if result.get("status") == "TIME_LIMIT" else "DIFFERENT"
                    print(f"{word}: {name}, {variant}: {result}", flush=True)
            if not all(map(is_solved, results.values())):
                continue
            print(f"{name}: {[result['cost'] for result in results.values()]}", flush=True)
            if job.variants == BOTH:
                tasks += 1
                domains.add(str(job.domain))
            if tasks == options.tasks:
                break
        pool.terminate()
    print(
        f"{tasks} tasks of {len(domains)} domains solved by both in both variants; compared: "
        + ", ".join(f"{count} with {what}" for what, count in compared.items())
        + f"; {len(differences)} differences"
    )
    values = informedness(records)
    print(
        f"lmcut of initial states: {values['equal']} equal, {values['higher']} higher,"
        f" {values['lower']} lower"
    )
    if values["searches"]:
        low, high = values["evaluations_ratio_range"]
        print(
            f"evaluations relative to Fast Downward's where it needs a thousand or more:"
            f" {values['evaluations_ratio']:.2f} ({low:.2f} to {high:.2f}),"
            f" {values['searches']} searches"
        )
    if options.output:
        report = {
            "tasks": tasks,
            "compared": compared,
            "differences": differences,
            "lmcut": values,
            "records": records,
        }
        options.output.write_text(json.dumps(report, indent=1))
    sys.exit(1 if differences or tasks < options.tasks else 0)


if __name__ == "__main__":
    main()
