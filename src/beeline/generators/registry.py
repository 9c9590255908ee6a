"""The domains by name, each with a module of its parameters, presets and generator; and recipes:
everything that determines an instance, small enough to send to another process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.core.settings import keywords, setting
from beeline.generators.draft import Dice, format_draft
from beeline.generators.parameters import RANGE, ParameterSet, Span, known
from beeline.generators.presets import EARLIER_NAMES, current_name, domain_table, presets_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from beeline.generators.draft import Draft
    from beeline.generators.presets import Preset

MAX_COUNT = 1_000_000


class Entry:
    """A domain: summary, PDDL text, parameters, presets and generator.

    The module of the domain is imported when it is first needed.
    """

    def __init__(self, name: str, summary: str) -> None:
        self.name = name
        self.summary = summary

    @cached_property
    def module(self) -> Any:
        """Where the domain is at home."""
        return import_module(f"beeline.generators.domains.{self.name}")

    @cached_property
    def domain_text(self) -> str:
        """The domain as PDDL text."""
        path = Path(__file__).with_name("domains") / f"{self.name}.pddl"
        return path.read_text(encoding="utf-8")

    @cached_property
    def domain_name(self) -> str:
        """What the PDDL text calls the domain."""
        return self.domain_text.split("(domain ", 1)[1].split(")", 1)[0]

    @property
    def parameters(self) -> type[ParameterSet]:
        """The class of the parameters."""
        parameters: type[ParameterSet] = self.module.Parameters
        return parameters

    @cached_property
    def presets(self) -> Mapping[str, Preset]:
        """The presets by name."""
        return presets_of(self.name)

    @property
    def distribution(self) -> str:
        """What is drawn, from which distribution, and why it is solvable."""
        return str(self.module.__doc__)

    def draw(self, parameters: ParameterSet, dice: Dice) -> Draft:
        """One instance; the same dice give the same one."""
        draft: Draft = self.module.generate(parameters, dice)
        return draft

    def preset(self, name: str) -> Preset:
        """A preset, or an error that lists those there are."""
        return known(self.presets, name, f"{self.name} has no preset")


DOMAINS = {name: Entry(name, str(rows["summary"])) for name, rows in domain_table().items()}


def entry(name: str) -> Entry:
    """The domain of this name, or an error that lists those there are.

    >>> entry("ferry").summary
    'a ferry carries one car at a time between locations'
    """
    return known(DOMAINS, name, "there is no generator for")


@dataclass(frozen=True)
class Recipe:
    """A domain, its parameters and a seed.

    The preset is part of the identity, so that sets made with the same seed (for training and
    for validation, say) have no instance in common. `sizes` is what the name says of parameters.

    >>> from dataclasses import replace
    >>> recipe = Recipe.make("gripper", {"balls": 2}, seed=7)
    >>> recipe.task_name
    'gripper-7-0000'
    >>> recipe.text() == recipe.text(), recipe.text() == replace(recipe, attempt=1).text()
    (True, False)
    """

    domain: str
    parameters: ParameterSet
    seed: int = 0
    index: int = 0
    preset: str | None = None
    attempt: int = 0
    sizes: str = ""

    @classmethod
    def make(
        cls,
        domain: str,
        chosen: Mapping[str, object],
        *,
        seed: int = 0,
        index: int = 0,
        preset: str | None = None,
        sizes: str = "",
    ) -> Recipe:
        """A recipe from names and values of parameters; nonsense is refused."""
        if not 0 <= seed < 2**63:
            raise BeelineError(f"the seed is {seed}", hint="seeds are whole numbers from 0 up")
        values = entry(domain).parameters.make(chosen)
        return cls(domain, values, seed, index, preset, sizes=sizes)

    @property
    def task_name(self) -> str:
        """The name of the task; file names sort as their indices do."""
        kind = self.domain if self.preset is None else f"{self.domain}-{self.preset}"
        kind += f"-{self.sizes}" if self.sizes else ""
        again = f"-retry{self.attempt}" if self.attempt else ""
        return f"{kind}-{self.seed}-{self.index:04d}{again}"

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

    In Python, `parameters` may also be a dictionary from names to values. A range such as "3..10"
    stands for one instance of each size, or is spread evenly over `count` ones. Several ranges go
    together: the first instance has the smallest value of each, the last one the largest, and
    there are as many as the longest range has sizes.
    """

    parameters: Mapping[str, object] | Sequence[str] = setting(
        (),
        "Choose a parameter; may be repeated. A range such as blocks=3..10 gives a task of each"
        " size, or is spread over --count tasks. Several ranges grow together, from the smallest"
        " of all to the largest of all.",
        "KEY=VALUE",
        aliases=("-p",),
    )
    preset: str | None = setting(None, "Sizes of a well-known set of tasks.", "NAME")
    count: int | None = setting(None, "How many; all of the preset, one of each size, or 1.", "N")
    seed: int = setting(0, "Other seeds give other instances.", "N")


@keywords(InstanceSettings)
def recipes(domain: str, settings: InstanceSettings) -> Iterator[Recipe]:
    """The recipes of a set of instances; keywords are the fields of `InstanceSettings`."""
    found = entry(domain)
    chosen = chosen_parameters(found, settings.parameters)
    preset = None if settings.preset is None else current_name(settings.preset)
    rule = None if preset is None else found.preset(preset)
    spans = _spans(found, chosen)
    if spans:
        if rule is not None:
            raise BeelineError("a preset has its own sizes, and no ranges", hint="leave one out")
        return iter(_growing(domain, chosen, spans, settings))
    size = settings.count if settings.count is not None else 1 if rule is None else rule.size
    _check_count(size)

    def recipe(index: int) -> Recipe:
        values = {**({} if rule is None else rule.settings(index)), **chosen}
        return Recipe.make(domain, values, seed=settings.seed, index=index, preset=preset)

    recipe(0)  # so that nonsense is refused by this call already
    return map(recipe, range(size))


def _check_count(count: int) -> None:
    if not 1 <= count <= MAX_COUNT:
        raise BeelineError(
            f"the number of instances is {count}", hint=f"it is a number from 1 to {MAX_COUNT}"
        )


def _spans(domain: Entry, chosen: Mapping[str, object]) -> dict[str, Span]:
    """Those of the parameters that are ranges."""
    return {
        each.name: Span.of(each, word)
        for each in domain.parameters.described()
        if isinstance(word := chosen.get(each.name), str) and RANGE in word
    }


def _growing(
    domain: str, chosen: Mapping[str, object], spans: Mapping[str, Span], settings: InstanceSettings
) -> list[Recipe]:
    """Instances whose sizes go through ranges.

    Names have all parameters that were chosen, and the index counts instances of the same values:
    whatever the ranges and the count, one name always means one instance.
    """
    count = settings.count
    if count is None:
        count = max((span.sizes or 0 for span in spans.values()), default=0)
        if not count:
            message = f"nobody knows how many tasks {next(iter(spans))} is a range for"
            raise BeelineError(message, hint="say it with --count")
    _check_count(count)
    made, before = [], Counter[str]()
    for place in range(count):
        values = {**chosen, **{name: span.at(place, count) for name, span in spans.items()}}
        sizes = "-".join(f"{name}{_in_name(value)}" for name, value in sorted(values.items()))
        index = before[sizes]
        made.append(Recipe.make(domain, values, seed=settings.seed, index=index, sizes=sizes))
        before[sizes] += 1
    return made


def _in_name(value: object) -> str:
    """A number as names have it: they sort as numbers up to 999 do.

    >>> _in_name(7), _in_name(0.25)
    ('007', '0p25')
    """
    return f"{value:03d}" if isinstance(value, int) else f"{value}".replace(".", "p")


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
        chosen[key] = value if RANGE in value else parameter.parse(value)
    return chosen
