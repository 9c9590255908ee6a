"""`beeline inspect`, what a task looks like after grounding, and `validate`, what a plan does."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from beeline.cli.command import Screen, command
from beeline.cli.messages import table, within_limits
from beeline.core.errors import BeelineError, ExitCode, Status, counted
from beeline.core.limits import Clock, elapsed_time, memory_size, peak_memory
from beeline.core.settings import About

if TYPE_CHECKING:
    from beeline.pddl.model import Formula
    from beeline.task.ground_task import GroundTask
    from beeline.task.plan_file import Plan
    from beeline.task.validator import Validation


INVALID_PLAN = 1
SHOWN_GOALS = 5
SHOWN_VARIABLES = 8


@command()
def inspect(
    domain: str,
    task: str,
    *,
    time_limit: float | None = None,
    memory_limit: int | str | None = None,
    unit_costs: bool = False,
    screen: Screen,
) -> int:
    """Ground a task and show how large it is.

    Facts and operators are those that can matter for the goal, as Fast Downward's translator
    counts them: universally quantified conditions are axioms here. The exit code is 11 if grounding
    already proves that there is no plan, 23 and 22 at a limit of time or memory, and 0 otherwise.

    Example:
      beeline inspect domain.pddl task.pddl
      beeline inspect domain.pddl task.pddl --json | jq .operators
    """
    from beeline.task.grounding import load

    if time_limit is not None and not 0 < time_limit < float("inf"):
        raise BeelineError(f"the time limit {time_limit} is not a number of seconds above 0")
    size = memory_size("--memory-limit", memory_limit)
    if size is not None and not 0 < size < 2**62:
        raise BeelineError(f"memory limit {size} is not a number from 1 up")
    loading = partial(load, domain, task, unit_costs=unit_costs, as_translator=True)
    ground_task = within_limits(Clock(time_limit), size, loading)
    if isinstance(ground_task, Status):
        return _early_end(ground_task, screen)
    screen.warn(ground_task.problem.warnings)
    fields = describe(ground_task)
    screen.show(fields, lambda: _table(ground_task, fields))
    solvable = ground_task.unsolvable_reason is None
    return ExitCode.SOLVED if solvable else ExitCode.UNSOLVABLE


def _early_end(status: Status, screen: Screen) -> int:
    """Say which limit was reached, and return its exit code."""
    seconds, kilobytes = elapsed_time(), peak_memory()
    memory = "" if kilobytes is None else f", {kilobytes / 1024:.0f} MB"
    screen.show(
        {"status": status.value, "total_time": round(seconds, 6), "peak_memory": kilobytes},
        f"{status.value.replace('_', ' ')} reached after {seconds:.3f} s{memory}",
    )
    return status.exit_code


def describe(task: GroundTask) -> dict[str, object]:
    """The fields of the JSON output."""
    problem = task.problem
    reason = task.unsolvable_reason
    fields: dict[str, object] = {
        "status": "ok" if reason is None else "unsolvable",
        "domain": problem.domain.name,
        "task": problem.name,
        "facts": task.num_facts,
        "operators": task.num_operators,
        "variables": task.num_variables,
        "axioms": task.num_axioms,
        "mutex_groups": task.num_mutex_groups,
        "objects": task.num_objects,
        "goals": task.num_goals,
        "goal_holds": task.goal_holds_initially,
        "actions": len(problem.domain.actions),
        "predicates": len(problem.domain.predicates),
        "reachable_facts": task.native.reachable_facts,
        "reachable_operators": task.native.reachable_instances,
        "unit_costs": task.unit_costs or not problem.minimize_cost,
        "parse_time": round(task.parse_time, 6),
        "ground_time": round(task.ground_time, 6),
        "total_time": round(elapsed_time(), 6),
        "peak_memory": peak_memory(),
        "warnings": [str(warning) for warning in problem.warnings],
    }
    if reason is not None:
        fields["reason"] = reason
    return fields


def _table(task: GroundTask, fields: dict[str, object]) -> str:
    rows = [
        ("domain", f"{fields['domain']} ({fields['predicates']} predicates,"
         f" {fields['actions']} actions)"),
        ("task", f"{fields['task']} ({fields['objects']} objects)"),
        ("facts", f"{fields['facts']} of {fields['reachable_facts']} reachable"),
        ("operators", f"{fields['operators']} of {fields['reachable_operators']} reachable"),
        ("variables", _variables(task.native.domain_sizes)),
        ("mutex groups", str(fields["mutex_groups"])),
        *([("axioms", str(fields["axioms"]))] if task.has_axioms else []),
        ("goal", _goal(task)),
        ("costs", "1 for each operator" if fields["unit_costs"] else "as the task says"),
        ("time", f"{fields['parse_time']:.3f} s parsing, {fields['ground_time']:.3f} s grounding,"
         f" {fields['total_time']:.3f} s in all"),
    ]  # fmt: skip
    if isinstance(fields["peak_memory"], int):
        rows.append(("memory", f"{fields['peak_memory'] / 1024:.0f} MB"))
    if task.unsolvable_reason is not None:
        rows.append(("unsolvable", task.unsolvable_reason))
    elif task.goal_holds_initially:
        rows.append(("note", "the goal already holds: the empty plan is a plan"))
    return table(rows)


def _variables(sizes: list[int]) -> str:
    """How many variables there are, and how many values the largest of them have.

    >>> _variables([2, 5, 2])
    '3, with 5, 2, 2 values'
    """
    if not sizes:
        return "0"
    largest = sorted(sizes, reverse=True)
    shown = ", ".join(str(size) for size in largest[:SHOWN_VARIABLES])
    more = ", ..." if len(sizes) > SHOWN_VARIABLES else ""
    return f"{len(sizes)}, with {shown}{more} values"


def _goal(task: GroundTask) -> str:
    from beeline.task.lifted_state import condition_text

    parts = _conjuncts(task.problem.goal)
    if not parts:
        return "(and)"
    shown = " ".join(condition_text(part, {}) for part in parts[:SHOWN_GOALS])
    shown = shown if len(shown) <= 200 else shown[:197] + "..."
    more = f" and {len(parts) - SHOWN_GOALS} more" if len(parts) > SHOWN_GOALS else ""
    return shown + more


def _conjuncts(goal: Formula) -> list[Formula]:
    from beeline.pddl.model import Junction

    if isinstance(goal, Junction) and goal.word == "and":
        return [each for part in goal.parts for each in _conjuncts(part)]
    return [goal]


@command(plan=About("Plan file, a step on each line.", "PLAN"))
def validate(domain: str, task: str, plan: str, *, unit_costs: bool = False, screen: Screen) -> int:
    """Replay a plan and say whether it reaches the goal, and at what cost.

    For a plan that is not valid, the first step that fails is shown, with the preconditions
    that are missing. The exit code is 0 for a valid plan and 1 for any other.

    Example:
      beeline validate domain.pddl task.pddl plan
      beeline validate domain.pddl task.pddl plan --json | jq .valid
    """
    from beeline.pddl import read_domain, read_problem
    from beeline.task.plan_file import read_plan
    from beeline.task.validator import validate as replay

    problem = read_problem(read_domain(domain), task)
    steps = read_plan(plan)
    verdict = replay(problem, steps, unit_costs=unit_costs)
    warnings = [str(warning) for warning in problem.warnings] + _cost_warnings(steps, verdict, plan)
    screen.warn(warnings)
    fields = {**_verdict_fields(verdict, steps), "warnings": warnings}
    screen.show(fields, _sentence(verdict, steps, plan))
    return 0 if verdict.valid else INVALID_PLAN


def _verdict_fields(verdict: Validation, plan: Plan) -> dict[str, object]:
    """The fields of the JSON output, without warnings."""
    failure = verdict.failure
    fields: dict[str, object] = {
        "status": "valid" if verdict.valid else "invalid",
        "valid": verdict.valid,
        "length": verdict.length,
        "cost": verdict.cost,
        "total_time": round(elapsed_time(), 6),
    }
    if failure is not None:
        fields["failure"] = {
            "kind": failure.kind.value,
            "message": failure.message,
            "step": failure.step,
            "action": failure.action,
            "line": None if failure.step is None else plan.lines[failure.step - 1],
            "unsatisfied": list(failure.unsatisfied),
        }
    return fields


def _sentence(verdict: Validation, plan: Plan, file: str) -> str:
    failure = verdict.failure
    steps = counted(verdict.length, "step")
    if failure is None:
        return f"valid: {steps}, cost {verdict.cost}"
    if failure.step is None:
        return f"invalid: after {steps}: {failure.message}"
    line = plan.lines[failure.step - 1]
    return f"invalid: step {failure.step} {failure.action} at {file}:{line}: {failure.message}"


def _cost_warnings(plan: Plan, verdict: Validation, file: str) -> list[str]:
    actual = verdict.length if plan.unit_cost else verdict.cost
    if plan.cost is None or not verdict.valid or plan.cost == actual:
        return []
    return [f"{file}: the plan says that it costs {plan.cost}, but it costs {actual}"]
