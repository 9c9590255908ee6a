"""Errors that name file, line and remedy, and the exit codes a shell sees.

Bad input raises `BeelineError`; only the command line prints it and exits.

The outcome of a run, as one word.
"""

from __future__ import annotations

import os
import shlex
import sys
from enum import Enum, IntEnum
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Entry = TypeVar("Entry")
LONGEST = 1000  # characters of a file's name, and of what is said about it
# The extras of pyproject.toml by their names.
EXTRAS = {
    "neural": ("torch>=2.4", "tensorboard>=2.16.2"),
    "report": ("matplotlib>=3.8", "jinja2>=3.1"),
    "ray": ("ray>=2.30",),
    "up": ("unified-planning>=1.3",),
    "gym": ("gymnasium>=1.0",),
}


class ExitCode(IntEnum):
    """Exit codes, in Fast Downward's numbering; what ends a program from outside, in the shell's.

    SIGTERM is how others say that time is up, hence it has the code of a time limit.
    """

    SOLVED = 0
    UNSOLVABLE = 11
    INCOMPLETE = 12
    MEMORY_LIMIT = 22
    TIME_LIMIT = 23
    BAD_INPUT = 31
    CANNOT_WRITE = 32
    UNSUPPORTED = 34
    INTERNAL_ERROR = 35
    INTERRUPTED = 130  # 128 + SIGINT


def one_line(text: str) -> str:
    """The text on one line, with nothing that a terminal would take for a command.

    >>> one_line("no such\\n type '\\x1b[31m'")
    "no such type '\\\\x1b[31m'"
    """
    line = " ".join(text.split())
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode("ascii")
        for each in line
    )


def counted(number: int, thing: str) -> str:
    """A number of things in words.

    >>> counted(1, "step"), counted(3000, "step")
    ('1 step', '3,000 steps')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _shortened(text: str, kept: int) -> str:
    return text if len(text) <= LONGEST else f"{text[:kept]}...{text[-100:]}"


class BeelineError(Exception):
    """Input that cannot be used, told in one line.

    >>> print(BeelineError("unknown type 'trck'", "domain.pddl", 7, "did you mean 'truck'?"))
    domain.pddl:7: unknown type 'trck' (hint: did you mean 'truck'?)
    """

    exit_code = ExitCode.BAD_INPUT

    def __init__(
        self,
        message: str,
        file: str | None = None,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, file, line, hint)  # all arguments, so that pickling works
        self.message = message
        self.file = file
        self.line = line
        self.hint = hint

    def __str__(self) -> str:
        line = "" if self.line is None else f":{self.line}"
        place = "" if self.file is None else f"{_shortened(self.file, 100)}{line}: "
        remedy = "" if self.hint is None else f" (hint: {self.hint})"
        return one_line(f"{place}{_shortened(self.message, 800)}{remedy}")


class UnsupportedError(BeelineError):
    """A PDDL feature that Beeline refuses by name instead of dropping it silently."""

    exit_code = ExitCode.UNSUPPORTED


class WriteError(BeelineError):
    """A result that could not be written, whatever the input."""

    exit_code = ExitCode.CANNOT_WRITE


class Status(str, Enum):
    """How a search ended; the values are the words in JSON output.

    >>> Status.UNSOLVABLE.exit_code
    <ExitCode.UNSOLVABLE: 11>
    """

    exit_code: ExitCode  # of the process; limits on counts leave a search incomplete

    def __new__(cls, word: str) -> Status:
        """The status of a word."""
        status = str.__new__(cls, word)
        status._value_ = word
        status.exit_code = ExitCode.__members__.get(word.upper(), ExitCode.INCOMPLETE)
        return status

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    INCOMPLETE = "incomplete"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    EVALUATION_LIMIT = "evaluation_limit"
    EXPANSION_LIMIT = "expansion_limit"


def suggestion(word: str, known: Iterable[str]) -> str | None:
    """A hint that names the most similar known word.

    >>> suggestion("onn", ["clear", "on"])
    "did you mean 'on'?"
    """
    from difflib import get_close_matches
    from itertools import islice

    if len(word) > 60:  # comparing very long or very many words takes long and helps nobody
        return None
    matches = get_close_matches(word, list(islice(known, 2000)), n=1)
    return f"did you mean '{matches[0]}'?" if matches else None


def look_up(what: str, name: str, known: Mapping[str, Entry], hint: str | None = None) -> Entry:
    """The entry of a name; an error that lists the names, with the nearest one or else `hint`.

    >>> look_up("colour", "bleu", {"blue": 1, "red": 2})
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: unknown colour 'bleu': there are blue, red (hint: did you mean
    'blue'?)
    """
    if name not in known:
        raise BeelineError(
            f"unknown {what} '{name[:60]}': there are {', '.join(known)}",
            hint=suggestion(name, known) or hint,
        )
    return known[name]


def install_hint(extra: str) -> str:
    """The command that installs what an extra needs where this Python finds it.

    Packages are named themselves, so that it is right in a clone and everywhere else.

    >>> install_hint("up")
    "...python... -m pip install 'unified-planning>=1.3'"
    """
    python, here = sys.executable or "python", os.path.join(os.getcwd(), "")
    words = [python.removeprefix(here), "-m", "pip", "install", *EXTRAS[extra]]
    return shlex.join(words)
