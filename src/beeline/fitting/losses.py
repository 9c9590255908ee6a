"""The losses by name, with what each compares."""

from __future__ import annotations

from typing import NamedTuple

from beeline.core.errors import BeelineError, look_up


class LossEntry(NamedTuple):
    """A loss and its properties.

    `ranking`: compares pairs of states, and the zero point of its scores means nothing;
    otherwise it is a regression on the cost-to-go. `alpha` is the weight of the difference in g
    within a pair. `open_lists`: compares with the whole Open list, not only with the siblings.
    `siblings`: uses states beside the plan at all. `lower_bound`: needs an admissible heuristic.
    `plan`: is a sum over one plan that `beeline.fitting.ranking` computes, for any model.
    `columns`: how many scores it wants of each state; the second one is a policy's logit.
    """

    name: str
    summary: str
    ranking: bool = True
    alpha: float = 0.0
    open_lists: bool = False
    siblings: bool = True
    lower_bound: bool = False
    plan: bool = False
    columns: int = 1

    @property
    def families(self) -> bool:
        """Whether it looks at the children of each plan state, and at costs-to-go."""
        return self.siblings and not self.ranking


LOSSES = {
    entry.name: entry
    for entry in (
        LossEntry("rank-siblings", "each plan state below its siblings and below its parent"),
        LossEntry(
            "rank-gbfs", "each plan state below the Open list, by h", open_lists=True, plan=True
        ),
        LossEntry(
            "rank-astar",
            "each plan state below the Open list, by g + h",
            alpha=1.0,
            open_lists=True,
            plan=True,
        ),
        LossEntry(
            "rank-trajectory",
            "each plan state below the one before it",
            siblings=False,
            plan=True,
        ),
        LossEntry(
            "l2", "squared error of the cost-to-go", ranking=False, siblings=False, plan=True
        ),
        LossEntry(
            "bellman",
            "the best child at least 1 below its parent, within one to two times the cost-to-go",
            ranking=False,
            plan=True,
        ),
        LossEntry(
            "policy",
            "likelihood of each step of the plan, and squared error of the cost-to-go",
            ranking=False,
            plan=True,
            columns=2,
        ),
        LossEntry(
            "truncated-gaussian",
            "likelihood of the cost-to-go under a Gaussian cut off below at LM-cut",
            ranking=False,
            siblings=False,
            lower_bound=True,
        ),
    )
}
DEFAULT_LOSS = "rank-siblings"


def loss_entry(name: str) -> LossEntry:
    """The entry of a loss.

    >>> loss_entry("rank-astar").alpha
    1.0
    >>> loss_entry("ranking")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: unknown loss 'ranking': there are rank-siblings, rank-gbfs,
    rank-astar, rank-trajectory, l2, bellman, policy, truncated-gaussian (hint: ...)
    """
    return look_up("loss", name, LOSSES, f"take '{DEFAULT_LOSS}'")


def plan_loss_entry(name: str) -> LossEntry:
    """The entry of a loss that any model can learn from a plan.

    >>> plan_loss_entry("policy").columns
    2
    """
    entry = loss_entry(name)
    if not entry.plan:
        names = [each.name for each in LOSSES.values() if each.plan]
        raise BeelineError(
            f"the loss '{name}' is not one of plans: these are {', '.join(names)}",
            hint=f"take '{names[1]}'",
        )
    return entry
