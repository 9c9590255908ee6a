"""What a network is trained for, as one word: a loss, what it corrects, and orders of plans.

`rank-astar` is the loss with all that it has by itself; `rank-astar+lmcut` adds the network's
output to LM-cut; `rank-astar+4merged` learns from up to four orders of each plan, merged.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from beeline.core.errors import BeelineError
from beeline.fitting.plan_losses import FIRST, MERGED, SEPARATE

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
    def settings(self) -> dict[str, str | None]:
        """What `train` is told."""
        orders = None if self.way == FIRST else self.way
        return {"loss": self.loss, "residual": self.residual, "orders": orders}
