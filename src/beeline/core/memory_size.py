"""Sizes of memory, as people write them."""

from __future__ import annotations

import re

from beeline.core.errors import BeelineError

_UNITS = {"": 2**20, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


def memory_size(option: str, word: str | None) -> int | None:
    """Bytes; the unit is K, M, G or T, by default M.

    >>> memory_size("--memory-limit", "2G"), memory_size("--memory-limit", "200")
    (2147483648, 209715200)
    """
    if word is None:
        return None
    match = re.fullmatch(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)([KMGT]?)I?B?", word.upper())
    if match is None:
        raise BeelineError(f"{option} '{word[:40]}' is not a size", hint="such as 200M or 2G")
    return int(float(match[1]) * _UNITS[match[2]])
