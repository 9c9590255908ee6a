"""Words such as `domains=ferry,gripper` as changes of an experiment's choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Mapping


def changes(words: str, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The values that words give to names; their kinds are those of the values they replace.

    >>> changes("domains=ferry,gripper steps=20", {"domains": ("blocks",), "steps": None})
    {'domains': ('ferry', 'gripper'), 'steps': 20}
    """
    found = {}
    for word in words.split():
        name, equals, value = word.partition("=")
        if not equals or name not in defaults:
            raise BeelineError(
                f"'{word[:60]}' is no setting of this experiment",
                hint=f"NAME=VALUE with one of {', '.join(defaults)}",
            )
        found[name] = _like(defaults[name], name, value)
    return found


def _like(default: object, name: str, value: str) -> object:
    if isinstance(default, tuple):
        return tuple(_like(default[0] if default else "", name, each) for each in value.split(","))
    if isinstance(default, str):
        return value
    for kind in (float,) if isinstance(default, float) else (int, float):
        try:
            number = kind(value)
        except ValueError:
            continue
        if kind is int or not isinstance(default, int):
            return number
    raise BeelineError(f"'{value[:40]}' is no value of {name}", hint="a number is wanted")
