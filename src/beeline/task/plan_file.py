"""Plans as files: one step `(action object ...)` on each line, comments after `;`.

Reading is tolerant: any case, any spacing, and time stamps such as `0: (pick-up a) [1]`, which
are dropped since the order of the lines already says when a step happens. The comment
`; cost = 8 (unit cost)` with which planners close a plan is understood.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from beeline.core.errors import BeelineError
from beeline.core.files import read_text, refuse_binary

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

KIND = "plan file"
ARTIFICIAL = "@"  # helper operators, whose names begin so, stand in no plan

_STEP = re.compile(r"(?:[0-9]*\.?[0-9]+\s*:\s*)?\(([^()]*)\)(?:\s*\[\s*[0-9.]+\s*\])?")
_COST = re.compile(r";\s*cost\s*=\s*([0-9]+)(?:\.0*)?(?:\s*\(\s*(unit|general)[ -]cost\s*\))?\s*$")


class Plan(NamedTuple):
    """The steps of a plan file, in lower case, and the line of each.

    `declared_cost` is what the file says about its cost, None if it says nothing;
    `declares_unit_cost` tells whether that counts each step as 1.
    """

    steps: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...] = ()
    declared_cost: int | None = None
    declares_unit_cost: bool = False


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """Read a plan file.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "plan"
    >>> write_plan(path, [("pick-up", "a"), ("stack", "a", "b")], cost=2)
    >>> read_plan(path).steps
    (('pick-up', 'a'), ('stack', 'a', 'b'))
    """
    return parse_plan(read_text(path, KIND), str(path))


def parse_plan(text: str, name: str = "<plan>") -> Plan:
    """Take a plan from a text; `name` stands for the file in messages.

    >>> plan = parse_plan("; steps:\\n(PICK-UP a)\\n1: (stack a  B) [1]\\n; cost = 2 (unit cost)")
    >>> plan.steps, plan.lines, plan.declared_cost
    ((('pick-up', 'a'), ('stack', 'a', 'b')), (2, 3), 2)
    """
    refuse_binary(text.encode("utf-8", "replace"), name, KIND)
    steps: list[tuple[str, ...]] = []
    lines: list[int] = []
    cost: int | None = None
    unit_cost = False
    unified = text.replace("\r\n", "\n").replace("\r", "\n").lower()
    for number, line in enumerate(unified.split("\n"), start=1):
        step, semicolon, _ = line.partition(";")
        if semicolon and (comment := _COST.search(line, len(step))):
            cost, unit_cost = int(comment[1][:18]), comment[2] == "unit"
        step = step.strip()
        if step:
            match = _STEP.fullmatch(step)
            words = tuple(match[1].split()) if match else ()
            if not words:
                raise _step_error(step, name, number)
            steps.append(words)
            lines.append(number)
    return Plan(tuple(steps), tuple(lines), cost, unit_cost)


def format_plan(
    steps: Iterable[Sequence[str]], *, cost: int | None = None, unit_cost: bool = True
) -> str:
    """A plan as text; steps of artificial operators are left out.

    >>> print(format_plan([("move", "a", "b"), ("@reach-goal",)], cost=5, unit_cost=False), end="")
    (move a b)
    ; cost = 5 (general cost)
    """
    lines = [f"({' '.join(step)})" for step in steps if not step[0].startswith(ARTIFICIAL)]
    if cost is not None:
        lines.append(f"; cost = {cost} ({'unit' if unit_cost else 'general'} cost)")
    return "".join(f"{line}\n" for line in lines)


def write_plan(
    path: str | os.PathLike[str],
    steps: Iterable[Sequence[str]],
    *,
    cost: int | None = None,
    unit_cost: bool = True,
) -> None:
    """Write a plan file, whole or not at all; steps of artificial operators are left out."""
    from beeline.core.files import write_atomically

    write_atomically(path, format_plan(steps, cost=cost, unit_cost=unit_cost))


def _step_error(step: str, name: str, number: int) -> BeelineError:
    shown = step if len(step) <= 60 else step[:57] + "..."
    hint = "write one (action object ...) on each line"
    if step.startswith("(define"):
        message, hint = f"this is PDDL, not a plan: '{shown}'", "are the arguments swapped?"
    elif step.count("(") > step.count(")"):
        message = f"missing ')' in '{shown}'"
    elif step.count(")") > step.count("("):
        message = f"one ')' too many in '{shown}'"
    elif step.count("(") > 1:
        message = f"more than one step in '{shown}'"
    elif "(" in step and not step.replace("(", "").replace(")", "").strip():
        message = "a step without an action: '()'"
    else:
        message = f"not a step of a plan: '{shown}'"
    return BeelineError(message, name, number, hint)
