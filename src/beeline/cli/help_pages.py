"""What `--help` prints: about beeline, about a group of commands, and about one command."""

from __future__ import annotations

from pathlib import Path
from shutil import get_terminal_size
from textwrap import dedent, wrap
from typing import TYPE_CHECKING, Any

from beeline.cli.command import COMMANDS, GROUPS, SECTIONS, find, written
from beeline.core.settings import FLAG, PAIRS, TEXTS, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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
