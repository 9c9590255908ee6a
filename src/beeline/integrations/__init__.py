"""Doors to other ecosystems: the unified-planning library, and the IPC's learning track.

The library finds engines by name once they are registered:

>>> from unified_planning.shortcuts import get_environment
>>> register()
>>> "beeline" in get_environment().factory.engines
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError, install_hint

if TYPE_CHECKING:
    from unified_planning.environment import Environment

MODULE = "beeline.integrations.unified_planning_engine"
ENGINES = {"beeline": "BeelineEngine", "beeline-opt": "BeelineOptimalEngine"}


def register(environment: Environment | None = None) -> None:
    """Add the engines `beeline` and `beeline-opt` to an environment, by default the global one.

    Names that are there already stay as they are.
    """
    try:
        from unified_planning.environment import get_environment
    except ImportError as error:
        raise BeelineError(
            f"the unified-planning library is missing: {error}", hint=install_hint("up")
        ) from error

    factory = get_environment(environment).factory
    for name, class_name in ENGINES.items():
        if name not in factory.engines:
            factory.add_engine(name, MODULE, class_name)
