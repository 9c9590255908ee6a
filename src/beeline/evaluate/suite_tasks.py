"""The tasks of a suite: files that are named, matched or found, and generated ones."""

from __future__ import annotations

import glob
import os
import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError
from beeline.core.files import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from beeline.evaluate.suite import Section
    from beeline.generators.registry import Recipe

_FILE_WORDS = ("name", "domain", "tasks", "unit_costs")
_GENERATOR_WORDS = ("name", "generator", "parameters", "preset", "count", "seeds", "unit_costs")


@dataclass(frozen=True)
class SuiteTask:
    """A task under the names that its records have.

    Where its texts come from: two files, or a recipe of a generated task.
    """

    domain: str
    name: str
    unit_costs: bool = False
    domain_file: str = ""
    task_file: str = ""
    recipe: Recipe | None = None

    def domain_text(self) -> str:
        """The domain as PDDL."""
        from beeline.generators import domain_text

        if self.recipe is None:
            return read_text(self.domain_file, "PDDL domain file")
        return domain_text(self.recipe.domain)

    def task_text(self) -> str:
        """The problem as PDDL."""
        if self.recipe is None:
            return read_text(self.task_file, "PDDL problem file")
        return self.recipe.text()

    @property
    def files(self) -> tuple[str, str]:
        """What messages call the two texts."""
        if self.recipe is not None:
            return f"<{self.recipe.domain} domain>", f"<{self.recipe.task_name}>"
        return self.domain_file, self.task_file

    @property
    def key(self) -> tuple[str, str]:
        """The names under which records know the task."""
        return self.domain, self.name

    def settings(self) -> dict[str, object]:
        """What makes this task, whatever its name is."""
        digests = [digest_of(text) for text in (self.domain_text(), self.task_text())]
        return {"domain": digests[0], "task": digests[1], "unit_costs": self.unit_costs}


def suite_tasks(section: Section) -> Iterator[SuiteTask]:
    """The tasks of one table [[tasks]], in the order of their names."""
    unit_costs, own = (
        bool(section.get("unit_costs", "true or false")),
        section.get("name", "a text"),
    )
    if "generator" in section.values:
        section.known(_GENERATOR_WORDS)
        for recipe in _recipes(section):
            name, words = _generated_name(section, recipe), file_word(own or recipe.domain)
            yield SuiteTask(words, name, unit_costs, recipe=recipe)
        return
    every = dict.fromkeys([*_FILE_WORDS, *_GENERATOR_WORDS])
    section.known(_FILE_WORDS if {"domain", "tasks"} & {*section.values} else every)
    folder = os.path.dirname(section.file)
    domain = section.get("domain", "a text")
    if domain is None:
        raise section.error(
            "no domain file", hint='add domain = "domain.pddl", or generator = "ferry"'
        )
    domain_file = os.path.join(folder, domain)
    files = _task_files(section, folder, domain_file)
    domain_name = file_word(own or _pddl_name(domain_file))
    for name, file in zip(_names(section, files), files, strict=True):
        yield SuiteTask(domain_name, name, unit_costs, domain_file, file)


def digest_of(text: str) -> str:
    """What tells a text from all others."""
    return sha256(text.encode()).hexdigest()


def file_word(name: str) -> str:
    """A name as a part of a file's name.

    >>> file_word("easy/p1"), file_word("two  words"), file_word("..")
    ('easy-p1', 'two_words', '_')
    """
    word = re.sub(r"[^\w.+-]+", "_", name.replace("/", "-"))
    return re.sub(r"-{2,}", "-", word).lstrip(".") or "_"


def _task_files(section: Section, folder: str, domain_file: str) -> list[str]:
    """All files that are meant, each of them once."""
    patterns = section.texts("tasks")
    if not patterns:
        raise section.error("no task files", "tasks", 'such as tasks = "tasks/*.pddl"')
    if not os.path.isfile(domain_file):
        raise section.error(f"there is no file {domain_file}", str(section.values["domain"]))
    files: dict[str, None] = {}
    for pattern in patterns:
        path = os.path.join(folder, pattern)
        if os.path.isdir(path):
            found = glob.glob(os.path.join(glob.escape(path), "*.pddl"))
        elif os.path.isfile(path):
            found = [path]
        else:
            found = glob.glob(path, recursive=True)
        meant = sorted(
            each
            for each in found
            if os.path.isfile(each)
            and (each == path or os.path.basename(each) != "domain.pddl")
            and not os.path.samefile(each, domain_file)
        )
        if not meant:
            raise section.error(
                f"there is no task {path}", pattern, "paths are relative to the suite file"
            )
        files.update(dict.fromkeys(meant))
    return list(files)


def _names(section: Section, files: list[str]) -> list[str]:
    from beeline.data.task_sets import task_names

    try:
        return [file_word(name) for name in task_names(files)]
    except BeelineError as error:
        raise section.error(f"{error.file}: {error.message}", "tasks", error.hint) from None


def _pddl_name(domain_file: str) -> str:
    from beeline.pddl import read_domain

    return read_domain(domain_file).name or Path(domain_file).stem


def _recipes(section: Section) -> list[Recipe]:
    from beeline.generators.registry import recipes

    generator = section.get("generator", "a text")
    try:
        return [
            recipe
            for seed in section.numbers("seeds") or (0,)
            for recipe in recipes(
                generator,
                preset=section.get("preset", "a text"),
                count=section.get("count", "a whole number"),
                seed=seed,
                parameters=section.get("parameters", "a table") or {},
            )
        ]
    except BeelineError as error:
        raise section.at(error, generator) from None


def _generated_name(section: Section, recipe: Recipe) -> str:
    """The name of a recipe with its chosen parameters: a suite may have several sizes."""
    if recipe.sizes:  # the name has them
        return file_word(recipe.task_name)
    chosen = section.values.get("parameters") or {}
    sizes = "".join(f"{name}{value}-" for name, value in chosen.items())
    stem = recipe.task_name.removesuffix(numbers := f"{recipe.seed}-{recipe.index:04d}")
    return file_word(f"{stem}{sizes}{numbers}")
