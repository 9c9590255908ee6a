"""Values of options: words to numbers, with an error that names the option."""

from __future__ import annotations

import re

from beeline.core.errors import BeelineError
from beeline.core.memory_size import memory_size

__all__ = ["memory_size", "number", "positive_limits", "whole_number"]


def whole_number(option: str, word: str | None) -> int | None:
    """The integer that a word means; None stays None.

    >>> whole_number("--seed", "7")
    7
    """
    if word is None:
        return None
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", word):
        raise BeelineError(f"{option} '{word[:40]}' is not a whole number", hint="such as 1000")
    return int(word)


def number(option: str, word: str | None) -> float | None:
    """The number that a word means; None stays None.

    >>> number("--weight", "2.5")
    2.5
    """
    if word is None:
        return None
    try:
        return float(word)
    except ValueError:
        raise BeelineError(
            f"{option} '{word[:40]}' is not a number", hint="such as 5 or 2.5"
        ) from None


def positive_limits(
    time_limit: str | None, memory_limit: str | None
) -> tuple[float | None, int | None]:
    """Seconds and bytes of the options --time-limit and --memory-limit.

    >>> positive_limits("5", "200M")
    (5.0, 209715200)
    """
    seconds = number("--time-limit", time_limit)
    if seconds is not None and not 0 < seconds < float("inf"):
        raise BeelineError(f"the time limit {seconds} is not a number of seconds above 0")
    size = memory_size("--memory-limit", memory_limit)
    if size is not None and not 0 < size < 2**62:
        raise BeelineError(f"memory limit {size} is not a number from 1 up")
    return seconds, size
