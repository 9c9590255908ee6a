"""A plan as a story: its states, what each step changes, how good each state seems, and why.

States are those of the validator, with all facts, also those that grounding leaves out because they
cannot matter; a step that grounding left out changes none of the facts that heuristics look at.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
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
