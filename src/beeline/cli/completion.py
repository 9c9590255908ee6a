"""Words that a shell offers when a user presses Tab.

A script in the shell asks `beeline` itself, with the words so far as its arguments and the variable
_BEELINE_COMPLETE set. Where there is no answer, the shell offers files.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from beeline.cli.command import COMMANDS, GROUPS, UsageError, command_name, find, written
from beeline.core.files import write_atomically
from beeline.core.settings import FLAG, TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from beeline.cli.command import Command

WORDS = "words"  # what the scripts ask for
SOURCE = "source_"  # what is before the name of a shell whose script is asked for
OF_BEELINE = ("--help", "--version", "--install-completion", "--show-completion")
SCRIPTS = {
    shell: Path(__file__).with_suffix(f".{shell}").read_text(encoding="utf-8")
    for shell in ("bash", "zsh", "fish")
}
# Where each shell finds the script, and the line that makes it look there.
HOMES = {
    "bash": (".bash_completions/beeline.sh", ".bashrc", "source ~/.bash_completions/beeline.sh"),
    "zsh": (
        ".zfunc/_beeline",
        ".zshrc",
        "fpath+=~/.zfunc; autoload -Uz compinit; compinit; source ~/.zfunc/_beeline",
    ),
    "fish": (".config/fish/completions/beeline.fish", "", ""),
}


def answer(question: str, words: Sequence[str]) -> int:
    """Print what a shell asks for: its script, or a line for each word that may come next."""
    if question.startswith(SOURCE) and question.removeprefix(SOURCE) in SCRIPTS:
        print(SCRIPTS[question.removeprefix(SOURCE)], end="")
    elif question == WORDS:
        for offer in offers(words):
            print(offer)
    return 0


def offer(words: Sequence[str]) -> int:
    """Show or install the script for the shell that is named, or else for the user's own."""
    shell = words[1] if len(words) > 1 else os.path.basename(os.environ.get("SHELL", ""))
    if shell not in SCRIPTS:
        raise UsageError(
            f"there is no completion for the shell '{shell[:40]}'", hint="name bash, zsh or fish;"
        )
    if words[0] == "--show-completion":
        print(SCRIPTS[shell], end="")
        return 0
    place, startup, line = HOMES[shell]
    file = Path.home() / place
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, SCRIPTS[shell])
    if startup:
        _add_line(Path.home() / startup, line)
    print(f"{file}: completion for {shell}, from the next start of the shell on")
    return 0


def offers(words: Sequence[str]) -> list[str]:
    """What may stand in place of the last word, which has only begun.

    >>> offers(["sol"]), offers(["data", "s"]), offers(["solve", "d", "t", "--search", "w"])
    (['solve'], ['summary', 'statespace'], ['wastar', 'width'])
    >>> offers(["solve", "--search", "=", "a"]), offers(["solve", "--search=a"])
    (['astar'], ['--search=astar'])
    """
    *before, begun = words or [""]
    stays = ""
    if begun == "=":  # bash takes --search=a apart, the others do not
        begun = ""
    elif before[-1:] == ["="]:
        before.pop()
    elif begun.startswith("--") and "=" in begun:
        flag, _, begun = begun.partition("=")
        before, stays = [*before, flag], f"{flag}="
    fitting = [word for word in _candidates(before, begun) if word.startswith(begun)]
    return [f"{stays}{word}" for word in dict.fromkeys(fitting)]


def _candidates(before: Sequence[str], begun: str) -> Iterable[str]:
    name = command_name(before)
    if name is None:
        if not before:
            return [*(each.split()[0] for each in COMMANDS), *OF_BEELINE]
        of_group = [each.split()[1] for each in COMMANDS if each.split()[0] == before[0]]
        return of_group if before[0] in GROUPS and len(before) == 1 else []
    command = find(name)
    rest = list(before[len(name.split()) :])
    by_flag = {flag: each for each in command.options for flag in written(each)}
    last = by_flag.get(rest[-1]) if rest else None
    if last is not None and last.kind != FLAG:
        return last.about.choices()
    if begun.startswith("-"):
        return command.flags()
    return _argument_names(command, rest)


def _argument_names(command: Command, words: Sequence[str]) -> Iterable[str]:
    """What may stand in the place of the argument behind these words."""
    takes_value = {flag for each in command.options if each.kind != FLAG for flag in written(each)}
    place, rest = 0, iter(words)
    for word in rest:
        if word in takes_value:
            next(rest, None)
        elif not word.startswith("-"):
            place += 1
    arguments = command.arguments
    if place < len(arguments):
        return arguments[place].about.choices()
    return arguments[-1].about.choices() if arguments and arguments[-1].kind == TEXTS else ()


def _add_line(file: Path, line: str) -> None:
    text = file.read_text() if file.exists() else ""
    if line not in text.splitlines():
        with file.open("a") as stream:
            stream.write(f"{'' if not text or text.endswith(chr(10)) else chr(10)}{line}\n")
