"""What all neural networks have in common: initial weights, sums of rows, scores in searches.

Torch's own gradients of gathers scatter row by row. `row_sums` knows the transposed lists, so that
both directions are one pass of the fast kernel behind `embedding_bag`.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from beeline.models.families import make_network

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from beeline.models.rows import Rows

    Slopes = Callable[[NDArray[np.float32]], tuple[float, NDArray[np.float32]]]

Options = dict[str, "int | float | str | bool"]


class Network(nn.Module):
    """A network from batches of encoded states to raw outputs."""

    _options: Options

    @abstractmethod
    def forward(self, batch: Any) -> Tensor:
        """Raw outputs of a batch: float32[n, heads], mu first, then raw sigma."""

    def set_gradients(
        self, batch: Any, loss: Callable[[Tensor], Tensor], slopes: Slopes | None = None
    ) -> Tensor | float:
        """Set the gradients of the loss of the raw outputs, which are zero before; the loss.

        `slopes`, where there is a formula, has the same loss with its slopes by the raw outputs.
        """
        raw = self(batch)
        if slopes is None:
            value = loss(raw)
            value.backward()  # type: ignore[no-untyped-call]
            return value.detach()
        known, by_raw = slopes(raw.detach().numpy())
        raw.backward(torch.from_numpy(by_raw))
        return known

    def options(self) -> Options:
        """What else it takes to make this network again, as plain values."""
        return dict(self._options)


class _EmptyLinear(nn.Linear):
    def reset_parameters(self) -> None:
        """Nothing: torch would draw from its global generator."""


def linear_layer(
    inputs: int, outputs: int, *, generator: torch.Generator, bias: bool = True
) -> nn.Linear:
    """A linear layer with torch's default initial weights, drawn from the generator alone.

    Weights and biases are uniform in [-1/√inputs, 1/√inputs].

    >>> layer = linear_layer(4, 1, generator=torch.Generator().manual_seed(0))
    >>> bool(layer.weight.abs().max() <= 0.5)
    True
    """
    layer = _EmptyLinear(inputs, outputs, bias=bias)
    uniform(layer.weight, inputs, generator)
    if bias:
        uniform(layer.bias, inputs, generator)
    return layer


def uniform(parameter: Tensor, inputs: int, generator: torch.Generator) -> None:
    """Fill a parameter as torch fills those of a linear layer with this many inputs."""
    limit = 1.0 / max(inputs, 1) ** 0.5
    with torch.no_grad():
        parameter.uniform_(-limit, limit, generator=generator)


def row_sums(values: Tensor, lists: Rows, transposed: Callable[[], Rows]) -> Tensor:
    """For each list the weighted sum of its rows of `values`: [rows, k] to [lists, k].

    `transposed()` has for each row the lists that it is in; only gradients need it.

    >>> import numpy as np
    >>> from beeline.models.rows import Rows
    >>> lists = Rows(np.array([0, 2, 2]), np.array([0, 2]))
    >>> back = Rows(np.array([0, 1, 1, 2]), np.array([0, 0]))
    >>> row_sums(torch.tensor([[1.0], [2.0], [3.0]]), lists, lambda: back).tolist()
    [[4.0], [0.0]]
    """
    result: Tensor = _RowSums.apply(values, lists, transposed)  # type: ignore[no-untyped-call]
    return result


class _RowSums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, lists: Rows, transposed: Callable[[], Rows]) -> Tensor:
        ctx.transposed = transposed
        return plain_sums(values, lists)

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor, None, None]:
        return plain_sums(slopes[0].contiguous(), ctx.transposed()), None, None


def plain_sums(values: Tensor, lists: Rows) -> Tensor:
    """The same without gradients."""
    if not len(lists.items):
        return values.new_zeros(len(lists.starts) - 1, values.shape[1])
    return functional.embedding_bag(
        torch.from_numpy(lists.items),
        values,
        torch.from_numpy(lists.starts),
        mode="sum",
        per_sample_weights=None if lists.weights is None else torch.from_numpy(lists.weights),
        include_last_offset=True,
    )


def frozen_network(
    name: str,
    vocabulary: Any,
    heads: int,
    options: Mapping[str, Any],
    weights: Mapping[str, NDArray[np.float32]],
) -> Callable[[Any], NDArray[np.float32]]:
    """A network with these weights: batches of inputs to raw outputs float32[n, heads].

    >>> import numpy as np
    >>> ones = {"layer.weight": np.ones((1, 4), np.float32), "layer.bias": np.ones(1, np.float32)}
    >>> network = frozen_network("linear", None, 1, {}, ones)
    >>> network(np.ones((2, 4), np.float32)).tolist()
    [[5.0], [5.0]]
    """
    network = make_network(name, vocabulary, heads, seed=0, **options)
    network.load_state_dict({key: torch.from_numpy(array) for key, array in weights.items()})
    network.requires_grad_(requires_grad=False).eval()

    def score(batch: Any) -> NDArray[np.float32]:
        with torch.inference_mode():
            raw: NDArray[np.float32] = network(batch).numpy()
        return raw

    return score
