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
from beeline import generators
from beeline.core.errors import EXTRAS

ROOT = Path(__file__).resolve().parents[2]


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned_versions(file: str = "constraints.txt") -> dict[str, list[str]]:
    pins: dict[str, list[str]] = {}
    for line in (ROOT / file).read_text().splitlines():
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


def test_the_oldest_libraries_are_the_lower_bounds() -> None:
    bounds = re.findall(r'"([\w.-]+)>=([\d.]+)[^"]*"', (ROOT / "pyproject.toml").read_text())
    users = [line for lines in EXTRAS.values() for line in lines]
    for line in importlib.metadata.requires("beeline-planner"):
        if "extra" not in line and "python_version" not in line:
            users.append(line)
    needed = {re.match(r"[\w.-]+", line)[0] for line in users}
    expected = {canonical(name): [version] for name, version in bounds if name in needed}
    assert pinned_versions("constraints-oldest.txt") == expected


def test_the_citation_and_the_changelog_know_the_version() -> None:
    assert f"\nversion: {beeline.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    sections = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert sections[0] == "Unreleased"
    assert sections[1:2] in ([], [beeline.__version__])  # none before the first release


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


@pytest.mark.parametrize("call", [["solve"], ["plan", "gripper"]], ids=["solve", "plan"])
def test_solving_a_task_starts_without_numpy(call: list[str], tmp_path: Path) -> None:
    for name, text in generators.instances("gripper", balls=3):
        (tmp_path / f"{name}.pddl").write_text(text)
    (tmp_path / "domain.pddl").write_text(generators.domain_text("gripper"))
    words = [*call, str(tmp_path / "domain.pddl"), str(tmp_path / f"{name}.pddl"), "--quiet"]
    script = (
        "import sys; from beeline.cli.main import main;"
        f"code = main({words!r}); sys.exit(code or 'numpy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
