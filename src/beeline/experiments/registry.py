"""The experiments by name: tables of papers that are repeated, and what goes beyond them.

A paper is a folder: `grid.toml` says what is run at which scale, which tables there are, what is
said below them and what is claimed; `paper*.json` has the paper's own figures; `experiment.py`
makes records and tables. What has a name within a paper has these in NAME.toml, NAME.json, NAME.py.
"""

from __future__ import annotations

import json
from functools import cached_property, lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.core.files import write_atomically

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

FOLDERS = (
    *("nunez2024", "chrestien2023", "chrestien2023/grids", "chrestien2023/examples"),
    *("minini2023", "chrestien2023/beyond_ranking"),
)
# The last one is for tests: it shows that everything works, and nothing else.
SCALES = ("small", "paper", "tiny")
# What papers were called before; such names still work, and so do names without a year.
EARLIER_NAMES = {
    "seed000": "nunez2022",
    "seed001": "chrestien2023",
    "seed002": "minini2023",
    "seed003": "nunez2024",
}
SHORT_NAMES = {"nunez": "nunez2024", "chrestien": "chrestien2023", "minini": "minini2023"}


class Experiment:
    """A table of a paper, and which part of what its folder can do makes it."""

    def __init__(self, folder: str, words: Mapping[str, Any]) -> None:
        self.folder = folder
        self.name = str(words["name"])
        self.about = str(words["about"])
        self.table = str(words.get("table", ""))  # as the paper calls it; empty without a paper
        self.exact = bool(words.get("exact"))  # what holds at the paper's scale does at any
        # What experiments share networks and searches of: the paper, if there is one.
        self.paper = self.name.partition("-")[0]
        self._words = words

    @cached_property
    def module(self) -> Any:
        """What makes the table; imported late, as it is a great deal."""
        paper, _, name = self.folder.partition("/")
        return import_module(f"beeline.experiments.{paper}.{name or 'experiment'}")

    @property
    def title(self) -> str:
        """Authors and title of the paper; empty if there is none."""
        if not self.table:
            return ""
        return str(read_paper(self.folder, self._words.get("figures"))["title"])

    def choice(self, scale: str, changes: Mapping[str, Any] | None = None) -> Any:
        """All settings at a scale; `changes` come last."""
        if scale not in SCALES:
            raise BeelineError(f"unknown scale '{scale[:40]}'", hint="small or paper")
        own = (self._words.get(part, {}) for part in ("changes", scale))
        chosen: dict[str, Any] = {}
        for part in (grid(self.folder)["scales"][scale], *own, changes or {}):
            chosen.update(part)
        return self.module.CHOICE._replace(**chosen)


@lru_cache
def grid(folder: str) -> dict[str, Any]:
    """What the folder of a paper says in `grid.toml`; lists are tuples."""
    from beeline.evaluate.suite import Section

    paper, _, name = folder.partition("/")
    path = Path(__file__).parent / paper / f"{name or 'grid'}.toml"
    content: dict[str, Any] = _frozen(Section.read(path).values)
    return content


def table_words(folder: str, table: str) -> dict[str, Any]:
    """What `grid.toml` says of a table."""
    found: dict[str, Any] = next(
        each for each in grid(folder)["experiments"] if each["table"] == table
    )
    return found


def text(folder: str, name: str, **values: object) -> str:
    """A text of `grid.toml`, with values in their places."""
    words: str = grid(folder)["texts"][name]
    return words.format(**values)


def _frozen(content: Any) -> Any:
    if isinstance(content, dict):
        return {name: _frozen(value) for name, value in content.items()}
    return tuple(map(_frozen, content)) if isinstance(content, list) else content


@lru_cache
def read_paper(folder: str, file: str | None = None) -> dict[str, Any]:
    """The figures of a paper, as it prints them."""
    paper, _, name = folder.partition("/")
    path = Path(__file__).parent / paper / (file or f"{name or 'paper'}.json")
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


EXPERIMENTS = {  # those of papers first
    words["name"]: Experiment(folder, words)
    for of_paper in (True, False)
    for folder in FOLDERS
    for words in grid(folder)["experiments"]
    if ("table" in words) == of_paper
}


def find_experiment(name: str) -> Experiment:
    """The experiment of this name, or of one that it had before.

    >>> find_experiment("seed002-table4.5").name, find_experiment("minini-table4.5").table
    ('minini2023-table4.5', 'Table 4.5')
    """
    paper, _, table = name.partition("-")
    current = EARLIER_NAMES.get(paper) or SHORT_NAMES.get(paper) or paper
    found = EXPERIMENTS.get(f"{current}-{table}")
    if found is None:
        raise BeelineError(
            f"there is no experiment '{name[:60]}'", hint=f"there are {', '.join(EXPERIMENTS)}"
        )
    return found


def is_deprecated(name: str) -> bool:
    """Whether an experiment has another name by now.

    >>> is_deprecated("seed002-table4.5"), is_deprecated("minini-table4.5")
    (True, False)
    """
    return name.partition("-")[0] in EARLIER_NAMES


def changes(words: str, defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The values that words give to names; their kinds are those of the values they replace.

    >>> changes("domains=ferry,gripper steps=20", {"domains": ("blocks",), "steps": None})
    {'domains': ('ferry', 'gripper'), 'steps': 20}
    """
    found = {}
    for word in words.split():
        name, equals, value = word.partition("=")
        if not equals or name not in defaults:
            raise BeelineError(
                f"'{word[:60]}' is no setting of this experiment",
                hint=f"NAME=VALUE with one of {', '.join(defaults)}",
            )
        found[name] = _like(defaults[name], name, value)
    return found


def _like(default: object, name: str, value: str) -> object:
    if isinstance(default, tuple):
        return tuple(_like(default[0] if default else "", name, each) for each in value.split(","))
    if isinstance(default, str):
        return value
    for kind in (float,) if isinstance(default, float) else (int, float):
        try:
            number = kind(value)
        except ValueError:
            continue
        if kind is int or not isinstance(default, int):
            return number
    raise BeelineError(f"'{value[:40]}' is no value of {name}", hint="a number is wanted")


def renamed(paper: str, scale: str, folder: str | os.PathLike[str] | None) -> Path:
    """The folder of an experiment with the names of today, by default `PAPER-SCALE`.

    One that was made when papers had other names is taken with its records, models and datasets.
    """
    root = Path(folder or f"{paper}-{scale}").resolve()
    for earlier, name in EARLIER_NAMES.items():
        before = Path(f"{earlier}-{scale}").resolve()
        if folder is None and name == paper and before.is_dir() and not root.exists():
            root = before
    for part in (root, root / "training", root / "models"):
        for path in sorted(part.glob("*seed00[0-3]-*")) if part.is_dir() else []:
            today = path.with_name(_today(path.name))
            if not today.exists():
                path.rename(today)
    for path in [*root.glob("training/*.json"), *root.glob("planning/*/*/*.json")]:
        text = path.read_text()
        if '"seed00' in text:
            record = json.loads(text)
            for word in {"edition", "preset"} & {*record["settings"]}:
                known = f"{record['settings'][word]}-"
                record["settings"][word] = _today(known).removesuffix("-")
            write_atomically(path, json.dumps(record, indent=1) + "\n")
    return root


def _today(text: str) -> str:
    for earlier, name in EARLIER_NAMES.items():
        text = text.replace(f"{earlier}-", f"{name}-")
    return text
