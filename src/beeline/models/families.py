"""The encoder families by name: how labelled states and states of a search become inputs.

A family is a module with three functions: `vocabulary(domain)`, what a network's sizes depend
on; `dataset_inputs(vocabulary, instances)` for training; `search_inputs(vocabulary, task,
states)` for planning. Both kinds of inputs give the same batches for the same states.

The neural networks by name: how each is made, and what it takes.

What all families of models share of the contract `beeline.planning.model.Model`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, cast

from beeline.core.errors import BeelineError, install_hint, look_up
from beeline.models.training_words import examined, learned_from
from beeline.planning.model import check_fits, fits

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from beeline._native import Evaluator, States
    from beeline.data.instances import InstanceStates
    from beeline.models.model_file import Header
    from beeline.models.network import Network
    from beeline.models.neural_model import NeuralModel
    from beeline.pddl.matching import Matching
    from beeline.pddl.model import Domain
    from beeline.planning.model import Model, Reason, Score, SearchStyle
    from beeline.planning.python_heuristics import Heuristic
    from beeline.task.ground_task import GroundTask

    Shapes = dict[str, tuple[int, ...]]


class LearnedModel(ABC):
    """A model with its origin; families are frozen dataclasses that have these fields and more.

    `signature` says which domains it fits, as `beeline.pddl.model` gives it. `summary` of the
    training holds plain values, no times or dates: equal runs give equal models to the last byte.
    """

    signature: dict[str, Any]
    summary: dict[str, Any]
    seed: int
    package_version: str
    has_distribution: ClassVar[bool] = False  # to take estimates from

    if TYPE_CHECKING:  # a field of some families, which must not find a default here

        @property
        def style(self) -> SearchStyle:
            """How `plan` searches with it unless told otherwise."""

    @property
    def domain_name(self) -> str:
        """The name of the domain that the model was learned in."""
        return str(self.signature["name"])

    @property
    def has_heuristic(self) -> bool:
        """Whether it can be asked for values."""
        return True

    @property
    def has_preferred(self) -> bool:
        """Whether it can be asked for preferred operators."""
        return False

    @property
    def needs_operators(self) -> bool:
        """Whether it can score states only where all operators are written down."""
        return True

    def fits(self, domain: Domain) -> bool:
        """Whether it can score the states of a domain's tasks."""
        return fits(self, domain)

    def renamed(self, matching: Matching, domain: Domain) -> Model | None:
        """The same model for a domain that says the same in other words; most have none."""
        return None

    def heuristic_for(self, task: GroundTask) -> Heuristic | Evaluator:
        """Its heuristic of one task, as `solve` takes it; a task that does not fit is refused."""
        check_fits(self, task.problem.domain)
        return self._heuristic_for(task)

    @abstractmethod
    def _heuristic_for(self, task: GroundTask) -> Heuristic | Evaluator:
        """The same for a task of a domain that fits."""

    @abstractmethod
    def score(self, task: GroundTask, states: States) -> Score:
        """What `plan` searches the states of one task with."""

    def with_estimate(self, estimate: str, quantile: float | None = None) -> Model:
        """The same model with another point estimate of its distribution."""
        raise BeelineError(
            "the model gives a score, and no distribution to estimate a cost from",
            hint="leave the estimate and the quantile out",
        )

    def reasons(self, task: GroundTask, states: States, ids: NDArray[Any]) -> list[list[Reason]]:
        """Why the score changes from each state to the next; most families cannot tell."""
        return []

    def describe(self, top: int | None = None) -> dict[str, Any]:
        """What it is, as plain values; with `top`, also its signature and strongest features."""
        told = {"domain": self.domain_name, **self._kind(), **self.origin()}
        return told if top is None else {**told, "signature": self.signature}

    @abstractmethod
    def _kind(self) -> dict[str, Any]:
        """What its family says in a description."""

    def lines(self, top: int, *, legend: bool) -> Iterator[str]:
        """The same for readers, line by line."""
        signature = self.signature
        counts = ", ".join(
            f"{len(signature[part])} {part if len(signature[part]) != 1 else part[:-1]}"
            for part in ("predicates", "actions", "types", "constants")
            if signature[part]
        )
        told = (("training", learned_from(self.summary)), ("exam", examined(self.summary)))
        rows = (
            ("domain", f"{self.domain_name}: {counts}"),
            *self._rows(),
            *((name, words) for name, words in told if words),
            ("seed", str(self.seed)),
            ("made by", f"Beeline {self.package_version}"),
        )
        return (f"{name:<13} {value}" for name, value in rows)

    @abstractmethod
    def _rows(self) -> Iterator[tuple[str, str]]:
        """What its family says to readers: names and values."""

    @abstractmethod
    def parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What its file holds: a header of plain values, and arrays by name."""

    def origin(self) -> dict[str, Any]:
        """The last entries of every header and description: training, seed, version."""
        return {
            "training": self.summary,
            "seed": self.seed,
            "package_version": self.package_version,
        }

    def _repr_html_(self) -> str:
        from beeline.pages.notebook import model_html

        return model_html(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all."""
        from beeline.models.model_file import save

        save(self, path)


ENCODERS = {
    "gomoluch": "four numbers: goal count, h_FF, effects that its relaxed plan ignores",
    "relational": "tensors over objects, one for each arity, with the goal and types",
    "hypergraph": "facts as vertices, delete-relaxed operators as hyperedges",
    "hyperclasses": "the same by schemas of actions, equal neighbourhoods once",
    "grid": "channels over the cells of a grid, which is found in the static facts",
}
FOLDERS = dict(zip(ENCODERS, ("features", "nlm", "hgn", "hgconv", "grid"), strict=True))


class Inputs(Protocol):
    """The inputs of all labelled states of a dataset, for one family of models."""

    def __len__(self) -> int: ...

    def batch(self, rows: NDArray[np.int64]) -> Any:
        """What a network takes for these rows, int64[n]."""


class SearchInputs(Protocol):
    """The inputs of registered states of one task."""

    def batch(self, ids: NDArray[np.uint32]) -> Any:
        """What a network takes for these states, uint32[n]."""


class EncoderFamily(Protocol):
    """What the module of a family offers."""

    def vocabulary(self, domain: Domain) -> Any:
        """The vocabulary of a domain; its `to_json()` is what a model file stores."""

    def vocabulary_from_json(self, content: dict[str, Any]) -> Any:
        """The vocabulary that a model file stores."""

    def dataset_inputs(self, vocabulary: Any, instances: Sequence[InstanceStates]) -> Inputs:
        """The inputs of labelled states, instance after instance."""

    def search_inputs(self, vocabulary: Any, task: GroundTask, states: States) -> SearchInputs:
        """The inputs of the states of a running search."""


def encoder_family(name: str) -> EncoderFamily:
    """The family of a name.

    >>> encoder_family("gomoluch").__name__
    'beeline.models.features.encoding'
    >>> encoder_family("gomolch")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: unknown encoder 'gomolch': there are ... (hint: did you mean
    'gomoluch'?)
    """
    look_up("encoder", name, ENCODERS)
    return cast("EncoderFamily", import_module(f"beeline.models.{FOLDERS[name]}.encoding"))


class Scorer(Protocol):
    """A network bound to the states of one search."""

    def __call__(self, ids: NDArray[np.uint32]) -> NDArray[np.float32]:
        """Raw outputs of these states, float32[n, heads]; infinite or NaN for dead ends."""


class NetworkEntry(NamedTuple):
    """A network: how it is made, and how it is used without training.

    `encoder` is the family of inputs that it takes, `learning_rate` the one to train it with.
    `make(vocabulary, heads, generator=..., **options)` draws weights from the generator alone.
    `shapes(model)` are those of the weights in its file, by name; an error of any kind if its sizes
    make no sense. `bind(model, task, states)` is the network for the states of one search, and
    `work(task)` what a state costs on a usual machine, in microseconds. `exact`: the vocabulary
    must be the one of the task's domain, bodies of actions included.
    """

    name: str
    summary: str
    encoder: str
    learning_rate: float
    make: Callable[..., Network]
    shapes: Callable[[NeuralModel], Shapes]
    bind: Callable[[NeuralModel, GroundTask, States], Scorer]
    work: Callable[[GroundTask], float]
    exact: bool = True


def _part(encoder: str, function: str, module: str = "encoding") -> Callable[..., Any]:
    """A function of the folder of an encoder; nothing is imported before its use."""

    def call(*arguments: Any, **options: Any) -> Any:
        home = import_module(f"beeline.models.{FOLDERS[encoder]}.{module}")
        return getattr(home, function)(*arguments, **options)

    return call


NETWORKS = {
    name: NetworkEntry(
        name,
        summary,
        encoder,
        learning_rate,
        _part(encoder, "NETWORK", "network"),
        _part(encoder, "shapes"),
        _part(encoder, "bind"),
        _part(encoder, "work"),
        exact=name != "nlm",
    )
    for name, encoder, learning_rate, summary in (
        ("linear", "gomoluch", 1e-2, "linear regression on four features"),
        ("nlm", "relational", 1e-2, "neural logic machine on tensors over objects"),
        ("hgn", "hypergraph", 1e-3, "STRIPS hypergraph network"),
        ("hgconv", "hyperclasses", 1e-3, "convolutions over facts and operators"),
        ("coat", "grid", 1e-3, "convolutions and attention over the cells of a grid"),
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
    return look_up("network", name, NETWORKS)


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


def vocabulary_of(model: NeuralModel) -> Any:
    """The vocabulary of a model's encoder."""
    return encoder_family(model.encoder).vocabulary_from_json(model.vocabulary)


def require_options(model: NeuralModel, *names: str) -> list[Any]:
    """The options of a model's network; an error unless they have these names."""
    if model.options.keys() != set(names):
        raise ValueError(f"its options are {', '.join(sorted(model.options)) or 'missing'}")
    return [model.options[name] for name in names]


def model_of(header: Header, arrays: Mapping[str, NDArray[Any]]) -> Model:
    """What `from_parts` of its family makes of a model's header and arrays."""
    homes = {"wl-linear": "colours.model", "resnet": "resnet.model"}
    kind = header.word("model", "name", ["wl-linear", *NETWORKS, "resnet"])
    home = import_module(f"beeline.models.{homes.get(kind, 'neural_model')}")
    model: Model = home.from_parts(header, arrays)
    return model


def require_torch() -> None:
    """Raise an error that names the extra if torch is not installed."""
    from importlib.util import find_spec

    if find_spec("torch") is None:
        what = "neural models need torch, which is not installed"
        raise BeelineError(what, hint=install_hint("neural"))
