"""What `--help` prints about beeline, groups of commands and commands, and what Tab completes.

A script in the shell asks `beeline` itself, with the words so far as its arguments and the variable
_BEELINE_COMPLETE set. Where there is no answer, the shell offers files.
"""

from __future__ import annotations

import os
from pathlib import Path
from shutil import get_terminal_size
from textwrap import dedent, wrap
from typing import TYPE_CHECKING, Any

from beeline.cli.command import COMMANDS, GROUPS, SECTIONS, UsageError, command_name, find, written
from beeline.core.files import write_atomically
from beeline.core.settings import FLAG, PAIRS, TEXTS, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from beeline.cli.command import Command
    from beeline.core.settings import Setting


WIDEST = 100  # columns
WIDEST_NAME = 24  # of an option whose help begins on the same line

_OPTIONS = (
    ("--version", "Show the version and exit."),
    ("--install-completion SHELL", "Let bash, zsh or fish complete words, from now on."),
    ("--show-completion SHELL", "Show the script that does so, to install it otherwise."),
    ("-h, --help", "Show this, or the help of a command, and exit."),
)
_STOPS = "Stopped before there is a result, it exits with 130 for Ctrl-C and 23 for SIGTERM."


def page_of(topic: str) -> str:
    """The help of all of it, of a group of commands, or of one command."""
    if topic:
        return _page_of_group(topic) if topic in GROUPS else _page_of_command(topic)
    parts = [
        "Usage: beeline COMMAND [OPTIONS] ...\n",
        "Beeline learns how to search in a planning domain.\n",
        _paragraph(
            "It reads PDDL, grounds tasks and searches for plans with a native engine, and checks"
            " plans. Every command has its own help: beeline solve --help"
        ),
        _text("usual_calls"),
    ]
    for title, names in SECTIONS.items():
        parts.append(f"{title}:\n{_columns((name, _summary(name)) for name in names)}")
    parts += [
        f"Options:\n{_columns(_OPTIONS)}",
        _text("exit_codes"),
        "Results go to standard output, warnings and errors to standard error.",
    ]
    return "\n".join(parts)


def _page_of_group(group: str) -> str:
    """The help of the commands whose names begin with a word."""
    names = [name for name in COMMANDS if name.split()[0] == group]
    rows = _columns((name.partition(" ")[2], _summary(name)) for name in names)
    return f"Usage: beeline {group} COMMAND [OPTIONS] ...\n\n{GROUPS[group]}\n\nCommands:\n{rows}"


def _page_of_command(name: str) -> str:
    """The help of a command: what it does, what it takes, and how it is called."""
    command = find(name)
    text, _, example = dedent(f"    {command.text}").partition("Example:")
    paragraphs = [*text.strip().split("\n\n"), _STOPS]
    arguments = [
        each.about.metavar if each.name in command.required else f"[{each.about.metavar}]"
        for each in command.arguments
    ]
    parts = [f"Usage: beeline {' '.join([name, *arguments])} [OPTIONS]\n"]
    parts += [_paragraph(" ".join(each.split())) for each in paragraphs]
    for title, listed in command.details.items():
        parts.insert(-1, f"{_listed(title, listed)}\n")
    if arguments:
        rows = [(each.about.metavar, _help(each)) for each in command.arguments]
        parts.append(f"Arguments:\n{_columns(rows)}")
    parts += _options(command)
    return "\n".join([*parts, f"Example:{example.rstrip()}"])


def _options(command: Command) -> list[str]:
    """A list of the options, and one for each further class of settings."""
    listed = {each.name: (_flags(each), _help(each)) for each in command.options}
    known: set[str] = set()
    sections = []
    for settings in command.settings.values():
        names = [each.name for each in settings_of(settings) if each.name not in known]
        if known:
            title = (settings.__doc__ or "").partition(".")[0]
            sections.append(f"{title}:\n{_columns([listed.pop(name) for name in names])}")
        known.update(names)
    rows = [*listed.values(), ("-h, --help", "Show this and exit.")]
    return [f"Options:\n{_columns(rows)}", *sections]


def _listed(title: str, listed: Mapping[str, Any] | Path) -> str:
    """A file, or names that can be chosen with what they mean, on lines that are never broken."""
    if isinstance(listed, Path):
        lines = listed.read_text(encoding="utf-8").splitlines()
    else:
        width = max(map(len, listed))
        lines = [f"{name:<{width}}  {getattr(it, 'summary', it)}" for name, it in listed.items()]
    return "\n".join([title, *(f"  {line}".rstrip() for line in lines)])


def _text(name: str) -> str:
    return Path(__file__).with_name(f"{name}.txt").read_text(encoding="utf-8")


def _summary(name: str) -> str:
    return " ".join(find(name).text.split("\n\n")[0].split())


def _width() -> int:
    return min(get_terminal_size().columns, WIDEST)


def _paragraph(text: str) -> str:
    return "\n".join(wrap(text, _width(), break_on_hyphens=False)) + "\n"


def _columns(rows: Iterable[tuple[str, str]]) -> str:
    """Names on the left, texts on the right of them."""
    listed = list(rows)
    indent = 4 + min(WIDEST_NAME, max(len(name) for name, _ in listed))
    lines = []
    for name, text in listed:
        wrapped = wrap(text, max(20, _width() - indent), break_on_hyphens=False) or [""]
        if len(name) + 4 > indent:
            lines.append(f"  {name}")
        else:
            wrapped[0] = f"  {name:<{indent - 4}}  {wrapped[0]}"
            lines.append(wrapped.pop(0))
        lines += [" " * indent + line for line in wrapped]
    return "\n".join(lines) + "\n"


def _flags(option: Setting) -> str:
    words = sorted(written(option), key=lambda flag: flag[1] == "-")
    return f"{', '.join(words)} {option.about.metavar}".rstrip()


def _help(described: Setting) -> str:
    text = described.about.text.replace("{names}", ", ".join(described.about.choices()))
    default = described.default
    if default in (None, "", ()) or described.kind in (FLAG, TEXTS, PAIRS):
        return text
    return f"{text} [default: {f'{default:g}' if isinstance(default, float) else default}]"


WORDS = "words"  # what the scripts ask for
SOURCE = "source_"  # what is before the name of a shell whose script is asked for
OF_BEELINE = ("--help", "--version", "--install-completion", "--show-completion")
SCRIPTS = {
    shell: Path(__file__).with_name(f"completion.{shell}").read_text(encoding="utf-8")
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
