"""From the words on the command line to an exit code. No exception gets past `main`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from beeline.cli.command import COMMANDS, GROUPS, UsageError, command_name, find, unknown_option
from beeline.cli.messages import error_fields, print_error, print_json
from beeline.core.errors import BeelineError, ExitCode
from beeline.core.files import write_error
from beeline.core.limits import termination_like_interruption

if TYPE_CHECKING:
    from collections.abc import Sequence

USAGE_ERROR = 2
BROKEN_PIPE = 141  # 128 + SIGPIPE


def main(words: Sequence[str] | None = None) -> int:
    """Run a command line, by default the one of this process, and return its exit code.

    >>> main(["--version"])
    beeline ...
    0
    """
    words = sys.argv[1:] if words is None else words
    try:
        _make_output_robust()
        exit_code = _run(words, json="--json" in words)
        if sys.stdout is not None:
            sys.stdout.flush()
        return exit_code
    except BrokenPipeError:
        _abandon_output()
        return BROKEN_PIPE
    except OSError as error:  # such as a full disk behind standard output
        _abandon_output()
        print_error(f"cannot write the result: {error.strerror or error}")
        return ExitCode.CANNOT_WRITE


def _run(words: Sequence[str], *, json: bool) -> int:
    exit_code: int
    failure: BeelineError
    with termination_like_interruption() as stop:
        try:
            exit_code = _call(words)
            return stop.exit_code if exit_code == ExitCode.INTERRUPTED else exit_code
        except UsageError as error:
            failure, exit_code = error, USAGE_ERROR
        except BeelineError as error:
            failure, exit_code = error, error.exit_code
        except KeyboardInterrupt as event:
            failure, exit_code = BeelineError(stop.word, hint=str(event) or None), stop.exit_code
        except MemoryError:
            failure = BeelineError("out of memory", hint="allow more, or take a smaller task")
            exit_code = ExitCode.MEMORY_LIMIT
        except RecursionError:
            failure = BeelineError("the input is nested too deeply", hint="flatten nested and / or")
            exit_code = ExitCode.BAD_INPUT
        except OSError as error:
            if error.filename is None:  # standard output
                raise
            failure, exit_code = write_error(error, str(error.filename)), ExitCode.CANNOT_WRITE
        except Exception as error:
            if os.environ.get("BEELINE_DEBUG"):
                raise
            reason = f"internal error: {type(error).__name__}: {error}"
            failure = BeelineError(reason[:300], hint="set BEELINE_DEBUG=1 to see where")
            exit_code = ExitCode.INTERNAL_ERROR
    print_error(str(failure))
    if json:
        print_json({"status": "error", "error": error_fields(failure), "exit_code": exit_code})
    return exit_code


def _call(words: Sequence[str]) -> int:
    """Do what the words say; the exit code."""
    if "_BEELINE_COMPLETE" in os.environ:
        from beeline.cli.help_pages import answer

        return answer(os.environ["_BEELINE_COMPLETE"], words)
    name = command_name(words)
    if name is not None:
        exit_code = find(name).call(name, words[len(name.split()) :])
        return _help(name) if exit_code is None else exit_code
    if not words:
        _help("")
        return USAGE_ERROR
    first = words[0]
    if first in GROUPS:
        if len(words) == 1:
            raise UsageError("Missing command", first)
        return _without_command(words[1], first)
    if first == "--version":
        from beeline import __version__

        print(f"beeline {__version__}")
        return 0
    if first in ("--install-completion", "--show-completion"):
        from beeline.cli.help_pages import offer

        return offer(words)
    return _without_command(first, "")


def _without_command(word: str, group: str) -> int:
    """Help, or the error about a word that is no command of the group."""
    if word in ("-h", "--help"):
        return _help(group)
    from beeline.core.errors import suggestion

    if word.startswith("-"):
        raise unknown_option(word, ["--help", "--version"] if not group else ["--help"], group)
    names = [name.split()[0] for name in COMMANDS]
    if group:
        names = [name.split()[1] for name in COMMANDS if name.startswith(f"{group} ")]
    raise UsageError(f"No such command '{word[:60]}'", group, suggestion(word, names))


def _help(topic: str) -> int:
    from beeline.cli.help_pages import page_of

    print(page_of(topic))
    return 0


def _make_output_robust() -> None:
    """Names may hold characters that the terminal cannot show."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")


def _abandon_output() -> None:
    """Keep Python from complaining at its end that it cannot write the rest."""
    standard_output = sys.__stdout__
    if standard_output is not None and standard_output is sys.stdout:
        os.dup2(os.open(os.devnull, os.O_WRONLY), standard_output.fileno())
