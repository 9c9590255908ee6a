"""From `(:action ...)` sections to `ActionSchema` objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from beeline.pddl.conditions import ConditionChecker, read_parameters
from beeline.pddl.effects import EffectChecker
from beeline.pddl.model import ActionSchema
from beeline.pddl.source import suggestion

if TYPE_CHECKING:
    from beeline.pddl.source import Node
    from beeline.pddl.vocabulary import Vocabulary

_FIELDS = (":parameters", ":precondition", ":effect")
_COMPLEX = (
    ":disjunctive-preconditions",
    ":existential-preconditions",
    ":universal-preconditions",
)


def is_complex(features: set[str]) -> bool:
    """Whether conditions with these features may grow in normalisation."""
    return any(feature in features for feature in _COMPLEX)


def read_actions(vocabulary: Vocabulary, nodes: list[Node]) -> tuple[ActionSchema, ...]:
    """All actions; identical ones once."""
    source = vocabulary.source
    seen: dict[str, list[Node]] = {}
    conditional: list[tuple[str, list[Node]]] = []
    actions: list[ActionSchema] = []
    for node in nodes:
        name = _read_name(vocabulary, node)
        namesakes = seen.setdefault(name, [])
        if node in namesakes:
            source.warn(f"action '{name}' is given more than once", node)
            continue
        if namesakes:
            source.warn(f"there are different actions named '{name}'", node)
        namesakes.append(node)
        schema, literals = _read_action(vocabulary, name, node)
        actions.append(schema)
        conditional.append((name, literals))
    changed = {effect.literal.predicate for action in actions for effect in action.effects}
    for name, literals in conditional:
        for literal in literals:
            if literal[0] in changed:
                raise source.unsupported(
                    f"action '{name}' has a conditional effect that depends on '{literal[0]}',"
                    " which actions change; this is unsupported",
                    literal,
                    hint="conditions of effects may use only predicates that no action changes",
                )
    return tuple(actions)


def _read_name(vocabulary: Vocabulary, node: Node) -> str:
    source = vocabulary.source
    if len(node) < 2 or not isinstance(node[1], str) or node[1][0] in ":?":
        raise source.error("the action has no name", node)
    name: str = node[1]
    if "@" in name:
        raise source.error(f"'{name}' cannot be the name of an action", node, 1, "avoid '@'")
    return name


def _read_action(vocabulary: Vocabulary, name: str, node: Node) -> tuple[ActionSchema, list[Node]]:
    source = vocabulary.source
    fields = _read_fields(vocabulary, name, node)
    if ":parameters" not in fields:
        source.warn(f"action '{name}' has no :parameters", node)
    parameters = read_parameters(vocabulary, fields.get(":parameters", []))
    scope = {variable: variable for variable, _ in parameters}
    features, vocabulary.features = vocabulary.features, set()
    condition = ConditionChecker(vocabulary).condition(fields.get(":precondition", []), scope)
    checker = EffectChecker(vocabulary)
    checker.effect(fields.get(":effect", []), scope)
    line = source.line(node) if is_complex(vocabulary.features) else None
    vocabulary.features |= features
    if not checker.effects:
        source.warn(f"action '{name}' has no effect, no search will use it", node)
    effects = tuple(checker.effects)
    schema = ActionSchema(name, parameters, condition, effects, checker.cost, line)
    return schema, checker.when_literals


def _read_fields(vocabulary: Vocabulary, name: str, node: Node) -> dict[str, Node]:
    source = vocabulary.source
    fields: dict[str, Node] = {}
    index = 2
    while index < len(node):
        word = node[index]
        if word in (":duration", ":condition"):
            raise source.unsupported("durative actions are unsupported", node, index)
        if not isinstance(word, str) or word not in _FIELDS:
            shown = f"'{word}'" if isinstance(word, str) else "a list"
            hint = suggestion(word, _FIELDS) if isinstance(word, str) else "is a keyword missing?"
            raise source.error(f"unexpected {shown} in action '{name}',", node, index, hint)
        if word in fields:
            raise source.error(f"action '{name}' has two {word},", node, index)
        if index + 1 == len(node) or not isinstance(node[index + 1], list):
            raise source.error(f"{word} of action '{name}' needs a list,", node, index)
        fields[word] = node[index + 1]
        index += 2
    return fields
