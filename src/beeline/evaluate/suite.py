"""A suite: tasks, configurations, seeds and limits, as a file says it."""

from __future__ import annotations

import os
from dataclasses import dataclass

from beeline.evaluate.configuration import Configuration, configuration
from beeline.evaluate.limits import RunLimits, run_limits
from beeline.evaluate.suite_tasks import SuiteTask, suite_tasks
from beeline.evaluate.suite_text import Section

_WORDS = ("name", "description", "seeds", "tasks", "configurations", "limits")


@dataclass(frozen=True)
class Suite:
    """What is to be run; `file` is where it was read, whose folder relative paths start from."""

    name: str
    description: str
    file: str
    tasks: tuple[SuiteTask, ...]
    configurations: tuple[Configuration, ...]
    limits: RunLimits

    @property
    def folder(self) -> str:
        """The folder that relative paths of models start from."""
        return os.path.dirname(self.file)


def read_suite(path: str | os.PathLike[str]) -> Suite:
    """Read a suite file and check every word of it; nothing is run and nothing is written."""
    whole = Section.read(path)
    whole.known(_WORDS)
    name = whole.get("name", "a text")
    if not name:
        raise whole.error("the suite has no name", hint='add name = "my-suite" at the top')
    seeds = whole.numbers("seeds") or (0,)
    tasks = _distinct_tasks(whole)
    return Suite(
        name=name,
        description=whole.get("description", "a text") or "",
        file=str(path),
        tasks=tasks,
        configurations=_distinct_configurations(whole, seeds, {task.domain for task in tasks}),
        limits=run_limits(whole.part("limits")),
    )


def _distinct_tasks(whole: Section) -> tuple[SuiteTask, ...]:
    found: dict[tuple[str, str], SuiteTask] = {}
    for section in whole.parts("tasks"):
        for task in suite_tasks(section):
            if task.key in found:
                raise section.error(
                    f"domain '{task.domain}' has two tasks called '{task.name}'",
                    hint="give one of the tables [[tasks]] another name",
                )
            found[task.key] = task
    return tuple(found.values())


def _distinct_configurations(
    whole: Section, seeds: tuple[int, ...], domains: set[str]
) -> tuple[Configuration, ...]:
    from beeline.pddl.source import suggestion

    found: dict[str, Configuration] = {}
    for section in whole.parts("configurations"):
        made = configuration(section, seeds)
        if made.name in found:
            raise section.error("two configurations have this name", hint="rename one of them")
        for domain in made.domains or ():
            if domain not in domains:
                hint = suggestion(domain, domains) or f"there are {', '.join(sorted(domains))}"
                raise section.error(f"no tasks are of the domain '{domain[:40]}'", domain, hint)
        found[made.name] = made
    return tuple(found.values())
