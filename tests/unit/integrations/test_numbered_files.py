"""Files that replace each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from beeline.core.errors import BeelineError
from beeline.integrations.ipc import NumberedFiles, latest, numbers

if TYPE_CHECKING:
    from pathlib import Path


def test_only_files_of_the_prefix_are_forgotten(tmp_path: Path) -> None:
    for name in ("dk.1", "dk.2", "dk.10", "dk.01", "dk.x", "dk", "dkk.1", ".dk.3"):
        (tmp_path / name).write_text(name)
    assert numbers(tmp_path / "dk") == [1, 2, 10]
    NumberedFiles(tmp_path / "dk").forget_old()
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"dk.01", "dk.x", "dk", "dkk.1", ".dk.3"}


def test_the_latest_file_has_the_highest_number(tmp_path: Path) -> None:
    prefix = tmp_path / "dk"
    assert latest(prefix) == prefix
    for name in ("dk.9", "dk.10"):
        (tmp_path / name).touch()
    assert latest(prefix).name == "dk.10"
    assert latest(tmp_path / "dk.9").name == "dk.9"
    prefix.touch()
    assert latest(prefix) == prefix


def test_a_missing_folder_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(BeelineError, match="there is no such folder"):
        NumberedFiles(tmp_path / "nowhere" / "plan")
