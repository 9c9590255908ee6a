"""Walk a page of the documentation: do what it prints, in order, in a folder like a clone's root.

Everything on a page that can run is in a fenced block, and its first word says what becomes of it:

    console            lines after `$ ` are commands, which go on after a backslash and after `> `;
                       other lines must be in what a terminal shows, results before remarks, in
                       order, `...` standing for anything
    python             runs; the blocks of a page share their names
    toml title="FILE"  becomes that file, whatever the language
    other words        are for the reader alone

A comment behind a command, `# exit code 1`, says how it ends if not with 0, and `# takes minutes`
or `# takes a minute` that it is left out of quick walks. `make` only says what it would do.

A block that has the words `make neural` (or another extra) needs that extra. Where it is missing,
commands run until one fails with the line that names the remedy, and Python code raises that error,
or that of its own import. With the words `after make neural` a block needs what such blocks have
made, and is left out. Walks for extras alone leave out the other blocks of commands.
"""

from __future__ import annotations

import re
import subprocess
import sys
import traceback
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from beeline.core.errors import BeelineError, ExitCode, install_hint

MODULES = {"neural": "torch", "ray": "ray", "up": "unified_planning", "gym": "gymnasium"}
FENCED = re.compile(r'^```(\w*)(?: title="([^"\n]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*\n(?:> .*\n)*)((?:[^$\n].*\n|\n)*)", re.MULTILINE)
EXIT_CODE = re.compile(r"# exit code (\d+)")
NEEDED = re.compile(rf"\bmake ({'|'.join(MODULES)})\b")
SLOW = re.compile("# takes (a minute|minutes)")


class Block(NamedTuple):
    """A fenced block: the line of its fence, what the fence says, and the lines below it."""

    line: int
    language: str
    title: str | None
    text: str

    @property
    def extras(self) -> list[str]:
        """The extras that it needs."""
        return NEEDED.findall(self.text)

    @property
    def is_used(self) -> bool:
        """Whether it does more than make things."""
        return any(not line.startswith("$ make ") for line in self.text.splitlines())

    @property
    def follows(self) -> bool:
        """Whether it only needs what others have made with its extras."""
        return bool(re.search(rf"\bafter {NEEDED.pattern}", self.text))


class PageError(Exception):
    """What a page prints does not hold."""


def blocks(text: str) -> list[Block]:
    """All fenced blocks of a page."""
    found = []
    for match in FENCED.finditer(text):
        language, title, content = match.groups()
        found.append(Block(text.count("\n", 0, match.start()) + 1, language, title, content))
    return found


def walk(page: Path, *, slow: bool = False, extras_only: bool = False) -> None:
    """Do everything that is on the page, here."""
    names = ModuleType("page")
    sys.modules["page"] = names  # dataclasses look up the module of their class
    without, met = False, False
    for block in blocks(page.read_text()):
        if block.follows and _missing(block) is not None:
            continue
        if block.title is not None:
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(block.text)
        elif block.language == "python":
            met |= _run_code(block, page, names)
        elif block.language == "console" and (block.extras or not extras_only):
            met |= _run_commands(block, page, slow=slow)
        without |= block.is_used and _missing(block) is not None
    if without and not met:
        raise PageError(f"{page}: nothing on this page needs the extras that it names")


def _missing(block: Block) -> str | None:
    """An extra that the block needs and that is not there."""
    absent = (each for each in block.extras if find_spec(MODULES[each]) is None)
    return next(absent, None)


def _packages(extra: str) -> str:
    """How the hint goes on after the name of the interpreter, which may have several."""
    return install_hint(extra).partition(" ")[2]


def _run_code(block: Block, page: Path, names: ModuleType) -> bool:
    """Whether the code has met a missing extra."""
    # Empty lines before it let tracebacks name lines of the page.
    code = compile("\n" * block.line + block.text, str(page), "exec")
    missing = _missing(block)
    try:
        exec(code, vars(names))
    except Exception as error:
        if missing is not None and _names_extra(error, missing):
            return True
        frames = traceback.extract_tb(error.__traceback__)
        line = [each.lineno for each in frames if each.filename == str(page)][-1]
        raise PageError(f"{page}:{line}: {traceback.format_exc()}") from error
    return False


def _names_extra(error: Exception, extra: str) -> bool:
    if isinstance(error, BeelineError):
        return str(error.hint).endswith(_packages(extra))
    return isinstance(error, ModuleNotFoundError) and MODULES[extra] in str(error)


def _run_commands(block: Block, page: Path, *, slow: bool) -> bool:
    """Whether one of the commands has named the remedy for a missing extra."""
    missing = _missing(block)
    for match in COMMAND.finditer(block.text):
        command, shown = re.sub("^> ", "", match[1], flags=re.MULTILINE), match[2]
        if SLOW.search(command) and not slow and missing is None:
            continue
        place = f"{page}:{block.line + block.text.count(chr(10), 0, match.start()) + 1}"
        wanted = EXIT_CODE.search(command)
        expected = 0 if wanted is None else int(wanted[1])
        run = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
        told = f"\n$ {command}{run.stdout}{run.stderr}"
        if missing is not None and run.returncode == ExitCode.BAD_INPUT:
            remedy = rf"beeline: error: .* \(hint: \S+ {re.escape(_packages(missing))}\)\n"
            if re.fullmatch(remedy, run.stderr) is None:
                raise PageError(f"{place}: not the one line that names the remedy{told}")
            return True  # what follows would need what this has not made
        if run.returncode != expected:
            raise PageError(f"{place}: exit code {run.returncode} instead of {expected}{told}")
        _check_shown(shown, run.stdout + run.stderr, f"{place}: the output lacks", told)
    return False


def _check_shown(shown: str, output: str, complaint: str, told: str) -> None:
    lines = iter(output.splitlines())
    for line in filter(str.strip, shown.splitlines()):
        pattern = re.compile(re.escape(line.rstrip()).replace(r"\.\.\.", ".*"))
        if line.strip() != "..." and not any(pattern.fullmatch(each.rstrip()) for each in lines):
            raise PageError(f"{complaint} {line!r}{told}")


if __name__ == "__main__":
    try:
        walk(Path(sys.argv[1]), **dict.fromkeys(sys.argv[2:], True))
    except PageError as error:
        sys.exit(str(error))
