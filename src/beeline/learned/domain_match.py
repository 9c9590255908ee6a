"""Whether a model fits a domain, and if not, what is different."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.pddl.signature import domain_signature

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from beeline.learned.model_file import AnyModel
    from beeline.pddl.model import Domain

SHOWN_DIFFERENCES = 3


def check_fits(model: AnyModel, domain: Domain, file: str | None = None) -> None:
    """Raise an error that names the first differences if a model is of another domain.

    The domain's own name is free. `file` is the name of the model in messages.
    """
    found = list(differences(model.signature, domain_signature(domain)))
    if not found:
        return
    shown = "; ".join(found[:SHOWN_DIFFERENCES])
    more = len(found) - SHOWN_DIFFERENCES
    rest = f"; and {more} more" if more > 0 else ""
    raise BeelineError(
        f"the model, learned in '{model.domain_name}', does not fit the domain"
        f" '{domain.name}': {shown}{rest}",
        file,
        hint="'beeline learn' makes a model of this domain",
    )


def fits(model: AnyModel, domain: Domain) -> bool:
    """Whether a model can score the states of a domain's tasks."""
    return not any(differences(model.signature, domain_signature(domain)))


def differences(model: Mapping[str, Any], domain: Mapping[str, Any]) -> Iterator[str]:
    """What a domain's signature has otherwise than a model's, in words.

    >>> model = {"types": {}, "constants": {}, "predicates": {"on": [["block"]]}, "actions": {}}
    >>> domain = {**model, "predicates": {"on": [["block"], ["block"]]}}
    >>> list(differences(model, domain))
    ["predicate 'on' has 2 parameters, in the model 1"]
    """
    for part in ("types", "constants", "predicates", "actions"):
        kind = part[:-1]
        known, here = model[part], domain[part]
        for name in sorted({*known, *here}):
            if name not in here:
                yield f"the model has a {kind} '{name}'".replace("a action", "an action")
            elif name not in known:
                yield f"{kind} '{name}' is unknown to the model"
            elif part == "types":
                if sorted(known[name]) != sorted(here[name]):
                    yield f"type '{name}' has other supertypes than in the model"
            elif part == "constants":
                yield from _other_types(f"constant '{name}'", known[name], here[name])
            elif len(known[name]) != len(here[name]):
                count = f"{len(here[name])} parameter{'' if len(here[name]) == 1 else 's'}"
                yield f"{kind} '{name}' has {count}, in the model {len(known[name])}"
            else:
                for place, types in enumerate(zip(known[name], here[name], strict=True), start=1):
                    yield from _other_types(f"parameter {place} of {kind} '{name}'", *types)


def _other_types(what: str, known: list[str], here: list[str]) -> Iterator[str]:
    if sorted(known) != sorted(here):
        yield f"{what} is of type {_either(here)}, in the model {_either(known)}"


def _either(types: list[str]) -> str:
    return " or ".join(f"'{name}'" for name in types)
