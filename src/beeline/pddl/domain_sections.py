"""From the tree of a domain file to a `Domain`.

The `:requirements` section: checked against what a file uses, never trusted.

The outer shape of a file: `(define (domain NAME) SECTION ...)`, or `problem` for `domain`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.core.errors import suggestion
from beeline.pddl.conditions import TOTAL_COST, read_actions
from beeline.pddl.model import Domain, Predicate
from beeline.pddl.source import Source
from beeline.pddl.vocabulary import RESERVED, Vocabulary, read_typed_list, read_types

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from beeline.pddl.source import Node


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
_UNSUPPORTED_REQUIREMENTS = frozenset(
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
            if known in _UNSUPPORTED_REQUIREMENTS and known not in _IMPLIED:
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


_UNSUPPORTED = {
    ":durative-action": "durative actions are unsupported",
    ":derived": "derived predicates (axioms) are unsupported",
    ":axiom": "derived predicates (axioms) are unsupported",
    ":constraints": "constraints are unsupported",
    ":process": "processes are unsupported",
    ":event": "events are unsupported",
    ":method": "hierarchical planning is unsupported",
    ":task": "hierarchical planning is unsupported",
    ":htn": "hierarchical planning is unsupported",
    ":timeless": "timeless facts are unsupported",
    ":situation": "named situations are unsupported",
}


def file_name_and_sections(
    source: Source, kind: str, allowed: Sequence[str]
) -> tuple[str, dict[str, list[Node]]]:
    """The name of the domain or problem, and all sections by keyword.

    `kind` is "domain" or "problem".
    """
    tree = source.tree
    name: str | None = None
    sections: dict[str, list[Node]] = {keyword: [] for keyword in allowed}
    for index, part in enumerate(tree[1:], start=1):
        if not isinstance(part, list) or not part or not isinstance(part[0], str):
            raise source.error(f"expected a section of the {kind}", tree, index)
        keyword = part[0]
        if keyword in sections:
            sections[keyword].append(part)
        elif keyword == kind and name is None:
            name = _read_name(source, part, kind)
        else:
            raise _strange_section(source, kind, part, allowed)
    if name is None:
        raise source.error(f"({kind} NAME) is missing", tree)
    return name, sections


def warn_of_repetition(source: Source, sections: dict[str, list[Node]]) -> None:
    """One warning for each section that is given more than once; the parts are merged."""
    for keyword, parts in sections.items():
        if len(parts) > 1 and keyword != ":action":
            source.warn(f"section {keyword} is given more than once", parts[1])


def _read_name(source: Source, part: Node, kind: str) -> str:
    if len(part) == 1 and kind == "problem":
        source.warn("the problem has no name", part)
        return "unnamed"
    if len(part) != 2 or not isinstance(part[1], str):
        raise source.error(f"the name of the {kind} must be one word", part)
    return part[1]


def _strange_section(source: Source, kind: str, part: Node, allowed: Sequence[str]) -> Exception:
    keyword = part[0]
    if keyword in ("domain", "problem"):
        if keyword == kind:
            return source.error(f"a second ({kind} ...)", part)
        return source.error(
            f"this is a {keyword} file, but a {kind} file was expected,",
            part,
            hint="are the domain and the problem file swapped?",
        )
    if keyword in _UNSUPPORTED:
        return source.unsupported(_UNSUPPORTED[keyword], part)
    hint = suggestion(keyword, allowed)
    if keyword == ":objects":
        hint = "objects of all problems of a domain are its :constants"
    elif keyword in (":action", ":predicates", ":types", ":constants", ":functions"):
        hint = "it belongs into the domain file"
    elif keyword in (":init", ":goal", ":domain", ":metric"):
        hint = "it belongs into the problem file"
    return source.error(f"unknown section '{keyword}'", part, 0, hint)


_KEYWORDS = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action")


def read_domain(path: str | os.PathLike[str]) -> Domain:
    """Read a domain file."""
    return build_domain(Source.from_file(path))


def parse_domain(text: str, name: str = "<domain>") -> Domain:
    """Take a domain from a text; `name` stands for the file in messages.

    >>> parse_domain("(define (domain empty))")
    <Domain empty: 0 actions>
    """
    return build_domain(Source.from_text(text, name))


def build_domain(source: Source) -> Domain:
    """Check a domain file and build the domain."""
    name, sections = file_name_and_sections(source, "domain", _KEYWORDS)
    warn_of_repetition(source, sections)
    declared = read_requirements(source, sections[":requirements"])
    types = read_types(source, sections[":types"])
    constants = read_objects(source, sections[":constants"], types, {}, "constant")
    predicates = _read_predicates(source, sections[":predicates"], types)
    functions = _read_functions(source, sections[":functions"], types)
    _warn_of_shared_names(source, sections[":predicates"], types, predicates)
    vocabulary = Vocabulary(
        source,
        types,
        {predicate.name: predicate.arity for predicate in predicates.values()},
        functions,
        constants,
    )
    if sections[":types"] or any(types_differ(constants.values())):
        vocabulary.features.add(":typing")
    actions = read_actions(vocabulary, sections[":action"])
    used = vocabulary.features
    warn_of_undeclared(source, used, declared, sections[":requirements"])
    if functions is None:
        functions = dict(vocabulary.found_functions)
        if ":action-costs" in used:
            functions = {TOTAL_COST: 0, **functions}
            source.warn_of_all(
                "function {} used without a :functions section", functions, source.tree
            )
    elif ":action-costs" in used and TOTAL_COST not in functions:
        source.warn(f"'{TOTAL_COST}' is not declared", sections[":functions"][0])
        functions[TOTAL_COST] = 0
    requirements = tuple(sorted((declared & SUPPORTED) | used | {":strips"}))
    return Domain(
        name,
        requirements,
        types,
        constants,
        predicates,
        functions,
        actions,
        source.file,
        tuple(source.warnings),
    )


def types_differ(declared: Iterable[tuple[str, ...]]) -> Iterable[bool]:
    """For each declaration whether it names a type other than `object`."""
    return (types != ("object",) for types in declared)


def read_objects(
    source: Source,
    sections: list[Node],
    types: Mapping[str, tuple[str, ...]],
    known: Mapping[str, tuple[str, ...]],
    kind: str,
) -> dict[str, tuple[str, ...]]:
    """The `known` objects followed by those declared; a second declaration adds its types."""
    objects = dict(known)
    for section in sections:
        repeated = []
        for name, declared, _ in read_typed_list(source, section, 1, "object", types):
            if name in objects:
                repeated.append(name)
                objects[name] = tuple(dict.fromkeys((*objects[name], *declared)))
            else:
                objects[name] = declared
        source.warn_of_all(f"{kind} {{}} is declared more than once", repeated, section)
    return objects


def _read_predicates(
    source: Source, sections: list[Node], types: Mapping[str, tuple[str, ...]]
) -> dict[str, Predicate]:
    predicates: dict[str, Predicate] = {}
    for section in sections:
        for index, node in enumerate(section[1:], start=1):
            if not isinstance(node, list) or not node or not isinstance(node[0], str):
                hint = "write (NAME ?parameter ...)"
                raise source.error("expected a predicate", section, index, hint)
            name = node[0]
            arguments = read_typed_list(source, node, 1, "variable", types)
            if name == "=" and len(arguments) == 2:
                continue  # equality is built in; some files declare it all the same
            _refuse_reserved(source, node, "predicate")
            predicate = Predicate(name, tuple(declared for _, declared, _ in arguments))
            if name not in predicates:
                predicates[name] = predicate
            elif predicates[name].arity == predicate.arity:
                source.warn(f"predicate '{name}' is declared more than once", node)
            else:
                raise source.error(
                    f"predicate '{name}' is declared with {predicates[name].arity} and with"
                    f" {predicate.arity} arguments",
                    node,
                )
    return predicates


def _refuse_reserved(source: Source, node: Node, kind: str) -> None:
    name = node[0]
    if name in RESERVED or name[0] in "?:" or name == "-" or "@" in name:
        hint = "it has a meaning in PDDL" if name in RESERVED else "use letters, digits, '-', '_'"
        raise source.error(f"'{name}' cannot be the name of a {kind}", node, 0, hint)


def _read_functions(
    source: Source, sections: list[Node], types: Mapping[str, tuple[str, ...]]
) -> dict[str, int] | None:
    if not sections:
        return None
    functions: dict[str, int] = {}
    for section in sections:
        after_dash = False
        for index, node in enumerate(section[1:], start=1):
            if after_dash:
                after_dash = False
                if node != "number":
                    raise source.unsupported("object fluents are unsupported", section, index)
                continue
            if node == "-":
                after_dash = True
                continue
            if node == TOTAL_COST:
                source.warn(f"'{TOTAL_COST}' should stand in parentheses", section, index)
                node = [TOTAL_COST]
            elif not isinstance(node, list) or not node or not isinstance(node[0], str):
                hint = "write (NAME ?parameter ...)"
                raise source.error("expected a function", section, index, hint)
            else:
                _refuse_reserved(source, node, "function")
            arity = len(read_typed_list(source, node, 1, "variable", types))
            if functions.setdefault(node[0], arity) != arity:
                raise source.error(f"function '{node[0]}' is declared twice", section, index)
    return functions


def _warn_of_shared_names(
    source: Source,
    sections: list[Node],
    types: Mapping[str, tuple[str, ...]],
    predicates: Mapping[str, Predicate],
) -> None:
    shared = [name for name in predicates if name in types]
    if shared:
        source.warn_of_all("{} names both a type and a predicate", shared, sections[0])
