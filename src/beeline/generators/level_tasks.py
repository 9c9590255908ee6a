"""Tasks of grid domains from files of levels, and levels from tasks: see `levels`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.core.files import read_text
from beeline.generators.draft import format_draft
from beeline.generators.levels import format_levels, read_levels
from beeline.generators.parameters import ParameterSet
from beeline.generators.registry import DOMAINS, entry

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from beeline.generators.levels import Level
    from beeline.pddl.model import Problem

NUMBERS, CHARACTERS = "numbers", "characters"
FORMATS = (NUMBERS, CHARACTERS)
DRAWN = "warehouse"  # the domain that the characters are made for


@dataclass(frozen=True)
class LevelTask:
    """A level of a file as a task, in the place of a recipe."""

    domain: str
    file: str
    line: int
    index: int
    level: Level

    @property
    def task_name(self) -> str:
        """The name of the task; file names sort as the levels in their file."""
        stem = re.sub("[^a-z0-9]+", "-", Path(self.file).stem.lower()).strip("-")
        return f"{self.domain}-{stem or 'levels'}-{self.index:04d}"

    @property
    def parameters(self) -> ParameterSet:
        """None at all."""
        return ParameterSet()

    def text(self) -> str:
        """The problem as PDDL text."""
        found = entry(self.domain)
        try:
            draft = _module(self.domain).draft_of(self.level)
        except BeelineError as error:
            raise BeelineError(error.message, self.file, self.line, hint=error.hint) from None
        words = f"{self.domain}: level {self.index} of {Path(self.file).name}"
        return format_draft(draft, self.task_name, found.domain_name, words)


def level_tasks(domain: str, file: str | os.PathLike[str]) -> list[LevelTask]:
    """The levels of a file as tasks of a domain; nonsense is refused with its line."""
    _module(domain)
    path = str(file)
    readings = read_levels(read_text(path, "file of levels"), path)
    tasks = [
        LevelTask(domain, path, reading.line, index, reading.level)
        for index, reading in enumerate(readings)
    ]
    for task in tasks:
        task.text()
    return tasks


def levels_text(domain: str, problems: Iterable[Problem], style: str) -> str:
    """Tasks of a domain as a text of levels.

    >>> from beeline.generators import generate
    >>> board = generate("npuzzle", seed=1, rows=2, columns=2)
    >>> len(levels_text("npuzzle", [board], "numbers").split())
    4
    """
    if style not in FORMATS or (style == CHARACTERS and domain != DRAWN):
        raise BeelineError(
            f"{domain} has no levels in '{style[:40]}'",
            hint=f"{NUMBERS}; {DRAWN} also has {CHARACTERS}",
        )
    levels = [_module(domain).level_of(problem) for problem in problems]
    return format_levels(levels, drawn=style == CHARACTERS)


def _module(domain: str) -> Any:
    module = entry(domain).module
    if not hasattr(module, "draft_of"):
        known = [name for name, each in DOMAINS.items() if hasattr(each.module, "draft_of")]
        raise BeelineError(
            f"{domain} has no levels", hint=f"there are levels of {', '.join(known)}"
        )
    return module
