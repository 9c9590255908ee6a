"""Names of files and of elements on the page, from any names."""

from __future__ import annotations

import hashlib
import re

LONGEST = 80


def file_name(*words: str) -> str:
    """A name of letters, digits, dots, dashes and underscores; different words stay different.

    >>> file_name("coverage", "blocks")
    'coverage-blocks'
    >>> file_name("scatter", "A*", "lama first")
    'scatter-A-lama-first-ba4808'
    """
    plain = "-".join(words)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", plain)
    name = re.sub(r"-{2,}", "-", name).strip("-.")[:LONGEST] or "unnamed"
    if name == plain:
        return name
    digest = hashlib.sha256("\0".join(words).encode()).hexdigest()[:6]
    return f"{name}-{digest}"
