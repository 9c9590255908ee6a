"""The whole command line as a Typer app: help, completion, errors of usage.

The app only understands words. Its commands return the call that was asked for, and `main` makes
the call, so that results and errors look the same whichever way the words were understood.
"""

from __future__ import annotations

from functools import partial
from inspect import Parameter, getdoc, signature
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from beeline.cli import (
    certify_parameters,
    evaluate_parameters,
    experiment_parameters,
    ipc_parameters,
    parameters,
    report_parameters,
    sample_parameters,
    train_parameters,
)
from beeline.cli.commands import MODULES, command, details_of

if TYPE_CHECKING:
    from collections.abc import Callable

# What annotations of commands stand for, by name.
DESCRIBED: dict[str, Any] = {
    **vars(certify_parameters),
    **vars(evaluate_parameters),
    **vars(experiment_parameters),
    **vars(ipc_parameters),
    **vars(parameters),
    **vars(report_parameters),
    **vars(sample_parameters),
    **vars(train_parameters),
}

_ABOUT = """Beeline learns how to search in a planning domain.

It reads PDDL, grounds tasks and searches for plans with a native engine, and checks plans.

\b
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
  beeline experiment seed002-table4.5            repeat a paper's experiment

Every command has its own help: beeline solve --help
"""

_GROUPS = {
    "data": "Datasets to learn from: make them, and see what is in them.",
    "ipc": "Learner and planner of the planning competition's learning track.",
    "models": "Learned models: which ones come with the package, and what they say.",
}

_EXIT_CODES = """\b
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

Results go to standard output, warnings and errors to standard error.
"""

_STOPS = "Stopped before there is a result, it exits with 130 for Ctrl-C and 23 for SIGTERM."


def make_app() -> typer.Typer:
    """A Typer app with every command of the table."""
    app = typer.Typer(
        name="beeline",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback(help=_ABOUT, epilog=_EXIT_CODES)(_options_of_beeline)
    groups: dict[str, typer.Typer] = {}
    for name in MODULES:
        run = command(name)
        *group, word = name.split()
        home = _group(app, groups, group[0]) if group else app
        text, _, example = (getdoc(run) or "").partition("Example:")
        details = details_of(name)
        help_text = f"{text}\n{details}\n" if details else text
        help_text = f"{help_text}\n{_STOPS}"
        home.command(word, help=help_text, epilog=f"\b\nExample:{example}")(_deferred(run))
    return app


def _group(app: typer.Typer, groups: dict[str, typer.Typer], name: str) -> typer.Typer:
    """The app of the commands whose names begin with this word."""
    if name not in groups:
        groups[name] = typer.Typer(rich_markup_mode=None)
        app.add_typer(groups[name], name=name, help=_GROUPS[name])
    return groups[name]


def _show_version(wanted: bool) -> None:
    if wanted:
        from beeline import __version__

        print(f"beeline {__version__}")
        raise typer.Exit


def _options_of_beeline(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Options that stand before a command."""


def _deferred(run: Callable[..., int]) -> Callable[..., Callable[[], int]]:
    """A function with the parameters of `run` that returns the call instead of making it."""

    def bind(**chosen: Any) -> Callable[[], int]:
        return partial(run, **chosen)

    # Commands import no Typer, hence their annotations are names to be looked up here.
    hints = get_type_hints(run, globalns=DESCRIBED, include_extras=True)
    described = [
        Parameter(each.name, each.kind, default=each.default, annotation=hints[each.name])
        for each in signature(run).parameters.values()
    ]
    bind.__annotations__ = hints
    vars(bind)["__signature__"] = signature(run).replace(parameters=described)
    return bind
