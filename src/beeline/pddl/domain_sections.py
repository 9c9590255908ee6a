"""From the tree of a domain file to a `Domain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.pddl.actions import read_actions
from beeline.pddl.effects import TOTAL_COST
from beeline.pddl.model import Domain, Predicate
from beeline.pddl.requirements import SUPPORTED, read_requirements, warn_of_undeclared
from beeline.pddl.sections import file_name_and_sections, warn_of_repetition
from beeline.pddl.type_hierarchy import read_typed_list, read_types
from beeline.pddl.vocabulary import RESERVED, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from beeline.pddl.source import Node, Source

_KEYWORDS = (":requirements", ":types", ":constants", ":predicates", ":functions", ":action")


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
