"""`beeline generate`: instances of built-in domains as PDDL files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from beeline.cli.command import command
from beeline.cli.messages import current, print_json
from beeline.core.errors import BeelineError, ExitCode
from beeline.core.limits import elapsed_time
from beeline.core.settings import About

if TYPE_CHECKING:
    from collections.abc import Sequence

    from beeline.generators.recipe import Recipe
    from beeline.generators.registry import Entry


PARAMETERS = About("Choose a parameter; may be repeated.", "KEY=VALUE", aliases=("-p",))
PRESET = About("Sizes of a well-known set of tasks.", "NAME")
COUNT = About("How many; all of the preset, or 1 without one.", "N")


def domain_names() -> list[str]:
    """The built-in domains."""
    from beeline.generators.registry import DOMAINS

    return [*DOMAINS]


def domains() -> str:
    """The same with what they are about, for the help text."""
    from beeline.cli.help_pages import table_of
    from beeline.generators.registry import DOMAINS

    return table_of("Domains:", ((each.name, each.summary) for each in DOMAINS.values()))


@command(
    details=domains,
    name=About("A domain; 'beeline generate --list' has all.", "NAME", names=domain_names),
    parameters=PARAMETERS,
    preset=PRESET,
    count=COUNT,
    seed=About("Other seeds give other instances.", "N"),
    output=About("Folder for the files; made if missing.", "DIR", aliases=("-o",)),
    force=About("Overwrite files that are different."),
    list=About("Show domains, parameters with ranges, and presets."),
)
def generate(
    name: str | None = None,
    *,
    parameters: Sequence[str] = (),
    preset: str | None = None,
    count: int | None = None,
    seed: int = 0,
    output: str | None = None,
    force: bool = False,
    list: bool = False,
    json: bool = False,
    quiet: bool = False,
) -> int:
    """Write instances of a built-in domain, and the domain, to a folder.

    All instances have a plan, and none is solved from the start. The same seed gives the same
    files everywhere. Files that are there already and differ are not overwritten. The exit code
    is 0, 31 if there are no such instances, and 32 if they cannot be written.

    Example:
      beeline generate blocksworld -p blocks=12 --count 5 --seed 1 -o tasks
      beeline generate ferry --preset nunez2024-train --seed 1 -o train
      beeline generate --list
    """
    from beeline.generators.presets import current_name
    from beeline.generators.recipe import recipes
    from beeline.generators.registry import DOMAINS, entry

    if list:
        shown = [*DOMAINS.values()] if name is None else [entry(name)]
        if json:
            print_json({"domains": [_describe(domain) for domain in shown]})
        else:
            print("\n\n".join(_page(domain) for domain in shown))
        return ExitCode.SOLVED
    if name is None:
        raise BeelineError("no domain was named", hint="beeline generate --list shows them")
    domain = entry(name)
    chosen = chosen_parameters(domain, parameters)
    preset = None if preset is None else current("preset", preset, current_name(preset))
    wanted = [*recipes(name, preset=preset, count=count, seed=seed, chosen=chosen)]
    if output is None:
        raise BeelineError("there is no folder to write to", hint="name one with -o DIR")
    written = _write(domain, wanted, output, force=force)
    if json:
        files = [
            {"file": path, "task": recipe.task_name, "parameters": dict(recipe.parameters.items())}
            for path, recipe in zip(_paths(wanted, output), wanted, strict=True)
        ]
        print_json(
            {
                "status": "ok",
                "domain": name,
                "preset": preset,
                "seed": seed,
                "count": len(wanted),
                "written": written,
                "domain_file": os.path.join(output, "domain.pddl"),
                "files": files,
                "total_time": round(elapsed_time(), 6),
            }
        )
    elif not quiet:
        print(_sentence(wanted, written, output))
    return ExitCode.SOLVED


def chosen_parameters(domain: Entry, words: Sequence[str]) -> dict[str, float]:
    """Parameters from words such as blocks=5."""
    from beeline.generators.parameters import suggest

    known = {parameter.name: parameter for parameter in domain.parameters.described()}
    chosen: dict[str, float] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise BeelineError(
                f"-p '{word[:40]}' has no value", hint=f"such as -p {next(iter(known))}=5"
            )
        if key not in known:
            raise BeelineError(
                f"{domain.name} has no parameter '{key[:40]}'", hint=suggest(key, set(known))
            )
        if key in chosen:
            raise BeelineError(f"-p {key} is given twice", hint="leave one out")
        chosen[key] = known[key].parse(value)
    return chosen


def _paths(wanted: Sequence[Recipe], folder: str) -> list[str]:
    return [os.path.join(folder, f"{recipe.task_name}.pddl") for recipe in wanted]


def _write(domain: Entry, wanted: Sequence[Recipe], folder: str, *, force: bool) -> int:
    """Write what is not there yet, and say how many files that were."""
    from beeline.core.files import check_output_folder, write_atomically

    check_output_folder(folder)
    os.makedirs(folder, exist_ok=True)
    domain_path = os.path.join(folder, "domain.pddl")
    paths = _paths(wanted, folder)
    # All files that exist are compared before the first one is written: a refusal changes nothing.
    complete = set()
    if _is_there(domain_path, domain.domain_text, force=force):
        complete.add(domain_path)
    for path, recipe in zip(paths, wanted, strict=True):
        if os.path.lexists(path) and _is_there(path, recipe.text(), force=force):
            complete.add(path)
    if domain_path not in complete:
        write_atomically(domain_path, domain.domain_text)
    for path, recipe in zip(paths, wanted, strict=True):
        if path not in complete:
            write_atomically(path, recipe.text())
    return len(paths) + 1 - len(complete)


def _is_there(path: str, text: str, *, force: bool) -> bool:
    """Whether a file has this text; another text in its place is an error without `force`."""
    from beeline.core.files import read_text

    if not os.path.lexists(path):
        return False
    if not os.path.isdir(path) and (force or os.path.isfile(path)):
        try:
            if read_text(path, "PDDL file") == text:
                return True
        except BeelineError:
            pass  # unreadable, hence different
        if force:
            return False
    raise BeelineError("exists and is different", path, hint="another -o DIR, or --force")


def _sentence(wanted: Sequence[Recipe], written: int, folder: str) -> str:
    first, last = wanted[0], wanted[-1]
    names = f"{first.task_name}.pddl"
    if len(wanted) > 1:
        names += f" to {last.task_name}.pddl"
    kept = len(wanted) + 1 - written
    already = f", {kept} of the files were there already" if kept else ""
    tasks = "1 task" if len(wanted) == 1 else f"{len(wanted)} tasks"
    return f"{folder}: domain.pddl and {tasks}, {names}{already}"


def _describe(domain: Entry) -> dict[str, object]:
    from dataclasses import asdict

    return {
        "name": domain.name,
        "summary": domain.summary,
        "parameters": [asdict(parameter) for parameter in domain.parameters.described()],
        "presets": [
            {"name": name, "summary": preset.summary, "size": preset.size}
            for name, preset in domain.presets.items()
        ],
    }


def _page(domain: Entry) -> str:
    lines = [f"{domain.name}: {domain.summary}"]
    for each in domain.parameters.described():
        span = f"{each.minimum} to {each.maximum}, default {each.default}"
        lines.append(f"  -p {each.name:<14} {each.meaning} ({span})")
    for name, preset in domain.presets.items():
        lines.append(f"  --preset {name:<14} {preset.summary} ({preset.size} tasks)")
    return "\n".join(lines)
