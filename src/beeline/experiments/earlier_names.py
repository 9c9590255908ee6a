"""Folders of experiments that were made when papers had other names: they are renamed once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.core.files import write_atomically
from beeline.experiments.registry import EARLIER_NAMES

if TYPE_CHECKING:
    import os


def renamed(paper: str, scale: str, folder: str | os.PathLike[str] | None) -> Path:
    """The folder of an experiment with the names of today, by default `PAPER-SCALE`.

    One that was made before is taken with its records, models and datasets.
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
            write_atomically(path, json.dumps(_in_settings(json.loads(text)), indent=1) + "\n")
    return root


def _today(text: str) -> str:
    for earlier, name in EARLIER_NAMES.items():
        text = text.replace(f"{earlier}-", f"{name}-")
    return text


def _in_settings(record: dict[str, Any]) -> dict[str, Any]:
    """A record whose edition and preset have the names of today."""
    settings = record["settings"]
    for word in ("edition", "preset"):
        if word in settings:
            settings[word] = _today(f"{settings[word]}-").removesuffix("-")
    return record
