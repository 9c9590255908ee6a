"""The search for lifted invariants: the translator's candidates and checks, in fewer steps.

A candidate is a set of parts, atoms with one counted argument at most. It is discarded if an
action can add two of its atoms at once, and refined if an action adds one without deleting
another: what the action deletes tells which parts could be missing. The translator (Helmert,
"Concise finite-domain representations for PDDL planning tasks", 2009) then checks each refined
candidate against all actions that add one of its predicates, which for n actions that hand on a
token is n^3 checks. Two things make this search quick:

- A refined candidate is checked only against actions for which the new part makes a difference:
  those that add it, the one that failed, and those that its origin was not yet checked against.
- The outcome for an action depends only on parts whose predicates are in the action's effects, so
  it is remembered by these parts. A candidate is a number with a bit for each part.

It ends when a budget of work is spent, which is the same on every machine; tasks of competitions
need about a thousandth of it.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from beeline.pddl.translator import initial_invariants, make_balance_checker, make_invariant

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

MAX_CANDIDATES = 100_000
MAX_WORK = 2_000_000  # about ten seconds
CHECK = 10  # the work of a check besides that for pairs of effects; a remembered outcome is 1


class InvariantSearch:
    """One search; `work` tells how much was done."""

    def __init__(self, task: Any, reachable: dict[Any, list[tuple[int, ...]]]) -> None:
        self._checker = make_balance_checker(task, reachable)
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
        for candidate in initial_invariants(task):
            self._enqueue(0, self._number(*candidate.parts), [])

    def run(self) -> Iterator[list[Any]]:
        """The parts of each invariant, in the order in which they are met."""
        while self._queue and self.work < MAX_WORK:
            candidate, actions = self._queue.popleft()
            if self._is_balanced(candidate, actions):
                yield self._parts_in(candidate)

    def _is_balanced(self, candidate: int, actions: list[Any]) -> bool:
        """Whether all actions keep a candidate; what it could be instead is enqueued."""
        for place, action in enumerate(actions):
            balanced, missing = self._outcome(action, candidate)
            if not balanced:
                for part in missing:
                    self._enqueue(candidate, part, actions[place:])
                return False
        return True

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
        invariant = make_invariant(parts)
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
