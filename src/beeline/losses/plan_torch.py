"""Losses of plans for torch: the values and slopes of `beeline.losses.ranking` as one operation.

There is one implementation of each loss, in NumPy. Its slopes are exact, so that torch only has to
carry them on into the network.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from beeline.losses.plan_graph import PlanGraph
    from beeline.losses.ranking import PlanLoss


class _WithSlopes(torch.autograd.Function):
    """A value that was computed elsewhere, as a function of scores with known slopes."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, value: Tensor, slopes: Tensor) -> Tensor:
        ctx.save_for_backward(slopes)
        return value

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, None, None]:
        (slopes,) = ctx.saved_tensors
        return gradients[0] * slopes, None, None


def plan_loss_value(scores: Tensor, loss: PlanLoss, graph: PlanGraph) -> Tensor:
    """The loss of one plan, float64[]; scores are [count], or [count, 2] where it takes a policy.

    Scores of any precision are taken; all work is float64.

    >>> from beeline.losses.plan_graph import plan_graph
    >>> from beeline.losses.ranking import plan_loss
    >>> rows = [
    ...     {"state": 0, "step": 0, "on_path": True, "g": 0, "h_star": 1.0},
    ...     {"state": 1, "step": 1, "on_path": True, "g": 1, "h_star": 0.0},
    ...     {"state": 2, "step": 1, "on_path": False, "g": 1},
    ... ]
    >>> h = torch.zeros(3, requires_grad=True)
    >>> value = plan_loss_value(h, plan_loss("rank-gbfs"), plan_graph(rows).graph)
    >>> value.backward()
    >>> round(value.item(), 4), h.grad.tolist()
    (0.6931, [0.0, 0.5, -0.5])
    """
    value, slopes = loss(scores.detach().double().cpu().numpy(), graph)
    apply = cast("Callable[..., Tensor]", _WithSlopes.apply)  # torch leaves it untyped
    return apply(
        scores.double(),
        torch.tensor(value, dtype=torch.float64, device=scores.device),
        torch.from_numpy(np.ascontiguousarray(slopes)).to(scores.device),
    )
