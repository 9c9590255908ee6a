"""From the words on the command line to an exit code. No exception gets past `main`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from beeline.cli.commands import help_topic, quick_call
from beeline.cli.messages import print_error, print_failure
from beeline.cli.termination import termination_like_interruption
from beeline.core.errors import BeelineError, ExitCode
from beeline.core.files import write_error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    with termination_like_interruption() as stop:
        try:
            call = quick_call(words) or _typer_call(words, json=json)
            exit_code = call if isinstance(call, int) else call()
            return stop.exit_code if exit_code == ExitCode.INTERRUPTED else exit_code
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
    print_failure(failure, exit_code, json=json)
    return exit_code


def _typer_call(words: Sequence[str], *, json: bool) -> Callable[[], int] | int:
    """What Typer makes of the words: a call, or an exit code if nothing is left to do."""
    from beeline.cli.typer_app import make_app

    if not words:
        make_app()(["--help"], prog_name="beeline", standalone_mode=False)
        return USAGE_ERROR
    try:
        understood: Callable[[], int] | int = make_app()(
            list(words), prog_name="beeline", standalone_mode=False
        )
        return understood
    except Exception as error:
        # Errors of usage; where their class lives depends on the version of Typer.
        if not hasattr(error, "format_message"):
            raise
        message = error.format_message().rstrip(".")
        name = help_topic(words)
        topic = "" if name is None else f"{name} "
        failure = BeelineError(message, hint=f"see 'beeline {topic}--help'")
    print_failure(failure, USAGE_ERROR, json=json)
    return USAGE_ERROR


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
