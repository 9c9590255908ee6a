"""Bars fit every terminal, and leave nothing behind."""

from __future__ import annotations

import io
import os
from contextlib import suppress

import pytest

from beeline.cli import progress as module
from beeline.cli.command import Screen
from beeline.cli.messages import Progress, progress_of
from beeline.cli.progress import Standing, TerminalProgress, bar_line, cells
from beeline.core.records import Glance

LONG = Standing(1234, 56789, "samplings", 7322.0, 98765.0, "choosing", "迷路/задача-" + "x" * 200)


class Terminal(io.StringIO):
    """A terminal that keeps what it is told."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__()
        self._name = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._name

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return 99

    def line(self) -> str:
        """What is on its line in the end."""
        shown: list[str] = []
        column = 0
        for character in self.getvalue():
            if character == "\r":
                column = 0
                continue
            shown[column : column + 1] = [character]
            column += 1
        return "".join(shown).rstrip()


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((100, 24)))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A list whose last number is the time."""
    now = [0.0]
    monkeypatch.setattr(module, "perf_counter", lambda: now[-1])
    monkeypatch.setattr("beeline.cli.messages.perf_counter", lambda: now[-1])
    return now


@pytest.mark.parametrize("columns", range(1, 300))
def test_a_line_is_never_wider_than_the_terminal(columns: int) -> None:
    for left in (None, 98765.0):
        for note in ("", "p1", LONG.note):
            line = bar_line(LONG._replace(left=left, note=note), columns)
            assert cells(line) <= columns
            assert columns < 12 or "1,234" in line


@pytest.mark.parametrize("columns", [0, 1, 2, 7, 20, 40, 79, 200])
def test_drawings_fit_whatever_the_terminal_says(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((columns, 24)))
    monkeypatch.setattr(module, "INTERVAL", 0.0)
    terminal = Terminal()
    with TerminalProgress(terminal) as line:
        for done in range(1, 20):
            line.step(done, 20, "runs", note=LONG.note)
            line.say("a text that is longer than a narrow terminal is wide " * 3)
    widest = max(cells(drawing) for drawing in terminal.getvalue().split("\r"))
    assert widest <= max((columns or 80) - 1, 1)
    assert terminal.line() == ""


def test_a_terminal_without_a_size_has_the_usual_one() -> None:
    terminal = Terminal()
    TerminalProgress(terminal).say("x" * 200)
    assert terminal.line() == "x" * 79


@pytest.mark.usefixtures("wide")
class TestTimeLeft:
    def test_what_was_done_before_does_not_count(self, clock: list[float]) -> None:
        terminal = Terminal()
        line = TerminalProgress(terminal)
        clock.append(20.0)
        line.count(Glance(done=52, made=2, total=60, failed=1, latest="ferry/p1"), "runs")
        assert "52 of 60 runs, 0:20, about 1:20 left: 1 failed, ferry/p1" in terminal.line()

    def test_it_is_told_stage_by_stage(self, clock: list[float]) -> None:
        terminal = Terminal()
        line = TerminalProgress(terminal)
        for now, done, title, told in (
            (10.0, 0, "solving", "solving, 0 of 4, 0:10"),
            (20.0, 1, "solving", "solving, 1 of 4, 0:20, about 0:30 left"),
            (40.0, 0, "fitting", "fitting, 0 of 4, 0:40"),
            (42.0, 2, "fitting", "fitting, 2 of 4, 0:42, about 0:02 left"),
            (50.0, 0, "fitting", "fitting, 0 of 4, 0:50"),
            (60.0, 2, "fitting", "fitting, 2 of 4, 1:00, about 0:10 left"),
        ):
            clock.append(now)
            line.step(done, 4, title=title)
            assert terminal.line().endswith(f" {told}")

    def test_a_training_that_goes_on_begins_with_its_first_step(self, clock: list[float]) -> None:
        terminal = Terminal()
        line = TerminalProgress(terminal)
        for now, done in ((5.0, 5000), (6.0, 5100)):
            clock.append(now)
            line.step(done, 6000, "steps")
        assert "5,100 of 6,000 steps, 0:06, about 0:09 left" in terminal.line()

    def test_bars_are_not_drawn_more_often_than_one_can_look(self, clock: list[float]) -> None:
        terminal = Terminal()
        line = TerminalProgress(terminal)
        for number in range(1000):
            clock.append(number / 1000)
            line.step(number, 1000)
        assert 5 <= terminal.getvalue().count("\r") <= 11

    def test_a_new_stage_is_shown_at_once(self, clock: list[float]) -> None:
        terminal = Terminal()
        line = TerminalProgress(terminal)
        line.step(1, 1, title="fitting")
        clock.append(0.01)
        line.step(0, 24, title="choosing")
        assert "choosing, 0 of 24" in terminal.line()


@pytest.mark.usefixtures("wide")
class TestOddTerminals:
    def test_one_that_knows_letters_only(self) -> None:
        terminal = Terminal("ascii")
        TerminalProgress(terminal).step(1, 2, note="迷路")
        assert terminal.line().isascii()
        assert terminal.line().startswith("###############---------------")

    def test_nothing_in_a_text_is_a_command_to_it(self) -> None:
        terminal = Terminal()
        line = TerminalProgress(terminal)
        line.say("one\x1b[31m\ntwo\rthree")
        line.step(1, 2, note="one\x1b[31m\ntwo")
        assert not {"\x1b", "\n"} & {*terminal.getvalue()}

    def test_one_that_is_gone_does_not_end_the_work(self, monkeypatch: pytest.MonkeyPatch) -> None:
        terminal = Terminal()

        def fail(_: str) -> int:
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(terminal, "write", fail)
        with TerminalProgress(terminal) as line:
            line.step(1, 2)
            line.say("more")

    def test_the_echo_of_ctrl_c_goes_with_the_line(self) -> None:
        terminal = Terminal()
        with suppress(KeyboardInterrupt), TerminalProgress(terminal) as line:
            line.say("at work")
            terminal.write("^C")
            raise KeyboardInterrupt
        assert terminal.line() == ""
        assert terminal.getvalue().endswith("\r")


class TestSilence:
    def test_without_a_terminal_there_is_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        stream = io.StringIO()
        monkeypatch.setattr("sys.stderr", stream)
        with progress_of(Screen()) as line:
            line.step(1, 2)
            line.tell("at work")
            line.count(Glance(1, 1, 2, 0, "p1"), "runs")
        assert type(line) is Progress
        assert stream.getvalue() == ""

    def test_quiet_is_quiet_on_a_terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stderr", Terminal())
        assert type(progress_of(Screen(quiet=True))) is Progress
        assert type(progress_of(Screen(json=True))) is TerminalProgress

    def test_without_standard_error_there_is_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stderr", None)
        assert type(progress_of(Screen())) is Progress
