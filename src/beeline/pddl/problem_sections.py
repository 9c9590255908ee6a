"""From the tree of a problem file to a `Problem`.

Its `:init` section can have a hundred thousand facts. They are turned into tuples and checked all
at once with set operations. Only when these find something odd does a second pass look at each
fact, to say which one it is.
"""

from __future__ import annotations

from itertools import chain
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.pddl.conditions import (
    COMPLEX,
    TOTAL_COST,
    ConditionChecker,
    looks_numeric,
    whole_number,
)
from beeline.pddl.domain_sections import (
    file_name_and_sections,
    read_objects,
    read_requirements,
    warn_of_undeclared,
)
from beeline.pddl.model import Junction, Problem
from beeline.pddl.source import Source
from beeline.pddl.vocabulary import Vocabulary

if TYPE_CHECKING:
    import os
    from collections.abc import Collection

    from beeline.pddl.model import Domain, Formula
    from beeline.pddl.source import Node

    Fact = tuple[str, ...]


_arguments = itemgetter(slice(1, None))


def read_init(
    vocabulary: Vocabulary, sections: list[Node], cost_functions: Collection[str]
) -> tuple[list[Fact], dict[Fact, int]]:
    """The facts in file order, each once, and the values of functions.

    Values that are not whole numbers from 0 on are refused for `cost_functions`, which action
    costs refer to, and left out for others.
    """
    facts: dict[Fact, None] = {}
    values: dict[Fact, int] = {}
    negated: list[tuple[Fact, Node]] = []
    for section in sections:
        entries = section[1:]
        plain = [e for e in entries if type(e) is list and e and e[0] != "=" and e[0] != "not"]
        found = _plain_facts(vocabulary, plain)
        if len(found) < len(plain) or (facts and not facts.keys().isdisjoint(found)):
            _warn_of_repetition(vocabulary.source, plain, facts)
        facts = {**facts, **found} if facts else found
        if len(plain) < len(entries):
            _read_others(vocabulary, section, values, negated, cost_functions)
    for fact, node in negated:
        if fact in facts:
            raise vocabulary.source.error("a fact is declared both true and false", node)
    return list(facts), values


def _plain_facts(vocabulary: Vocabulary, nodes: list[Node]) -> dict[Fact, None]:
    try:
        facts = dict.fromkeys(map(tuple, nodes))
        heads = {(fact[0], len(fact)) for fact in facts}
        arguments = set(chain.from_iterable(map(_arguments, facts)))
    except TypeError:  # a list among the arguments cannot be hashed
        heads, arguments = set(), {None}
    fitting = all(
        vocabulary.arities.get(name) == length - 1 and name not in vocabulary.derived
        for name, length in heads
    )
    if fitting and arguments.issubset(vocabulary.terms):
        return facts
    return dict.fromkeys([_plain_fact(vocabulary, node) for node in nodes])


def _plain_fact(vocabulary: Vocabulary, node: Node) -> Fact:
    source = vocabulary.source
    name = node[0]
    if not isinstance(name, str):
        raise source.error("expected a fact, found a list of lists", node)
    if name == "at" and [type(part) for part in node] == [str, str, list]:
        if looks_numeric(node[1]):
            raise source.unsupported("timed initial literals are unsupported", node)
        raise source.error("a list stands where an argument should be", node, 2)
    if name in ("and", "or", "forall", "exists", "imply", "when", "oneof", "unknown"):
        hint = "list the facts one after another" if name == "and" else None
        raise source.error(f"'{name}' is not allowed in :init", node, hint=hint)
    if name not in vocabulary.arities and name in vocabulary.types:
        message = f"'{name}' is a type, not a predicate,"
        raise source.error(message, node, hint="types belong into :objects")
    vocabulary.check_arity(node, vocabulary.predicate_arity(node))
    if name in vocabulary.derived:
        raise source.error(f"derived predicate '{name}' is not allowed in :init", node)
    variable = next((i for i, w in enumerate(node) if type(w) is str and w[0] == "?"), None)
    if variable is not None:
        raise source.error(f"variable '{node[variable]}' is not allowed in :init", node, variable)
    vocabulary.check_terms(node, {})
    return tuple(node)


def _warn_of_repetition(source: Source, nodes: list[Node], earlier: dict[Fact, None]) -> None:
    seen = set(earlier)
    repeated = []
    for node in nodes:
        if tuple(node) in seen:
            repeated.append(node)
        seen.add(tuple(node))
    names = [" ".join(node) for node in repeated]
    source.warn_of_all("fact {} is given more than once", names, repeated[0])


def _read_others(
    vocabulary: Vocabulary,
    section: Node,
    values: dict[Fact, int],
    negated: list[tuple[Fact, Node]],
    cost_functions: Collection[str],
) -> None:
    source = vocabulary.source
    ignored: list[str] = []
    for index in range(1, len(section)):
        node = vocabulary.checked_list(section, index, "a fact")
        if not node:
            source.warn("an empty fact is ignored", section, index)
        elif node[0] == "not":
            if len(node) != 2 or not isinstance(node[1], list) or not node[1]:
                raise source.error("'not' takes one atom", node)
            if node[1][0] in ("not", "="):
                raise source.error("'not' takes a fact", node)
            negated.append((_plain_fact(vocabulary, node[1]), node))
        elif node[0] == "=":
            key, value = _read_value(vocabulary, node, cost_functions)
            if value is None:
                ignored.append(" ".join(key))
            elif values.setdefault(key, value) != value:
                message = f"function '{' '.join(key)}' has a second value, besides {values[key]},"
                raise source.error(message, node)
    values.pop((TOTAL_COST,), None)
    message = "value of {} is not a whole number from 0 on and is ignored, as no cost uses it"
    source.warn_of_all(message, ignored, section)


def _read_value(
    vocabulary: Vocabulary, node: Node, cost_functions: Collection[str]
) -> tuple[Fact, int | None]:
    source = vocabulary.source
    if len(node) != 3:
        raise source.error("expected (= (FUNCTION ...) NUMBER)", node)
    term: Any = node[1] if isinstance(node[1], list) else [node[1]]
    if term == [TOTAL_COST]:
        arity = 0
    elif node[1] in vocabulary.terms if isinstance(node[1], str) else False:
        raise source.error("an equality of objects cannot be declared", node)
    else:
        arity = vocabulary.function_arity(term, node)
    vocabulary.check_arity(term, arity, "function", node)
    vocabulary.check_terms(term, {})
    if not isinstance(node[2], str) or not looks_numeric(node[2]):
        if isinstance(node[2], str) and node[2] in vocabulary.terms:
            raise source.unsupported("object fluents are unsupported", node)
        raise source.error("the value of a function must be a number", node)
    value = whole_number(node[2])
    if value is not None and value >= 0:
        return tuple(term), value
    if term[0] in cost_functions:
        kind = "fractional or huge" if value is None else "negative"
        raise source.unsupported(f"a {kind} action cost is unsupported", node)
    return tuple(term), None


_KEYWORDS = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric", ":length")


def read_problem(domain: Domain, path: str | os.PathLike[str]) -> Problem:
    """Read a problem file of the given domain.

    >>> import pathlib, tempfile
    >>> from beeline.pddl import parse_domain
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "task.pddl"
    >>> _ = path.write_text("(define (problem none) (:domain empty) (:init) (:goal (and)))")
    >>> read_problem(parse_domain("(define (domain empty))"), path)
    <Problem none: 0 objects, 0 facts>
    """
    return build_problem(domain, Source.from_file(path))


def parse_problem(domain: Domain, text: str, name: str = "<problem>") -> Problem:
    """Take a problem of the given domain from a text; `name` stands for the file in messages.

    >>> from beeline.pddl import parse_domain
    >>> domain = parse_domain("(define (domain d) (:predicates (p ?x)))")
    >>> text = "(define (problem t) (:domain d) (:objects a) (:init (p a)) (:goal (p a)))"
    >>> parse_problem(domain, text)
    <Problem t: 1 objects, 1 facts>
    """
    return build_problem(domain, Source.from_text(text, name))


def build_problem(domain: Domain, source: Source) -> Problem:
    """Check a problem file against its domain and build the problem."""
    name, sections = file_name_and_sections(source, "problem", _KEYWORDS)
    _check_domain_name(source, domain, sections[":domain"])
    declared = read_requirements(source, sections[":requirements"])
    objects = read_objects(source, sections[":objects"], domain.types, domain.constants, "object")
    cost_functions = {a.cost[0] for a in domain.actions if isinstance(a.cost, tuple)}
    functions = domain.functions or None
    vocabulary = Vocabulary(source, domain.types, domain.predicates, functions, objects)
    vocabulary.derived = domain.derived_predicates()
    if any("-" in section for section in sections[":objects"]):
        vocabulary.features.add(":typing")
    if not sections[":init"]:
        source.warn("the problem has no :init", source.tree)
    init, values = read_init(vocabulary, sections[":init"], cost_functions)
    minimize_cost = _read_metric(source, sections[":metric"])
    goal, goal_line = _read_goal(vocabulary, sections[":goal"])
    for section in sections[":length"]:
        source.warn("section :length is ignored", section)
    known = declared.union(domain.requirements)
    warn_of_undeclared(source, vocabulary.features, known, sections[":requirements"])
    warnings = domain.warnings + tuple(source.warnings)
    contents = (objects, init, values, goal, minimize_cost)
    return Problem(domain, name, *contents, source.file, warnings, goal_line)


def _check_domain_name(source: Source, domain: Domain, sections: list[Node]) -> None:
    if not sections:
        source.warn("the problem does not name its domain", source.tree)
    for section in sections:
        if len(section) != 2 or not isinstance(section[1], str):
            raise source.error("the name of the domain must be one word", section)
        if section[1] != domain.name:
            raise source.error(
                f"the problem belongs to domain '{section[1]}', but the domain file defines"
                f" '{domain.name}',",
                section,
                hint=f"is {domain.file} the right domain file?",
            )


def _read_goal(vocabulary: Vocabulary, sections: list[Node]) -> tuple[Formula, int | None]:
    source = vocabulary.source
    if not sections:
        raise BeelineError("the problem has no :goal", source.file, 1, "add (:goal (and ...))")
    features, vocabulary.features = vocabulary.features, set()
    checker = ConditionChecker(vocabulary)
    parts: list[Formula] = []
    for section in sections:
        if len(section) > 2:
            hint = "is an 'and' missing?"
            raise source.error(":goal takes one condition", section, 2, hint)
        if len(section) == 1:
            source.warn("an empty :goal is always true", section)
        else:
            parts.append(checker.part(section, 1, {}))
    line = source.line(sections[0]) if COMPLEX & vocabulary.features else None
    vocabulary.features |= features
    return parts[0] if len(parts) == 1 else Junction("and", tuple(parts)), line


def _read_metric(source: Source, sections: list[Node]) -> bool:
    for section in sections:
        if section[1:] == ["minimize", TOTAL_COST]:
            source.warn(f"'{TOTAL_COST}' should stand in parentheses", section)
        elif section[1:] != ["minimize", [TOTAL_COST]]:
            if len(section) != 3 or section[1] not in ("minimize", "maximize"):
                hint = "write (:metric minimize (total-cost))"
                raise source.error("a metric that makes no sense", section, hint=hint)
            message = "a metric other than 'minimize (total-cost)' is unsupported"
            raise source.unsupported(message, section)
    return bool(sections)
