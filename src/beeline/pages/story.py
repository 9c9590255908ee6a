"""A plan as a story: its states, what each step changes, how good each state seems, and why.

States are those of the validator, with all facts, also those that grounding leaves out because they
cannot matter; a step that grounding left out changes none of the facts that heuristics look at.
Curves along a plan or a search are one SVG: rows with scales of their own above a common axis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from beeline.planning.heuristics import make_evaluator
from beeline.task.plan_file import Plan, Step
from beeline.task.states import StateBatch
from beeline.task.validator import replay

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from beeline._native import Evaluator
    from beeline.pages.standing import Facts
    from beeline.planning.model import Model, Reason
    from beeline.task.ground_task import GroundTask
    from beeline.task.lifted_state import State
    from beeline.task.validator import Validation


MOST_STEPS = 1000  # that a page shows
MOST_EVALUATIONS = 50_000  # of what might have been done instead
SHOWN_CHOICES = 6
# What is drawn along a plan besides a model's score, by name: title, and what it tells.
HEURISTICS = {
    "ff": ("h_FF", "the cost of a plan if nothing were ever undone"),
    "goalcount": ("open goals", "goals that do not hold yet"),
    "landmarks": ("landmarks", "what has to come true on every way, seen from each state alone"),
}
SCORE = ("learned score", "what the model's search follows: low is good")


class Curve(NamedTuple):
    """A number for each state: float64[states], infinity for dead ends."""

    title: str
    words: str
    values: NDArray[np.float64]


class Choice(NamedTuple):
    """A step that could be done, and the value of the state that it leads to."""

    step: str
    value: float
    taken: bool


class Change(NamedTuple):
    """What a step makes true and false."""

    added: list[str]
    deleted: list[str]


@dataclass
class Story:
    """What a page tells of a plan; `states[k]` is reached by the first k steps."""

    task: GroundTask
    steps: Sequence[Step]
    states: list[Facts]
    verdict: Validation
    curves: list[Curve] = field(default_factory=list)
    reasons: list[list[Reason]] = field(default_factory=list)  # of each step, if a model tells
    choices: list[list[Choice]] = field(default_factory=list)  # of the first steps, best first
    ranks: list[tuple[int, int]] = field(default_factory=list)  # of the steps, among how many

    @cached_property
    def changes(self) -> list[Change]:
        """What each step makes true and false."""
        return [
            Change(sorted(map(text_of, after - before)), sorted(map(text_of, before - after)))
            for before, after in pairwise(self.states)
        ]


def tell(task: GroundTask, plan: Plan | None, model: Model | None, *, bare: bool = False) -> Story:
    """Replay a plan, as far as it can be done, and, unless `bare`, evaluate its states."""
    states: list[Facts] = []
    changed = task.problem.domain.changed_predicates()

    def keep(state: State) -> None:
        if len(states) <= MOST_STEPS:
            facts = ((name, *each) for name in changed for each in state.facts[name])
            states.append(frozenset(facts))

    verdict = replay(task.problem, plan or Plan(), keep, unit_costs=task.unit_costs)
    steps = (plan or Plan())[: len(states) - 1]
    story = Story(task, steps, states, verdict)
    batch = None if bare else _walk(task, steps)
    if batch is not None:
        _evaluate(story, batch, model)
    return story


def _walk(task: GroundTask, steps: Sequence[Step]) -> StateBatch | None:
    """The ground states along the plan; None where the ground task has no such way."""
    state = task.initial_state
    ids = [state.id]
    for step in steps:
        operators = {*task.operator_ids(step)}
        found = [child for operator, child in state.successors() if operator in operators]
        if operators and not found:
            return None
        state = found[0] if found else state
        ids.append(state.id)
    return StateBatch(task, state.batch.states, np.array(ids, dtype=np.uint32))


def _evaluate(story: Story, batch: StateBatch, model: Model | None) -> None:
    task, states, ids = story.task, batch.states, batch.ids
    guide: Evaluator = make_evaluator("ff", task)
    if model is not None:
        guide = model.score(task, states).evaluator
        story.curves.append(Curve(*SCORE, guide.evaluate(states, ids)))
        if np.isfinite(story.curves[0].values).all():
            story.reasons = model.reasons(task, states, ids)
    for name, words in HEURISTICS.items():
        values = make_evaluator(name, task).evaluate(states, ids)
        story.curves.append(Curve(*words, values))
    spent = 0
    for step, here in zip(story.steps, batch, strict=False):
        successors = here.successors()
        spent += len(successors)
        if spent > MOST_EVALUATIONS:
            break
        children = np.array([child.id for _, child in successors], dtype=np.uint32)
        values = guide.evaluate(states, children).tolist() if successors else []
        choices = [
            Choice(task.operator_name(operator), value, task.operator_name(operator) == step)
            for (operator, _), value in zip(successors, values, strict=True)
        ]
        choices.sort(key=lambda each: (each.value, not each.taken, each.step))
        rank = next((place for place, each in enumerate(choices) if each.taken), -1)
        better = sum(each.value < choices[rank].value for each in choices) if rank >= 0 else -1
        shown = choices[:SHOWN_CHOICES]
        if rank >= SHOWN_CHOICES:
            shown[-1] = choices[rank]
        story.choices.append(shown)
        story.ranks.append((better + 1, len(choices)))


def text_of(fact: tuple[str, ...]) -> str:
    """A fact in PDDL.

    >>> text_of(("on", "a", "b"))
    '(on a b)'
    """
    return f"({' '.join(fact)})"


WIDTH, ROW, LEFT, RIGHT, TITLE, PAD = 720, 92, 44, 12, 20, 8


def chart(curves: Sequence[Curve], at: Sequence[int], along: str, name: str) -> str:
    """The rows; the script of the page moves the line with the class `cursor`.

    `at` are the places of the values on the common axis, `along` says what this is, and `name`
    is for the script.
    """
    last = max(1, at[-1])
    height = ROW * len(curves) + 24
    wide = WIDTH - LEFT - RIGHT

    def x(step: float) -> float:
        return round(LEFT + wide * step / last, 1)

    parts = []
    for number, curve in enumerate(curves):
        finite = [value for value in curve.values.tolist() if math.isfinite(value)]
        low, high = min([*finite, 0.0]), max([*finite, 0.0])
        if high - low < 1e-9:
            high = low + 1
        top, bottom = ROW * number + TITLE, ROW * (number + 1) - PAD
        scale = (bottom - top) / (high - low)
        points = [
            (x(step), round(bottom - (value - low) * scale, 1))
            for step, value in zip(at, curve.values.tolist(), strict=True)
            if math.isfinite(value)
        ]
        line = "M" + "L".join(f"{a:g} {b:g}" for a, b in points) if points else ""
        dots = "".join(
            f'<circle cx="{a:g}" cy="{b:g}" r="2.5"/>' for a, b in points if len(points) <= 80
        )
        parts.append(
            f'<g class="row l{number + 1}"><text class="title" x="{LEFT}" y="{top - 6}">'
            f"{escape(curve.title)}</text>"
            f'<path class="grid" d="M{LEFT} {top}h{wide}M{LEFT} {bottom}h{wide}"/>'
            f'<text class="tick" x="{LEFT - 6}" y="{top + 4}">{number_text(high)}</text>'
            f'<text class="tick" x="{LEFT - 6}" y="{bottom + 4}">{number_text(low)}</text>'
            f'<path class="line" d="{line}"/>{dots}</g>'
        )
    marks = sorted({round(at[-1] * part / 5) for part in range(6)})
    ticks = "".join(
        f'<text class="tick{" x" * (step < 1000 or step < at[-1])}" x="{x(step):g}"'
        f' y="{height - 6}">{step:,}</text>'
        for step in marks
    )
    words = "; ".join(
        f"{curve.title} from {number_text(curve.values[0])} to {number_text(curve.values[-1])}"
        for curve in curves
    )
    return (
        f'<svg class="chart" id="{name}" viewBox="0 0 {WIDTH} {height}" role="img"'
        f' aria-label="{escape(along)}: {escape(words)}" data-left="{LEFT}" data-wide="{wide}"'
        f' data-last="{last}">'
        f'{"".join(parts)}{ticks}<path class="cursor" d="M0 0V{height - 20}"'
        f' transform="translate({LEFT} 0)"/></svg>'
    )


def number_text(value: float) -> str:
    """A number in few digits.

    >>> number_text(3.0), number_text(-12.3456), number_text(float("inf"))
    ('3', '-12.3', '∞')
    """
    value = float(value)
    if not math.isfinite(value):
        return "∞" if value > 0 else "–"
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 1000 else f"{value:.3g}"
