"""How large this machine is."""

from __future__ import annotations

import os
import platform
from typing import Any

from beeline.backends.local import usable_cores


def machine_size() -> dict[str, Any]:
    """Cores, bytes of memory (None if nobody can tell) and the platform; no names.

    >>> sorted(machine_size())
    ['cores', 'memory', 'platform']
    """
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        memory = None
    words = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return {"cores": usable_cores(), "memory": memory, "platform": words}
