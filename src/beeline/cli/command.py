"""A command: a function whose parameters are arguments and options.

Parameters before the star are arguments of the command line, those behind it are options. A
parameter whose type is a dataclass of settings stands for all of them, each an option.

The commands by name. A module is imported when one of its commands is needed.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from beeline.cli.messages import print_json, print_warnings
from beeline.core.errors import BeelineError
from beeline.core.limits import memory_size
from beeline.core.settings import (
    FLAG,
    NUMBER,
    PAIRS,
    SIZE,
    TEXTS,
    WHOLE,
    About,
    Setting,
    kind_of,
    settings_of,
)

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    Details = Mapping[str, Mapping[str, Any] | Path]


WIDTH = 80  # of what is never shown; asking the terminal takes time


def late(module: str, attribute: str) -> Callable[[], list[str]]:
    """Names that a module has, which is imported when somebody asks for them.

    >>> late("beeline.backends", "BACKENDS")()
    ['local', 'ray']
    """

    def names() -> list[str]:
        found = getattr(import_module(module), attribute)
        return [*(found() if callable(found) else found)]

    return names


BACKENDS = late("beeline.backends", "BACKENDS")
# Words about parameters that mean the same in many commands.
SHARED = {
    "domain": About("PDDL domain file.", "DOMAIN"),
    "task": About("PDDL problem file.", "TASK"),
    "force": About("Overwrite a file even if it holds something else."),
    "unit_costs": About("Let every action cost 1, whatever the files say."),
    "time_limit": About("Stop after this time.", "SECONDS"),
    "memory_limit": About("Such as 200M or 2G; a plain number means MB.", "SIZE"),
    "jobs": About("Processes; one for each core.", "N", aliases=("--workers",)),
    "backend": About("Where jobs run: one of {names}.", "NAME", names=BACKENDS),
}
# What every command can be told about its `screen`.
OF_SCREEN = (
    Setting("json", FLAG, False, About("Print one JSON object.")),
    Setting("quiet", FLAG, False, About("Print the result alone: no warnings, no progress.")),
)


class Screen:
    """How a command speaks: as text, or with `json` as one object; if `quiet`, with few words."""

    def __init__(self, *, json: bool = False, quiet: bool = False) -> None:
        self.json = json
        self.quiet = quiet

    def warn(self, warnings: Iterable[object]) -> None:
        """Print warnings, unless quiet."""
        if not self.quiet:
            print_warnings(warnings)

    def show(self, fields: Mapping[str, object], text: str | Callable[[], str]) -> None:
        """Print what came out; a text that takes time is made when it is needed."""
        if self.json:
            print_json(fields)
        else:
            print(text() if callable(text) else text)

    def remark(self, text: Callable[[], str]) -> None:
        """Print words beside a result on standard error, where nobody takes them for it."""
        if not self.json and not self.quiet and sys.stderr is not None:
            print(text(), file=sys.stderr)

    def mention(self, fields: Mapping[str, object], text: str | Callable[[], str]) -> None:
        """The same for a text that nobody misses, hence not if quiet."""
        if self.json or not self.quiet:
            self.show(fields, text)


class UsageError(BeelineError):
    """Words that are no command line; `topic` is the command whose help would help."""

    def __init__(self, message: str, topic: str = "", hint: str | None = None) -> None:
        help_command = " ".join(filter(None, ("beeline", topic, "--help")))
        more = "" if hint is None else f"{hint} "
        super().__init__(message, hint=f"{more}see '{help_command}'")


class Command:
    """A function of a command module, and how its parameters are written on the command line."""

    def __init__(
        self,
        run: Callable[..., int],
        details: Details,
        about: Mapping[str, About | type],
    ) -> None:
        self.run = run
        self.text = run.__doc__ or ""
        self.details = details
        self.settings = {name: each for name, each in about.items() if isinstance(each, type)}
        code = run.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        defaults = run.__defaults__ or ()
        first = code.co_argcount - len(defaults)
        values = dict(zip(names[first:], defaults, strict=False), **(run.__kwdefaults__ or {}))
        self.required = frozenset(name for name in names if name not in values)
        self.arguments: list[Setting] = []
        self.options: list[Setting] = []
        for place, name in enumerate(names):
            words = about.get(name) or SHARED.get(name)
            if isinstance(words, About):
                kind = kind_of(run.__annotations__[name])
                described = Setting(name, kind, values.get(name), words)
                (self.arguments if place < code.co_argcount else self.options).append(described)
            else:
                known = {each.name for each in self.options}
                several = OF_SCREEN if words is None else settings_of(words)
                self.options += [each for each in several if each.name not in known]

    def __call__(self, *words: Any, **chosen: Any) -> int:
        """Run it with values, not with words; each class of settings takes its own."""
        made: dict[str, Any] = {
            "screen": Screen(**{each.name: chosen.pop(each.name, False) for each in OF_SCREEN})
        }
        theirs: set[str] = set()
        for parameter, settings in self.settings.items():
            names = {each.name for each in settings_of(settings)} & {*chosen}
            theirs |= names
            made[parameter] = settings(**{name: chosen[name] for name in names})
        own = {name: value for name, value in chosen.items() if name not in theirs}
        return self.run(*words, **own, **made)

    def call(self, name: str, words: Sequence[str]) -> int | None:
        """Understand the words behind the command's name and run it; None if they ask for help."""
        from argparse import ArgumentError

        words = list(words)
        end = words.index("--") if "--" in words else len(words)
        parser = self._parser()
        try:
            found, unknown = parser.parse_known_intermixed_args(words[:end])
        except ArgumentError as error:
            raise self._usage_error(error, name) from None
        chosen = vars(found)
        if chosen.pop("help", False):
            return None
        for word in unknown:
            if word.startswith("-"):
                raise unknown_option(word, self.flags(), name)
        arguments = self._arguments([*chosen.pop("words"), *words[end + 1 :]], name)
        return self(**arguments, **self._values(chosen))

    def flags(self) -> list[str]:
        """All options that are mentioned, as they are written."""
        return [flag for each in self.options for flag in written(each)] + ["--help"]

    def _parser(self) -> ArgumentParser:
        from argparse import SUPPRESS, ArgumentParser, HelpFormatter

        parser = ArgumentParser(
            prog="beeline",
            usage="",  # made up otherwise, which takes time
            formatter_class=lambda prog: HelpFormatter(prog, width=WIDTH),
            add_help=False,
            allow_abbrev=False,
            exit_on_error=False,
            argument_default=SUPPRESS,
        )
        parser.add_argument("-h", "--help", action="store_true")
        parser.add_argument("words", nargs="*", default=[])
        for each in self.options:
            if each.kind == FLAG:
                for flag in understood(each):
                    parser.add_argument(flag, action="store_true", dest=flag)
            else:
                action = "append" if each.kind in (TEXTS, PAIRS) else "store"
                parser.add_argument(*understood(each), action=action, dest=each.name)
        return parser

    def _usage_error(self, error: Any, name: str) -> UsageError:
        option = error.argument_name.split("/")[0]
        flag = next((word for word in (option, f"--{option}") if word in self.flags()), option)
        kind = "requires an argument" if "expected" in error.message else "does not take a value"
        return UsageError(f"Option '{flag}' {kind}", name)

    def _arguments(self, words: Sequence[str], name: str) -> dict[str, Any]:
        """The words as values of the arguments, by their names."""
        values: dict[str, Any] = {}
        rest = list(words)
        for each in self.arguments:
            if each.kind == TEXTS:
                values[each.name], rest = rest, []
            elif rest:
                values[each.name] = rest.pop(0)
            elif each.name in self.required:
                raise UsageError(f"Missing argument '{each.about.metavar}'", name)
        if rest:
            several = "" if len(rest) == 1 else "s"
            raise UsageError(f"Got unexpected extra argument{several} ({' '.join(rest)})", name)
        return values

    def _values(self, chosen: dict[str, Any]) -> dict[str, Any]:
        """The words behind options as values, by the names of their settings."""
        values: dict[str, Any] = {}
        for each in self.options:
            if each.kind != FLAG:
                if each.name in chosen:
                    values[each.name] = value_of(written(each)[0], each.kind, chosen[each.name])
                continue
            given = [flag for flag in understood(each) if flag in chosen]
            says = {not flag.startswith("--no-") for flag in given}
            if len(says) > 1:
                both = " and ".join(given)
                raise BeelineError(f"{both} exclude each other", hint="leave one of them out")
            if says:
                values[each.name] = says.pop()
        return values


def written(option: Setting) -> list[str]:
    """How an option is written: what can be repeated in the singular, flags as what they change.

    >>> written(Setting("time_limit", "a number", None, About("")))
    ['--time-limit']
    >>> written(Setting("fallback", "true or false", True, About("")))
    ['--no-fallback']
    """
    name = option.name.replace("_", "-")
    short = [flag for flag in option.about.aliases if flag[1] != "-"]
    if option.kind == FLAG:
        on, off = [f"--{name}", *short], [f"--no-{name}"]
        return off if option.default else on if option.default is False else on + off
    repeated = option.kind in (TEXTS, PAIRS) and name.endswith("s")
    return [f"--{name[:-1] if repeated else name}", *short]


def understood(option: Setting) -> list[str]:
    """The same, and what else is taken for it without being mentioned."""
    return [*written(option), *(flag for flag in option.about.aliases if flag[1] == "-")]


def command(
    details: Details | None = None, **about: About | type
) -> Callable[[Callable[..., int]], Command]:
    """Make a function a command.

    `about` has words about those parameters that are its own, and the dataclasses of those that
    are settings. `details` are tables that the help shows besides: titles, and what is listed by
    name with a summary, or a file to show.
    """
    return lambda run: Command(run, details or {}, about)


def unknown_option(word: str, known: Sequence[str], topic: str) -> UsageError:
    """The error about an option that there is not."""
    from beeline.core.errors import suggestion

    option = word.partition("=")[0]
    return UsageError(f"No such option: {option}", topic, suggestion(option, known))


def value_of(option: str, kind: str, word: Any) -> Any:
    """The value that the word behind an option stands for, or all its words if it is repeated.

    >>> value_of("--seed", WHOLE, "7"), value_of("--search", "a text", "gbfs")
    (7, 'gbfs')
    >>> value_of("--option", PAIRS, ["depth=5", "distinct=yes"])
    {'depth': 5, 'distinct': True}
    """
    if kind == WHOLE:
        if re.fullmatch(r"[+-]?[0-9]{1,18}", word):
            return int(word)
        raise BeelineError(f"{option} '{word[:40]}' is not a whole number", hint="such as 1000")
    if kind == NUMBER:
        try:
            return float(word)
        except ValueError:
            message = f"{option} '{word[:40]}' is not a number"
            raise BeelineError(message, hint="such as 5 or 2.5") from None
    if kind == SIZE:
        return memory_size(option, word)
    return dict(_pair(option, each) for each in word) if kind == PAIRS else word


def _pair(option: str, word: str) -> tuple[str, int | bool]:
    key, equals, value = word.partition("=")
    if not equals or not key.isidentifier():
        raise BeelineError(f"{option} '{word[:40]}' is no KEY=VALUE", hint="such as depth=5")
    if value in ("yes", "no"):
        return key, value == "yes"
    return key, value_of(f"{option} {key}", WHOLE, value)


# The commands as the help lists them, each with its module and its name there. A name of two words
# is a command of a group.
SECTIONS = {
    "Tasks and plans": {
        "inspect": "tasks:inspect",
        "solve": "solve:solve",
        "plan": "plan:plan",
        "validate": "tasks:validate",
        "show": "show:show",
    },
    "Learning": {
        "generate": "generate:generate",
        "data plans": "data_plans:plans",
        "data summary": "data_plans:summary",
        "data regression": "data_samples:regression",
        "data statespace": "data_samples:statespace",
        "data certify": "data_samples:certify",
        "learn": "learn:learn",
        "train": "train:train",
        "models list": "models:list_models",
        "models info": "models:info",
        "models errors": "models:errors",
    },
    "Comparing": {
        "evaluate": "evaluate:evaluate",
        "report": "evaluate:report",
        "experiment": "evaluate:experiment",
    },
    "Competition": {"ipc learn": "ipc:learn", "ipc plan": "ipc:plan"},
}
COMMANDS = {name: place for names in SECTIONS.values() for name, place in names.items()}
GROUPS = {
    "data": "Datasets to learn from: make them, and see what is in them.",
    "models": "Learned models: which ones come with the package, and what they say.",
    "ipc": "Learner and planner of the planning competition's learning track.",
}


def command_name(words: Sequence[str]) -> str | None:
    """The command that stands at the beginning of the words, if there is one.

    >>> command_name(["inspect", "domain.pddl"]), command_name(["data", "summary", "folder"])
    ('inspect', 'data summary')
    >>> command_name(["data", "--help"]) is None
    True
    """
    for length in (1, 2):
        name = " ".join(words[:length])
        if name in COMMANDS:
            return name
    return None


def find(name: str) -> Command:
    """A command by its name."""
    module, _, attribute = COMMANDS[name].partition(":")
    found: Command = getattr(import_module(f"beeline.cli.{module}"), attribute)
    return found
