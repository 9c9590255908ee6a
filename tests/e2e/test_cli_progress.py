"""What long commands show on a terminal, and what they leave on it."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from typing import TYPE_CHECKING

import pytest
from few_made_tasks import BEELINE
from learning_sets import blocks
from neural_models import small_dataset

from beeline.cli.main import main
from beeline.cli.progress import cells

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SUITE = """name = "few"
[[tasks]]
generator = "gripper"
parameters = { balls = "1..3" }
[[configurations]]
name = "ff"
heuristic = "ff"
"""
QUICK = ("--rounds", "1", "--neighbours", "set", "--no-h-ff", "--jobs", "1")
BAR = re.compile(r"[━╌]+ .*\d+ of \d+")


def started(*words: str | Path) -> list[str]:
    """The words of a system call."""
    beeline = ["-c", BEELINE] if words[0] == "learn" else ["-m", "beeline"]
    return [sys.executable, *beeline, *map(str, words)]


class Watched:
    """A command with a terminal of some width as its standard error."""

    def __init__(self, *words: str | Path, columns: int) -> None:
        self._terminal, other_end = pty.openpty()
        fcntl.ioctl(other_end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self._modes = termios.tcgetattr(self._terminal)
        self.process = subprocess.Popen(
            started(*words),
            stdout=subprocess.PIPE,
            stderr=other_end,
            env={**os.environ, "PYTHONUTF8": "1", "OMP_NUM_THREADS": "1"},
            text=True,
        )
        os.close(other_end)
        self.shown = ""
        self._bytes = b""

    def watch(self, until: Callable[[str], object] = lambda _: False) -> None:
        """Look at the terminal until something is shown, or until the end."""
        while not until(self.shown):
            try:
                part = os.read(self._terminal, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            self._bytes += part
            self.shown = self._bytes.decode(errors="ignore")

    def end(self) -> int:
        """The exit code; the terminal is as it was."""
        self.watch()
        self.process.communicate(timeout=60)
        assert termios.tcgetattr(self._terminal) == self._modes
        os.close(self._terminal)
        return self.process.returncode

    @property
    def drawings(self) -> list[str]:
        return re.split(r"[\r\n]+", self.shown)


def left_behind(shown: str) -> list[str]:
    """The lines that are on a terminal in the end."""
    lines = []
    for line in shown.replace("\r\n", "\n").split("\n"):
        cleaned = ""
        for drawing in line.split("\r"):
            cleaned = drawing + cleaned[len(drawing) :]
        lines.append(cleaned.rstrip())
    return [line for line in lines if line]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("progress")
    blocks(folder / "tasks", range(3, 6))
    small_dataset(folder).rename(folder / "set")
    (folder / "suite.toml").write_text(SUITE)
    return folder


def call(command: str, place: Path, out: Path) -> list[str | Path]:
    generated = ("--generator", "gripper", "-p", "balls=1..3", "--jobs", "1")
    words: dict[str, list[str | Path]] = {
        "learn": ["learn", place / "tasks/domain.pddl", place / "tasks", "-o", out / "m", *QUICK],
        "data": ["data", "plans", *generated, "-o", out / "set"],
        "evaluate": ["evaluate", place / "suite.toml", "-o", out / "records", "--jobs", "1"],
        "train": ["train", place / "set", "-o", out / "m", "--model", "linear", "--steps", "50"],
    }
    return words[command]


@pytest.mark.parametrize("columns", [20, 100])
@pytest.mark.parametrize("command", ["learn", "data", "evaluate", "train"])
def test_a_bar_is_shown_that_fits_and_goes_away(
    command: str, columns: int, place: Path, tmp_path: Path
) -> None:
    run = Watched(*call(command, place, tmp_path), columns=columns)
    assert run.end() == 0
    bars = [drawing for drawing in run.drawings if "━" in drawing or "╌" in drawing]
    assert bars
    assert max(map(cells, bars)) < columns
    if columns == 100:
        assert any(BAR.match(bar) for bar in bars)
    assert "\x1b" not in run.shown
    assert not [line for line in left_behind(run.shown) if "warning" not in line]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_stopped_leaves_one_line(
    number: int, place: Path, tmp_path: Path
) -> None:
    words = ["train", place / "set", "-o", tmp_path / "m", "--model", "linear"]
    run = Watched(*words, "--steps", "1000000", columns=100)
    run.watch(lambda shown: BAR.search(shown))
    run.process.send_signal(number)
    assert run.end() == {signal.SIGINT: 130, signal.SIGTERM: 23}[number]
    (line,) = left_behind(run.shown)
    assert line.startswith("beeline: error: ")


@pytest.mark.usefixtures("few_made_tasks")
@pytest.mark.parametrize("command", ["learn", "data", "evaluate", "train"])
def test_without_a_terminal_there_is_no_progress(
    command: str, place: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main([str(word) for word in call(command, place, tmp_path)]) == 0
    out, err = capfd.readouterr()
    lines = err.splitlines()
    assert [line for line in lines if not line.startswith("beeline: warning: ")] == []
    assert "\r" not in out + err


def test_quiet_means_a_terminal_too(place: Path, tmp_path: Path) -> None:
    run = Watched(*call("evaluate", place, tmp_path), "--quiet", columns=80)
    assert run.end() == 0
    assert run.shown == ""
