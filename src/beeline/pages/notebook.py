"""What notebooks show: parts of pages, with a style of their own, no script, and no library.

A picture, table or list follows the notebook's own light or dark text: lines and fills are mixed
from its colour.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from beeline.core.errors import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from beeline.planning.model import Model
    from beeline.planning.result import Result
    from beeline.task.ground_task import GroundTask
    from beeline.task.plan_file import Plan

SHOWN_STEPS, SHOWN_GOALS, SHOWN_FEATURES = 100, 30, 10
STYLE = """<style>
.beeline { --ink: currentColor; font-size: .95em; } .beeline ol { columns: 16em; }
.beeline :is(.cell, .place) { fill: none; stroke: currentColor; stroke-opacity: .3; }
.beeline .sprite rect { fill: currentColor; fill-opacity: .1; stroke: currentColor; }
.beeline .mark rect { fill: currentColor; fill-opacity: .3; }
.beeline .s1 rect { stroke-dasharray: 4 2; } .beeline .s2 rect { stroke-width: 2.6; }
.beeline .edge { stroke: currentColor; stroke-opacity: .4; }
.beeline :is(.target, .apart) { fill: none; stroke: currentColor; stroke-dasharray: 3 3; }
.beeline svg { width: 100%; max-width: min(var(--natural), 48em); display: block; }
.beeline svg text { fill: currentColor; font-size: 12px; text-anchor: middle; }
.beeline svg text.name { text-anchor: start; font-weight: 600; }
.beeline .centred .sprite text { font-size: 10px; }
.beeline td { text-align: left; }
</style>"""


def task_html(task: GroundTask) -> str:
    """A task: its size, its goals and a picture of where it begins."""
    from beeline.pages.pictures import draw
    from beeline.pages.story import tell

    problem = task.problem
    goals = [
        f"{'not ' if each.negated else ''}({' '.join((each.predicate, *each.args))})"
        for each in task.goal_literals[:SHOWN_GOALS]
    ]
    more = len(task.goal_literals) - len(goals)
    rows = [
        ("task", f"{problem.name} ({problem.domain.name})"),
        ("size", f"{counted(task.num_objects, 'object')}, {counted(task.num_facts, 'fact')},"
         f" {counted(task.num_operators, 'operator')}"),
        ("goal", ", ".join(goals) + (f" and {more:,} more" if more else "")),
    ]  # fmt: skip
    picture = draw(task, tell(task, None, None, bare=True).states)
    return _framed(_table(rows), "" if picture is None else picture.svg())


def plan_html(plan: Plan) -> str:
    """A plan: its steps."""
    cost = "" if plan.cost is None else f", cost {plan.cost:,}"
    steps = "".join(f"<li><code>{escape(step)}</code></li>" for step in plan[:SHOWN_STEPS])
    more = len(plan) - SHOWN_STEPS
    rest = f"<p>and {more:,} more</p>" if more > 0 else ""
    return _framed(f"<p>{counted(len(plan), 'step')}{cost}</p><ol>{steps}</ol>{rest}")


def result_html(result: Result) -> str:
    """A result: how the search ended, its counters and its plan."""
    rows = [
        ("status", result.status.value.replace("_", " ")),
        ("cost", "–" if result.cost is None else f"{result.cost:,}"),
        *((name, f"{getattr(result, name):,}") for name in ("expanded", "evaluated", "generated")),
        ("time", f"{result.total_time:.3f} s"),
    ]
    return _framed(_table(rows), "" if result.plan is None else plan_html(result.plan))


def model_html(model: Model) -> str:
    """A model: what it is, what it was learned from, and what its strongest features count."""
    told = model.describe(SHOWN_FEATURES)
    lines = [line.partition(" ") for line in model.lines(0, legend=False) if line]
    rows = [(line[:13].strip(), line[13:].strip()) for line in ("".join(each) for each in lines)]
    features = [(f"{each['weight']:+.3f}", str(each["words"])) for each in told.get("top", ())]
    return _framed(_table(rows), _table(features, ("weight", "the number of")) if features else "")


def _framed(*parts: str) -> str:
    return f'{STYLE}<div class="beeline">{"".join(parts)}</div>'


def _table(rows: Iterable[tuple[str, str]], titles: tuple[str, ...] = ()) -> str:
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in titles)
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(words)}</td></tr>'
        for name, words in rows
    )
    return (
        f"<table>{f'<thead><tr>{head}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>"
    )
