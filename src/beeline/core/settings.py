"""Settings: fields of frozen dataclasses that are described where they are written.

Such a field is a keyword argument in Python, an option on the command line and a key in TOML
files, under the same name and with the same default. Fields that are no `setting` are for Python
alone, such as callbacks.
"""

from __future__ import annotations

from functools import cache, wraps
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    NamedTuple,
    ParamSpec,
    TypeVar,
    overload,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Names = Iterable[str] | Callable[[], Iterable[str]]

FLAG, WHOLE, NUMBER, TEXT = "true or false", "a whole number", "a number", "a text"
SIZE, TEXTS, PAIRS = "a size of memory", "texts", "pairs of names and values"
# What an annotation allows on the command line and in TOML files; anything else is a text.
_KINDS = {
    "bool": FLAG,
    "bool | None": FLAG,
    "int": WHOLE,
    "int | None": WHOLE,
    "float": NUMBER,
    "float | None": NUMBER,
    "int | str | None": SIZE,
    "Sequence[str]": TEXTS,
    "Mapping[str, object] | Sequence[str]": TEXTS,
    "Mapping[str, Any]": PAIRS,
}
_A = TypeVar("_A")
_B = TypeVar("_B")
_R = TypeVar("_R")
_S = TypeVar("_S")
_P = ParamSpec("_P")


class About(NamedTuple):
    """What users read about a setting; {names} in the text stands for what they can choose from."""

    text: str
    metavar: str = ""
    names: Names = ()
    aliases: tuple[str, ...] = ()  # other options for it, unmentioned except for letters

    def choices(self) -> tuple[str, ...]:
        """The names to choose from, if any."""
        return tuple(self.names() if callable(self.names) else self.names)


class Setting(NamedTuple):
    """One thing to choose: its name, the kind of its values, its default, and words about it."""

    name: str
    kind: str
    default: Any
    about: About


def kind_of(annotation: str) -> str:
    """The kind of values that an annotation stands for.

    >>> kind_of("float | None"), kind_of("str")
    ('a number', 'a text')
    """
    return _KINDS.get(annotation, TEXT)


def setting(
    default: Any, text: str, metavar: str = "", *, names: Names = (), aliases: tuple[str, ...] = ()
) -> Any:
    """A field of a dataclass that users can choose wherever they are.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Walk:
    ...     steps: int = setting(10, "How far to go.", "N")
    >>> Walk().steps, settings_of(Walk)[0].kind
    (10, 'a whole number')
    """
    from dataclasses import field

    metadata = {"about": About(text, metavar, names, aliases)}
    if isinstance(default, dict):
        return field(default_factory=default.copy, metadata=metadata)
    return field(default=default, metadata=metadata)


@cache
def settings_of(settings: Any) -> tuple[Setting, ...]:
    """All settings of a dataclass, its own before those that it inherits."""
    from dataclasses import MISSING, fields

    found = []
    for field in sorted(
        fields(settings), key=lambda each: each.name not in vars(settings)["__annotations__"]
    ):
        if "about" in field.metadata:
            made = field.default_factory
            default = field.default if made is MISSING else made()
            found.append(
                Setting(field.name, kind_of(str(field.type)), default, field.metadata["about"])
            )
    return tuple(found)


def values_of(settings: Any) -> dict[str, Any]:
    """The values of all settings by name: keyword arguments of whoever takes them."""
    return {each.name: getattr(settings, each.name) for each in settings_of(settings.__class__)}


class keywords(Generic[_P, _S]):  # noqa: N801 - a decorator
    """Let callers of a function write the fields of its last parameter as keyword arguments.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Walk:
    ...     steps: int = setting(10, "How far to go.", "N")
    >>> @keywords(Walk)
    ... def go(where: str, walk: Walk) -> str:
    ...     return f"{walk.steps} steps {where}"
    >>> go("home", steps=3)
    '3 steps home'
    >>> go("home", stesp=3)
    Traceback (most recent call last):
    TypeError: go(where, ...): got an unexpected keyword argument 'stesp'
    """

    def __init__(self, make: Callable[_P, _S]) -> None:
        self._make = make

    @overload
    def __call__(self, function: Callable[[_S], _R]) -> Callable[_P, _R]: ...
    @overload
    def __call__(self, function: Callable[[_A, _S], _R]) -> Callable[Concatenate[_A, _P], _R]: ...
    @overload
    def __call__(
        self, function: Callable[[_A, _B, _S], _R]
    ) -> Callable[Concatenate[_A, _B, _P], _R]: ...

    def __call__(self, function: Callable[..., _R]) -> Callable[..., _R]:
        """The function with these keyword arguments."""
        from inspect import signature

        make: Callable[..., _S] = self._make
        own = list(signature(function).parameters.values())[:-1]
        wide = signature(function).replace(parameters=[*own, *signature(make).parameters.values()])
        names = [parameter.name for parameter in own]

        @wraps(function)
        def call(*values: Any, **words: Any) -> _R:
            try:
                chosen = wide.bind(*values, **words).arguments
            except TypeError as error:
                told = f"{function.__name__}({', '.join(names)}, ...): {error}"
                raise TypeError(told) from None
            return function(*(chosen.pop(name) for name in names), make(**chosen))

        vars(call).update(__signature__=wide, settings=make)
        return call
