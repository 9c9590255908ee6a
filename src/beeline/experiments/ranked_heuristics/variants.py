"""What a network is trained for, as one word: a loss, what it corrects, and orders of plans.

`rank-astar` is the loss with all that it has by itself; `rank-astar+lmcut` adds the network's
output to LM-cut; `rank-astar+4merged` learns from up to four orders of each plan, merged.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from beeline.core.errors import BeelineError
from beeline.training.plan_losses import FIRST, MERGED, SEPARATE

if TYPE_CHECKING:
    from beeline.learning.training_aims import Aim

RANK_ASTAR, RANK_GBFS, TRAJECTORY, SQUARED = "rank-astar", "rank-gbfs", "rank-trajectory", "l2"
BELLMAN, POLICY, TRUNCATED = "bellman", "policy", "rank-truncated"
GAUSSIAN = "truncated-gaussian"
TITLES = {
    RANK_ASTAR: "L*",
    RANK_GBFS: "L_gbfs",
    TRAJECTORY: "L_rt",
    SQUARED: "L_2",
    BELLMAN: "L_be",
    POLICY: "L_le",
    TRUNCATED: "E[x] ranked",
    GAUSSIAN: "truncated Gaussian",
}
RESIDUALS = {"lmcut": "LM-cut residual", "ff": "FF residual", "none": "no residual"}
_ORDERS = {"merged": MERGED, "apart": SEPARATE}


class Variant(NamedTuple):
    """A kind of training; `residual` None is what the loss has by itself."""

    loss: str
    residual: str | None = None
    orders: int = 1  # of each plan, at most
    way: str = FIRST  # to learn from several

    @classmethod
    def parse(cls, word: str) -> Variant:
        """The training that a word means.

        >>> Variant.parse("rank-astar+lmcut+4merged")
        Variant(loss='rank-astar', residual='lmcut', orders=4, way='merged')
        >>> Variant.parse("rank-truncated").title
        'E[x] ranked'
        """
        pattern = r"(?P<loss>[^+]+)(\+(?P<base>[a-z]+))?(\+(?P<count>[2-9])(?P<way>[a-z]+))?"
        match = re.fullmatch(pattern, word)
        if (
            match is None
            or match["loss"] not in TITLES
            or match["base"] not in (None, *RESIDUALS)
            or match["way"] not in (None, *_ORDERS)
        ):
            raise BeelineError(
                f"'{word[:60]}' is no training of this experiment",
                hint=f"one of {', '.join(TITLES)}, perhaps with one of +{', +'.join(RESIDUALS)},"
                " then +4merged or +4apart for several orders of plans",
            )
        if match["way"] is None:
            return cls(match["loss"], match["base"])
        if match["loss"] == GAUSSIAN:
            raise BeelineError(
                f"'{word[:60]}': the likelihood of single states has no orders of plans",
                hint="leave the orders out",
            )
        return cls(match["loss"], match["base"], int(match["count"]), _ORDERS[match["way"]])

    @property
    def word(self) -> str:
        """What `parse` takes."""
        found = self.loss if self.residual is None else f"{self.loss}+{self.residual}"
        if self.way == FIRST:
            return found
        return f"{found}+{self.orders}{'merged' if self.way == MERGED else 'apart'}"

    @property
    def title(self) -> str:
        """The training in words.

        >>> Variant("rank-astar", "ff", 4, "separate").title
        'L*, FF residual, 4 orders apart'
        """
        words = [TITLES[self.loss]]
        if self.residual is not None:
            words.append(RESIDUALS[self.residual])
        if self.way != FIRST:
            words.append(f"{self.orders} orders {'merged' if self.way == MERGED else 'apart'}")
        return ", ".join(words)

    @property
    def with_first_orders(self) -> Variant:
        """The same with one order of each plan."""
        return Variant(self.loss, self.residual)

    @property
    def states(self) -> Variant:
        """One training for all that take the same states of a dataset.

        Which these are depends on the heuristics of the model: what they prove to be a dead end
        is left out.

        >>> Variant("rank-gbfs").states.word, Variant("rank-truncated", "lmcut").states.word
        ('l2', 'rank-truncated')
        """
        if self.loss == GAUSSIAN:
            return self
        bounded = self.loss == TRUNCATED or self.residual == "lmcut"
        way = FIRST if self.way == FIRST else MERGED
        base = "ff" if self.residual == "ff" else None
        return Variant(TRUNCATED if bounded else SQUARED, base, self.orders, way)

    def aim(self) -> Aim:
        """What is learned from states."""
        from beeline.learning.training_aims import chosen_aim

        orders = None if self.way == FIRST else self.way
        return chosen_aim(self.loss, residual=self.residual, orders=orders)
