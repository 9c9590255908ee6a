"""Networks of one state space: a heuristic, preferred operators, or both.

Unlike the other models, which know a whole domain, this one knows a single task, with any initial
state. Source: Minini, "Discovering and learning preferred operators for classical planning with
neural networks" (2023).

The networks of a state space as a heuristic and as preferred operators, batch by batch.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from beeline.core.errors import BeelineError
from beeline.models.families import LearnedModel
from beeline.models.model_file import refuse
from beeline.models.neural_model import LARGEST_OPTION, check_arrays
from beeline.models.resnet.encoding import (
    NAME,
    FrozenResNet,
    PropositionalVocabulary,
    correspondence,
    shapes,
)
from beeline.planning.model import Score, SearchStyle, check_fits
from beeline.planning.python_heuristics import PythonHeuristic
from beeline.planning.result import evaluation_work

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from beeline._native import States
    from beeline.models.model_file import Header
    from beeline.task.ground_task import GroundTask
    from beeline.task.states import StateBatch

    Weights = dict[str, NDArray[np.float32]]


NETWORK = "resnet"
NETWORKS = ("heuristic", "operators")


@dataclass(frozen=True, eq=False)
class TaskModel(LearnedModel):
    """A learned model of one state space.

    `signature` says which domains it fits, `vocabulary` which tasks. `heuristic` and `operators`
    are the weights of residual networks with `hidden` units in a layer, named as in
    `beeline.models.resnet.encoding`; at least one of them is there.
    """

    signature: dict[str, Any]
    vocabulary: PropositionalVocabulary
    hidden: int
    heuristic: Weights | None
    operators: Weights | None
    summary: dict[str, Any]
    seed: int
    package_version: str

    def __post_init__(self) -> None:
        if self.heuristic is None and self.operators is None:
            raise BeelineError("a model without networks")

    @property
    def network(self) -> str:
        """The kind of its networks."""
        return NETWORK

    @property
    def networks(self) -> dict[str, Weights]:
        """The networks that there are, by name."""
        named = zip(NETWORKS, (self.heuristic, self.operators), strict=True)
        return {name: weights for name, weights in named if weights is not None}

    @property
    def num_weights(self) -> int:
        """All weights of all networks."""
        return sum(array.size for each in self.networks.values() for array in each.values())

    @property
    def has_heuristic(self) -> bool:
        """Whether it can be asked for values."""
        return self.heuristic is not None

    @property
    def has_preferred(self) -> bool:
        """Whether it can be asked for preferred operators."""
        return self.operators is not None

    @property
    def style(self) -> SearchStyle:
        """How `plan` searches with it: with a second queue if it knows preferred operators."""
        return SearchStyle(rollout=False, preferred=self.has_preferred, symmetry=False)

    def __repr__(self) -> str:
        return (
            f"<TaskModel {self.domain_name}: {len(self.vocabulary.facts)} facts,"
            f" {' and '.join(self.networks)}>"
        )

    def _heuristic_for(self, task: GroundTask) -> TaskEvaluator:
        return (PreferringEvaluator if self.has_preferred else TaskEvaluator)(self, task)

    def score(self, task: GroundTask, states: States) -> Score:
        """Its own values, or those of h_FF if it knows nothing but preferred operators."""
        heuristic = self._heuristic_for(task)
        evaluator = PythonHeuristic(heuristic).evaluator(task, states)
        if self.has_heuristic:
            return Score(evaluator, heuristic.work, evaluator if self.has_preferred else None)
        from beeline import _native

        work = heuristic.work + evaluation_work(task, colours=False, relaxation=True)
        return Score(_native.make_heuristic("ff", task.native), work, evaluator)

    def _kind(self) -> dict[str, Any]:
        """It has no features that could be told one by one."""
        return {
            "encoder": {"name": NAME, "vocabulary": self.vocabulary.to_json()},
            "network": {
                "name": self.network,
                "options": {"hidden": self.hidden},
                "weights": self.num_weights,
                "networks": list(self.networks),
            },
            "uses_h_ff": False,
        }

    def _rows(self) -> Iterator[tuple[str, str]]:
        words = self.vocabulary
        yield "state space", f"{len(words.facts):,} facts, {len(words.operators):,} operators"
        yield "goal", ", ".join(words.goal[:5]) + (" ..." if len(words.goal) > 5 else "")
        yield "networks", f"{' and '.join(self.networks)}, {self.hidden} hidden units"
        yield "sizes", f"{self.num_weights:,} weights"

    def parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What its file holds."""
        header = {
            "signature": self.signature,
            "encoder": {"name": NAME, "vocabulary": self.vocabulary.to_json()},
            "model": {"name": NETWORK, "hidden": self.hidden, "networks": list(self.networks)},
            **self.origin(),
        }
        arrays = {
            f"{network}.{name}": array
            for network, weights in self.networks.items()
            for name, array in weights.items()
        }
        return header, arrays


def from_parts(reader: Header, arrays: Mapping[str, NDArray[Any]]) -> TaskModel:
    """The model of a header and arrays that may have been made by anybody."""
    reader.word("encoder", "name", [NAME])
    vocabulary = _checked_vocabulary(reader)
    hidden = reader.number("model", "hidden", 1, LARGEST_OPTION)
    allowed = (list(NETWORKS), *([name] for name in NETWORKS))
    heads = {"heuristic": 1, "operators": len(vocabulary.operators)}
    expected = {}
    for network in reader.entry("model", "networks", lambda value: value in allowed):
        reader.require(heads[network] > 0, "'operators' of the vocabulary")
        for name, shape in shapes(len(vocabulary.facts), heads[network], hidden).items():
            expected[f"{network}.{name}"] = shape
    check_arrays(NETWORK, expected, arrays, reader.file)
    parts: dict[str, Weights] = {name: {} for name in NETWORKS}
    for key, array in arrays.items():
        network, _, name = key.partition(".")
        parts[network][name] = array
    heuristic, operators = (parts[name] or None for name in NETWORKS)
    signature, origin = reader.signature(), reader.origin()
    return TaskModel(signature, vocabulary, hidden, heuristic, operators, *origin)


def _checked_vocabulary(reader: Header) -> PropositionalVocabulary:
    content = reader.entry("encoder", "vocabulary")
    try:
        vocabulary = PropositionalVocabulary.from_json(content)
    except (ValueError, TypeError, KeyError) as error:
        refuse(f"its vocabulary cannot be read: {error!r:.200}", reader.file)
    if json.loads(json.dumps(vocabulary.to_json())) != content:
        refuse("its vocabulary has parts that mean nothing", reader.file)
    return vocabulary


def training_lines(summary: dict[str, Any]) -> Iterator[str]:
    """A line about the training of each network.

    >>> samples = {"operators": {"samples": 500, "max_depth": 17}}
    >>> networks = {"operators": {"epochs": 120, "best_epoch": 20, "bce": 0.0112}}
    >>> print(*training_lines({"samples": samples, "networks": networks}))
    operators: 500 samples, up to 17 steps from the goal; best after 20 of 120 epochs: bce 0.0112
    """
    for name, network in summary["networks"].items():
        samples = summary["samples"][name]
        metric = "mse" if "mse" in network else "bce"
        yield (
            f"{name}: {samples['samples']:,} samples, up to {samples['max_depth']} steps from the"
            f" goal; best after {network['best_epoch']:,} of {network['epochs']:,} epochs:"
            f" {metric} {network[metric]:.4g}"
        )


CERTAIN = 0.9  # outputs above are preferred operators even where another one is higher
_CERTAIN_RAW = np.float32(np.log(CERTAIN / (1.0 - CERTAIN)))
LARGEST = 1e12  # the value of a state whose network overflows: to be looked at last


class TaskEvaluator:
    """The heuristic of a model for one task; `beeline.solve` takes it as it is."""

    def __init__(self, model: TaskModel, task: GroundTask) -> None:
        check_fits(model, task.problem.domain)
        self.model = model
        self._fit = correspondence(model.vocabulary, task)
        self._heuristic: FrozenResNet | None = None
        if model.heuristic is not None:
            self._heuristic = FrozenResNet(model.heuristic, self._fit.facts, self._fit.constant)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.model!r}>"

    @property
    def work(self) -> float:
        """What a state costs on a usual machine, in microseconds."""
        return 10.0 + 2e-4 * self.model.num_weights

    def evaluate(self, batch: StateBatch) -> NDArray[np.float64]:
        """Estimates of the cost-to-go, relu(raw), not rounded: float64[n]."""
        if self._heuristic is None:
            raise BeelineError(
                "the model knows preferred operators, and no heuristic",
                hint="take it for preferred operators, with another heuristic",
            )
        raw = self._heuristic(batch.states.facts(batch.ids))[:, 0].astype(np.float64)
        values: NDArray[np.float64] = np.fmin(np.maximum(raw, 0.0), LARGEST)
        return values


class PreferringEvaluator(TaskEvaluator):
    """The same with preferred operators."""

    def __init__(self, model: TaskModel, task: GroundTask) -> None:
        super().__init__(model, task)
        assert model.operators is not None
        self._operators = FrozenResNet(model.operators, self._fit.facts, self._fit.constant)

    def preferred(self, batch: StateBatch) -> list[list[int]]:
        """For each state the applicable operator with the highest output, and all above 0.9.

        A network may give its highest output to an operator that is not applicable. To look at
        applicable ones only comes nearer to the expansions that the literature reports in most
        state spaces, though not in all, than to look at all and prefer nothing in such a state.
        """
        rows = []
        outputs = self._operators(batch.states.facts(batch.ids))
        for state, raw in zip(batch.ids.tolist(), outputs, strict=True):
            operators = batch.states.applicable(state)
            values = raw[self._fit.operators[operators]]
            chosen = values > _CERTAIN_RAW
            best = self.best(values, raw) if len(values) else None
            if best is not None:
                chosen[best] = True
            rows.append(operators[chosen].tolist())
        return rows

    def best(self, values: NDArray[np.float32], raw: NDArray[np.float32]) -> int | None:
        """The place of the best one among the outputs of applicable operators, if any.

        `raw` are the outputs of all operators.
        """
        return int(values.argmax())
