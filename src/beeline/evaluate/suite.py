"""A suite: tasks, configurations, seeds and limits, as a file says it.

A suite file as checked words: TOML in, values of known kinds out, errors with file and line.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError, suggestion
from beeline.core.files import read_text
from beeline.evaluate.configuration import Configuration, RunLimits, configuration, run_limits
from beeline.evaluate.suite_models import SuiteModel, suite_models
from beeline.evaluate.suite_tasks import SuiteTask, suite_tasks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


_KINDS: dict[str, tuple[type, ...]] = {
    "a text": (str,),
    "true or false": (bool,),
    "a whole number": (int,),
    "a number": (int, float),
    "a table": (dict,),
    "a list": (list,),
}


class Section:
    """A table of the file: values are asked for by name, and what nobody knows is refused."""

    def __init__(self, file: str, text: str, values: Mapping[str, Any], title: str = "") -> None:
        self.file = file
        self.values = values
        self._text = text
        self._title = title

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Section:
        """The whole file."""
        text = read_text(path, "suite file")
        try:
            return cls(str(path), text, tomllib.loads(text))
        except tomllib.TOMLDecodeError as error:
            message, _, place = str(error).partition(" (at ")
            line = re.match(r"line (\d+)", place)
            raise BeelineError(
                f"not a TOML file: {message}",
                str(path),
                int(line[1]) if line else None,
                "'beeline evaluate --help' shows a suite file",
            ) from None

    def error(self, message: str, word: str = "", hint: str | None = None) -> BeelineError:
        """An error in this table, with the line of a word if it stands on one line only."""
        place = f"{self._title}: " if self._title else ""
        return BeelineError(f"{place}{message}", self.file, self._line(word), hint)

    def at(self, error: BeelineError, word: str = "") -> BeelineError:
        """An error of another room, as one of this table."""
        if error.file is not None:  # it knows better
            return error
        return self.error(error.message, word, error.hint)

    def known(self, words: Iterable[str]) -> None:
        """Refuse all other words."""
        listed = list(words)
        for word in self.values:
            if word not in listed:
                near, known = suggestion(word, listed), ", ".join(listed)
                hint = f"{near} There are {known}" if near else f"there are {known}"
                raise self.error(f"unknown word '{word[:40]}'", word, hint)

    def get(self, word: str, kind: str) -> Any:
        """A value of one of the kinds above; None if there is none."""
        value = self.values.get(word)
        if value is None:
            return None
        kinds = _KINDS[kind]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise self.error(f"'{word}' is not {kind}", word, f"write it as {kind}")
        return value

    def texts(self, word: str) -> tuple[str, ...] | None:
        """A text or a list of texts."""
        value = self.values.get(word)
        listed = [value] if isinstance(value, str) else value
        if listed is None:
            return None
        if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
            raise self.error(f"'{word}' is not a text or a list of texts", word)
        return tuple(listed)

    def numbers(self, word: str) -> tuple[int, ...] | None:
        """A list of different whole numbers from 0 up."""
        listed = self.get(word, "a list")
        if listed is None:
            return None
        fine = all(type(each) is int and 0 <= each < 2**31 for each in listed)
        if not listed or not fine or len(set(listed)) < len(listed):
            raise self.error(
                f"'{word}' is not a list of different whole numbers", word, "such as [0, 1, 2]"
            )
        return tuple(listed)

    def part(self, word: str) -> Section:
        """A table within this one, empty if there is none."""
        values = self.get(word, "a table") or {}
        return Section(self.file, self._text, values, f"[{word}]")

    def parts(self, word: str) -> Iterator[Section]:
        """A list of tables, which must not be empty."""
        listed = self.get(word, "a list") or []
        if not listed:
            raise self.error(f"there are no {word}", hint=f"add a table [[{word}]]")
        for number, values in enumerate(listed, 1):
            if not isinstance(values, dict):
                raise self.error(f"'{word}' is not a list of tables", word, f"write [[{word}]]")
            name = values.get("name")
            title = f" '{name[:40]}'" if isinstance(name, str) else f" {number}"
            yield Section(self.file, self._text, values, f"{word}{title}")

    def _line(self, word: str) -> int | None:
        pattern = rf"(?<![\w-])({re.escape(word)})(?![\w-])"
        lines = self._text.split("\n")
        found = [number for number, line in enumerate(lines, 1) if re.search(pattern, line)]
        return found[0] if word and len(found) == 1 else None


_WORDS = ("name", "description", "seeds", "tasks", "models", "configurations", "limits")


@dataclass(frozen=True)
class Suite:
    """What is to be run; `file` is where it was read, whose folder relative paths start from."""

    name: str
    description: str
    file: str
    tasks: tuple[SuiteTask, ...]
    configurations: tuple[Configuration, ...]
    limits: RunLimits
    models: Mapping[str, SuiteModel] = field(default_factory=dict)  # that are trained first

    @property
    def folder(self) -> str:
        """The folder that relative paths of models start from."""
        return os.path.dirname(self.file)


def read_suite(path: str | os.PathLike[str]) -> Suite:
    """Read a suite file and check every word of it; nothing is run and nothing is written."""
    whole = Section.read(path)
    whole.known(_WORDS)
    name = whole.get("name", "a text")
    if not name:
        raise whole.error("the suite has no name", hint='add name = "my-suite" at the top')
    seeds = whole.numbers("seeds") or (0,)
    tasks = _distinct_tasks(whole)
    return Suite(
        name=name,
        description=whole.get("description", "a text") or "",
        file=str(path),
        tasks=tasks,
        configurations=_distinct_configurations(whole, seeds, {task.domain for task in tasks}),
        limits=run_limits(whole.part("limits")),
        models=suite_models(whole),
    )


def _distinct_tasks(whole: Section) -> tuple[SuiteTask, ...]:
    found: dict[tuple[str, str], SuiteTask] = {}
    for section in whole.parts("tasks"):
        for task in suite_tasks(section):
            if task.key in found:
                raise section.error(
                    f"domain '{task.domain}' has two tasks called '{task.name}'",
                    hint="give one of the tables [[tasks]] another name",
                )
            found[task.key] = task
    return tuple(found.values())


def _distinct_configurations(
    whole: Section, seeds: tuple[int, ...], domains: set[str]
) -> tuple[Configuration, ...]:
    found: dict[str, Configuration] = {}
    for section in whole.parts("configurations"):
        made = configuration(section, seeds)
        if made.name in found:
            raise section.error("two configurations have this name", hint="rename one of them")
        for domain in made.domains or ():
            if domain not in domains:
                hint = suggestion(domain, domains) or f"there are {', '.join(sorted(domains))}"
                raise section.error(f"no tasks are of the domain '{domain[:40]}'", domain, hint)
        found[made.name] = made
    return tuple(found.values())
