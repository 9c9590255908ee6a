"""What the commands say: warnings and errors on one line each, results as text or JSON."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from beeline.core.errors import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from beeline.core.errors import BeelineError

SHOWN_WARNINGS = 5


def print_error(message: str) -> None:
    """One line on standard error."""
    print(f"beeline: error: {one_line(message)}", file=sys.stderr)


def print_warnings(warnings: Iterable[object]) -> None:
    """A line on standard error for each of the first few warnings."""
    listed = list(warnings)
    for warning in listed[:SHOWN_WARNINGS]:
        print(f"beeline: warning: {one_line(str(warning))}", file=sys.stderr)
    if len(listed) > SHOWN_WARNINGS:
        more = len(listed) - SHOWN_WARNINGS
        print(f"beeline: warning: and {more} more (all of them: --json)", file=sys.stderr)


def print_json(fields: Mapping[str, object]) -> None:
    """One JSON object on one line of standard output."""
    from json import dumps

    print(dumps(fields))


def error_fields(error: BeelineError) -> dict[str, object]:
    """An error as plain values."""
    return {
        "file": error.file,
        "line": error.line,
        "message": one_line(error.message),
        "hint": error.hint,
    }


def print_failure(error: BeelineError, exit_code: int, *, json: bool) -> None:
    """An error on standard error, and as a JSON object if that is what the user reads."""
    print_error(str(error))
    if json:
        print_json({"status": "error", "error": error_fields(error), "exit_code": exit_code})
