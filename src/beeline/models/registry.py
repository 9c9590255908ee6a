"""The neural networks by name: how each is made, and what it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from beeline.core.errors import BeelineError
from beeline.core.extras import install_hint

if TYPE_CHECKING:
    import torch

    from beeline.models.network import Network


class Maker(Protocol):
    """Makes a network whose weights come from the generator alone."""

    def __call__(
        self, vocabulary: Any, heads: int, *, generator: torch.Generator, **options: Any
    ) -> Network:
        """A network for a vocabulary."""


class NetworkEntry(NamedTuple):
    """A network and its properties.

    `encoder` is the family of inputs that it takes, `learning_rate` the one to train it with.
    """

    name: str
    summary: str
    encoder: str
    learning_rate: float
    make: Maker


def _linear(vocabulary: Any, heads: int, *, generator: torch.Generator, **options: Any) -> Network:
    from beeline.models.linear_features import LinearFeatures

    return LinearFeatures(vocabulary, heads, generator=generator, **options)


def _nlm(vocabulary: Any, heads: int, *, generator: torch.Generator, **options: Any) -> Network:
    from beeline.models.nlm import NeuralLogicMachine

    return NeuralLogicMachine(vocabulary, heads, generator=generator, **options)


def _hgn(vocabulary: Any, heads: int, *, generator: torch.Generator, **options: Any) -> Network:
    from beeline.models.hgn import StripsHgn

    return StripsHgn(vocabulary, heads, generator=generator, **options)


def _hgconv(vocabulary: Any, heads: int, *, generator: torch.Generator, **options: Any) -> Network:
    from beeline.models.hypergraph_convolution import HypergraphConvolution

    return HypergraphConvolution(vocabulary, heads, generator=generator, **options)


NETWORKS = {
    entry.name: entry
    for entry in (
        NetworkEntry("linear", "linear regression on four features", "gomoluch", 1e-2, _linear),
        NetworkEntry(
            "nlm", "neural logic machine on tensors over objects", "relational", 1e-2, _nlm
        ),
        NetworkEntry("hgn", "STRIPS hypergraph network", "hypergraph", 1e-3, _hgn),
        NetworkEntry(
            "hgconv", "convolutions over facts and operators", "hyperclasses", 1e-3, _hgconv
        ),
    )
}


def network_entry(name: str) -> NetworkEntry:
    """The entry of a network.

    >>> network_entry("linear").encoder
    'gomoluch'
    >>> network_entry("lineal")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: unknown network 'lineal': there are ... (hint: did you mean
    'linear'?)
    """
    entry = NETWORKS.get(name)
    if entry is None:
        from beeline.pddl.source import suggestion

        raise BeelineError(
            f"unknown network '{name[:60]}': there are {', '.join(NETWORKS)}",
            hint=suggestion(name, NETWORKS),
        )
    return entry


def make_network(name: str, vocabulary: Any, heads: int, *, seed: int, **options: Any) -> Network:
    """A network with weights drawn by `seed`; equal arguments make equal weights.

    `heads` is 1 (mu) or 2 (mu and raw sigma). The global random state of torch is left alone.

    >>> network = make_network("linear", None, 2, seed=1)
    >>> network.options(), [tuple(each.shape) for each in network.parameters()]
    ({}, [(2, 4), (2,)])
    """
    entry = network_entry(name)
    require_torch()
    import torch

    return entry.make(vocabulary, heads, generator=torch.Generator().manual_seed(seed), **options)


def require_torch() -> None:
    """Raise an error that names the extra if torch is not installed."""
    from importlib.util import find_spec

    if find_spec("torch") is None:
        raise BeelineError(
            "neural models need torch, which is not installed",
            hint=install_hint("neural"),
        )
