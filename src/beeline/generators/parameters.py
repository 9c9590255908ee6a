"""Parameters of generators: numbers with a meaning, a range and a default.

A generator declares its parameters as a frozen dataclass:

>>> @dataclass(frozen=True, kw_only=True)
... class Parameters(ParameterSet):
...     cars: int = whole(4, "cars to carry", 1, 1000)
...     ratio: float = real(0.5, "share of the cars that must move", 0.01, 1.0)
>>> Parameters(cars=7)
Parameters(cars=7, ratio=0.5)
>>> Parameters(cars=0)
Traceback (most recent call last):
    ...
beeline.core.errors.BeelineError: cars is 0 (hint: cars is a whole number from 1 to 1000)
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from beeline.core.errors import BeelineError, suggestion
from beeline.generators.presets import even_step

if TYPE_CHECKING:
    from collections.abc import Mapping

Number = TypeVar("Number", int, float)
Entry = TypeVar("Entry")
Set = TypeVar("Set", bound="ParameterSet")

RANGE = ".."  # between the ends of a range, as in 3..10
LATER = "later"  # came after the first tasks were drawn


@dataclass(frozen=True)
class Parameter:
    """What users need to know about a parameter.

    >>> Parameter("ratio", "share of cells", 0.01, 1.0, 0.5).allowed
    'ratio is a number from 0.01 to 1.0'
    """

    name: str
    meaning: str
    minimum: float
    maximum: float
    default: float

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        kind = "a whole number" if isinstance(self.minimum, int) else "a number"
        return f"{self.name} is {kind} from {self.minimum} to {self.maximum}"

    def check(self, value: Any) -> None:
        """Raise an error unless the value has the right type and lies in the range."""
        kinds = (int,) if isinstance(self.minimum, int) else (int, float)
        is_number = isinstance(value, kinds) and not isinstance(value, bool)
        if not (is_number and self.minimum <= value <= self.maximum):
            raise BeelineError(f"{self.name} is {_shown(value)}", hint=self.allowed)

    def parse(self, word: str) -> float:
        """The value that a word on the command line means.

        >>> Parameter("blocks", "blocks in all", 2, 1000, 8).parse("12")
        12
        """
        try:
            return int(word) if isinstance(self.minimum, int) else float(word)
        except ValueError:
            raise BeelineError(f"{self.name} is {_shown(word)}", hint=self.allowed) from None


class Span(NamedTuple):
    """All values of a parameter from the first to the last, as `3..10` means them.

    >>> span = Span.of(Parameter("blocks", "blocks in all", 2, 1000, 8), "3..10")
    >>> span.sizes, [span.at(place, 4) for place in range(4)]
    (8, [3, 5, 8, 10])
    """

    first: float
    last: float
    is_whole: bool

    @classmethod
    def of(cls, parameter: Parameter, word: str) -> Span:
        """What a word means; nonsense is refused."""
        low, _, high = word.partition(RANGE)
        hint = f"ranges are written such as {parameter.name}=3..10; {parameter.allowed}"
        try:
            first, last = parameter.parse(low), parameter.parse(high)
            parameter.check(first)
            parameter.check(last)
        except BeelineError:
            raise BeelineError(f"{parameter.name} is {_shown(word)}", hint=hint) from None
        if first > last:
            message = f"{parameter.name} is {_shown(word)}, which falls"
            raise BeelineError(message, hint="the smaller number comes first")
        return cls(first, last, isinstance(parameter.minimum, int))

    @property
    def sizes(self) -> int | None:
        """How many whole numbers these are; None if it is for numbers of any kind."""
        return int(self.last - self.first) + 1 if self.is_whole else None

    def at(self, place: int, count: int) -> float:
        """The value at a place of `count` ones: both ends are met, the steps between are even.

        If there are at least as many places as whole numbers, each is there equally often, up to
        one.
        """
        if self.sizes is not None and count >= self.sizes:
            return int(self.first) + place * self.sizes // count
        return even_step(self.first, self.last, place, count)


def whole(
    default: Number, meaning: str, minimum: Number, maximum: Number, *, later: bool = False
) -> Number:
    """A field of a parameter class that holds an integer.

    One that came `later` takes part in nothing at its default: tasks stay as they were drawn.
    """
    about = {"meaning": meaning, "minimum": minimum, "maximum": maximum, "default": default}
    made: Number = field(default=default, metadata={**about, LATER: later})
    return made


real = whole  # the same for any number: the range decides


@dataclass(frozen=True, kw_only=True)
class ParameterSet:
    """The base of every parameter class: all values are checked when it is made."""

    def __post_init__(self) -> None:
        for parameter in self.described():
            value = getattr(self, parameter.name)
            parameter.check(value)
            if isinstance(parameter.minimum, float):
                # 1 and 1.0 are the same wish, and must give the same instances.
                object.__setattr__(self, parameter.name, float(value))
        self.check()

    def check(self) -> None:
        """Raise an error if values that are allowed alone make no sense together."""

    @classmethod
    def described(cls) -> list[Parameter]:
        """The parameters in their order."""
        return [
            Parameter(f.name, **{key: f.metadata[key] for key in f.metadata if key != LATER})
            for f in fields(cls)
        ]

    @classmethod
    def make(cls: type[Set], chosen: Mapping[str, object]) -> Set:
        """Parameters from names and values; a name that does not exist is refused."""
        described = {parameter.name: parameter for parameter in cls.described()}
        for name in chosen:
            known(described, name, "unknown parameter")
        made: Set = cls(**chosen)
        return made

    def told(self) -> list[tuple[str, float]]:
        """Names and values that tasks are drawn by."""
        later = {f.name: f.default for f in fields(self) if f.metadata.get(LATER)}
        return [(name, value) for name, value in self.items() if later.get(name) != value]

    def items(self) -> list[tuple[str, float]]:
        """Names and values in the order of declaration."""
        return [(f.name, getattr(self, f.name)) for f in fields(self)]


def insist(fits: bool, message: str, hint: str) -> None:
    """Refuse parameters that do not fit together."""
    if not fits:
        raise BeelineError(message, hint=hint)


def known(entries: Mapping[str, Entry], name: str, refusal: str) -> Entry:
    """The entry of a name; otherwise an error that lists all names, the nearest one first.

    >>> known({"blocks": 1, "towers": 2}, "block", "unknown parameter")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: unknown parameter 'block' (hint: did you mean 'blocks'?
    There are: blocks, towers)
    """
    if name not in entries:
        near = suggestion(name, sorted(entries))
        hint = f"{near} " * (near is not None) + f"There are: {', '.join(sorted(entries))}"
        raise BeelineError(f"{refusal} '{name[:40]}'", hint=hint)
    return entries[name]


def _shown(value: object) -> str:
    text = str(value) if isinstance(value, (int, float)) else f"'{value}'"
    return text if len(text) <= 40 else f"{text[:37]}..."
