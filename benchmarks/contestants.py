"""One search in a process of its own, for honest peak memory: Beeline, pyperplan, pymimir.

Seconds are processor time of the search alone, as Fast Downward counts them: reading, grounding
and building the heuristic come before.

    python benchmarks/contestants.py beeline '{"domain": ..., "task": ..., "heuristic": "ff"}'

The last line of output is a JSON object. `run_contestant` starts such a process.
"""

from __future__ import annotations

import json
import math
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from measured_process import run

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from beeline import _native
    from beeline.task.ground_task import GroundTask

    BatchHeuristic = Callable[[NDArray[np.uint32]], NDArray[np.float64]]


def beeline_search(
    domain: str,
    task: str,
    heuristic: str,
    evaluations: int | None = None,
    expansions: int | None = None,
    seconds: float | None = None,
    unit_costs: bool = False,
    repeats: int = 1,
) -> dict[str, Any]:
    """Greedy search with ff and goalcount, A* with the admissible heuristics, up to a limit.

    `numpy-goalcount` is goal count as a user writes it in Python. The fastest of `repeats`
    equal searches counts.
    """
    from beeline import _native, load

    ground = load(domain, task, unit_costs=unit_costs)
    best: dict[str, Any] = {"seconds": math.inf}
    for _ in range(repeats):
        registry = _native.States(ground.native)
        start = time.process_time()
        if heuristic == "numpy-goalcount":
            evaluator: _native.Evaluator = _native.PythonEvaluator(goalcount(ground, registry))
        else:
            evaluator = _native.make_heuristic(heuristic, ground.native)
        config = _native.SearchConfig()
        config.evaluators = [evaluator]
        if heuristic in ("ff", "goalcount", "numpy-goalcount"):
            config.queues = [_native.QueueSpec([_native.KeySpec()])]
        else:
            config.queues = [_native.QueueSpec([_native.KeySpec(1.0, 1.0), _native.KeySpec()])]
            config.reopen = True
        if evaluations is not None:
            config.max_evaluations = evaluations
        if expansions is not None:
            config.max_expansions = expansions
        if seconds is not None:
            config.max_seconds = seconds
        ready = time.process_time()
        result = _native.search(registry, registry.initial, config)
        done = time.process_time()
        if done - ready < best["seconds"]:
            best = {
                "status": result.status.name,
                "cost": result.cost,
                "initial_h": result.initial_h[0],
                "expanded": result.counters.expanded,
                "evaluated": result.counters.evaluated,
                "generated": result.counters.generated,
                "seconds": done - ready,
                "setup_seconds": ready - start,
                "states": result.states,
                "variables": ground.num_variables,
                "bytes_per_state_in_registry": registry.bytes / len(registry),
                "bytes_per_state_in_search": result.bytes / result.states,
            }
    return best


def goalcount(task: GroundTask, states: _native.States) -> BatchHeuristic:
    """The number of goals that do not hold, for a batch of states, with numpy."""
    import numpy as np

    goal = task.goal
    variables = task.goal_variables
    ones = np.ones(len(goal))
    return lambda ids: (states.values(ids, variables) != goal) @ ones


def pyperplan_search(domain: str, task: str, heuristic: str, seconds: float) -> dict[str, Any]:
    """Greedy search with h_FF; each call of its heuristic is an evaluation."""
    from pyperplan import planner
    from pyperplan.heuristics.relaxation import hFFHeuristic
    from pyperplan.search.a_star import greedy_best_first_search

    if heuristic != "ff":
        raise ValueError("pyperplan is measured with ff alone")

    class TimeIsUp(Exception):  # noqa: N818 - it is not an error
        pass

    ground = planner._ground(planner._parse(domain, task))
    h_ff = hFFHeuristic(ground)
    evaluated = 0
    start = time.process_time()

    def counted(node: object) -> float:
        nonlocal evaluated
        if time.process_time() - start > seconds:
            raise TimeIsUp
        evaluated += 1
        return float(h_ff(node))

    status = "SOLVED"
    try:
        greedy_best_first_search(ground, counted)
    except TimeIsUp:
        status = "TIME_LIMIT"
    return {"status": status, "evaluated": evaluated, "seconds": time.process_time() - start}


def pymimir_search(domain: str, task: str, heuristic: str, seconds: float) -> dict[str, Any]:
    """Eager greedy search with FF or A* with blind, grounded.

    It does not count evaluations. It evaluates a state when it first sees it, so the states in
    its repository are what it evaluated, at most.
    """
    from pymimir.advanced import formalism, search

    parser = formalism.Parser(domain, formalism.ParserOptions())
    problem = parser.parse_problem(task, formalism.ParserOptions())
    grounded = search.SearchContextOptions(search.GroundedOptions())
    context = search.SearchContext.create(problem, grounded)
    if heuristic == "ff":
        evaluator = search.FFHeuristic.create(search.LiftedGrounder(problem))
        options = search.GBFSEagerOptions()
        handler = search.DefaultGBFSEagerEventHandler(problem)
        find_solution = search.find_solution_gbfs_eager
    elif heuristic == "blind":
        evaluator = search.BlindHeuristic.create(problem)
        options = search.AStarEagerOptions()
        handler = search.DefaultAStarEagerEventHandler(problem)
        find_solution = search.find_solution_astar_eager
    else:
        raise ValueError(f"pymimir has no {heuristic}")
    options.event_handler = handler
    options.max_time_in_ms = int(seconds * 1000)
    start = time.process_time()
    result = find_solution(context, evaluator, options)
    elapsed = time.process_time() - start
    return {
        "status": result.status.name,
        "expanded": handler.get_statistics().get_num_expanded(),
        "evaluated": context.get_state_repository().get_state_count(),
        "seconds": elapsed,
    }


SEARCHES: dict[str, Callable[..., dict[str, Any]]] = {
    "beeline": beeline_search,
    "pymimir": pymimir_search,
    "pyperplan": pyperplan_search,
}


def run_contestant(name: str, timeout: float = 600.0, **settings: Any) -> dict[str, Any]:
    """Run a search in a new process; `error` says why there is no result."""
    arguments = {
        key: str(value.resolve()) if isinstance(value, Path) else value
        for key, value in settings.items()
        if value is not None
    }
    script = str(Path(__file__).resolve())
    done = run([sys.executable, script, name, json.dumps(arguments)], timeout=timeout)
    if done.code != 0:
        if done.code < 0 and done.seconds >= timeout:
            return {"error": f"no answer within {timeout:.0f} s"}
        reasons = re.findall(r"^[\w.]+(?:Error|Exception): .*", done.errors, re.MULTILINE)
        return {"error": reasons[-1] if reasons else f"ended with {done.code}"}
    record: dict[str, Any] = json.loads(done.output.splitlines()[-1])
    return {**record, "peak_mb": done.peak_kb / 1024}


if __name__ == "__main__":
    print("\n" + json.dumps(SEARCHES[sys.argv[1]](**json.loads(sys.argv[2]))))
