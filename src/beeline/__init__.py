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
    from beeline import generators
    from beeline.core.errors import BeelineError, ExitCode, Status, UnsupportedError
    from beeline.data.reader import Dataset
    from beeline.evaluate.certificate import Certificate, certify_ranking
    from beeline.evaluate.evaluation import Evaluation, evaluate_suite
    from beeline.learning.learn import learn
    from beeline.learning.learn_task import learn_task
    from beeline.learning.train import train
    from beeline.models.colours.model import ColourModel
    from beeline.models.model_file import load_model
    from beeline.models.neural_model import NeuralModel
    from beeline.models.resnet.model import TaskModel
    from beeline.pages.show import Page, show
    from beeline.pddl import parse_domain, parse_problem, read_domain, read_problem
    from beeline.pddl.model import Domain, Problem
    from beeline.planning.model import Model
    from beeline.planning.plan import plan
    from beeline.planning.python_heuristics import Heuristic
    from beeline.planning.result import Result
    from beeline.planning.solve import solve
    from beeline.task.ground_task import GroundTask
    from beeline.task.grounding import ground, load
    from beeline.task.plan_file import Plan, read_plan, write_plan
    from beeline.task.states import State, StateBatch
    from beeline.task.validator import Validation, validate

__all__ = [
    "BeelineError",
    "Certificate",
    "ColourModel",
    "Dataset",
    "Domain",
    "Evaluation",
    "ExitCode",
    "GroundTask",
    "Heuristic",
    "Model",
    "NeuralModel",
    "Page",
    "Plan",
    "Problem",
    "Result",
    "State",
    "StateBatch",
    "Status",
    "TaskModel",
    "UnsupportedError",
    "Validation",
    "__version__",
    "certify_ranking",
    "evaluate_suite",
    "generators",
    "ground",
    "learn",
    "learn_task",
    "load",
    "load_model",
    "parse_domain",
    "parse_problem",
    "plan",
    "read_domain",
    "read_plan",
    "read_problem",
    "show",
    "solve",
    "train",
    "validate",
    "write_plan",
]

if not TYPE_CHECKING:  # hidden from type checkers, which would otherwise accept any name
    _ROOMS = {"generators"}
    _HOMES = {
        "BeelineError": "core.errors",
        "Certificate": "evaluate.certificate",
        "Dataset": "data.reader",
        "Domain": "pddl.model",
        "Evaluation": "evaluate.evaluation",
        "ExitCode": "core.errors",
        "GroundTask": "task.ground_task",
        "Heuristic": "planning.python_heuristics",
        "ColourModel": "models.colours.model",
        "Model": "planning.model",
        "NeuralModel": "models.neural_model",
        "Page": "pages.show",
        "Plan": "task.plan_file",
        "Problem": "pddl.model",
        "Result": "planning.result",
        "State": "task.states",
        "StateBatch": "task.states",
        "Status": "core.errors",
        "TaskModel": "models.resnet.model",
        "UnsupportedError": "core.errors",
        "Validation": "task.validator",
        "certify_ranking": "evaluate.certificate",
        "evaluate_suite": "evaluate.evaluation",
        "ground": "task.grounding",
        "learn": "learning.learn",
        "learn_task": "learning.learn_task",
        "load": "task.grounding",
        "load_model": "models.model_file",
        "parse_domain": "pddl",
        "parse_problem": "pddl",
        "plan": "planning.plan",
        "read_domain": "pddl",
        "read_plan": "task.plan_file",
        "read_problem": "pddl",
        "show": "pages.show",
        "solve": "planning.solve",
        "train": "learning.train",
        "validate": "task.validator",
        "write_plan": "task.plan_file",
    }

    def __getattr__(name):
        from importlib import import_module

        if name in _ROOMS:
            return import_module(f"beeline.{name}")
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'beeline' has no attribute '{name}'")
        value = getattr(import_module(f"beeline.{home}"), name)
        globals()[name] = value  # the next access does not come here
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
