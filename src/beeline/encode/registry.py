"""The encoder families by name: how labelled states and states of a search become inputs.

A family is a module with three functions: `vocabulary(domain)`, what a network's sizes depend
on; `dataset_inputs(vocabulary, instances)` for training; `search_inputs(vocabulary, task,
states)` for planning. Both kinds of inputs give the same batches for the same states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

from beeline.core.errors import BeelineError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.encode.instances import InstanceStates
    from beeline.pddl.model import Domain
    from beeline.task.ground_task import GroundTask

ENCODERS = {
    "gomoluch": "four numbers: goal count, h_FF, effects that its relaxed plan ignores",
    "relational": "tensors over objects, one for each arity, with the goal and types",
    "hypergraph": "facts as vertices, delete-relaxed operators as hyperedges",
    "hyperclasses": "the same by schemas of actions, equal neighbourhoods once",
}


class VocabularyOf(Protocol):
    """What the sizes of a network depend on; a model file stores it."""

    def to_json(self) -> dict[str, Any]:
        """The vocabulary as plain values."""


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

    def vocabulary(self, domain: Domain) -> VocabularyOf:
        """The vocabulary of a domain."""

    def vocabulary_from_json(self, content: dict[str, Any]) -> VocabularyOf:
        """The vocabulary that a model file stores."""

    def dataset_inputs(self, vocabulary: Any, instances: Sequence[InstanceStates]) -> Inputs:
        """The inputs of labelled states, instance after instance."""

    def search_inputs(self, vocabulary: Any, task: GroundTask, states: States) -> SearchInputs:
        """The inputs of the states of a running search."""


def encoder_family(name: str) -> EncoderFamily:
    """The family of a name.

    >>> encoder_family("gomoluch").__name__
    'beeline.encode.gomoluch'
    >>> encoder_family("gomolch")
    Traceback (most recent call last):
    beeline.core.errors.BeelineError: unknown encoder 'gomolch': there are ... (hint: did you mean
    'gomoluch'?)
    """
    from importlib import import_module

    if name not in ENCODERS:
        from beeline.pddl.source import suggestion

        raise BeelineError(
            f"unknown encoder '{name[:60]}': there are {', '.join(ENCODERS)}",
            hint=suggestion(name, ENCODERS),
        )
    return cast("EncoderFamily", import_module(f"beeline.encode.{name}"))
