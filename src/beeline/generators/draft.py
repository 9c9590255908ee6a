"""What a generator draws, and how it is written down as a PDDL problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Fact = tuple[str, ...]
_LINE = 96


@dataclass(frozen=True)
class Draft:
    """An instance without a name: objects by type ("" for none), initial facts, goal facts."""

    objects: Sequence[tuple[str, Sequence[str]]]
    init: Sequence[Fact]
    goal: Sequence[Fact]
    minimize_cost: bool = False

    @property
    def is_trivial(self) -> bool:
        """Whether the goal holds from the start."""
        return set(self.goal) <= set(self.init)


def numbered(prefix: str, count: int, first: int = 1) -> list[str]:
    """Names with numbers.

    >>> numbered("car", 3)
    ['car1', 'car2', 'car3']
    """
    return [f"{prefix}{number}" for number in range(first, first + count)]


def format_draft(draft: Draft, name: str, domain: str, remark: str) -> str:
    """A draft as PDDL text with a comment at its top.

    >>> draft = Draft([("car", ["c1"])], [("here", "c1")], [("there", "c1")])
    >>> print(format_draft(draft, "t", "d", "one car"))
    ; one car
    (define (problem t)
     (:domain d)
     (:objects
      c1 - car)
     (:init
      (here c1))
     (:goal (and
      (there c1))))
    <BLANKLINE>
    """
    objects = [line for kind, names in draft.objects for line in _object_lines(kind, names)]
    init, goal = ([f"({' '.join(fact)})" for fact in facts] for facts in (draft.init, draft.goal))
    end = ")"
    if draft.minimize_cost:
        init.insert(0, "(= (total-cost) 0)")
        end = "\n (:metric minimize (total-cost)))"
    lines = [f"; {remark}", f"(define (problem {name})", f" (:domain {domain})"]
    for title, part in ((" (:objects", objects), (" (:init", init), (" (:goal (and", goal)):
        lines += [title, *(f"  {line}" for line in part)]
        lines[-1] += ")"
    return "\n".join(lines) + f"){end}\n"


def _object_lines(kind: str, names: Sequence[str]) -> list[str]:
    """The names, wrapped, with their type after the last one."""
    if not names:
        return []
    lines = [""]
    for name in names:
        if len(lines[-1]) + len(name) > _LINE:
            lines.append("")
        lines[-1] += f" {name}" if lines[-1] else name
    if kind:
        lines[-1] += f" - {kind}"
    return lines
