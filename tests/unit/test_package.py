"""What holds for the package as a whole: versions, pins, a light import."""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import beeline
from beeline.core.extras import EXTRAS

ROOT = Path(__file__).resolve().parents[2]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned_versions() -> dict[str, list[str]]:
    pins: dict[str, list[str]] = {}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, version = re.fullmatch(r"(\S+)==([^;\s]+)(?:; .+)?", line).groups()
            pins.setdefault(canonical(name), []).append(version)
    return pins


def test_version_is_the_installed_one() -> None:
    assert beeline.__version__ == importlib.metadata.version("beeline-planner")


def test_every_requirement_is_pinned() -> None:
    required = {
        canonical(re.match(r"[\w.-]+", line)[0])
        for line in importlib.metadata.requires("beeline-planner")
    }
    assert required - pinned_versions().keys() == set()


def test_hints_name_what_the_extras_need() -> None:
    for extra, packages in EXTRAS.items():
        lines = importlib.metadata.requires("beeline-planner")
        needed = {line.partition(";")[0] for line in lines if line.endswith(f'extra == "{extra}"')}
        assert {each.strip() for each in needed} == set(packages)


def test_torch_has_one_exact_pin() -> None:
    assert pinned_versions()["torch"] == ["2.13.0"]


@pytest.mark.parametrize("heavy", ["torch", "numpy", "scipy", "pyarrow", "rich", "typer"])
def test_import_leaves_out(heavy: str) -> None:
    script = "import beeline, json, sys; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert heavy not in json.loads(run.stdout)
