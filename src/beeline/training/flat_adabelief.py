"""AdaBelief (Zhuang et al., "AdaBelief optimizer: adapting stepsizes by the belief in observed
gradients", NeurIPS 2020, algorithm 2).

    m = b1 m + (1 - b1) g,  s = b2 s + (1 - b2) (g - m)² + eps
    w = (1 - lr decay) w - lr (m / (1 - b1^t)) / (√(s / (1 - b2^t)) + eps)

Steps are long where gradients are what the moving mean foretold, and short where they are not.
All else is as in `FlatAdamW`: the weights lie in one vector, and a step is a dozen operations
however many parameters there are.
"""

from __future__ import annotations

import torch

from beeline.training.flat_adamw import BETAS, NORM_EPSILON, FlatAdamW

EPSILON = 1e-16


class FlatAdaBelief(FlatAdamW):
    """AdaBelief, to be used like `FlatAdamW`; its second moment is that of the surprise g - m."""

    @torch.no_grad()
    def step(self, number: int) -> None:
        """Take step number 1, 2, ... with the gradients there are, scaled down to the clip."""
        gradients, first, second = self._gradients, self._first, self._second
        if self._clip is not None:
            norm = torch.linalg.vector_norm(gradients)
            gradients.mul_((self._clip / (norm + NORM_EPSILON)).clamp_(max=1.0))
        first.lerp_(gradients, 1.0 - BETAS[0])
        gradients.sub_(first)
        second.mul_(BETAS[1]).addcmul_(gradients, gradients, value=1.0 - BETAS[1]).add_(EPSILON)
        bias_first, bias_second = 1.0 - BETAS[0] ** number, 1.0 - BETAS[1] ** number
        width = second.sqrt().div_(bias_second**0.5).add_(EPSILON)
        self._weights.mul_(self._decay)
        self._weights.addcdiv_(first, width, value=-self._learning_rate / bias_first)
        gradients.zero_()
