"""Packaged models in domains that say the same as theirs in other words.

A model file has the names of a domain, but not the conditions and effects of its actions; those of
packaged models are in the built-in domains that they were learned in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.generators import domain_text
from beeline.generators.registry import DOMAINS
from beeline.models.model_file import Fit, load, packaged_path
from beeline.pddl import parse_domain
from beeline.pddl.matching import match
from beeline.pddl.model import TYPE
from beeline.pddl.outline import Outline, differences
from beeline.planning.model import SHOWN_DIFFERENCES, fits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from beeline.pddl.matching import Matching
    from beeline.pddl.model import Domain

SHOWN_NAMES = 12


def fit_by_renaming(names: Iterable[str], domain: Domain) -> Fit | None:
    """The packaged model among these that fits a domain by the matching with most equal names."""
    outline = Outline(domain)
    found: list[tuple[int, Fit]] = []
    for name, known in _built_in(names):
        matching = match(known, outline)
        if matching is None:
            continue
        model = load(packaged_path(name))
        renamed = model.renamed(matching, domain) if fits(model, known.domain) else None
        if renamed is not None:
            fit = Fit(renamed, name, f"{name} fits {matching_words(matching)}")
            found.append((matching.likeness, fit))
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _built_in(names: Iterable[str]) -> Iterator[tuple[str, Outline]]:
    for name in names:
        if name in DOMAINS:
            yield name, Outline(parse_domain(domain_text(name), f"<{name} domain>"))


def matching_words(matching: Matching) -> str:
    """What is called otherwise, stands elsewhere or is left out, on one line.

    >>> from beeline.generators import domain_text
    >>> known = Outline(parse_domain(domain_text("visitall")))
    >>> text = domain_text("visitall").replace("place", "cell").replace("?from ?to", "?to ?from")
    >>> matching_words(match(known, Outline(parse_domain(text))))
    'with renaming: cell = place, (connected ?2 ?1) = (connected ?1 ?2)'
    """
    pairs = [
        (name, there)
        for table in (matching.actions, matching.predicates)
        for name, (there, _) in table.items()
    ]
    pairs += [(_bare(name), _bare(there)) for name, there in matching.labels.items()]
    parts = [f"{name} = {there}" for name, there in dict.fromkeys(pairs) if name != there]
    if matching.otherwise is not None:
        parts.append(f"all else = {_bare(matching.otherwise)}")
    parts += [
        f"({' '.join([name, *(f'?{1 + places.index(it)}' for it in range(len(places)))])})"
        f" = ({' '.join([there, *(f'?{number}' for number in range(1, len(places) + 1))])})"
        for table in (matching.actions, matching.predicates)
        for name, (there, places) in table.items()
        if places != tuple(range(len(places)))
    ]
    more = len(parts) - SHOWN_NAMES
    shown = parts[:SHOWN_NAMES] + ([f"and {more} more"] if more > 0 else [])
    ignored = [*map(_bare, matching.ignored), *matching.apart, *matching.unused]
    words = f"with renaming: {', '.join(shown)}" if shown else "without renaming"
    return f"{words}; ignored: {', '.join(ignored)}" if ignored else words


def _bare(label: str) -> str:
    return label.removeprefix(TYPE)


def nearest_words(names: Iterable[str], domain: Domain) -> str:
    """Which of the packaged models is nearest to a domain, and what differs."""
    outline = Outline(domain)
    ranked = []
    for name, known in _built_in(names):
        found = differences(known, outline)
        actions = len({**(known.actions or {}), **(outline.actions or {})})
        mine, theirs = known.domain, outline.domain
        equal = len({*mine.predicates} & {*theirs.predicates})
        ranked.append((len(found) / max(1, actions), -equal, name, found))
    if not ranked:
        return ""
    _, _, name, found = min(ranked)
    shown = found[:SHOWN_DIFFERENCES] or ["actions have other conditions and effects"]
    more = len(found) - SHOWN_DIFFERENCES
    rest = f"; and {more} more" if more > 0 else ""
    return f", the nearest is that of {name}: {'; '.join(shown)}{rest}"
