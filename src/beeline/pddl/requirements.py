"""The `:requirements` section: checked against what a file uses, never trusted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from beeline.pddl.source import Node, Source

_QUANTIFIED = (":existential-preconditions", ":universal-preconditions")
_ADL = (
    ":strips",
    ":typing",
    ":negative-preconditions",
    ":disjunctive-preconditions",
    ":equality",
    ":quantified-preconditions",
    ":conditional-effects",
)
_IMPLIED = {
    ":adl": (*_ADL, *_QUANTIFIED),
    ":ucpop": (*_ADL, *_QUANTIFIED),
    ":quantified-preconditions": _QUANTIFIED,
    ":negation": (":negative-preconditions",),
}
SUPPORTED = frozenset((":adl", ":negation", ":action-costs", *_ADL, *_QUANTIFIED))
_UNSUPPORTED = frozenset(
    (
        ":fluents",
        ":numeric-fluents",
        ":object-fluents",
        ":durative-actions",
        ":duration-inequalities",
        ":continuous-effects",
        ":derived-predicates",
        ":domain-axioms",
        ":timed-initial-literals",
        ":preferences",
        ":constraints",
        ":time",
        ":ucpop",
        ":hierarchy",
        ":multi-agent",
        ":probabilistic-effects",
    )
)


def read_requirements(source: Source, sections: list[Node]) -> frozenset[str]:
    """The labels declared, with all they imply; strange ones give one warning for each kind."""
    labels: set[str] = set()
    for section in sections:
        strange = []
        unsupported = []
        for index, label in enumerate(section[1:], start=1):
            if not isinstance(label, str):
                raise source.error("expected a requirement such as :typing", section, index)
            known = label if label[0] == ":" else f":{label}"
            labels.add(known)
            labels.update(_IMPLIED.get(known, ()))
            if known in _UNSUPPORTED and known not in _IMPLIED:
                unsupported.append(label)
            elif known not in SUPPORTED and known not in _IMPLIED:
                strange.append(label)
        source.warn_of_all("unknown requirement {} is ignored", strange, section)
        source.warn_of_all("requirement {} is declared but not supported", unsupported, section)
    return frozenset(labels)


def warn_of_undeclared(
    source: Source, used: Iterable[str], declared: frozenset[str], sections: list[Node]
) -> None:
    """One warning for all features that a file uses without declaring them."""
    missing = sorted(set(used) - declared)
    source.warn_of_all(
        "{} used without being declared in :requirements",
        missing,
        sections[0] if sections else source.tree,
    )
