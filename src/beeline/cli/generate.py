"""`beeline generate`: instances of built-in domains as PDDL files."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from beeline.cli.command import Screen, command
from beeline.cli.messages import current, needed
from beeline.core.errors import BeelineError, ExitCode, counted
from beeline.core.files import check_output_folder, read_text, write_atomically
from beeline.core.limits import elapsed_time
from beeline.core.settings import About, values_of
from beeline.generators.registry import DOMAINS, InstanceSettings, entry, recipes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from beeline.generators.levels import LevelTask
    from beeline.generators.registry import Entry, Recipe

    Wanted = Sequence[Recipe | LevelTask]

LEVELS_NAME = "levels.txt"


@command(
    {"Domains:": DOMAINS},
    name=About("A domain; 'beeline generate --list' has all.", "NAME", names=DOMAINS),
    settings=InstanceSettings,
    levels=About("Take the levels of a file: warehouse, maze, npuzzle.", "FILE"),
    draw=About("Write levels.txt, too: numbers, or characters (warehouse).", "FORMAT"),
    output=About("Folder for the files; made if missing.", "DIR", aliases=("-o",)),
    force=About("Overwrite files that are different."),
    list=About("Show domains, parameters with ranges, and presets."),
)
def generate(
    name: str | None = None,
    *,
    settings: InstanceSettings,
    levels: str | None = None,
    draw: str | None = None,
    output: str | None = None,
    force: bool = False,
    list: bool = False,
    screen: Screen,
) -> int:
    """Write instances of a built-in domain, and the domain, to a folder.

    All instances have a plan, and none is solved from the start. The same seed gives the same files
    everywhere; names of tasks from ranges have their sizes, so that sets can share a folder. Files
    that are there already and differ are not overwritten. The exit code is 0, 31 if there are no
    such instances, and 32 if they cannot be written.

    Example:
      beeline generate blocksworld -p blocks=12 --count 5 --seed 1 -o tasks
      beeline generate blocksworld -p blocks=3..10 -o tasks
      beeline generate ferry -p cars=2..20 -p locations=3..8 --count 50 -o tasks
      beeline generate ferry --preset nunez2024-train --seed 1 -o train
      beeline generate warehouse --levels my-levels.xsb -o tasks
      beeline generate --list
    """
    from beeline.generators.levels import level_tasks

    if list:
        shown = [*DOMAINS.values()] if name is None else [entry(name)]
        fields: dict[str, object] = {"domains": [_describe(domain) for domain in shown]}
        screen.show(fields, "\n\n".join(map(_page, shown)))
        return ExitCode.SOLVED
    if name is None:
        raise BeelineError("no domain was named", hint="beeline generate --list shows them")
    preset = current_preset(settings.preset)
    wanted: Wanted
    if levels is None:
        wanted = [*recipes(name, **{**values_of(settings), "preset": preset})]
    elif settings.parameters or preset is not None or settings.count is not None:
        raise BeelineError("levels have no parameters, presets or counts", hint="leave them out")
    else:
        wanted = [*level_tasks(name, levels)]
    folder = needed(output, "folder to write to", "DIR")
    domain_file = os.path.join(folder, "domain.pddl")
    paths = [os.path.join(folder, f"{recipe.task_name}.pddl") for recipe in wanted]
    texts = {path: recipe.text for path, recipe in zip(paths, wanted, strict=True)}
    drawn = None if draw is None else _drawn(name, wanted, draw)
    written = _write({domain_file: lambda: entry(name).domain_text, **texts}, folder, force=force)
    if drawn is not None:
        write_atomically(os.path.join(folder, LEVELS_NAME), drawn)
    fields = {
        "status": "ok",
        "domain": name,
        "preset": preset,
        "seed": settings.seed,
        "count": len(wanted),
        "written": written,
        "domain_file": domain_file,
        "files": [
            {"file": path, "task": recipe.task_name, "parameters": dict(recipe.parameters.told())}
            for path, recipe in zip(paths, wanted, strict=True)
        ],
        "total_time": round(elapsed_time(), 6),
    }
    screen.mention(fields, _sentence(wanted, written, folder))
    return ExitCode.SOLVED


def current_preset(name: str | None) -> str | None:
    """What a preset is called today, after a warning if that is something else."""
    from beeline.generators.presets import current_name

    return None if name is None else current("preset", name, current_name(name))


def _drawn(name: str, wanted: Wanted, style: str) -> str:
    from beeline.generators.levels import levels_text
    from beeline.pddl import parse_domain, parse_problem

    lifted = parse_domain(entry(name).domain_text)
    return levels_text(name, (parse_problem(lifted, each.text()) for each in wanted), style)


def _write(texts: Mapping[str, Callable[[], str]], folder: str, *, force: bool) -> int:
    """Write what is not there yet, and say how many files that were."""
    check_output_folder(folder)
    os.makedirs(folder, exist_ok=True)
    # All files that exist are compared before the first one is written: a refusal changes nothing.
    missing = [path for path, text in texts.items() if not _is_there(path, text, force=force)]
    for path in missing:
        write_atomically(path, texts[path]())
    return len(missing)


def _is_there(path: str, text: Callable[[], str], *, force: bool) -> bool:
    """Whether a file has this text; another text in its place is an error without `force`."""
    if not os.path.lexists(path):
        return False
    if not os.path.isdir(path) and (force or os.path.isfile(path)):
        try:
            if read_text(path, "PDDL file") == text():
                return True
        except BeelineError:
            pass  # unreadable, hence different
        if force:
            return False
    raise BeelineError("exists and is different", path, hint="another -o DIR, or --force")


def _sentence(wanted: Wanted, written: int, folder: str) -> str:
    names = f"{wanted[0].task_name}.pddl"
    if len(wanted) > 1:
        names += f" to {wanted[-1].task_name}.pddl"
    kept = len(wanted) + 1 - written
    already = f", {kept} of the files were there already" if kept else ""
    return f"{folder}: domain.pddl and {counted(len(wanted), 'task')}, {names}{already}"


def _describe(domain: Entry) -> dict[str, object]:
    return {
        "name": domain.name,
        "summary": domain.summary,
        "parameters": [vars(parameter) for parameter in domain.parameters.described()],
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
