"""What a model was learned from and how it was examined, in sentences.

A summary of a training comes from a file that anybody may have written: what is missing in it, or
is no number, is left out.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from beeline.core.errors import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    Summary = Mapping[str, Any]


def learned_from(summary: Summary) -> str:
    """What a model was learned from; empty if nobody knows.

    >>> learned_from({"tasks": {"given": 99, "with_plans": 97, "longest_plan": 120}})
    'learned from 99 tasks (97 with plans, the longest 120 steps)'
    >>> learned_from({"tasks": {"given": 1, "with_plans": 1, "longest_plan": 8, "made": 40}})
    'learned from 1 task (with a plan of 8 steps) and 40 tasks that were made from it'
    >>> learned_from({"instances": {"training": 30}, "states": {"training": 1200}})
    'learned from 30 tasks with 1,200 states'
    >>> learned_from({"samples": {"heuristic": {"samples": 500, "max_depth": 17}}})
    'learned from 500 samples of one task, up to 17 steps from its goal'
    """
    tasks = summary.get("tasks")
    if isinstance(tasks, dict):
        words = _given_tasks(tasks)
    elif "instances" in summary:
        words = _labelled_states(summary)
    elif "samples" in summary:
        words = _samples(summary)
    else:
        words = _things(tasks, "task")
    return words and f"learned from {words}"


def examined(summary: Summary) -> str:
    """How a model did in tasks that it had not learned from; empty if nobody knows.

    >>> exam = {"tasks": 4, "solved": 4, "expansions": 20.3, "length": 20.3, "straight": True}
    >>> examined({"held_out": exam})
    'examined in 4 larger tasks: all solved, about 20 expansions for 20 steps; too easy to tell how
     it does on harder ones'
    >>> examined({"held_out": {"tasks": 1, "solved": 0}}), examined({})
    ('examined in 1 larger task: not solved', '')
    """
    if "held_out" not in summary:
        return ""
    held_out = summary["held_out"]
    if held_out is None:
        return "not examined: nothing was held out, so nobody knows how it does on other tasks"
    tasks, solved = _number(held_out, "tasks"), _number(held_out, "solved")
    if tasks is None or solved is None:
        return ""
    outcome = "none solved" if solved == 0 else "all solved" if solved == tasks else ""
    if tasks == 1:
        outcome = "solved" if solved else "not solved"
    words = f"examined in {counted(tasks, 'larger task')}: {outcome or f'{solved:,} solved'}"
    expansions, length = held_out.get("expansions"), held_out.get("length")
    if solved and _is_finite(expansions) and _is_finite(length):
        words += f", about {expansions:,.0f} expansions for {counted(round(length), 'step')}"
    easy = held_out.get("straight") is True
    return f"{words}; too easy to tell how it does on harder ones" if easy else words


def _given_tasks(tasks: Summary) -> str:
    """Tasks that were given, with their plans, and tasks that were made from them."""
    given, planned = _number(tasks, "given"), _number(tasks, "with_plans")
    if given is None:
        return ""
    longest = _number(tasks, "longest_plan")
    steps = "" if longest is None else counted(longest, "step")
    if given == 1 == planned:
        inside = f"with a plan of {steps}" if steps else "with a plan"
    elif planned is None:
        inside = f"the longest plan has {steps}" if steps else ""
    else:
        optimal = _number(tasks, "optimal")
        who = "all" if planned == given else f"{planned:,}"
        if optimal and optimal == planned:
            inside = f"{who} with optimal plans"
        else:
            inside = f"{who} with plans"
            inside += f", {optimal:,} of them optimal" if optimal else ""
        inside += f", the longest {steps}" if steps and planned else ""
    made = _number(tasks, "made")
    source = "it" if given == 1 else "them"
    return (
        counted(given, "task")
        + (f" ({inside})" if inside else "")
        + (f" and {counted(made, 'task')} that {_were(made)} made from {source}" if made else "")
    )


def _labelled_states(summary: Summary) -> str:
    """Tasks with labelled states, and what the training was validated with."""
    tasks = _things(_part(summary, "instances").get("training"), "task")
    states = _part(summary, "states")
    learned, others = (_things(states.get(part), "state") for part in ("training", "validation"))
    words = " with ".join(filter(None, (tasks, learned)))
    return f"{words}, validated with {others} of other tasks" if words and others else words


def _samples(summary: Summary) -> str:
    """States of one task, sampled backwards from its goal; networks may have their own."""
    parts = [each for each in _part(summary, "samples").values() if isinstance(each, dict)]
    sizes = [size for each in parts if (size := _number(each, "samples")) is not None]
    depths = [depth for each in parts if (depth := _number(each, "max_depth")) is not None]
    if not sizes:
        return ""
    words = f"{counted(max(sizes), 'sample')} of one task"
    return f"{words}, up to {counted(max(depths), 'step')} from its goal" if depths else words


def _part(summary: Summary, name: str) -> dict[str, Any]:
    part = summary.get(name)
    return part if isinstance(part, dict) else {}


def _number(values: object, name: str) -> int | None:
    """A number of things, if it is one."""
    value = values.get(name) if isinstance(values, dict) else None
    return value if type(value) is int and value >= 0 else None


def _is_finite(value: object) -> bool:
    return isinstance(value, float | int) and math.isfinite(value)


def _things(value: object, thing: str) -> str:
    return counted(value, thing) if type(value) is int and value >= 0 else ""


def _were(number: int) -> str:
    return "was" if number == 1 else "were"
