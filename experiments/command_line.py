"""Words of a command line, and lines with the time; shared by all experiments."""

from __future__ import annotations

import argparse
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def some_of(known: Sequence[str]) -> Callable[[str], list[str]]:
    """Reads a list of known words.

    >>> some_of(["one", "two", "three"])("three,one")
    ['three', 'one']
    """

    def words(text: str) -> list[str]:
        chosen = text.split(",")
        wrong = [word for word in chosen if word not in known]
        if wrong:
            raise argparse.ArgumentTypeError(f"'{wrong[0]}' is none of {', '.join(known)}")
        return chosen

    return words


def clock() -> Callable[[str], None]:
    """Prints lines with the minutes since it was made."""
    began = perf_counter()

    def say(line: str) -> None:
        print(f"{(perf_counter() - began) / 60:6.1f} min  {line}", flush=True)

    return say
