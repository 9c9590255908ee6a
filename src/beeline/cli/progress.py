"""How far long work is, on the last line of a terminal: a bar, a count and the time that is left.

The line is written over with a carriage return and spaces, and with nothing else: no cursor is
hidden and no mode is changed, so that whatever ends the program leaves a terminal in order. It is
measured before each drawing and never wider than the terminal: what has no room is left out, words
first, then the bar, then times.
"""

from __future__ import annotations

import os
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple, TextIO
from unicodedata import category, east_asian_width

from beeline.cli.messages import Progress
from beeline.core.errors import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

USUAL_WIDTH = 80  # columns of a terminal that does not know how wide it is
LONGEST_BAR, SHORTEST_BAR = 30, 5  # columns
SHORTEST_NOTE = 8  # columns
STROKES = ("━", "╌")  # done, and to do
PLAIN_STROKES = ("#", "-")  # for terminals that cannot show those
INTERVAL = 0.1  # seconds between two drawings of a bar
ECHO = 2  # columns of the ^C that a terminal adds


class Standing(NamedTuple):
    """How far work is: `seconds` so far, and those `left` if anybody can tell."""

    done: int
    total: int
    things: str
    seconds: float
    left: float | None
    title: str = ""
    note: str = ""


class TerminalProgress(Progress):
    """Shows progress on a terminal."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream: TextIO | None = stream
        self._encoding = stream.encoding or "ascii"
        self._strokes = STROKES if _can_show("".join(STROKES), self._encoding) else PLAIN_STROKES
        self._width = 0  # of what is on the line
        self._drawn = 0.0  # when
        self._latest = self.began  # when something was done
        self._stage: tuple[str, str, int] | None = None
        self._stage_began = self.began
        self._done_before = self._done = 0

    def say(self, text: str) -> None:
        """Show any text."""
        shown = one_line(text).encode(self._encoding, "backslashreplace").decode(self._encoding)
        self._write(cut(shown, self._columns()))

    def step(
        self,
        done: int,
        total: int,
        things: str = "",
        *,
        title: str = "",
        note: str = "",
        fresh: int = 0,
    ) -> None:
        """Show a bar; the time that is left is told from what was done since this stage began."""
        now = perf_counter()
        stage = (title, things, total)
        begins = stage != self._stage or done < self._done
        if begins:
            self._stage, self._done_before = stage, done - fresh
            self._stage_began = self._latest if fresh else now
        self._latest, self._done = now, done
        if not begins and now - self._drawn < INTERVAL:
            return
        self._drawn = now
        made = done - self._done_before
        left = (now - self._stage_began) / made * (total - done) if made > 0 else None
        standing = Standing(done, total, things, now - self.began, left, title, one_line(note))
        self.say(bar_line(standing, self._columns(), self._strokes))

    def clear(self) -> None:
        """Take the line away, and what the terminal has put behind it."""
        if self._width:
            self._width = min(self._width + ECHO, self._columns())
            self._write("")
            self._write("")  # once more, for the return to the first column

    def _columns(self) -> int:
        """How wide the line may be; in the last column some terminals begin a new one."""
        try:
            columns = 0 if self._stream is None else os.get_terminal_size(self._stream.fileno())[0]
        except (OSError, ValueError):
            columns = 0
        return max((columns or USUAL_WIDTH) - 1, 1)

    def _write(self, text: str) -> None:
        if self._stream is None:
            return
        width = cells(text)
        padding = " " * (min(self._width, self._columns()) - width)
        try:
            self._stream.write(f"\r{text}{padding}")
            self._stream.flush()
        except OSError:  # the terminal is gone, which is no reason to end the work
            self._stream = None
        self._width = width


def bar_line(standing: Standing, columns: int, strokes: tuple[str, str] = STROKES) -> str:
    """A line of at most so many columns.

    >>> standing = Standing(30, 90, "runs", 10.0, 20.0, note="ferry/p1")
    >>> print(bar_line(standing, 79))
    ━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ 30 of 90 runs, 0:10, about 0:20 left: ferry/p1
    >>> print(bar_line(standing, 50))
    ━━━━╌╌╌╌╌╌╌╌╌ 30 of 90 runs, 0:10, about 0:20 left
    >>> print(bar_line(standing, 24))
    ━━━╌╌╌╌╌╌╌ 30 of 90 runs
    """
    for text in _texts(standing):
        room = columns - cells(text) - 1  # beside the text
        if room < SHORTEST_BAR:
            continue
        bar_width = min(room, LONGEST_BAR)
        line = f"{_bar(standing, bar_width, strokes)} {text}"
        room -= bar_width + 2  # beside both, and a colon
        if not standing.note or room < min(SHORTEST_NOTE, cells(standing.note)):
            return line
        return f"{line}: {cut(standing.note, room)}"
    return cut(f"{standing.done:,}/{standing.total:,}", columns)


def _texts(standing: Standing) -> Iterator[str]:
    """What stands beside the bar, in ever fewer words."""
    count = f"{standing.done:,} of {standing.total:,} {standing.things}".rstrip()
    titled = f"{standing.title}, {count}" if standing.title else count
    left = "" if standing.left is None else f", about {clock(standing.left)} left"
    yield f"{titled}, {clock(standing.seconds)}{left}"
    yield f"{count}{left}"
    yield count
    yield f"{standing.done:,}/{standing.total:,}"


def _bar(standing: Standing, width: int, strokes: tuple[str, str]) -> str:
    share = min(standing.done / standing.total, 1.0) if standing.total > 0 else 1.0
    full = int(share * width)
    return strokes[0] * full + strokes[1] * (width - full)


def clock(seconds: float) -> str:
    """A time as a clock shows it.

    >>> clock(7.4), clock(754), clock(3723)
    ('0:07', '12:34', '1:02:03')
    """
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02d}:{second:02d}" if hours else f"{minute}:{second:02d}"


def cells(text: str) -> int:
    """How many columns of a terminal a text takes.

    >>> cells("maze"), cells("迷路"), cells("e\\u0301")
    (4, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(character: str) -> int:
    if category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in ("W", "F") else 1


def cut(text: str, columns: int) -> str:
    """As much of a text as fits.

    >>> cut("labyrinth", 5), cut("迷路", 3)
    ('labyr', '迷')
    """
    if cells(text) <= columns:
        return text
    used = 0
    for place, character in enumerate(text):
        used += _cells_of(character)
        if used > columns:
            return text[:place]
    return text


def _can_show(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True
