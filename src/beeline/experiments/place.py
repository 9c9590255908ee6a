"""Where an experiment works: its folders, processes, and whom it tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Place(NamedTuple):
    """The folder of records, models and made tasks; tasks that are given, if any."""

    results: Path
    data: Path | None
    jobs: int
    say: Callable[[str], None]
