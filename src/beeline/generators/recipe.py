"""Recipes: everything that determines an instance, small enough to send to another process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError
from beeline.core.settings import keywords, setting
from beeline.generators.dice import Dice
from beeline.generators.draft import format_draft
from beeline.generators.parameters import ParameterSet, known
from beeline.generators.presets import EARLIER_NAMES, current_name
from beeline.generators.registry import entry

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from beeline.generators.registry import Entry

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
        settings = " ".join(f"{name}={value}" for name, value in self.parameters.told())
        start = f"{self.domain}: {settings} seed={self.seed} index={self.index}"
        end = f" attempt={self.attempt}" if self.attempt else ""
        words, thrown = f"{start}{end}", f"{start}{end}"
        if self.preset is not None:
            words = f"{start} preset={self.preset}{end}"
            thrown = f"{start} preset={EARLIER_NAMES.get(self.preset, self.preset)}{end}"
        draft = domain.draw(self.parameters, Dice(thrown))
        if draft.is_trivial:
            raise AssertionError(f"the goal of {self.task_name} holds from the start")
        return format_draft(draft, self.task_name, domain.domain_name, words)


@dataclass(frozen=True, kw_only=True)
class InstanceSettings:
    """Which instances of a domain are made; parameters come before those of the preset.

    In Python, `parameters` may also be a dictionary from names to values.
    """

    parameters: Mapping[str, object] | Sequence[str] = setting(
        (), "Choose a parameter; may be repeated.", "KEY=VALUE", aliases=("-p",)
    )
    preset: str | None = setting(None, "Sizes of a well-known set of tasks.", "NAME")
    count: int | None = setting(None, "How many; all of the preset, or 1 without one.", "N")
    seed: int = setting(0, "Other seeds give other instances.", "N")


@keywords(InstanceSettings)
def recipes(domain: str, settings: InstanceSettings) -> Iterator[Recipe]:
    """The recipes of a set of instances; keywords are the fields of `InstanceSettings`."""
    found = entry(domain)
    chosen = chosen_parameters(found, settings.parameters)
    preset = None if settings.preset is None else current_name(settings.preset)
    rule = None if preset is None else found.preset(preset)
    size = settings.count if settings.count is not None else 1 if rule is None else rule.size
    if not 1 <= size <= MAX_COUNT:
        raise BeelineError(
            f"the number of instances is {size}", hint=f"it is a number from 1 to {MAX_COUNT}"
        )

    def recipe(index: int) -> Recipe:
        values = {**({} if rule is None else rule.settings(index)), **chosen}
        return Recipe.make(domain, values, seed=settings.seed, index=index, preset=preset)

    recipe(0)  # so that nonsense is refused by this call already
    return map(recipe, range(size))


def chosen_parameters(
    domain: Entry, given: Mapping[str, object] | Sequence[str]
) -> dict[str, object]:
    """Parameters by name, from words such as blocks=5 if need be."""
    if isinstance(given, Mapping):
        return dict(given)
    described = {parameter.name: parameter for parameter in domain.parameters.described()}
    chosen: dict[str, object] = {}
    for word in given:
        key, equals, value = word.partition("=")
        if not equals:
            hint = f"such as -p {next(iter(described))}=5"
            raise BeelineError(f"-p '{word[:40]}' has no value", hint=hint)
        parameter = known(described, key, f"{domain.name} has no parameter")
        if key in chosen:
            raise BeelineError(f"-p {key} is given twice", hint="leave one out")
        chosen[key] = parameter.parse(value)
    return chosen
