"""`beeline validate`: whether a plan does what it should."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.cli.messages import print_json, print_warnings
from beeline.core.process import elapsed_time

if TYPE_CHECKING:
    from beeline.cli.parameters import DomainFile, Json, PlanFile, Quiet, TaskFile, UnitCosts
    from beeline.task.plan_file import Plan
    from beeline.task.validator import Validation

INVALID_PLAN = 1


def run(
    domain: DomainFile,
    task: TaskFile,
    plan: PlanFile,
    *,
    json: Json = False,
    quiet: Quiet = False,
    unit_costs: UnitCosts = False,
) -> int:
    """Replay a plan and say whether it reaches the goal, and at what cost.

    For a plan that is not valid, the first step that fails is shown, with the preconditions
    that are missing. The exit code is 0 for a valid plan and 1 for any other.

    Example:
      beeline validate domain.pddl task.pddl plan
      beeline validate domain.pddl task.pddl plan --json | jq .valid
    """
    from beeline.pddl import read_domain, read_problem
    from beeline.task.plan_file import read_plan
    from beeline.task.validator import validate

    problem = read_problem(read_domain(domain), task)
    steps = read_plan(plan)
    verdict = validate(problem, steps.steps, unit_costs=unit_costs)
    warnings = [str(warning) for warning in problem.warnings] + _cost_warnings(steps, verdict, plan)
    if not quiet:
        print_warnings(warnings)
    if json:
        print_json({**describe(verdict, steps), "warnings": warnings})
    else:
        print(_sentence(verdict, steps, plan))
    return 0 if verdict.valid else INVALID_PLAN


def describe(verdict: Validation, plan: Plan) -> dict[str, object]:
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
    steps = f"{verdict.length} step{'' if verdict.length == 1 else 's'}"
    if failure is None:
        return f"valid: {steps}, cost {verdict.cost}"
    if failure.step is None:
        return f"invalid: after {steps}: {failure.message}"
    line = plan.lines[failure.step - 1]
    return f"invalid: step {failure.step} {failure.action} at {file}:{line}: {failure.message}"


def _cost_warnings(plan: Plan, verdict: Validation, file: str) -> list[str]:
    actual = verdict.length if plan.declares_unit_cost else verdict.cost
    if plan.declared_cost is None or not verdict.valid or plan.declared_cost == actual:
        return []
    return [f"{file}: the plan says that it costs {plan.declared_cost}, but it costs {actual}"]
