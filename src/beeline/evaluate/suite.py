"""A suite: tasks, configurations, seeds and limits, as a file says it.

A suite file as checked words: TOML in, values of known kinds out, errors with file and line.
Models that a suite trains before it is run: `train` or `learn` by their own keyword arguments. The
file of a model has a digest of its settings and of all that it is learned from in its name: where
there is such a file, the model is not trained again.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import sys
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline._version import __version__
from beeline.core.errors import BeelineError, suggestion
from beeline.core.files import read_text
from beeline.data.manifest import FILE_NAME
from beeline.evaluate.configuration import Configuration, RunLimits, configuration, run_limits
from beeline.evaluate.suite_tasks import SuiteTask, suite_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from beeline.planning.model import Model


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


VERBS = {"datasets": "train", "tasks": "learn"}  # what each of them learns from
_PATHS = ("datasets", "validation", "domain", "tasks", "plans")  # relative to the suite file
_LISTS = ("datasets", "tasks")
_OWN = ("folder", "progress", "warn", "on_model", "stop_signals", "tensorboard", "plot")


@dataclass(frozen=True)
class SuiteModel:
    """A model to train; configurations know it by its name."""

    name: str
    verb: str
    words: Mapping[str, Any]  # keyword arguments; paths are complete
    section: Section

    @property
    def digest(self) -> str:
        """What tells this training from others: settings, and what it learns from."""
        without = (*_PATHS, "jobs", "backend")  # which change nothing in the model
        shown = {word: value for word, value in self.words.items() if word not in without}
        paths = {word: self.words[word] for word in _PATHS if word in self.words}
        inputs = [
            [
                word,
                *(_contents(Path(path)) for path in ([value] if isinstance(value, str) else value)),
            ]
            for word, value in paths.items()
        ]
        content = json.dumps([self.verb, shown, inputs, __version__], sort_keys=True)
        return sha256(content.encode()).hexdigest()[:12]

    def file(self, folder: str | os.PathLike[str]) -> Path:
        """Where the model is in the folder of records."""
        return Path(folder) / "models" / f"{self.name}-{self.digest}.beeline"

    def make(self, folder: str | os.PathLike[str], warn: Callable[[str], None]) -> None:
        """Train the model unless there is its file; a training that was stopped goes on."""
        path = self.file(folder)
        if path.is_file():
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        more: dict[str, Any] = {}
        if self.verb == "train":
            more = {"folder": path.with_suffix(".training"), "tensorboard": False}
        try:
            model: Model = _function(self.verb)(**self.words, **more, warn=warn)
        except BeelineError as error:
            raise self.section.at(error) from None
        except (TypeError, ValueError) as error:
            raise self.section.error(str(error), hint=f"see '{self.verb}' in Python") from None
        model.save(path)


def suite_models(whole: Section) -> dict[str, SuiteModel]:
    """The models of a suite file by name; there may be none."""
    found: dict[str, SuiteModel] = {}
    for section in whole.parts("models") if "models" in whole.values else ():
        name = section.get("name", "a text")
        if name is None:
            raise section.error("a model has no name", hint='such as name = "ferry-linear"')
        if name in found:
            raise section.error("two models have this name", hint="rename one of them")
        verbs = [verb for word, verb in VERBS.items() if word in section.values]
        if len(verbs) != 1:
            raise section.error(
                "a model is trained with 'datasets' or learned from 'tasks'",
                hint='such as datasets = "ferry-set", or domain = "domain.pddl" with tasks',
            )
        known = inspect.signature(_function(verbs[0])).parameters
        if not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in known.values()):
            section.known(["name", *(word for word in known if word not in _OWN)])
        words = {word: value for word, value in section.values.items() if word != "name"}
        found[name] = SuiteModel(name, verbs[0], {**words, **_paths(section)}, section)
    return found


def _paths(section: Section) -> dict[str, Any]:
    """The words that are paths, complete and checked."""
    folder, found = os.path.dirname(section.file), dict[str, Any]()
    for word in _PATHS:
        texts = section.texts(word)
        if texts is None:
            continue
        complete = [os.path.join(folder, text) for text in texts]
        for text, path in zip(texts, complete, strict=True):
            if not os.path.exists(path):
                raise section.error(
                    f"there is no {path}", text, "paths are relative to the suite file"
                )
        found[word] = complete if word in _LISTS else complete[0]
    return found


def _function(verb: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(import_module(f"beeline.learning.{verb}"), verb)
    return found


def _contents(path: Path) -> str:
    """A digest of a file, of all files of a folder, or of what identifies a dataset."""
    if path.is_dir():
        manifest = path / FILE_NAME
        inside = sorted(each for each in path.iterdir() if each.is_file())
        files = [manifest] if manifest.is_file() else inside
    else:
        files = [path]
    return sha256(b"".join(sha256(file.read_bytes()).digest() for file in files)).hexdigest()


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
