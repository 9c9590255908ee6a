"""What `suite.json` says about a series of runs, as words for the page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def setting_rows(suite: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and values of all that is said, configurations aside.

    >>> setting_rows({"name": "demo", "limits": {"time": 60, "memory": 2147483648}})
    [('name', 'demo'), ('limits', 'time 60, memory 2 GiB')]
    """
    return [
        (name.replace("_", " "), _words(name, value))
        for name, value in suite.items()
        if name not in ("configurations", "format") and value not in (None, "", [], {})
    ]


def configuration_rows(suite: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and settings of the configurations.

    >>> configuration_rows({"configurations": [{"name": "a", "search": "gbfs", "boost": 1000}]})
    [('a', 'search gbfs, boost 1000')]
    """
    listed = suite.get("configurations")
    if isinstance(listed, dict):
        return [(str(name), _words("", value)) for name, value in listed.items()]
    rows = []
    for each in listed if isinstance(listed, list) else []:
        if isinstance(each, dict):
            settings = {name: value for name, value in each.items() if name != "name"}
            rows.append((str(each.get("name", "")), _words("", settings)))
        else:
            rows.append((str(each), ""))
    return rows


def _words(name: str, value: object) -> str:
    if isinstance(value, dict):
        parts = [(str(key), each) for key, each in value.items() if each is not None]
        return ", ".join(f"{key.replace('_', ' ')} {_words(key, each)}" for key, each in parts)
    if isinstance(value, list):
        return ", ".join(_words(name, each) for each in value)
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)) and "memory" in name and value >= 2**20:
        unit, size = ("GiB", 2**30) if value >= 2**30 else ("MiB", 2**20)
        return f"{value / size:.3g} {unit}"
    return json.dumps(value)
