"""What learning gives: a scorer, how to search with it, and where it comes from.

A linear policy as a heuristic: estimates of the cost-to-go, and logits of children.

Linear models of colours within model files, with every check that loading needs.
"""

from __future__ import annotations

from array import array
from dataclasses import asdict, dataclass, fields, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.models.colours.graph import STATUSES, BaseColours
from beeline.models.colours.operators import (
    LARGEST_WEIGHT,
    operator_lines,
    operator_parts,
    operators_from_parts,
    strongest_operator_features,
)
from beeline.models.colours.operators import PART as OPERATORS
from beeline.models.colours.scorer import CONTEXT, DISTANCE, EXTRAS, FF, WLLinear, check_rows
from beeline.models.families import LearnedModel
from beeline.models.model_file import refuse
from beeline.planning.model import Score, SearchStyle
from beeline.planning.result import evaluation_work

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from beeline._native import Evaluator, States
    from beeline.models.colours.renamed import Reading
    from beeline.models.model_file import Header
    from beeline.pddl.matching import Matching
    from beeline.pddl.model import Domain
    from beeline.planning.model import Model, Reason
    from beeline.planning.python_heuristics import Heuristic
    from beeline.task.ground_task import GroundTask
    from beeline.task.states import StateBatch

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WLPolicy:
    """What makes a score a policy: logits of children, and the constant that the score lacks.

    The probability of a child is the softmax of `logits` over all children of its parent. The
    score plus `intercept` is an estimate of the cost-to-go.
    """

    logits: WLLinear
    intercept: float


@dataclass(frozen=True, eq=False)
class ColourModel(LearnedModel):
    """A linear score of the colours of one domain's states.

    `policy` is there if the loss was one of policies.
    """

    signature: dict[str, Any]
    scorer: WLLinear
    style: SearchStyle
    summary: dict[str, Any]
    seed: int
    package_version: str
    policy: WLPolicy | None = None
    reading: Reading | None = None  # of tasks of another domain; no part of its file

    @property
    def base_colours(self) -> BaseColours:
        """What the base colours of the scorer stand for."""
        names = (self.signature[part] for part in ("types", "constants", "predicates"))
        return BaseColours.named(*names)

    @property
    def ignored(self) -> list[str]:
        """Predicates whose atoms the colours do not see."""
        return [self.base_colours.predicates[number] for number in self.scorer.ignored]

    def __repr__(self) -> str:
        return (
            f"<ColourModel {self.domain_name}: {self.scorer.num_features} features, "
            f"{self.scorer.rounds} rounds>"
        )

    @property
    def has_preferred(self) -> bool:
        """Whether it ranks operators, or prefers those of costs in context."""
        ranked = self.scorer.operators is not None or self.scorer.in_context
        return ranked and self.policy is None

    @property
    def needs_operators(self) -> bool:
        """Whether it asks relaxed plans, or costs in context; colours need atoms alone."""
        return self.policy is not None or self.scorer.relaxes or self.scorer.in_context

    def _heuristic_for(self, task: GroundTask) -> Heuristic | Evaluator:
        if self.policy is not None:
            return PolicyEvaluator(self, task)
        return self.scorer.evaluator(task, reading=self.reading)

    def renamed(self, matching: Matching, domain: Domain) -> Model | None:
        """The same model for a domain that says the same in other words, if it can be had."""
        from beeline.models.colours.renamed import renamed_model

        return renamed_model(self, matching, domain)

    def score(self, task: GroundTask, states: States) -> Score:
        """The sum of weights, computed from that of the parent state."""
        work = evaluation_work(task, colours=True, relaxation=self.scorer.relaxes)
        evaluator = self.scorer.evaluator(task, reading=self.reading)
        preferring = evaluator if self.has_preferred else None
        operators = self.scorer.operators
        reserve = operators is not None and operators.reserve
        return Score(evaluator, work, preferring, others_wait=self.has_preferred, reserve=reserve)

    def reasons(self, task: GroundTask, states: States, ids: NDArray[Any]) -> list[list[Reason]]:
        """Why the score changes from each state to the next: counts that changed, in words."""
        from beeline.models.colours.words import reasons

        return reasons(self, task, states, ids)

    def _kind(self) -> dict[str, Any]:
        scorer = self.scorer
        return {
            "rounds": scorer.rounds,
            "neighbours": "multiset" if scorer.multiset else "set",
            "ignored": self.ignored,
            "chains": scorer.chains,
            "colours": len(scorer.weights),
            "features": scorer.num_features,
            "uses_h_ff": scorer.relaxes,
            "uses_distance": scorer.extra == DISTANCE,
            "uses_context": scorer.in_context,
            "policy": self.policy is not None,
            "operators": 0 if scorer.operators is None else len(scorer.operators.weights),
            "style": asdict(self.style),
        }

    def describe(self, top: int | None = None) -> dict[str, Any]:
        """What it is, as plain values; with `top`, also its signature and strongest features."""
        from beeline.models.colours.words import legend, strongest_features

        told = super().describe(top)
        if top is not None:
            weight = self.scorer.extra_weight / 2**self.scorer.shift
            told[WEIGHT_WORDS[self.scorer.extra]] = weight
            told["top"] = [feature._asdict() for feature in strongest_features(self, top)]
            if self.scorer.operators is not None:
                ranked = strongest_operator_features(self, top)
                told["top_operators"] = [feature._asdict() for feature in ranked]
            told["reading"] = legend(self)
        return told

    def _rows(self) -> Iterator[tuple[str, str]]:
        scorer, told = self.scorer, self._kind()
        style = ", ".join(name for name, chosen in told["style"].items() if chosen)
        chains = ", chains to goals" if scorer.chains else ""
        what = f"colours of {scorer.rounds} rounds, neighbour {told['neighbours']}s{chains}"
        yield "encoder", what
        if self.ignored:
            yield "not looked at", f"{', '.join(self.ignored)}: true of most pairs of a kind"
        yield "features", f"{told['features']:,} with a weight, of {told['colours']:,} colours"
        if self.policy is not None:
            yield "policy", f"logits of children from {self.policy.logits.num_features:,} features"
        if scorer.operators is not None:
            where = ", in tasks of millions of operators" if scorer.operators.reserve else ""
            yield "operators", f"ranked by {len(scorer.operators.weights):,} features{where}"
        yield "search style", style or "plain"

    def lines(self, top: int, *, legend: bool) -> Iterator[str]:
        """The same for readers, line by line."""
        from beeline.models.colours.words import feature_lines

        yield from super().lines(top, legend=legend)
        yield from operator_lines(self, top)
        yield from feature_lines(self, top, with_legend=legend)

    def parts(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """What its file holds."""
        scorer = self.scorer
        header = {
            "signature": self.signature,
            "encoder": {
                "name": ENCODER,
                "base_colours": scorer.base_colours,
                "rounds": scorer.rounds,
                "neighbours": "multiset" if scorer.multiset else "set",
                **({"ignored": self.ignored} if scorer.ignored else {}),
                **({"chains": True} if scorer.chains else {}),
                **({"extra": scorer.extra} if scorer.extra != FF else {}),
            },
            "model": {"name": MODEL, "ff_weight": scorer.extra_weight, "shift": scorer.shift},
            "style": asdict(self.style),
            **self.origin(),
        }
        arrays = _to_arrays(scorer)
        if scorer.operators is not None:
            header[OPERATORS], more = operator_parts(scorer.operators)
            arrays.update({f"{OPERATORS}_{name}": numbers for name, numbers in more.items()})
        if self.policy is not None:
            logits = self.policy.logits
            header[POLICY] = {
                "ff_weight": logits.extra_weight,
                "shift": logits.shift,
                "intercept": self.policy.intercept,
            }
            arrays.update(_to_arrays(logits, f"{POLICY}_"))
        return header, arrays


class PolicyEvaluator:
    """The heuristic and the policy of a model for one task; `beeline.solve` takes it as it is."""

    has_policy = True

    def __init__(self, model: ColourModel, task: GroundTask) -> None:
        if model.policy is None:
            raise BeelineError(
                f"the model of {model.domain_name} has no policy",
                hint="'beeline learn --loss policy' makes one that has",
            )
        # Batches come without the parents of their states: nothing to update scores from.
        scorers, reading = (model.scorer, model.policy.logits), model.reading
        self._score, self._logits = (
            each.evaluator(task, incremental=False, reading=reading) for each in scorers
        )
        self._intercept = model.policy.intercept
        self.proves_dead_ends = self._score.proves_dead_ends

    def evaluate(self, batch: StateBatch) -> Floats:
        """Estimates of the cost-to-go, infinity for dead ends: float64[n]."""
        return self._score.evaluate(batch.states, batch.ids) + self._intercept

    def evaluate_policy(self, batch: StateBatch) -> tuple[Floats, Floats]:
        """The estimates, and the logits of the states among their siblings: two float64[n].

        The probability of a child is the softmax of the logits over all children of its parent;
        dead ends have the logit -infinity, thus no share in it.
        """
        import numpy as np

        h = self.evaluate(batch)
        logits = self._logits.evaluate(batch.states, batch.ids)
        return h, np.where(np.isfinite(h) & np.isfinite(logits), logits, -np.inf)


ENCODER = "wl-colours"
WEIGHT_WORDS = {FF: "h_ff_weight", DISTANCE: "distance_weight", CONTEXT: "context_weight"}
MODEL = "wl-linear"
NEIGHBOURS = {"set": False, "multiset": True}  # word -> WLLinear.multiset
MOST_ROUNDS = 16
POLICY = "policy"  # a part of the header, and how the names of its arrays begin
LARGEST_INTERCEPT = 1e12


def from_parts(reader: Header, arrays: Mapping[str, Any]) -> ColourModel:
    """The model of a header and arrays that may have been made by anybody."""
    reader.word("encoder", "name", [ENCODER])
    if any(not isinstance(numbers, array) for numbers in arrays.values()):
        refuse("its weights are no whole numbers", reader.file)
    arrays_of: dict[str, dict[str, array[int]]] = {"": {}, POLICY: {}, OPERATORS: {}}
    for name, numbers in arrays.items():
        part = next((it for it in (POLICY, OPERATORS) if name.startswith(f"{it}_")), "")
        arrays_of[part][name.removeprefix(f"{part}_")] = numbers
    scorer = _to_scorer(reader, arrays_of[""], "model")
    policy = None
    if reader.has(POLICY) or arrays_of[POLICY]:
        policy = WLPolicy(
            _to_scorer(reader, arrays_of[POLICY], POLICY),
            reader.real(POLICY, "intercept", -LARGEST_INTERCEPT, LARGEST_INTERCEPT),
        )
    signature = reader.signature()
    if reader.has(OPERATORS) or arrays_of[OPERATORS]:
        scores = operators_from_parts(reader, arrays_of[OPERATORS], signature, len(scorer.weights))
        scorer = replace(scorer, operators=scores)
    style = reader.part("style")
    known = {each.name for each in fields(SearchStyle)}
    reader.require(style.keys() == known, "the fields of 'style'")
    reader.require(all(isinstance(value, bool) for value in style.values()), "'style'")
    base = BaseColours.named(*(signature[part] for part in ("types", "constants", "predicates")))
    names = reader.part("encoder").get("ignored", [])
    known_names = {name: number for number, name in enumerate(base.predicates)}
    fine = isinstance(names, list) and all(
        isinstance(it, str) and it in known_names for it in names
    )
    reader.require(fine and len({*names}) == len(names), "'ignored' of 'encoder'")
    ignored = tuple(known_names[name] for name in names)
    chains = reader.part("encoder").get("chains", False)
    reader.require(type(chains) is bool, "'chains' of 'encoder'")
    extra = reader.part("encoder").get("extra", FF)
    reader.require(extra in EXTRAS, "'extra' of 'encoder'")
    scorer = scorer.seeing(ignored, chains=chains, extra=extra)
    policy = policy and replace(
        policy, logits=policy.logits.seeing(ignored, chains=chains, extra=extra)
    )
    model = ColourModel(signature, scorer, SearchStyle(**style), *reader.origin(), policy)
    if model.base_colours.count != scorer.base_colours:
        counts = f"{scorer.base_colours:,} base colours instead of {model.base_colours.count:,}"
        refuse(f"it has {counts} for its domain", reader.file)
    for each in [scorer] if policy is None else [scorer, policy.logits]:
        _check_meaning(model, each, reader.file)
    return model


def _check_meaning(model: ColourModel, scorer: WLLinear, file: str) -> None:
    """Refuse a table whose colours mean nothing in the model's domain."""
    base, parameters = model.base_colours, model.signature["predicates"]
    arities = [len(parameters.get(name, ())) for name in base.predicates]
    starts, items = scorer.table_starts, scorer.table_items
    try:
        check_rows(len(base.kinds), arities, len(STATUSES), starts, items)
    except ValueError as error:
        refuse(str(error), file)


def _to_arrays(scorer: WLLinear, prefix: str = "") -> dict[str, Any]:
    """The rows of the colour table without what their lengths and neighbour sets imply."""
    import numpy as np

    starts, items = np.asarray(scorer.table_starts), np.asarray(scorer.table_items)
    place = np.arange(len(items)) - np.repeat(starts[:-1], np.diff(starts))
    arrays = {
        "own_colours": items[place == 0],
        "neighbours": np.diff(starts) // 2,  # of each row
        "keys": items[place % 2 == 1],
        "weights": scorer.weights,
    }
    if scorer.multiset:
        arrays["counts"] = items[(place > 0) & (place % 2 == 0)]
    return {f"{prefix}{name}": numbers for name, numbers in arrays.items()}


def _to_scorer(reader: Header, arrays: Mapping[str, array[int]], part: str) -> WLLinear:
    """The scorer whose fixed point is in this part of the header."""
    multiset = NEIGHBOURS[reader.word("encoder", "neighbours", list(NEIGHBOURS))]
    base_colours = reader.number("encoder", "base_colours", 1, 2**24)
    expected = {"own_colours", "neighbours", "keys", "weights", *(["counts"] if multiset else [])}
    if arrays.keys() != expected:
        refuse(f"it has the arrays {', '.join(sorted(arrays))}", reader.file)
    own, neighbours, keys = arrays["own_colours"], arrays["neighbours"], arrays["keys"]
    counts = arrays["counts"] if multiset else array("q", [1]) * len(keys)
    weights = arrays["weights"]
    rows_fit = len(own) == len(neighbours) and _within(neighbours, 0, len(keys))
    if not rows_fit or sum(neighbours) != len(keys) or len(counts) != len(keys):
        refuse("the lengths of its rows do not fit its arrays", reader.file)
    if len(weights) != base_colours + len(own):
        refuse(f"{len(weights):,} weights for {base_colours + len(own):,} colours", reader.file)
    if not _within(weights, -LARGEST_WEIGHT, LARGEST_WEIGHT):
        refuse("a weight is too large", reader.file)
    if not all(_within(numbers, 0, 2**31 - 1) for numbers in (own, keys, counts)):
        refuse("a colour has a number that is out of range", reader.file)
    starts, items, taken = array("q", [0]), array("i"), 0
    for colour, number in zip(own, neighbours, strict=True):
        its = slice(taken, taken + number)
        items.append(colour)
        items.extend(chain.from_iterable(zip(keys[its], counts[its], strict=True)))
        starts.append(len(items))
        taken += number
    scorer = WLLinear(
        base_colours=base_colours,
        rounds=reader.number("encoder", "rounds", 0, MOST_ROUNDS),
        multiset=multiset,
        table_starts=starts,
        table_items=items,
        weights=weights,
        extra_weight=reader.number(part, "ff_weight", -LARGEST_WEIGHT, LARGEST_WEIGHT),
        shift=reader.number(part, "shift", 0, 62),
    )
    try:
        scorer.table()
    except ValueError as error:
        refuse(str(error), reader.file)
    return scorer


def _within(numbers: array[int], low: int, high: int) -> bool:
    return low <= min(numbers, default=low) and max(numbers, default=high) <= high
