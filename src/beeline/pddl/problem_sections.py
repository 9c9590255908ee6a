"""From the tree of a problem file to a `Problem`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError
from beeline.pddl.actions import is_complex
from beeline.pddl.conditions import ConditionChecker
from beeline.pddl.domain_sections import read_objects
from beeline.pddl.effects import TOTAL_COST
from beeline.pddl.formula import Junction
from beeline.pddl.initial_state import read_init
from beeline.pddl.model import Problem
from beeline.pddl.requirements import read_requirements, warn_of_undeclared
from beeline.pddl.sections import file_name_and_sections, warn_of_repetition
from beeline.pddl.vocabulary import Vocabulary

if TYPE_CHECKING:
    from beeline.pddl.formula import Formula
    from beeline.pddl.model import Domain
    from beeline.pddl.source import Node, Source

_KEYWORDS = (":domain", ":requirements", ":objects", ":init", ":goal", ":metric", ":length")


def build_problem(domain: Domain, source: Source) -> Problem:
    """Check a problem file against its domain and build the problem."""
    name, sections = file_name_and_sections(source, "problem", _KEYWORDS)
    warn_of_repetition(source, sections)
    _check_domain_name(source, domain, sections[":domain"])
    declared = read_requirements(source, sections[":requirements"])
    objects = read_objects(source, sections[":objects"], domain.types, domain.constants, "object")
    cost_functions = {a.cost[0] for a in domain.actions if isinstance(a.cost, tuple)}
    vocabulary = Vocabulary(
        source,
        domain.types,
        {predicate.name: predicate.arity for predicate in domain.predicates.values()},
        domain.functions or None,
        objects,
    )
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
    return Problem(
        domain,
        name,
        objects,
        init,
        values,
        goal,
        minimize_cost,
        source.file,
        domain.warnings + tuple(source.warnings),
        goal_line,
    )


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
    line = source.line(sections[0]) if is_complex(vocabulary.features) else None
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
            raise source.unsupported(
                "a metric other than 'minimize (total-cost)' is unsupported", section
            )
    return bool(sections)
