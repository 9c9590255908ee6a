"""The commands by name, and the short way from words to a call.

Typer knows every option, but importing it takes longer than many tasks take to ground. Words
that are only file names and plain flags are therefore understood right here, from the signature
of the very function that Typer would call; anything else (help, errors, options with values) is
left to Typer.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Each module has a function `run` that takes files, then flags, and returns the exit code.
MODULES = {
    "inspect": "beeline.cli.inspect_command",
    "validate": "beeline.cli.validate_command",
}


def command(name: str) -> Callable[..., int]:
    """The function behind a command."""
    run: Callable[..., int] = import_module(MODULES[name]).run
    return run


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
    >>> quick_call(["inspect", "--help"]) is None
    True
    """
    if not words or words[0] not in MODULES:
        return None
    run = command(words[0])
    names = run.__code__.co_varnames[: run.__code__.co_argcount]
    flags = {
        option_name(name): name
        for name, default in (run.__kwdefaults__ or {}).items()
        if default is False
    }
    files = []
    chosen = {}
    for word in words[1:]:
        if word in flags:
            chosen[flags[word]] = True
        elif word[:1] == "-" or not word:
            return None
        else:
            files.append(word)
    if len(files) != len(names) or run.__defaults__:
        return None
    return partial(run, **dict(zip(names, files, strict=True)), **chosen)
