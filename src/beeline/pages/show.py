"""`show`: a task and a plan, with a model if there is one, as a single page to look at.

The page needs nothing else: pictures, curves, style and script are in one HTML file, which forbids
itself all network access, follows the reader's light or dark setting, and can be walked through by
keyboard. The same plan gives the same bytes.
"""

from __future__ import annotations

import json
from dataclasses import KW_ONLY, dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from beeline._version import __version__
from beeline.core.errors import BeelineError, Status, counted
from beeline.core.files import write_atomically
from beeline.core.limits import memory_size
from beeline.core.settings import keywords, setting
from beeline.evaluate.drawing import rendered
from beeline.models.colours.words import plural
from beeline.pages.pictures import draw
from beeline.pages.search import SearchPart, look_at
from beeline.pages.story import MOST_STEPS, chart, number_text, tell, text_of
from beeline.planning.heuristics import HEURISTICS
from beeline.planning.result import Result, SearchTrace
from beeline.planning.searches import SEARCHES
from beeline.task.grounding import as_task
from beeline.task.lifted_state import condition_text
from beeline.task.plan_file import Plan

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from beeline.pages.story import Story
    from beeline.pddl.model import Problem
    from beeline.planning.model import Model, Reason
    from beeline.planning.solve import AnyHeuristic
    from beeline.task.ground_task import GroundTask
    from beeline.task.plan_file import Steps


def _model_names() -> list[str]:
    from beeline.models.model_file import AUTO, packaged_names

    return [AUTO, *packaged_names()]


@dataclass(frozen=True)
class ShowSettings:
    """Which plan is shown, a result of `solve` or `plan` included, and by which model's eyes."""

    plan: Steps | Result | None = None
    _: KW_ONLY
    model: Model | str | os.PathLike[str] | None = setting(
        None,
        "Show the score of this model, and plan with it if there is no plan: a file, the name of a"
        " packaged model, or 'auto' for the one that fits.",
        "MODEL",
        names=_model_names,
    )
    search: str | None = setting(
        None,
        "Look for a plan by this search: {names}. By default as 'beeline plan' and 'beeline solve'"
        " do it.",
        "NAME",
        names=SEARCHES,
    )
    heuristic: AnyHeuristic | None = setting(
        None,
        "Look for a plan with this heuristic: {names}. By default with the model, if there is one.",
        "NAMES",
        names=HEURISTICS,
    )
    time_limit: float | None = setting(None, "Stop looking for a plan after this time.", "SECONDS")
    memory_limit: int | str | None = setting(
        None, "Of the whole process, such as 200M or 2G; a plain number means MB.", "SIZE"
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "memory_limit", memory_size("memory limit", self.memory_limit))
        if self.plan is not None and self.looks_its_own_way:
            raise BeelineError("a plan to show, and a search for one", hint="leave out one of them")

    @property
    def looks_its_own_way(self) -> bool:
        """Whether a search or a heuristic is named."""
        return self.search is not None or self.heuristic is not None


SHOWN_REASONS, MOST_FACTS = 6, 3000
ALWAYS = -2  # instead of a fact's number


@dataclass(frozen=True)
class Page:
    """An HTML page; a notebook shows it as it is."""

    html: str
    status: Status  # solved: the plan that it shows is valid
    steps: int
    warning: str = ""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a file, whole or not at all."""
        write_atomically(path, self.html)

    def __repr__(self) -> str:
        return f"<Page of {counted(self.steps, 'step')}, {len(self.html) / 1024:.0f} KB>"

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.html)}" sandbox="allow-scripts" title="A plan"'
            ' style="width: 100%; height: 46rem; border: 0"></iframe>'
        )


@keywords(ShowSettings)
def show(task: GroundTask | Problem, settings: ShowSettings) -> Page:
    """A page about a plan of a task; keyword arguments are the fields of `ShowSettings`.

    Without a plan, one is looked for, with the model if there is one. A plan that is not valid is
    shown as far as its steps apply, and a task without a plan by its initial state.

    >>> from beeline.pddl import parse_domain, parse_problem
    >>> from beeline.task.grounding import ground
    >>> domain = parse_domain('''(define (domain lamps) (:predicates (on ?l))
    ...   (:action switch :parameters (?l) :precondition (not (on ?l)) :effect (on ?l)))''')
    >>> problem = parse_problem(domain, '''(define (problem two) (:domain lamps)
    ...   (:objects hall desk) (:init) (:goal (and (on hall) (on desk))))''')
    >>> show(ground(problem), ["(switch hall)", "(switch desk)"])
    <Page of 2 steps, ... KB>
    """
    task = as_task(task)
    model, name = _model(settings.model, task)
    plan, how, traces = settings.plan, "", list[SearchTrace]()
    if plan is None:
        plan, how = _look(task, model, settings, traces)
    status, words = Status.SOLVED, ""
    if isinstance(plan, Result):
        status, plan = plan.status, plan.plan
        if plan is None:
            words = f"There is no plan to show: {status.value.replace('_', ' ')}."
    steps = None if plan is None else plan if isinstance(plan, Plan) else Plan(plan)
    story = tell(task, steps, model)
    failure = story.verdict.failure
    if steps is not None and failure is not None:
        status = Status.INCOMPLETE
        where = f"Step {failure.step}, {failure.action}" if failure.step else "The end"
        words = f"The plan is not valid. {where}: {failure.message}."
    if steps is not None and len(steps) > MOST_STEPS:
        words += f" Shown are the first {MOST_STEPS:,} of {len(steps):,} steps."
    search = look_at(traces, None if steps is None else len(steps))
    return Page(
        _page(story, model, name, _summary(story, steps, how), words.strip(), search),
        status,
        len(story.steps),
        words.strip(),
    )


def _model(given: Any, task: GroundTask) -> tuple[Model | None, str]:
    """The model that is meant, made to fit, and what it is called; none where 'auto' has none."""
    from beeline.models.model_file import find_fit, is_automatic
    from beeline.planning.model import Model, NoFitError, check_fits

    if given is None:
        return None, ""
    if isinstance(given, Model):
        check_fits(given, task.problem.domain)
        return given, f"of {given.domain_name}"
    try:
        fit = find_fit(given, task.problem.domain)
    except NoFitError:
        if is_automatic(given):
            return None, ""
        raise
    return fit.model, fit.words.replace(" fits", "", 1) if fit.words else fit.name


def _look(
    task: GroundTask, model: Model | None, settings: ShowSettings, traces: list[SearchTrace]
) -> tuple[Result, str]:
    from beeline.planning.plan import plan
    from beeline.planning.solve import solve

    limits: dict[str, Any] = {
        "time_limit": settings.time_limit,
        "memory_limit": settings.memory_limit,
        "on_search": traces.append,
    }
    if settings.looks_its_own_way:
        heuristic = model if settings.heuristic is None else settings.heuristic
        result = solve(task, settings.search, heuristic, **limits)
        how = f"by {result.config['search']}"
    elif model is not None:
        result, how = plan(model, task, **limits), "with the model"
    else:
        result, how = solve(task, **limits), "by LAMA's first search"
    if result.interrupted and result.plan is None:
        raise KeyboardInterrupt  # by somebody who does not want a page without a plan
    return result, f"found {how} after {counted(result.expanded, 'expansion')}"


def _summary(story: Story, plan: Plan | None, how: str) -> str:
    task = story.task
    if plan is None:
        return f"{counted(task.num_objects, 'object')}, {counted(task.num_operators, 'operator')}"
    cost = story.verdict.cost
    parts = [counted(len(plan), "step"), "" if cost is None else f"cost {cost:,}", how]
    return ", ".join(filter(None, parts))


def _page(
    story: Story,
    model: Model | None,
    name: str,
    summary: str,
    warning: str,
    search: SearchPart | None,
) -> str:
    task, picture = story.task, draw(story.task, story.states)
    problem, changed = task.problem, task.problem.domain.changed_predicates()
    ever = sorted(frozenset[Any]().union(*story.states))[:MOST_FACTS]
    numbers = {text_of(fact): number for number, fact in enumerate(ever)}
    groups: dict[str, list[tuple[int, str, bool]]] = {}
    for number, fact in enumerate(ever):
        words = " ".join(fact[1:]) or "yes"
        groups.setdefault(fact[0], []).append((number, words, fact in story.states[0]))
    static: dict[str, list[str]] = {}
    for fact in (each for each in problem.init if each[0] not in changed):
        static.setdefault(fact[0], []).append(" ".join(fact[1:]) or "yes")
    goals = _goals(story, numbers, changed)
    words_of: dict[str, int] = {}
    data = {
        "steps": list(story.steps),
        "first": _numbered(map(text_of, story.states[0]), numbers),
        "added": [_numbered(change.added, numbers) for change in story.changes],
        "deleted": [_numbered(change.deleted, numbers) for change in story.changes],
        "moves": [] if picture is None else picture.moves(),
        "goals": [goal[2:] for goal in goals],
        "values": [[number_text(v) for v in curve.values.tolist()] for curve in story.curves],
        "choices": [
            [(each.step, number_text(each.value), each.taken) for each in choices]
            for choices in story.choices
        ],
        "ranks": story.ranks,
        "reasons": [_reasons(each, words_of) for each in story.reasons],
        "words": list(words_of),
        "search": [] if search is None else search.nodes,
    }
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return rendered(
        "beeline.pages",
        "show",
        {
            "picture": "" if picture is None else picture.svg(),
            "chart": chart(story.curves, range(len(story.steps) + 1), "Along the plan", "curve")
            if story.curves
            else "",
            "tree": "" if search is None else search.tree,
            "course": "" if search is None else search.chart,
            "data": text.replace("<", "\\u003c"),
        },
        title=f"{problem.name} ({problem.domain.name})",
        summary=summary,
        warning=warning,
        story=story,
        legend=[] if picture is None else picture.legend,
        has_goals=picture is not None and picture.has_goals,
        goals=goals,
        goal_text=condition_text(problem.goal, {}),
        groups=groups,
        static=static,
        first_values=[number_text(curve.values[0]) for curve in story.curves],
        reading=model.describe(0).get("reading", []) if model is not None else [],
        about=_about(task, name),
        search=search,
        version=__version__,
    )


def _numbered(texts: Iterable[str], numbers: dict[str, int]) -> list[int]:
    return [numbers[text] for text in texts if text in numbers]


def _goals(
    story: Story, numbers: dict[str, int], changed: frozenset[str]
) -> list[tuple[str, bool, int, bool]]:
    """Goal literals: text, whether it holds at first, number (-2: always), whether negated."""
    found = []
    for name, args, negated in story.task.goal_literals:
        if name.startswith("@"):  # an inner condition: the goal is told as it is written
            return []
        atom = text_of((name, *args))
        number = numbers.get(atom, -1) if name in changed else ALWAYS
        holds = number == ALWAYS or ((name, *args) in story.states[0]) != negated
        found.append((f"(not {atom})" if negated else atom, holds, number, negated))
    return found


def _about(task: GroundTask, name: str) -> list[tuple[str, str]]:
    kinds: dict[str, int] = {}
    for types in task.problem.objects.values():
        kinds[types[0]] = kinds.get(types[0], 0) + 1
    named = (f"{n} {kind if n == 1 else plural(kind)}" for kind, n in kinds.items())
    return [
        ("objects", ", ".join(named) or "none"),
        ("size", f"{counted(task.num_facts, 'fact')}, {counted(task.num_operators, 'operator')}"),
        *([("model", name)] if name else []),
    ]


def _reasons(reasons: list[Reason], words: dict[str, int]) -> dict[str, Any]:
    """The largest changes, and the rest together; words are numbered as they come."""
    shown, rest = reasons[:SHOWN_REASONS], reasons[SHOWN_REASONS:]
    return {
        "shown": [(words.setdefault(r.words, len(words)), round(r.change, 6)) for r in shown],
        "more": len(rest),
        "rest": round(sum(each.change for each in rest), 6),
        "sum": round(sum(each.change for each in reasons), 6),
    }
