"""Goals as conditions: only steps into dead ends go, and where such steps can be told, they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from random_tasks import RandomTask
from search_tasks import ground_texts

from beeline.generators import generate
from beeline.planning.plan import plan
from beeline.planning.solve import solve
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask

State = frozenset[str]  # true facts
Steps = dict[State, set[tuple[str, State]]]
MOST_STATES = 3000


def state_space(task: GroundTask) -> tuple[Steps, set[State]] | None:
    """All steps between states, and the goals; None if there are too many."""
    waiting, steps, goals = [task.initial_state], Steps(), set[State]()
    while waiting:
        state = waiting.pop()
        facts = frozenset(state.fact_names)
        if facts in steps:
            continue
        if len(steps) == MOST_STATES:
            return None
        children = [(task.operator_name(number), child) for number, child in state.successors()]
        steps[facts] = {(name, frozenset(child.fact_names)) for name, child in children}
        if state.is_goal:
            goals.add(facts)
        waiting.extend(child for _, child in children)
    return steps, goals


def living(steps: Steps, goals: set[State]) -> set[State]:
    """The states from which a goal can be reached."""
    before: dict[State, set[State]] = {}
    for state, ways in steps.items():
        for _, child in ways:
            before.setdefault(child, set()).add(state)
    found, waiting = set(goals), [*goals]
    while waiting:
        new = before.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def lost_steps(task: GroundTask) -> int:
    """How many steps go; fails if a plan goes with them, or if anything new can be done."""
    if task.unsolvable_reason is not None or task.ordered is task:
        return 0
    plain, ordered = state_space(task), state_space(task.ordered)
    if plain is None or ordered is None:
        return 0
    alive = living(*plain)
    for state in alive:
        useful = {(name, child) for name, child in plain[0][state] if child in alive}
        assert useful <= ordered[0][state] <= plain[0][state]
    return sum(map(len, plain[0].values())) - sum(map(len, ordered[0].values()))


@pytest.mark.parametrize(("conditional", "derived"), [(0.0, False), (0.4, False), (0.0, True)])
def test_only_steps_into_dead_ends_go(conditional: float, derived: bool) -> None:
    lost = 0
    for seed in range(430):
        texts = RandomTask(seed, conditional=conditional, derived=derived)
        lost += bool(lost_steps(ground_texts(texts.domain, texts.task)))
    assert lost >= 4  # enough to tell


def test_the_far_row_is_painted_first_and_in_its_colours() -> None:
    task = ground(generate("floortile", rows=2, columns=2, robots=1))
    assert lost_steps(task) > 0
    ordered = task.ordered
    assert ordered.ordered is ordered
    names, goals = task.value_names, {task.value_names[value] for value in task.goal}
    starts, items = ordered.native.conditions
    painting = [each for each in ordered.operator_names if each.startswith("(paint")]
    assert len(painting) == 4  # each tile in its own colour from below
    for name in painting:
        action, _, tile, _, colour = name.strip("()").split()
        number = ordered.operator_names.index(name)
        needed = {names[value] for value in items[starts[number] : starts[number + 1]]} & goals
        assert action == "paint_up"
        assert f"(painted {tile} {colour})" in goals
        above = f"(painted {tile.replace('_1_', '_2_')} "
        assert [each.startswith(above) for each in needed] == [True] * ("_1_" in tile)


def test_searches_that_are_known_by_their_counters_see_the_task_as_it_is() -> None:
    task = ground(generate("floortile", rows=3, columns=3, robots=1))
    optimal, other = (solve(each, "astar", "lmcut") for each in (task, task.ordered))
    assert optimal.cost == other.cost
    assert optimal.expanded > other.expanded
    first, again = solve(task), solve(task.ordered)
    assert (first.plan, first.expanded) == (again.plan, again.expanded)


def test_planning_with_a_model_takes_the_order_into_account() -> None:
    task = ground(generate("floortile", rows=3, columns=3, robots=1))
    assert plan("auto", task).expanded == plan("auto", task.ordered).expanded
    assert plan("auto", task).solved


def test_nothing_is_done_where_nothing_lasts() -> None:
    task = ground(generate("blocksworld", blocks=5))
    assert task.ordered is task
