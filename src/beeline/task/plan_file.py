"""Plans: one value for what searches find, files hold, validation judges and learning takes.

A plan file has one step `(action object ...)` on each line, comments after `;`. Reading is
tolerant: any case, any spacing, and time stamps such as `0: (pick-up a) [1]`, which are dropped
since the order of the lines already says when a step happens. The comment
`; cost = 8 (unit cost)` with which planners close a plan is understood.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError
from beeline.core.files import read_text, refuse_binary, write_atomically

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    Steps = Iterable[str | Sequence[str]]

KIND = "plan file"
ARTIFICIAL = "(@"  # how steps of helper operators begin, which stand in no plan

_STEP = re.compile(r"(?:[0-9]*\.?[0-9]+\s*:\s*)?\(([^()]*)\)(?:\s*\[\s*[0-9.]+\s*\])?")
_COST = re.compile(r";\s*cost\s*=\s*([0-9]+)(?:\.0*)?(?:\s*\(\s*(unit|general)[ -]cost\s*\))?\s*$")


class Step(str):
    """One step of a plan: the text `(stack a b)`, with a name and arguments.

    >>> step = Step.of(("Stack", "a", "b"))
    >>> step, step.name, step.arguments
    ('(stack a b)', 'stack', ('a', 'b'))
    """

    __slots__ = ()

    @classmethod
    def of(cls, step: str | Sequence[str]) -> Step:
        """A step in lower case, from its text or from its words.

        >>> Step.of("stack a b")
        Traceback (most recent call last):
        beeline.core.errors.BeelineError: not a step of a plan: 'stack a b' (hint: ...)
        """
        if isinstance(step, Step):
            return step
        match = _STEP.fullmatch(step.strip()) if isinstance(step, str) else None
        words = step if not isinstance(step, str) else match[1].split() if match else []
        if not words:
            message = f"not a step of a plan: '{str(step)[:60]}'"
            raise BeelineError(message, hint="such as '(stack a b)'")
        return cls(f"({' '.join(words)})".lower())

    @property
    def words(self) -> tuple[str, ...]:
        """The name, then the arguments."""
        return tuple(self[1:-1].split())

    @property
    def name(self) -> str:
        """The name of the action."""
        return self.words[0]

    @property
    def arguments(self) -> tuple[str, ...]:
        """The objects it is done with."""
        return self.words[1:]


class Plan(tuple[Step, ...]):
    """Steps in order; made of texts such as `(stack a b)` or of their words.

    `cost` is what the plan costs by whoever made it, None if nobody said so, and `unit_cost`
    whether that counts each step as 1. `lines` are those of its steps in the file that it comes
    from, empty if it comes from no file.

    >>> plan = Plan(["(pick-up a)", ("stack", "a", "b")], cost=2)
    >>> plan, plan[1].arguments, plan == Plan(plan)
    (('(pick-up a)', '(stack a b)'), ('a', 'b'), True)
    """

    cost: int | None
    unit_cost: bool
    lines: tuple[int, ...]

    def __new__(
        cls,
        steps: Steps = (),
        *,
        cost: int | None = None,
        unit_cost: bool = True,
        lines: tuple[int, ...] = (),
    ) -> Plan:
        """A plan of these steps."""
        if isinstance(steps, str):
            message = f"a plan is a list of steps, and not '{steps[:60]}'"
            raise BeelineError(message, hint="beeline.read_plan reads a file")
        plan = super().__new__(cls, map(Step.of, steps))
        plan.cost, plan.unit_cost, plan.lines = cost, unit_cost, lines
        return plan

    def _repr_html_(self) -> str:
        from beeline.pages.notebook import plan_html

        return plan_html(self)


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """Read a plan file.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "plan"
    >>> write_plan(path, ["(pick-up a)", "(stack a b)"], cost=2)
    >>> read_plan(path)
    ('(pick-up a)', '(stack a b)')
    """
    return parse_plan(read_text(path, KIND), str(path))


def parse_plan(text: str, name: str = "<plan>") -> Plan:
    """Take a plan from a text; `name` stands for the file in messages.

    >>> plan = parse_plan("; steps:\\n(PICK-UP a)\\n1: (stack a  B) [1]\\n; cost = 2 (unit cost)")
    >>> plan, plan.lines, plan.cost
    (('(pick-up a)', '(stack a b)'), (2, 3), 2)
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
    return Plan(steps, cost=cost, unit_cost=unit_cost, lines=tuple(lines))


def begins_plan(data: bytes) -> bool:
    """Whether these bytes, with which a file begins, are those of a plan.

    >>> begins_plan(b"(stack a b)\\n(pick-"), begins_plan(b"stack a b\\n"), begins_plan(b"; why\\n")
    (True, False, False)
    """
    whole = data[: data.rfind(b"\n") + 1] or data
    try:
        plan = parse_plan(whole.decode("utf-8", "replace"))
    except BeelineError:
        return False
    return bool(plan) or plan.cost is not None


def format_plan(plan: Steps, *, cost: int | None = None, unit_cost: bool = True) -> str:
    """A plan as text, with its own cost unless another one is given.

    Steps of artificial operators are left out.

    >>> print(format_plan([("move", "a", "b"), ("@reach-goal",)], cost=5, unit_cost=False), end="")
    (move a b)
    ; cost = 5 (general cost)
    """
    if not isinstance(plan, Plan):
        plan = Plan(plan)
    lines: list[str] = [step for step in plan if not step.startswith(ARTIFICIAL)]
    if cost is None:
        cost, unit_cost = plan.cost, plan.unit_cost
    if cost is not None:
        lines.append(f"; cost = {cost} ({'unit' if unit_cost else 'general'} cost)")
    return "".join(f"{line}\n" for line in lines)


def write_plan(
    path: str | os.PathLike[str], plan: Steps, *, cost: int | None = None, unit_cost: bool = True
) -> None:
    """Write a plan file, whole or not at all, with the plan's cost unless another one is given.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "plan"
    >>> write_plan(path, Plan(["(stack a b)"], cost=1))
    >>> print(path.read_text(), end="")
    (stack a b)
    ; cost = 1 (unit cost)
    """
    write_atomically(path, format_plan(plan, cost=cost, unit_cost=unit_cost))


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
