"""Instances of eighteen planning domains: parameters and a seed in, PDDL out.

Every instance has a plan and a goal that does not hold from the start, by construction; the
module of each domain says why, and from which distribution it draws.

>>> from beeline import generators
>>> generators.generate("blocksworld", seed=3, blocks=5)
<Problem blocksworld-3-0000: 5 objects, ...>
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from os import PathLike

    from beeline.pddl.model import Problem

__all__ = ["domain_text", "from_levels", "generate", "instances", "names"]


def names() -> list[str]:
    """The domains that there are generators for.

    >>> names()[:3]
    ['blocksworld', 'childsnack', 'ferry']
    """
    from beeline.generators.registry import DOMAINS

    return sorted(DOMAINS)


def domain_text(name: str) -> str:
    """A domain as PDDL text.

    >>> domain_text("ferry").splitlines()[1]
    '(define (domain ferry)'
    """
    from beeline.generators.registry import entry

    return entry(name).domain_text


def generate(name: str, *, seed: int = 0, **parameters: float) -> Problem:
    """One instance as a lifted problem, ready to be grounded.

    >>> generate("miconic", seed=1, passengers=2, floors=4)
    <Problem miconic-1-0000: 6 objects, 11 facts>
    """
    from beeline.generators.registry import Recipe
    from beeline.pddl import parse_domain, parse_problem

    recipe = Recipe.make(name, parameters, seed=seed)
    domain = parse_domain(domain_text(name), f"<{name} domain>")
    return parse_problem(domain, recipe.text(), f"<{recipe.task_name}>")


def instances(
    name: str,
    *,
    preset: str | None = None,
    count: int | None = None,
    seed: int = 0,
    **parameters: float | str,
) -> Iterator[tuple[str, str]]:
    """Names and PDDL texts of a set of instances.

    A preset chooses the parameters of each instance; parameters that are given explicitly come
    first. Without `count` there are as many as the preset says, or one. A text such as "3..10" is a
    range: one instance of each size, or `count` ones from the smallest to the largest.

    >>> [name for name, _ in instances("ferry", preset="easy", count=2, seed=5)]
    ['ferry-easy-5-0000', 'ferry-easy-5-0001']
    >>> [name for name, _ in instances("gripper", balls="9..10")]
    ['gripper-balls009-0-0000', 'gripper-balls010-0-0000']
    """
    from beeline.generators.registry import recipes

    wanted = recipes(name, preset=preset, count=count, seed=seed, parameters=parameters)
    return ((recipe.task_name, recipe.text()) for recipe in wanted)


def from_levels(name: str, file: str | PathLike[str]) -> Iterator[tuple[str, str]]:
    """Names and PDDL texts of the levels in a file: of `warehouse`, `maze` or `npuzzle`.

    A file has a line of numbers for each level, or, for `warehouse`, levels as collections of the
    game Sokoban draw them.
    """
    from beeline.generators.levels import level_tasks

    return ((task.task_name, task.text()) for task in level_tasks(name, file))
