"""The outcome of a run, as one word."""

from __future__ import annotations

from enum import Enum

from beeline.core.errors import ExitCode


class Status(str, Enum):
    """How a search ended; the values are the words in JSON output.

    >>> Status.UNSOLVABLE.exit_code
    <ExitCode.UNSOLVABLE: 11>
    """

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    INCOMPLETE = "incomplete"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    EVALUATION_LIMIT = "evaluation_limit"
    EXPANSION_LIMIT = "expansion_limit"

    @property
    def exit_code(self) -> ExitCode:
        """The process exit code for this outcome."""
        return _EXIT_CODES[self]


_EXIT_CODES = {
    Status.SOLVED: ExitCode.SOLVED,
    Status.UNSOLVABLE: ExitCode.UNSOLVABLE,
    Status.INCOMPLETE: ExitCode.INCOMPLETE,
    Status.TIME_LIMIT: ExitCode.TIME_LIMIT,
    Status.MEMORY_LIMIT: ExitCode.MEMORY_LIMIT,
    Status.EVALUATION_LIMIT: ExitCode.INCOMPLETE,
    Status.EXPANSION_LIMIT: ExitCode.INCOMPLETE,
}
