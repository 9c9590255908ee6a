"""Errors that name file, line and remedy, and the exit codes a shell sees.

Bad input raises `BeelineError`; only the command line prints it and exits.
"""

from __future__ import annotations

from enum import IntEnum

LONGEST_NAME = 1000  # of a file, in messages


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
    return line if line.isprintable() else "".join(map(_visible, line))


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode("ascii")


def _shortened(file: str) -> str:
    return file if len(file) <= LONGEST_NAME else f"{file[:100]}...{file[-100:]}"


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
        file = None if self.file is None else _shortened(self.file)
        place = "" if file is None else f"{file}: "
        if file is not None and self.line is not None:
            place = f"{file}:{self.line}: "
        remedy = "" if self.hint is None else f" (hint: {self.hint})"
        return one_line(f"{place}{self.message}{remedy}")


class UnsupportedError(BeelineError):
    """A PDDL feature that Beeline refuses by name instead of dropping it silently."""

    exit_code = ExitCode.UNSUPPORTED


class WriteError(BeelineError):
    """A result that could not be written, whatever the input."""

    exit_code = ExitCode.CANNOT_WRITE
