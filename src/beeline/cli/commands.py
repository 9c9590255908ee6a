"""The commands by name, and the short way from words to a call.

Typer knows every option, but importing it takes longer than many tasks take to ground. Words
that are only file names and well-formed options are therefore understood right here, from the
signature of the very function that Typer would call; anything else (help, errors) is left to
Typer.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Each module has a function `run` that takes files, then options, and returns the exit code. An
# option whose default is False is a flag; any other takes a word, which `run` gets as it is.
# A name of two words is a command of a group.
MODULES = {
    "data certify": "beeline.cli.data_certify_command",
    "data plans": "beeline.cli.data_plans_command",
    "data regression": "beeline.cli.data_regression_command",
    "data statespace": "beeline.cli.data_statespace_command",
    "data summary": "beeline.cli.data_summary_command",
    "evaluate": "beeline.cli.evaluate_command",
    "experiment": "beeline.cli.experiment_command",
    "generate": "beeline.cli.generate_command",
    "inspect": "beeline.cli.inspect_command",
    "ipc learn": "beeline.cli.ipc_learn_command",
    "ipc plan": "beeline.cli.ipc_plan_command",
    "learn": "beeline.cli.learn_command",
    "models info": "beeline.cli.models_info_command",
    "models list": "beeline.cli.models_list_command",
    "plan": "beeline.cli.plan_command",
    "report": "beeline.cli.report_command",
    "solve": "beeline.cli.solve_command",
    "train": "beeline.cli.train_command",
    "validate": "beeline.cli.validate_command",
}
SHORT_OPTIONS = {"-o": "--output"}


def command_name(words: Sequence[str]) -> str | None:
    """The command that stands at the beginning of the words, if there is one.

    >>> command_name(["inspect", "domain.pddl"]), command_name(["data", "summary", "folder"])
    ('inspect', 'data summary')
    >>> command_name(["data", "--help"]) is None
    True
    """
    for length in (1, 2):
        name = " ".join(words[:length])
        if name in MODULES:
            return name
    return None


def help_topic(words: Sequence[str]) -> str | None:
    """The command or group that the words begin with: what help they need.

    >>> help_topic(["data", "plnas"]), help_topic(["data", "plans"]), help_topic(["datta"])
    ('data', 'data plans', None)
    """
    is_group = any(name.startswith(f"{words[0]} ") for name in MODULES) if words else False
    return command_name(words) or (words[0] if is_group else None)


def command(name: str) -> Callable[..., int]:
    """The function behind a command."""
    run: Callable[..., int] = import_module(MODULES[name]).run
    return run


def details_of(name: str) -> str | None:
    """What the help of a command says beyond its docstring."""
    details = getattr(import_module(MODULES[name]), "help_details", None)
    return None if details is None else str(details())


def option_name(parameter: str) -> str:
    """The option of a keyword parameter.

    >>> option_name("unit_costs")
    '--unit-costs'
    """
    return "--" + parameter.replace("_", "-")


def quick_call(words: Sequence[str]) -> Callable[[], int] | None:
    """The call that the words mean if they are plain, otherwise None.

    >>> quick_call(["inspect", "--json", "domain.pddl", "task.pddl"]).keywords
    {'domain': 'domain.pddl', 'task': 'task.pddl', 'json': True}
    >>> quick_call(["solve", "d.pddl", "t.pddl", "--search=astar", "-o", "plan"]).keywords
    {'domain': 'd.pddl', 'task': 't.pddl', 'search': 'astar', 'output': 'plan'}
    >>> quick_call(["inspect", "--help"]) is None
    True
    """
    command_words = command_name(words)
    if command_words is None:
        return None
    run = command(command_words)
    names = run.__code__.co_varnames[: run.__code__.co_argcount]
    defaults = run.__kwdefaults__ or {}
    options = {option_name(name): name for name in defaults}
    files = []
    chosen: dict[str, str | bool] = {}
    rest = iter(words[len(command_words.split()) :])
    for word in rest:
        if word[:1] != "-":
            files.append(word)
            continue
        option, has_value, value = word.partition("=")
        name = options.get(SHORT_OPTIONS.get(option, option))
        if name is None:
            return None
        if defaults[name] is not False:
            value = value if has_value else next(rest, "")
            if not value or value[0] == "-" or (option in SHORT_OPTIONS and has_value):
                return None
            chosen[name] = value
        elif has_value:
            return None
        else:
            chosen[name] = True
    if len(files) != len(names) or run.__defaults__ or "" in files:
        return None
    return partial(run, **dict(zip(names, files, strict=True)), **chosen)
