"""What `--help` prints: about beeline, about a group of commands, and about one command."""

from __future__ import annotations

from shutil import get_terminal_size
from textwrap import dedent, wrap
from typing import TYPE_CHECKING

from beeline.cli.command import COMMANDS, GROUPS, SECTIONS, find, written
from beeline.core.settings import FLAG, PAIRS, TEXTS, settings_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from beeline.cli.command import Command
    from beeline.core.settings import Setting

WIDEST = 100  # columns
WIDEST_NAME = 24  # of an option whose help begins on the same line

_USUAL_CALLS = """\
Usual calls:
  beeline inspect domain.pddl task.pddl          how large the task is
  beeline inspect domain.pddl task.pddl --json   the same for scripts
  beeline solve domain.pddl task.pddl -o plan    find a plan
  beeline validate domain.pddl task.pddl plan    whether a plan is right
  beeline generate ferry --preset easy -o tasks  tasks of a built-in domain
  beeline data plans --generator ferry -o set    a dataset of optimal plans
  beeline data regression domain.pddl task.pddl  samples backwards from the goal
  beeline learn domain.pddl tasks -o model       learn how to search in a domain
  beeline train set --model nlm -o model         train a neural network with a dataset
  beeline plan auto domain.pddl task.pddl        plan with a learned model
  beeline models info model.beeline              what a model has learned, in words
  beeline evaluate suite.toml -o records         many tasks under many configurations
  beeline report records -o report               tables, plots and a page of many runs
  beeline experiment minini2023-table4.5         repeat a paper's experiment
"""
_EXIT_CODES = """\
Exit codes:
  0   done; for solve and plan: there is a plan; for validate: the plan is valid
  1   validate: the plan is not valid; data certify: the ranking is not perfect;
      evaluate, experiment: some runs have failed
  2   the command line makes no sense
  11  the task is unsolvable
  12  solve, plan: the search ended without a plan, as it was told to
  22  out of memory
  23  out of time, or stopped by SIGTERM before there was a result
  31  bad input: a file is missing, broken or contradictory
  32  the result could not be written; a plan is printed then, a model kept elsewhere
  34  a PDDL feature that Beeline does not support
  35  an internal error
  130 stopped by Ctrl-C before there was a result
"""
_OPTIONS = (
    ("--version", "Show the version and exit."),
    ("--install-completion SHELL", "Let bash, zsh or fish complete words, from now on."),
    ("--show-completion SHELL", "Show the script that does so, to install it otherwise."),
    ("-h, --help", "Show this, or the help of a command, and exit."),
)
_STOPS = "Stopped before there is a result, it exits with 130 for Ctrl-C and 23 for SIGTERM."


def page_of_beeline() -> str:
    """The help of all of it."""
    parts = [
        "Usage: beeline COMMAND [OPTIONS] ...\n",
        "Beeline learns how to search in a planning domain.\n",
        _paragraph(
            "It reads PDDL, grounds tasks and searches for plans with a native engine, and checks"
            " plans. Every command has its own help: beeline solve --help"
        ),
        _USUAL_CALLS,
    ]
    for title, names in SECTIONS.items():
        words = [name for name in COMMANDS if name.split()[0] in names]
        parts.append(f"{title}:\n{_columns((name, _summary(name)) for name in words)}")
    parts += [
        f"Options:\n{_columns(_OPTIONS)}",
        _EXIT_CODES,
        "Results go to standard output, warnings and errors to standard error.",
    ]
    return "\n".join(parts)


def page_of_group(group: str) -> str:
    """The help of the commands whose names begin with a word."""
    names = [name for name in COMMANDS if name.split()[0] == group]
    rows = _columns((name.partition(" ")[2], _summary(name)) for name in names)
    return f"Usage: beeline {group} COMMAND [OPTIONS] ...\n\n{GROUPS[group]}\n\nCommands:\n{rows}"


def page_of_command(name: str) -> str:
    """The help of a command: what it does, what it takes, and how it is called."""
    command = find(name)
    text, _, example = dedent(f"    {command.text}").partition("Example:")
    paragraphs = [*text.strip().split("\n\n"), _STOPS]
    arguments = [_argument(command, each) for each in command.arguments]
    parts = [f"Usage: beeline {' '.join([name, *arguments])} [OPTIONS]\n"]
    parts += [_paragraph(" ".join(each.split())) for each in paragraphs]
    if command.details is not None:
        parts.insert(-1, f"{command.details()}\n")
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


def table_of(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """Names that can be chosen, each with what it means, on lines that are never broken."""
    listed = list(rows)
    width = max(len(name) for name, _ in listed)
    return "\n".join([title, *(f"  {name:<{width}}  {text}" for name, text in listed)])


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


def _argument(command: Command, argument: Setting) -> str:
    name = argument.about.metavar
    return name if argument.name in command.required else f"[{name}]"


def _flags(option: Setting) -> str:
    words = sorted(written(option), key=lambda flag: flag[1] == "-")
    return f"{', '.join(words)} {option.about.metavar}".rstrip()


def _help(described: Setting) -> str:
    text = described.about.text.replace("{names}", ", ".join(described.about.choices()))
    shown = described.default not in (None, "", ()) and described.kind not in (FLAG, TEXTS, PAIRS)
    default = (
        f"{described.default:g}" if isinstance(described.default, float) else described.default
    )
    return f"{text} [default: {default}]" if shown else text
