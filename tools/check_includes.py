"""Rooms of the engine include only what lies below them.

    python tools/check_includes.py [native]

Prints every include that leads upstairs, and every one of nanobind or Python outside the bindings;
exit code 1 if there is any.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

# Each room with the highest ones that it may include; what these may include, it may include too.
BELOW = {
    "base": (),
    "task": ("base",),
    "ground": ("task",),
    "state": ("task",),
    "heuristics": ("state",),
    "features": ("state",),
    "networks": ("state",),
    "search": ("state",),
    "bindings": ("ground", "heuristics", "features", "networks", "search"),
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<((?:nanobind/|Python)[^>]*)>)', re.MULTILINE)


def rooms_below(room: str) -> set[str]:
    """The rooms that a room may include, itself among them.

    >>> sorted(rooms_below("state"))
    ['base', 'state', 'task']
    """
    return {room}.union(*(rooms_below(lower) for lower in BELOW[room]))


def wrong_includes(engine: Path) -> list[str]:
    """A line for each include that a room may not have, and for each room without a place."""
    faults = []
    for file in sorted((*engine.rglob("*.h"), *engine.rglob("*.cpp"))):
        room = file.relative_to(engine).parts[0]
        if room not in BELOW:
            faults.append(f"{file}: no room '{room}' in tools/check_includes.py")
            continue
        text = file.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            own, foreign = match.groups()
            line = text.count("\n", 0, match.start()) + 1
            if own is not None and own.split("/")[0] not in rooms_below(room):
                faults.append(f"{file}:{line}: {room} may not include {own}")
            if foreign is not None and room != "bindings":
                faults.append(f"{file}:{line}: only bindings may include {foreign}")
    return faults


def main(arguments: list[str]) -> int:
    """Check the engine in the folder that is given."""
    faults = wrong_includes(Path(arguments[0] if arguments else "native"))
    print("\n".join(faults) or "rooms of the engine include only what lies below them")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
