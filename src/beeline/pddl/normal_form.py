"""From a problem to actions whose conditions are conjunctions of literals.

There are two forms. That of the translator makes an axiom of each universally quantified condition,
and of a goal that is no conjunction of literals; domains with derived predicates have no other.
Ours serves searches and learning better: universal conditions that are conjunctions of atoms, and
universal goals, are expanded over the objects; only the others become axioms, which the grounder
multiplies out again, knowing what is static. A goal that is still no conjunction becomes the
precondition of an artificial action.

Then the translator's normaliser splits disjunctions into several actions and makes existentially
quantified variables invisible parameters. Actions that can never apply or have no effect are left
out, and so are effects that never take place. Of the translator, we call
only functions that neither look at its options, a module global, nor print. Nothing that another
user of it in the same process can see is touched, and threads share no state but invariants that
were found.

Lifted invariants are sets of atoms of which at most one is true in every reachable state. What
makes an invariant is the translator's (Helmert, "Concise finite-domain representations for PDDL
planning tasks", 2009). A candidate is a set of parts, atoms with one counted argument at most. It
is discarded if an action can add two of its atoms at once, and refined if an action adds one
without deleting another: what the action deletes tells which parts could be missing. The
translator then checks each refined candidate against all actions that add one of its predicates,
which for n actions that hand on a token is n^3 checks. Two things make this search quick:

- A refined candidate is checked only against actions for which the new part makes a difference:
  those that add it, the one that failed, and those that its origin was not yet checked against.
- The outcome for an action depends only on parts whose predicates are in the action's effects, so
  it is remembered by these parts. A candidate is a number with a bit for each part.

It ends when a budget of work is spent, which is the same on every machine; tasks of competitions
need about a thousandth of it. Most tasks of a domain have the same actions, so the invariants of
the last few sets of actions are kept: to find them takes longer than the rest of grounding a small
task.

The translator's invariant finder wants to see the parameters of all reachable instances of an
action, but asks only whether two parameters are ever equal. A few witness tuples tell it the
same, so its result is what it would be for the full list.
"""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fast_downward.translate import invariant_finder, pddl
from fast_downward.translate import normalize as translator

from beeline.core.errors import BeelineError, UnsupportedError
from beeline.pddl import model
from beeline.pddl.expansion import Expander, TooLargeError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    Invariant = tuple[tuple[str, tuple[int, ...]], ...]


def normalize(problem: model.Problem, *, exact: bool = False) -> model.NormalizedTask:
    """Normalise a problem; the problem itself stays as it is.

    Args:
        problem: The lifted problem.
        exact: Whether the form is the translator's also if there are no derived predicates.

    >>> from beeline import pddl
    >>> domain = pddl.parse_domain('''(define (domain d) (:predicates (p ?x) (q ?x))
    ...   (:action a :parameters (?x) :precondition (or (p ?x) (q ?x)) :effect (p ?x)))''')
    >>> problem = pddl.parse_problem(domain, '''(define (problem t) (:domain d)
    ...   (:objects o) (:init (q o)) (:goal (p o)))''')
    >>> [action.precondition[0].predicate for action in normalize(problem).actions]
    ['p', 'q']
    """
    domain = problem.domain
    exact = exact or bool(domain.axioms)
    expander = Expander(problem, domain.changed_predicates(), universals=exact)
    actions = [_expanded(schema, expander) for schema in domain.actions if schema.effects]
    axioms = [_expanded_axiom(axiom, expander) for axiom in domain.axioms]
    arities = {predicate.name: predicate.arity for predicate in domain.predicates.values()}
    with _refusing_large("the goal", problem.file, problem.goal_line):
        goal = expander.expand(problem.goal, literals=pddl.Literal)
        if not (exact or _is_conjunction(goal)):
            goal = expander.expand(problem.goal)
    if isinstance(goal, pddl.Falsity):
        goal = None
    if not (goal is None or exact or _is_conjunction(goal)):
        arities[model.GOAL_PREDICATE] = 0
        reached = pddl.Atom(model.GOAL_PREDICATE, [])
        effect = pddl.Effect([], pddl.Truth(), reached)
        actions.append(pddl.Action(model.GOAL_ACTION, [], 0, goal, [effect], 0))
        goal = reached
    predicates = [
        pddl.Predicate(name, [pddl.TypedObject(f"?x{place}", "object") for place in range(arity)])
        for name, arity in {**arities, model.EQUALITY: 2}.items()
    ]
    task = pddl.Task(
        *(domain.name, problem.name, None, [], [], predicates, [], []),
        *(pddl.Truth() if goal is None else goal, actions, axioms, problem.minimize_cost),
    )
    try:
        with _refusing_large("the domain", domain.file, None):
            _add_axioms(task, expander, exact=exact)
        goal = None if goal is None else task.goal
        translator.build_DNF(task)
        translator.split_disjunctions(task)
        translator.eliminate_existential_quantifiers(task)
    except (Exception, SystemExit) as error:  # our checks should leave nothing to complain about
        if isinstance(error, MemoryError | BeelineError):
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        message = f"cannot understand the task: {reason[:200]}"
        raise BeelineError(message, problem.file) from error
    changed = frozenset(e.literal.predicate for a in task.actions for e in a.effects)
    changed |= domain.derived_predicates().union(axiom.name for axiom in task.axioms)
    task.axioms = [a for a in task.axioms if not isinstance(a.condition, pddl.Falsity)]
    task.actions = [a for a in task.actions if not isinstance(a.precondition, pddl.Falsity)]
    for action in task.actions:
        possible = [e for e in action.effects if not isinstance(e.condition, pddl.Falsity)]
        action.effects = possible
    return model.NormalizedTask(
        problem,
        tuple(_lift_action(action) for action in task.actions),
        None if goal is None else _lift_conjunction(goal),
        changed,
        tuple(_lift_axiom(axiom) for axiom in task.axioms),
        task,
        exact,
    )


def _is_conjunction(goal: Any) -> bool:
    parts = goal.parts if isinstance(goal, pddl.Conjunction) else [goal]
    return all(isinstance(part, pddl.Literal | pddl.conditions.ConstantCondition) for part in parts)


def _add_axioms(task: Any, expander: Expander, *, exact: bool) -> None:
    """Make universal parts of conditions and, if exact, a goal that is no conjunction, axioms."""
    if exact:
        task.goal = task.goal.uniquify_variables({}).simplified()
    known = len(task.axioms)
    translator.eliminate_universal_quantifiers(task)
    if exact and not isinstance(task.goal, pddl.Truth):
        translator.substitute_complicated_goal(task)
    for axiom in task.axioms[known:]:
        expander.count(axiom.condition)


@contextmanager
def _refusing_large(what: str, file: str, line: int | None) -> Iterator[None]:
    try:
        yield
    except TooLargeError as error:
        hint = "use fewer disjunctions and quantifiers"
        raise UnsupportedError(f"{what} is too large: {error}", file, line, hint) from None


def _expanded(schema: model.ActionSchema, expander: Expander) -> Any:
    file = expander.problem.domain.file
    with _refusing_large(f"a condition of action '{schema.name}'", file, schema.line):
        effects = []
        for effect in model.lasting(schema.effects):
            condition = expander.expand(effect.condition)
            parameters = [pddl.TypedObject(*pair) for pair in effect.parameters]
            effects.append(pddl.Effect(parameters, condition, _literal(effect.literal)))
        precondition = expander.expand(schema.precondition)
    parameters = [pddl.TypedObject(*pair) for pair in schema.parameters]
    shape = (schema.name, parameters, len(parameters))
    return pddl.Action(*shape, precondition, effects, schema.cost)


def _expanded_axiom(axiom: model.Axiom, expander: Expander) -> Any:
    file = expander.problem.domain.file
    with _refusing_large(f"the condition of '{axiom.predicate}'", file, axiom.line):
        condition = expander.expand(axiom.condition)
    parameters = [pddl.TypedObject(*pair) for pair in axiom.parameters]
    return pddl.Axiom(axiom.predicate, parameters, len(parameters), condition)


def _lift_action(action: Any) -> model.LiftedAction:
    effects = [
        model.LiftedEffect(
            _pairs(effect.parameters),
            _lift_conjunction(effect.condition),
            _lift_literal(effect.literal),
        )
        for effect in action.effects
    ]
    precondition = _lift_conjunction(action.precondition)
    shape = (_pairs(action.parameters), action.num_external_parameters)
    return model.LiftedAction(action.name, *shape, precondition, tuple(effects), action.cost)


def _lift_axiom(axiom: Any) -> model.LiftedAction:
    parameters, external = _pairs(axiom.parameters), axiom.num_external_parameters
    head = model.LiftedLiteral(axiom.name, tuple(name for name, _ in parameters[:external]), False)
    condition = _lift_conjunction(axiom.condition)
    effects = (model.LiftedEffect((), (), head),)
    return model.LiftedAction(axiom.name, parameters, external, condition, effects, None)


def _pairs(parameters: list[Any]) -> tuple[tuple[str, str], ...]:
    return tuple((parameter.name, parameter.type_name) for parameter in parameters)


def _lift_conjunction(condition: Any) -> tuple[model.LiftedLiteral, ...]:
    if isinstance(condition, pddl.Literal):
        return (_lift_literal(condition),)
    return tuple(_lift_literal(part) for part in condition.parts)


def _literal(literal: model.LiftedLiteral) -> Any:
    return (pddl.NegatedAtom if literal.negated else pddl.Atom)(literal.predicate, literal.args)


def _lift_literal(literal: Any) -> model.LiftedLiteral:
    return model.LiftedLiteral(literal.predicate, literal.args, literal.negated)


MAX_CANDIDATES = 100_000
MAX_WORK = 2_000_000  # about ten seconds
CHECK = 10  # the work of a check besides that for pairs of effects; a remembered outcome is 1


class InvariantSearch:
    """One search; `work` tells how much was done."""

    def __init__(self, task: Any, reachable: dict[Any, list[tuple[int, ...]]]) -> None:
        self._checker = invariant_finder.BalanceChecker(task, reachable)
        self._parts: list[Any] = []
        self._numbers: dict[Any, int] = {}  # of parts
        self._parts_of: dict[str, int] = {}  # predicate: the bits of its parts
        # action, parts: whether it keeps them, and the parts that could be missing if not
        self._outcomes: dict[tuple[Any, int], tuple[bool, list[int]]] = {}
        self._queue: deque[tuple[int, list[Any]]] = deque()
        self._seen: set[int] = set()
        self.work = 0
        self._predicates = {
            action: tuple(dict.fromkeys(effect.literal.predicate for effect in action.effects))
            for action in self._checker.action_to_heavy_action
        }
        for candidate in invariant_finder.get_initial_invariants(task):
            self._enqueue(0, self._number(*candidate.parts), [])

    def run(self) -> Iterator[list[Any]]:
        """The parts of each invariant, in the order in which they are met."""
        while self._queue and self.work < MAX_WORK:
            candidate, actions = self._queue.popleft()
            for place, action in enumerate(actions):
                balanced, missing = self._outcome(action, candidate)
                if not balanced:
                    for part in missing:  # what the candidate could be instead
                        self._enqueue(candidate, part, actions[place:])
                    break
            else:  # all actions keep it
                yield self._parts_in(candidate)

    def _outcome(self, action: Any, candidate: int) -> tuple[bool, list[int]]:
        relevant = 0
        for predicate in self._predicates[action]:
            relevant |= self._parts_of.get(predicate, 0)
        key = action, candidate & relevant
        outcome = self._outcomes.get(key)
        if outcome is None:
            outcome = self._outcomes[key] = self._check(action, self._parts_in(key[1]))
        self.work += 1
        return outcome

    def _check(self, action: Any, parts: list[Any]) -> tuple[bool, list[int]]:
        invariant = invariant_finder.invariants.Invariant(parts)
        heavy = self._checker.get_heavy_action(action)
        effects = [e for e in heavy.effects if e.literal.predicate in invariant.predicates]
        self.work += CHECK + len(effects) ** 2
        if invariant._operator_too_heavy(heavy):
            return False, []
        refined: list[Any] = []
        unbalanced = invariant._operator_unbalanced(action, refined.append)
        added = [each.parts - invariant.parts for each in refined]
        return not unbalanced, [self._number(*new) for new in added]

    def _enqueue(self, origin: int, part: int, actions: list[Any]) -> None:
        """Put the origin with one more part into the queue, with the actions to be checked."""
        candidate = origin | 1 << part
        if candidate not in self._seen and len(self._seen) < MAX_CANDIDATES:
            self._seen.add(candidate)
            threats = self._checker.get_threats(self._parts[part].predicate)
            self._queue.append((candidate, list(dict.fromkeys([*actions, *threats]))))

    def _number(self, part: Any) -> int:
        number = self._numbers.setdefault(part, len(self._parts))
        if number == len(self._parts):
            self._parts.append(part)
            known = self._parts_of.get(part.predicate, 0)
            self._parts_of[part.predicate] = known | 1 << number
        return number

    def _parts_in(self, candidate: int) -> list[Any]:
        found = []
        while candidate:
            lowest = candidate & -candidate
            found.append(self._parts[lowest.bit_length() - 1])
            candidate ^= lowest
        return found


COUNTED = -1
MAX_KEPT = 16  # sets of actions whose invariants are kept
MAX_KEPT_ACTIONS = 200  # in each of them: memory is for other things
_kept: dict[Any, list[Invariant]] = {}


def find_invariants(
    normalized: model.NormalizedTask, equal_pairs: Sequence[Collection[tuple[int, int]] | None]
) -> list[Invariant]:
    """The invariants, each a sorted tuple of parts `(predicate, arguments)`.

    An argument is the number of an invariant parameter, or -1 for the counted position.
    `equal_pairs[i]` holds the positions p < q of parameters of action i that are equal in at
    least one reachable instance; None says that the action has no reachable instance.

    >>> from beeline import pddl
    >>> domain = pddl.parse_domain('''(define (domain d) (:predicates (at ?r))
    ...   (:action go :parameters (?a ?b) :precondition (at ?a)
    ...    :effect (and (not (at ?a)) (at ?b))))''')
    >>> problem = pddl.parse_problem(domain, '''(define (problem t) (:domain d)
    ...   (:objects x y) (:init (at x)) (:goal (at y)))''')
    >>> find_invariants(pddl.normalize(problem), [[]])
    [(('at', (-1,)),)]
    """
    task = normalized.translator_task
    predicates = tuple((each.name, len(each.arguments)) for each in task.predicates)
    pairs = tuple(None if each is None else tuple(each) for each in equal_pairs)
    key = (normalized.actions, predicates, pairs)
    found = _kept.get(key)
    if found is None:
        found = _search_for_invariants(task, pairs)
        if len(_kept) >= MAX_KEPT:
            _kept.clear()
        if len(normalized.actions) <= MAX_KEPT_ACTIONS:
            _kept[key] = found
    return list(found)


def _search_for_invariants(
    task: Any, equal_pairs: Sequence[Collection[tuple[int, int]] | None]
) -> list[Invariant]:
    reachable: dict[Any, list[tuple[int, ...]]] = {}
    for action, pairs in zip(task.actions, equal_pairs, strict=True):
        different = tuple(range(len(action.parameters)))
        equal = [(*different[:q], p, *different[q + 1 :]) for p, q in pairs or ()]
        reachable[action] = [] if pairs is None else [different, *equal]
    found = InvariantSearch(task, reachable).run()
    return [tuple(sorted((part.predicate, part.args) for part in parts)) for parts in found]
