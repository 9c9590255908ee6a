"""Beeline learns how to search in a planning domain.

Nothing is imported before it is used: `import beeline` alone costs next to nothing.

>>> import beeline
>>> beeline.BeelineError("no such file", "task.pddl")
BeelineError('no such file', 'task.pddl', None, None)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline._version import __version__

if TYPE_CHECKING:
    from beeline.core.errors import BeelineError, ExitCode, UnsupportedError
    from beeline.core.statuses import Status
    from beeline.pddl import parse_domain, parse_problem, read_domain, read_problem
    from beeline.pddl.model import Domain, Problem
    from beeline.task.ground_task import GroundTask
    from beeline.task.grounding import ground, load
    from beeline.task.plan_file import Plan, read_plan, write_plan
    from beeline.task.validator import Validation, validate

__all__ = [
    "BeelineError",
    "Domain",
    "ExitCode",
    "GroundTask",
    "Plan",
    "Problem",
    "Status",
    "UnsupportedError",
    "Validation",
    "__version__",
    "ground",
    "load",
    "parse_domain",
    "parse_problem",
    "read_domain",
    "read_plan",
    "read_problem",
    "validate",
    "write_plan",
]

if not TYPE_CHECKING:  # hidden from type checkers, which would otherwise accept any name
    _HOMES = {
        "BeelineError": "core.errors",
        "Domain": "pddl.model",
        "ExitCode": "core.errors",
        "GroundTask": "task.ground_task",
        "Plan": "task.plan_file",
        "Problem": "pddl.model",
        "Status": "core.statuses",
        "UnsupportedError": "core.errors",
        "Validation": "task.validator",
        "ground": "task.grounding",
        "load": "task.grounding",
        "parse_domain": "pddl",
        "parse_problem": "pddl",
        "read_domain": "pddl",
        "read_plan": "task.plan_file",
        "read_problem": "pddl",
        "validate": "task.validator",
        "write_plan": "task.plan_file",
    }

    def __getattr__(name):
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'beeline' has no attribute '{name}'")
        from importlib import import_module

        value = getattr(import_module(f"beeline.{home}"), name)
        globals()[name] = value  # the next access does not come here
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
