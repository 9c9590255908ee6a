"""Recipes: everything that determines an instance, small enough to send to another process."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError
from beeline.generators.dice import Dice
from beeline.generators.draft import format_draft
from beeline.generators.presets import EARLIER_NAMES, current_name
from beeline.generators.registry import entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from beeline.generators.parameters import ParameterSet

MAX_COUNT = 1_000_000


@dataclass(frozen=True)
class Recipe:
    """A domain, its parameters and a seed.

    The preset is part of the identity, so that sets made with the same seed (for training and
    for validation, say) have no instance in common.

    >>> recipe = Recipe.make("gripper", {"balls": 2}, seed=7)
    >>> recipe.task_name
    'gripper-7-0000'
    >>> recipe.text() == recipe.text(), recipe.text() == recipe.retry().text()
    (True, False)
    """

    domain: str
    parameters: ParameterSet
    seed: int = 0
    index: int = 0
    preset: str | None = None
    attempt: int = 0

    @classmethod
    def make(
        cls,
        domain: str,
        chosen: Mapping[str, object],
        *,
        seed: int = 0,
        index: int = 0,
        preset: str | None = None,
    ) -> Recipe:
        """A recipe from names and values of parameters; nonsense is refused."""
        if not 0 <= seed < 2**63:
            raise BeelineError(f"the seed is {seed}", hint="seeds are whole numbers from 0 up")
        return cls(domain, entry(domain).parameters.make(chosen), seed, index, preset)

    @property
    def task_name(self) -> str:
        """The name of the task; file names sort as their indices do."""
        kind = self.domain if self.preset is None else f"{self.domain}-{self.preset}"
        again = f"-retry{self.attempt}" if self.attempt else ""
        return f"{kind}-{self.seed}-{self.index:04d}{again}"

    def retry(self) -> Recipe:
        """The same parameters with other random choices."""
        return replace(self, attempt=self.attempt + 1)

    def text(self) -> str:
        """The problem as PDDL text."""
        domain = entry(self.domain)
        settings = " ".join(f"{name}={value}" for name, value in self.parameters.items())
        words = f"{self.domain}: {settings} seed={self.seed} index={self.index}"
        thrown = words
        if self.preset is not None:
            words += f" preset={self.preset}"
            thrown += f" preset={EARLIER_NAMES.get(self.preset, self.preset)}"
        if self.attempt:
            words += f" attempt={self.attempt}"
            thrown += f" attempt={self.attempt}"
        draft = domain.draw(self.parameters, Dice(thrown))
        if draft.is_trivial:
            raise AssertionError(f"the goal of {self.task_name} holds from the start")
        return format_draft(draft, self.task_name, domain.domain_name, words)


def recipes(
    domain: str,
    *,
    preset: str | None = None,
    count: int | None = None,
    seed: int = 0,
    chosen: Mapping[str, object] | None = None,
) -> Iterator[Recipe]:
    """The recipes of a set of instances; `chosen` parameters come before those of the preset."""
    found = entry(domain)
    preset = None if preset is None else current_name(preset)
    rule = None if preset is None else found.preset(preset)
    size = count if count is not None else 1 if rule is None else rule.size
    if not 1 <= size <= MAX_COUNT:
        raise BeelineError(
            f"the number of instances is {size}", hint=f"it is a number from 1 to {MAX_COUNT}"
        )

    def recipe(index: int) -> Recipe:
        settings = {} if rule is None else rule.settings(index)
        values = {**settings, **(chosen or {})}
        return Recipe.make(domain, values, seed=seed, index=index, preset=preset)

    recipe(0)  # so that nonsense is refused by this call already
    return map(recipe, range(size))
