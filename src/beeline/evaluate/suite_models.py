"""Models that a suite trains before it is run: `train` or `learn` by their own keyword arguments.

The file of a model has a digest of its settings and of all that it is learned from in its name:
where there is such a file, the model is not trained again.
"""

from __future__ import annotations

import inspect
import json
import os
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline._version import __version__
from beeline.core.errors import BeelineError
from beeline.data.manifest import FILE_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from beeline.evaluate.suite import Section
    from beeline.planning.model import Model

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
