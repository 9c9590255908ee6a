"""What the optional parts of Beeline need beyond it, and how to get that."""

from __future__ import annotations

import os
import shlex
import sys

# The extras of pyproject.toml by their names.
EXTRAS = {
    "neural": ("torch>=2.4", "tensorboard>=2.16.2"),
    "report": ("matplotlib>=3.8", "jinja2>=3.1"),
    "ray": ("ray>=2.30",),
    "up": ("unified-planning>=1.3",),
    "gym": ("gymnasium>=1.0",),
}


def install_hint(extra: str) -> str:
    """The command that installs what an extra needs where this Python finds it.

    Packages are named themselves, so that it is right in a clone and everywhere else.

    >>> install_hint("up")
    "...python... -m pip install 'unified-planning>=1.3'"
    """
    python, here = sys.executable or "python", os.path.join(os.getcwd(), "")
    words = [python.removeprefix(here), "-m", "pip", "install", *EXTRAS[extra]]
    return shlex.join(words)
