"""Tasks as environments in the style of Gymnasium, for those who come from reinforcement learning.

    from beeline.env import PlanningEnv

The library itself is imported when the class is asked for, and an error says how to get it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from beeline.integrations.gymnasium_env import PlanningEnv

__all__ = ["PlanningEnv"]

if not TYPE_CHECKING:

    def __getattr__(name):
        if name != "PlanningEnv":
            raise AttributeError(f"module 'beeline.env' has no attribute '{name}'")
        try:
            from beeline.integrations.gymnasium_env import PlanningEnv
        except ModuleNotFoundError as error:
            if error.name != "gymnasium":
                raise
            from beeline.core.errors import BeelineError, install_hint

            message = "environments need gymnasium, which is not installed"
            raise BeelineError(message, hint=install_hint("gym")) from None
        return PlanningEnv
