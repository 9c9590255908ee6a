"""The check of the engine's floors finds includes that lead upstairs."""

from __future__ import annotations

from pathlib import Path

import pytest
from check_includes import main, wrong_includes

ENGINE = Path(__file__).parents[3] / "native"


def write(engine: Path, name: str, text: str) -> None:
    file = engine / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_the_engine_keeps_to_its_floors() -> None:
    assert wrong_includes(ENGINE) == []


@pytest.mark.parametrize(
    ("file", "include", "fault"),
    [
        ("base/rows.h", '"task/ground_task.h"', ":2: base may not include task/ground_task.h"),
        ("state/registry.cpp", '"ground/grounder.h"', ":2: state may not include ground/grounder"),
        ("search/eager.h", '"heuristics/lmcut.h"', ":2: search may not include heuristics/lmcut.h"),
        ("task/archive.h", "<Python.h>", ":2: only bindings may include Python.h"),
        ("state/states.h", "<nanobind/ndarray.h>", ":2: only bindings may include nanobind/nd"),
        ("attic/old.h", '"base/rows.h"', ": no room 'attic' in tools/check_includes.py"),
    ],
)
def test_a_wrong_include_is_told_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], file: str, include: str, fault: str
) -> None:
    write(tmp_path, file, f"#pragma once\n#include {include}\n")
    assert main([str(tmp_path)]) == 1
    assert f"{tmp_path / file}{fault}" in capsys.readouterr().out


def test_includes_of_lower_rooms_and_of_libraries_are_fine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "heuristics/max.h", '#include <vector>\n#include "base/rows.h"\n')
    write(tmp_path, "bindings/state.cpp", '#include <nanobind/ndarray.h>\n#include "state/a.h"\n')
    assert main([str(tmp_path)]) == 0
    assert "only what lies below" in capsys.readouterr().out
