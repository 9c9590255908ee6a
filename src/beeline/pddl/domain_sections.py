"""From the tree of a domain file to a `Domain`, and what problem files have in common with it.

That is the outer shape, `(define (domain NAME) SECTION ...)`, the objects, and `:requirements`,
which are checked against what a file uses, never trusted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.core.errors import suggestion
from beeline.pddl.conditions import TOTAL_COST, read_actions
from beeline.pddl.model import Domain, Predicate
from beeline.pddl.source import Source
from beeline.pddl.vocabulary import OBJECT, RESERVED, Vocabulary, read_typed_list, read_types

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence

    from beeline.pddl.model import Axiom
    from beeline.pddl.source import Node

    Types = Mapping[str, tuple[str, ...]]


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
    ":domain-axioms": (":derived-predicates",),
}
SUPPORTED = frozenset(
    (":adl", ":negation", ":action-costs", ":derived-predicates", *_ADL, *_QUANTIFIED)
)
_UNSUPPORTED_REQUIREMENTS = frozenset(
    (
        ":fluents",
        ":numeric-fluents",
        ":object-fluents",
        ":durative-actions",
        ":duration-inequalities",
        ":continuous-effects",
        ":timed-initial-literals",
        ":preferences",
        ":constraints",
        ":time",
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
            if known in _UNSUPPORTED_REQUIREMENTS:
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
    where = sections[0] if sections else source.tree
    message = "{} used without being declared in :requirements"
    source.warn_of_all(message, sorted(set(used) - declared), where)


_UNSUPPORTED = {
    ":durative-action": "durative actions are unsupported",
    ":axiom": "axioms in this form are unsupported",
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

    `kind` is "domain" or "problem". There is one warning for each section that is given more than
    once; the parts are merged.
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
    for keyword, parts in sections.items():
        if len(parts) > 1 and keyword not in (":action", ":derived"):
            source.warn(f"section {keyword} is given more than once", parts[1])
    return name, sections


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
        message = f"this is a {keyword} file, but a {kind} file was expected,"
        return source.error(message, part, hint="are the domain and the problem file swapped?")
    if keyword in _UNSUPPORTED:
        hint = "write (:derived (NAME ?parameter ...) CONDITION)" if keyword == ":axiom" else None
        return source.unsupported(_UNSUPPORTED[keyword], part, hint=hint)
    hint = suggestion(keyword, allowed)
    if keyword == ":objects":
        hint = "objects of all problems of a domain are its :constants"
    elif keyword in _KEYWORDS:
        hint = "it belongs into the domain file"
    elif keyword in (":init", ":goal", ":domain", ":metric"):
        hint = "it belongs into the problem file"
    return source.error(f"unknown section '{keyword}'", part, 0, hint)


_KEYWORDS = (
    *(":requirements", ":types", ":constants", ":predicates", ":functions", ":action", ":derived"),
)


def read_domain(path: str | os.PathLike[str]) -> Domain:
    """Read a domain file.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "domain.pddl"
    >>> _ = path.write_text("(define (domain empty))")
    >>> read_domain(path)
    <Domain empty: 0 actions>
    """
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
    declared = read_requirements(source, sections[":requirements"])
    types = read_types(source, sections[":types"])
    constants = read_objects(source, sections[":constants"], types, {}, "constant")
    predicates = _read_predicates(source, sections[":predicates"], types)
    functions = _read_functions(source, sections[":functions"], types)
    shared = [each for each in predicates if each in types]
    if shared:
        message = "{} names both a type and a predicate"
        source.warn_of_all(message, shared, sections[":predicates"][0])
    vocabulary = Vocabulary(source, types, predicates, functions, constants)
    if sections[":types"] or any(declared != OBJECT for declared in constants.values()):
        vocabulary.features.add(":typing")
    axioms: tuple[Axiom, ...] = ()
    if sections[":derived"]:
        from beeline.pddl.axioms import derived_names, read_axioms

        vocabulary.derived = derived_names(source, sections[":derived"])
        axioms = read_axioms(vocabulary, predicates, sections[":derived"])
    actions = read_actions(vocabulary, sections[":action"])
    used = vocabulary.features
    warn_of_undeclared(source, used, declared, sections[":requirements"])
    if functions is None:
        functions = dict(vocabulary.found_functions)
        if ":action-costs" in used:
            functions = {TOTAL_COST: 0, **functions}
            message = "function {} used without a :functions section"
            source.warn_of_all(message, functions, source.tree)
    elif ":action-costs" in used and TOTAL_COST not in functions:
        source.warn(f"'{TOTAL_COST}' is not declared", sections[":functions"][0])
        functions[TOTAL_COST] = 0
    requirements = tuple(sorted((declared & SUPPORTED) | used | {":strips"}))
    names = (types, constants, predicates, functions)
    texts = (source.file, tuple(source.warnings))
    return Domain(name, requirements, *names, actions, *texts, axioms)


def read_objects(
    source: Source, sections: list[Node], types: Types, known: Types, kind: str
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


def _declaration(source: Source, section: Node, index: int, kind: str) -> Node:
    """The element of a section that declares a predicate or a function."""
    node = section[index]
    if not isinstance(node, list) or not node or not isinstance(node[0], str):
        raise source.error(f"expected a {kind}", section, index, "write (NAME ?parameter ...)")
    return node


def _read_predicates(source: Source, sections: list[Node], types: Types) -> dict[str, Predicate]:
    predicates: dict[str, Predicate] = {}
    for section in sections:
        for index in range(1, len(section)):
            node = _declaration(source, section, index, "predicate")
            name = node[0]
            arguments = read_typed_list(source, node, 1, "variable", types)
            if name == "=" and len(arguments) == 2:
                continue  # equality is built in; some files declare it all the same
            _refuse_reserved(source, node, "predicate")
            new = Predicate(name, tuple(declared for _, declared, _ in arguments))
            known = predicates.setdefault(name, new)
            if known.arity != new.arity:
                raise source.error(
                    f"predicate '{name}' is declared with {known.arity} and with"
                    f" {new.arity} arguments",
                    node,
                )
            if known is not new:
                source.warn(f"predicate '{name}' is declared more than once", node)
    return predicates


def _refuse_reserved(source: Source, node: Node, kind: str) -> None:
    name = node[0]
    if name in RESERVED or name[0] in "?:" or name == "-" or "@" in name:
        hint = "it has a meaning in PDDL" if name in RESERVED else "use letters, digits, '-', '_'"
        raise source.error(f"'{name}' cannot be the name of a {kind}", node, 0, hint)


def _read_functions(source: Source, sections: list[Node], types: Types) -> dict[str, int] | None:
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
            else:
                node = _declaration(source, section, index, "function")
                _refuse_reserved(source, node, "function")
            arity = len(read_typed_list(source, node, 1, "variable", types))
            if functions.setdefault(node[0], arity) != arity:
                raise source.error(f"function '{node[0]}' is declared twice", section, index)
    return functions
