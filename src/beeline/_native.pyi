"""Beeline's engine: grounding and everything that is done per state."""

from collections.abc import Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Solvability(enum.Enum):
    """What grounding found out about the goal."""

    OPEN = 0
    """Nothing speaks against a plan."""

    GOAL_STATIC = 1
    """A goal literal is false for ever."""

    GOAL_UNREACHED = 2
    """Not even reachable without delete effects."""

    GOAL_MUTEX = 3
    """Two goal literals exclude each other."""

class GroundTask:
    """Finite-domain variables, operators, goal: numbers only, no names."""

    @property
    def solvability(self) -> Solvability: ...

    @property
    def reachable_facts(self) -> int:
        """Relaxed reachable fluent atoms, before any of them was removed."""

    @property
    def reachable_instances(self) -> int:
        """Relaxed reachable action instances, before any of them was removed."""

    @property
    def num_variables(self) -> int: ...

    @property
    def num_values(self) -> int: ...

    @property
    def num_facts(self) -> int: ...

    @property
    def num_operators(self) -> int:
        """
        How many there are; those of unwritten actions as reachable without delete effects.
        """

    @property
    def unwritten_actions(self) -> list[int]:
        """
        Actions that have more operators than fit, which are written down when they are met.
        """

    @property
    def num_written(self) -> int:
        """Operators that are written down by now."""

    @property
    def bulk(self) -> int:
        """Operators, effects with conditions, and axioms."""

    @property
    def num_mutex_groups(self) -> int: ...

    @property
    def num_goals(self) -> int: ...

    @property
    def goal_holds_initially(self) -> bool: ...

    @property
    def domain_sizes(self) -> list[int]:
        """Number of values of each variable."""

    @property
    def offsets(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """First value of each variable, and the end: int32[variables + 1]."""

    @property
    def variable_of(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """int32[values]."""

    @property
    def fact_of(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """The fact of each value, or -1: int32[values]."""

    @property
    def initial_atoms(self) -> list[tuple[int, list[int]]]:
        """The facts of the initial state, as pairs of a predicate and objects."""

    @property
    def negated_fact(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """The fact that a value negates, or -1: int32[values]."""

    @property
    def fact_values(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """The value of each fact: int32[facts]."""

    @property
    def fact_predicates(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """int32[facts]."""

    @property
    def fact_args(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
        """Objects of each fact, as (starts, items)."""

    @property
    def initial(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """A value per variable: int32[variables]."""

    @property
    def goal(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """Values that must hold, ascending: int32[goals]."""

    @property
    def conditions(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
        """Values that each operator needs, ascending, as (starts, items)."""

    @property
    def effects(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None, 3), writable=False)]]:
        """
        (guard or -1, new value, row of `effect_conditions` or -1) of each effect of each
        operator, as (starts, int32[n, 3]).
        """

    @property
    def effect_conditions(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
        """
        Values of other variables that conditional effects need, as (starts, items).
        """

    @property
    def num_axioms(self) -> int: ...

    @property
    def has_axioms(self) -> bool:
        """Whether some variable is derived."""

    @property
    def axiom_conditions(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
        """Values that each axiom needs, ascending, as (starts, items)."""

    @property
    def axiom_values(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """The value that each axiom makes true: int32[axioms]."""

    @property
    def axiom_layers(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """
        The layer of each variable, -1 if it is not derived: int32[variables], or int32[0].
        """

    @property
    def costs(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
        """int64[operators]."""

    @property
    def lowest_cost(self) -> int:
        """Of all operators; 0 if there is none."""

    @property
    def highest_cost(self) -> int:
        """Of all operators; 0 if there is none."""

    @property
    def operator_actions(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """The lifted action of each operator: int32[operators]."""

    @property
    def operator_args(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
        """Objects in each operator's name, as (starts, items)."""

    @property
    def mutex_groups(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]]:
        """
        Values of which at most one holds, across variables, as (starts, items).
        """

    def operator_words(self, operator: int) -> tuple[int, list[int]]:
        """The action and the objects in an operator's name."""

    def operator_conditions(self, operator: int) -> list[int]:
        """The values that one operator needs, ascending."""

    def operator_effects(self, operator: int) -> list[tuple[list[int], int]]:
        """
        The effects of one operator: the values that each needs before, and its new value.
        """

    def operator_cost(self, operator: int) -> int:
        """The cost of one operator."""

    def __getstate__(self) -> bytes: ...

    def __setstate__(self, arg: bytes, /) -> None: ...

def with_goal_orders(task: GroundTask) -> GroundTask | None:
    """
    The task with the same plans and fewer dead ends: operators whose effects last have those
    goals as conditions that could not be reached behind them. None if there is nothing to add.
    """

class Grounder:
    """Makes a ground task from a lifted program."""

    def __init__(self, objects: int, predicates: Sequence[tuple[int, bool, int, bytes, bytes]], actions: Sequence[tuple[int, int, Sequence[int], Sequence[tuple[int, Sequence[int], bool]], Sequence[tuple[Sequence[int], Sequence[tuple[int, Sequence[int], bool]], tuple[int, Sequence[int], bool]]], int, int, Sequence[int]]], axioms: Sequence[tuple[int, int, Sequence[int], Sequence[tuple[int, Sequence[int], bool]], Sequence[tuple[Sequence[int], Sequence[tuple[int, Sequence[int], bool]], tuple[int, Sequence[int], bool]]], int, int, Sequence[int]]], goal: Sequence[tuple[int, Sequence[int], bool]]) -> None: ...

    def explore(self, most: float = float('inf')) -> list[list[tuple[int, int]] | None]:
        """
        Relaxed reachability. Per action: the pairs of parameters that are equal in some
        instance, or None if there is no instance. If the actions have more than `most`
        instances, those with a large share of them stay unwritten.
        """

    def finish(self, invariants: Sequence[tuple[int, Sequence[tuple[int, Sequence[int]]]]], inlined: bool = False) -> GroundTask:
        """
        The ground task, with mutex groups from these lifted invariants. If `inlined`,
        conditions on derived facts are replaced by what these stand for, unless that is too
        much.
        """

class States:
    """The registered states of a task, by number."""

    def __init__(self, task: GroundTask) -> None: ...

    @property
    def initial(self) -> int:
        """The number of the initial state."""

    def __len__(self) -> int: ...

    @property
    def looked_at(self) -> int:
        """
        What finding and making successors has looked at so far, some nanoseconds each.
        """

    @property
    def has_products(self) -> bool:
        """
        Whether some action has very many operators, all combinations of independent parts.
        """

    @property
    def bytes(self) -> int: ...

    def insert(self, values: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """
        Numbers of states given by their values: int32[n, variables] to uint32[n].
        """

    def values(self, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], variables: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """Values of all variables, or of some: int32[n, variables]."""

    def facts(self, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None))]:
        """Which facts are true: uint8[n, facts]."""

    def true_facts(self, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """The true facts of each state, as (starts, items)."""

    def applicable(self, state: int, kinds: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        Applicable operators, in the order of the successors: int32[k]. With the kinds of all objects, of those with the same action and arguments of the same kinds at least the first.
        """

    def successors(self, state: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
        """Applicable operators and the states they lead to: int32[k], uint32[k]."""

class StateSpace:
    """
    All states that are reachable from the initial one, in breadth-first order.
    """

    def __init__(self, task: GroundTask, max_states: int) -> None:
        """Raises an error if there are more states."""

    def __len__(self) -> int: ...

    @property
    def arcs(self) -> int: ...

    @property
    def dead_ends(self) -> int: ...

    @property
    def largest_distance(self) -> int:
        """The largest distance to the goal, of states that reach it."""

    @property
    def distances(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
        """Cost of a cheapest plan, -1 for dead ends: int64[states]."""

    def values(self, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """The value of each variable: uint32[n] to int32[n, variables]."""

    def ideal_operators(self, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """Operators that begin a cheapest plan, as (starts, items)."""

class Evaluator:
    """A heuristic, as searches see it."""

    def evaluate(self, states: States, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Values of states, infinity for dead ends: uint32[n] to float64[n]."""

    @property
    def has_preferred(self) -> bool: ...

    @property
    def work(self) -> float:
        """
        What its values have cost so far, in microseconds of a usual machine: counted,
        not timed. 0 if it does not count.
        """

    @property
    def proves_dead_ends(self) -> bool:
        """Whether infinity is a proof that no plan starts in a state."""

    def preferred(self, states: States, state: int) -> list[int]:
        """Operators that look promising in a state."""

class FFHeuristic(Evaluator):
    """h_FF with its relaxed plans."""

    def __init__(self, task: GroundTask) -> None: ...

    def relaxed_plan(self, states: States, state: int) -> list[int]:
        """The operators of the relaxed plan, each once."""

    def features(self, states: States, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None, 4))]:
        """
        Goal count, h_FF, and the delete effects of the relaxed plan, summed and per
        operator: uint32[n] to float64[n, 4].
        """

def goals_are_ordered(task: GroundTask) -> bool:
    """
    Whether no goal depends on variables that depend on each other in circles, which makes
    the heuristic cea cheap.
    """

class PythonEvaluator(Evaluator):
    """A Python function over state numbers as a heuristic."""

    def __init__(self, function: object, preferred: object | None = None, proves_dead_ends: bool = False) -> None: ...

class CostType(enum.Enum):
    """What a heuristic takes for the cost of an operator."""

    PLAIN = 0

    ONE = 1

    PLUSONE = 2

class LandmarkCountHeuristic(Evaluator):
    """Landmarks that are still to be reached."""

    @property
    def landmarks(self) -> list[list[int]]:
        """
        The values of each landmark, of which one must hold at some time in every plan.
        """

    @property
    def orders(self) -> list[tuple[int, int, str]]:
        """
        (before, after, kind): numbers of landmarks, and reasonable, natural or greedy.
        """

class Novelty(Evaluator):
    """
    How much of a state is new to the evaluators in front of it: 1, 2 or 3.
    """

    def __init__(self, task: GroundTask, width: int = 2) -> None: ...

class HeuristicProperties:
    """What a heuristic promises in every task."""

    @property
    def name(self) -> str: ...

    @property
    def summary(self) -> str: ...

    @property
    def work(self) -> float:
        """The cost of one evaluation, in explorations of the relaxed task."""

    @property
    def admissible(self) -> bool:
        """Never above the cost of a cheapest plan."""

    @property
    def consistent(self) -> bool:
        """Falls by no more than the cost of an operator that is applied."""

    @property
    def safe(self) -> bool:
        """Infinity is a proof that no plan starts in a state."""

    @property
    def integral(self) -> bool:
        """All values are integers."""

    @property
    def preferred(self) -> bool:
        """Has preferred operators."""

    @property
    def uses_costs(self) -> bool:
        """Looks at the costs of operators."""

    @property
    def all_operators(self) -> bool:
        """Looks at all operators: it cannot do with unwritten actions."""

    @property
    def any_costs(self) -> bool:
        """Can take costs for 1, or for one more."""

def heuristic_properties() -> list[HeuristicProperties]:
    """Those of all heuristics, by name."""

def make_heuristic(name: str, task: GroundTask, costs: CostType = CostType.PLAIN, like: Evaluator | None = None) -> Evaluator:
    """A native heuristic by name; `like` is the same one with other costs."""

class ColourGraph:
    """The states of a task as coloured graphs."""

    def __init__(self, task: GroundTask, object_colours: Sequence[int], object_kinds: int, predicates: Sequence[int], constant_atoms: Sequence[tuple[int, Sequence[int]]], goal: Sequence[tuple[int, Sequence[int]]], negative_goal: Sequence[tuple[int, Sequence[int]]]) -> None:
        """
        Atoms are pairs of a predicate of the domain and objects; `predicates` gives the
        domain's predicate for each of the task's, or -1.
        """

    def add_chains(self, goals: Sequence[tuple[int, int]], predicate: int) -> None:
        """
        Adds nodes for goals about two objects, given as pairs, where a third one is related
        to both by true atoms; once, before the graph is used.
        """

    @property
    def objects(self) -> int: ...

    @property
    def atoms(self) -> int:
        """Facts of the task, atoms that never change, and chains."""

class ColourTable:
    """Colours of refinement, each with its number."""

    def __init__(self, base_colours: int, rounds: int, multiset: bool) -> None: ...

    @staticmethod
    def from_rows(base_colours: int, rounds: int, multiset: bool, starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> ColourTable:
        """The table that `rows` described; ValueError if it is none."""

    @property
    def base_colours(self) -> int: ...

    @property
    def rounds(self) -> int: ...

    @property
    def multiset(self) -> bool: ...

    @property
    def size(self) -> int:
        """Base colours and rows."""

    def rows(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """
        Rows of the colours after the base colours: own colour before, then pairs of
        neighbour's colour before * 16 + position, and count.
        """

    def rounds_of(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The round of each colour: int32[size]."""

    def embed(self, graph: ColourGraph, states: States, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], collect: bool = False) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None, None))]]:
        """
        Colour counts of states as sparse rows (starts, colours, counts), and nodes with a
        colour that the table does not have: int32[n, rounds + 1]. With `collect` such
        colours join the table instead.
        """

    def embed_operators(self, graph: ColourGraph, slots: Sequence[tuple[int, int, int, Sequence[int]]], states: States, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], operators: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], collect: bool = False) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """
        What operators look like in states, as sparse rows (starts, slots, colours), colour -1
        where there is no node: `operators[first[i]:first[i + 1]]` are those of state i. Slots
        are (action of the task, number, predicate, arguments: places or ~object); with the
        predicate -1 they are for an argument itself, and with -2 for all atoms around it,
        whose colours come as colour * 16 + position of the argument.
        """

class ColourScore(Evaluator):
    """A linear function of colour counts as a heuristic."""

    def __init__(self, graph: ColourGraph, table: ColourTable, weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shift: int = 0, extra_weight: int = 0, extra: Evaluator | None = None, incremental: bool = True, new_colours: int = 262144, fold_from: int = 256) -> None:
        """
        value = (sum of weights[colour] + extra_weight * extra heuristic) / 2**shift
        Objects that differ by name alone are coloured once if there are `fold_from` of them.
        """

    def approach(self, states: States, parent: int) -> None:
        """Says that the next batch are successors of this state."""

    def rank_operators(self, slots: Sequence[tuple[int, int, int, Sequence[int]]], numbers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], colours: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], shift: int, margin: float = 0.0) -> None:
        """
        Makes it rank operators, by the sum of weights of (slot, colour) / 2**shift; slots are
        those of `ColourTable.embed_operators`.
        """

    def rank(self, states: States, state: int, operators: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[float]:
        """Ranks of operators in a state: the highest ones are preferred."""

class RelationalEncoding:
    """The states of a task as tensors over objects."""

    def __init__(self, objects: int, channels: Sequence[int], facts: Sequence[tuple[int, Sequence[int]]], constants: Sequence[tuple[int, Sequence[int]]]) -> None:
        """
        `channels` counts input predicates by arity. Atoms are pairs of a channel and objects;
        a fact with channel -1 is not shown.
        """

    @property
    def objects(self) -> int: ...

    @property
    def facts(self) -> int: ...

class NeuralLogicMachine:
    """A network over relational tensors; parameters are given to each call."""

    def __init__(self, inputs: Sequence[int], width: int = 8, breadth: int = 3, depth: int = 5, heads: int = 1, distinct: bool = False) -> None: ...

    @property
    def parameters(self) -> int:
        """How many there are."""

    @property
    def matrices(self) -> list[list[int]]:
        """
        For each linear map: layer, arity, place among the parameters, rows and columns; a
        bias of one row follows each matrix.
        """

    def forward(self, parameters: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], encodings: Sequence[RelationalEncoding], encoding_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
        """
        Values of a batch: float32[n, heads]. The true facts of state i are
        items[starts[i]:starts[i + 1]], of the task encodings[encoding_of[i]].
        """

    def backward(self, parameters: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], encodings: Sequence[RelationalEncoding], encoding_of: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], items: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], slopes: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int = 1) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        The gradient of sum(slopes * values) by the parameters, slopes being
        float32[n, heads].
        """

    def evaluate(self, parameters: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], encoding: RelationalEncoding, states: States, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
        """Values of states of a task: uint32[n] to float32[n, heads]."""

class ResNet:
    """A residual network of dense layers, one batch at a time."""

    def __init__(self, inputs: int, heads: int, hidden: int) -> None: ...

    @property
    def num_weights(self) -> int: ...

    def forward(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], facts: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
        """
        Raw outputs float32[n, heads] of facts float32[n, inputs], kept for `gradient`.
        """

    def gradient(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], slopes: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], gradients: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """
        Write the gradient of a function of the last raw outputs, whose slopes are float32[n, heads].
        """

def cross_entropy(raw: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], wanted: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.float32], dict(shape=(None, None))]]:
    """
    The binary cross-entropy of sigmoid(raw), mean over rows and heads, and its slopes;
    wanted of row i are the heads wanted[starts[i]:starts[i + 1]], each once.
    """

def adamw_step(weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], gradients: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], first: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], second: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], number: int, learning_rate: float, weight_decay: float, beta_1: float, beta_2: float, epsilon: float) -> None:
    """Step number 1, 2, ... of AdamW; the gradients are zero afterwards."""

class GridNetwork:
    """Convolutions and attention over the cells of one task."""

    def __init__(self, sizes: Sequence[int], beside: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], position: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], facts: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]], convolutions: Sequence[tuple[Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]]], blocks: Sequence[Sequence[tuple[Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]]]], hidden: tuple[Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]], output: tuple[Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]]) -> None:
        """
        `sizes` are channels, filters, filters of blocks, dimensions of attention, its heads,
        units of the dense layer, and heads. `beside` is int32[9 * cells], `position`
        float32[cells, block filters], `base` float32[cells, channels]; `facts` are starts,
        entries and values of what each adds to it. Weights are pairs of a matrix
        [outputs, taps, inputs] and a bias; a block has a convolution, queries with keys and
        values, and what mixes them.
        """

    @property
    def facts(self) -> int: ...

    def evaluate(self, facts: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
        """Raw outputs of states: uint8[n, facts] to float32[n, heads]."""

class HypergraphConvolution:
    """
    A network over the facts and operators of one task, which knows the state before.
    """

    def __init__(self, facts: int, negated: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], kinds: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], arguments: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], slots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], received: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], sent: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], kind_vectors: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], layers: Sequence[tuple[Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]]], head: tuple[Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]], residual: bool) -> None:
        """
        Vertices are `facts` facts, then those `negated`; `kinds` has a row of `kind_vectors`
        for each that does not hold. Lists are pairs of starts and items: the vertices of each
        hyperedge, in `slots`, and the hyperedges that each vertex receives from and sends to.
        A layer has matrices of slots [slots, width, width], biases of hyperedges
        [edges, width], a matrix [5 * width, width] and a bias [width]; the head has a matrix
        [2 * width, width] and a bias, then a matrix [width, heads] and a bias.
        """

    @property
    def facts(self) -> int: ...

    @property
    def heads(self) -> int: ...

    def evaluate(self, facts: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
        """Raw outputs of states: uint8[n, facts] to float32[n, heads]."""

class Hyperclasses:
    """Vertices and hyperedges of many states, equal ones as one class."""

    def __init__(self, kinds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_actions: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], edge_costs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], layers: Sequence[tuple[Sequence[tuple[int, int, Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]]], tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]]]], states: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None:
        """
        Kinds of the first vertex classes; action and cost of each kind of hyperedges; the
        convolutions; starts, items and shares of the last vertex classes of each state. A
        convolution has groups (first, end, slots) of vertex classes; the products of these
        with the slots, then kinds, that each class of hyperedges sums up; the class before
        of each vertex class; and two lists of hyperedges, with shares, for each of these.
        """

    @property
    def bytes(self) -> int:
        """Memory, more or less."""

    @property
    def vertices(self) -> list[int]:
        """How many vertex classes there are after each convolution."""

class HyperclassNetwork:
    """Hypergraph convolutions of classes, one batch at a time."""

    def __init__(self, layers: int, width: int, heads: int, kinds: int, slots: int, actions: int, residual: bool) -> None: ...

    @property
    def num_weights(self) -> int: ...

    @property
    def runs(self) -> int:
        """How often `forward` was called."""

    def forward(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Hyperclasses) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
        """Raw outputs float32[n, heads], kept for `gradient`."""

    def gradient(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Hyperclasses, slopes: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        The gradient of a function of the last raw outputs, whose slopes are
        float32[n, heads]; weights and classes are those of that call.
        """

class HypergraphNetwork:
    """
    STRIPS-HGN over the facts and operators of one task, which knows the state before.
    """

    def __init__(self, steps: int, facts: int, negated: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], kinds: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], places: int, arguments: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], incoming: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], edge_kinds: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Sequence[Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]], matrices: Sequence[tuple[Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]]], by_place: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)], sizes: Annotated[NDArray[numpy.float32], dict(order='C', device='cpu', writable=False)]) -> None:
        """
        Vertices are `facts` facts, then those `negated`, with a kind for each that does not
        hold. Lists are pairs of starts and items: the arguments of each hyperedge, as
        vertex * places + place, and the hyperedges that each vertex receives from. `shares`
        of first layers are [edge kinds, 2, hidden], [4, places, 2, hidden] and
        [4, 2, hidden]. Matrices are [inputs, outputs], with a bias or an empty one: second
        layer of edges, edge to edge, edges to vertex, vertex to vertex, second layer of
        vertices, two of the state, two of the decoder, output; `by_place` has one for each
        place. `sizes` are encoded numbers of vertices and edges, or nothing.
        """

    @property
    def facts(self) -> int: ...

    @property
    def heads(self) -> int: ...

    def evaluate(self, facts: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None))]:
        """Raw outputs of states: uint8[n, facts] to float32[n, heads]."""

class PartialStates:
    """Partial states of a task, by number."""

    def __init__(self, task: GroundTask) -> None: ...

    def __len__(self) -> int: ...

    @property
    def goal(self) -> int: ...

    def values(self, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]:
        """
        Values of the task, -1 where undefined: uint32[n] to int32[n, variables].
        """

    def insert(self, values: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """Numbers of partial states: int32[n, variables]."""

    def predecessors(self, id: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
        """
        Backward applicable operators and where they come from; mutexes are left out.
        """

    def sample(self, strategy: str, count: int, share: float = 0.1, depth: int = 1073741824, seed: int = 0) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """
        States, costs and steps to the goal, by xrs, fsm, breadth-first, depth-first or
        random-walk.
        """

class SampleGraph:
    """Which operators lead from sample to sample."""

    def __init__(self, states: PartialStates, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def arcs(self) -> int: ...

    def improved(self, estimates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """Estimates lowered to what the arcs allow: int64[n]."""

    def preferred(self, estimates: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """Operators at the beginning of shortest ways, as (starts, items)."""

def complete(task: GroundTask, values: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], attempts: int = 10000, seed: int = 0) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
    """
    Random values for undefined variables that respect mutexes, and which states could
    be completed: int32[n, variables], uint8[n].
    """

def regression_limit(task: GroundTask) -> int:
    """The number of facts over the mean number of effects, rounded up."""

class TieOrder(enum.Enum):
    """Which of several equally good entries comes first."""

    FIFO = 0

    LIFO = 1

    RANDOM = 2

class PolicyMerit(enum.Enum):
    """How a policy orders the open states, if at all."""

    NONE = 0

    LEVIN = 1

    PHS = 2

class SearchStatus(enum.Enum):
    """How a search ended."""

    SOLVED = 0

    UNSOLVABLE = 1

    INCOMPLETE = 2

    TIME_LIMIT = 3

    MEMORY_LIMIT = 4

    EVALUATION_LIMIT = 5

    EXPANSION_LIMIT = 6

    PAUSED = 7

class KeySpec:
    """alpha * g + beta * h of an evaluator."""

    def __init__(self, alpha: float = 0.0, beta: float = 1.0, evaluator: int = 0, round: bool = False, sigma: int = -1, margin: float = 0.0, share: bool = False) -> None:
        """
        With `sigma`, h is the mean of a Gaussian, mu and sigma being two evaluators, between
        the value of the first evaluator, less `margin`, and what a plan may still cost; a
        `share` is h over that, without alpha, beta and rounding.
        """

def truncated_mean(mu: float, sigma: float, lower: float, upper: float) -> float:
    """The mean of a Gaussian cut off at two bounds."""

class QueueSpec:
    """A queue: merit first, then tie-breakers."""

    def __init__(self, keys: Sequence[KeySpec], preferred_only: bool = False) -> None: ...

class SearchCounters:
    @property
    def expanded(self) -> int: ...

    @property
    def evaluated(self) -> int: ...

    @property
    def generated(self) -> int: ...

    @property
    def reopened(self) -> int: ...

    @property
    def dead_ends(self) -> int: ...

class SearchProgress:
    """A glance at a running search."""

    @property
    def counters(self) -> SearchCounters: ...

    @property
    def seconds(self) -> float: ...

    @property
    def best_h(self) -> float: ...

    @property
    def queue_sizes(self) -> list[int]: ...

    @property
    def states(self) -> int: ...

class SearchConfig:
    """All settings of a best-first search."""

    def __init__(self) -> None: ...

    @property
    def evaluators(self) -> tuple[Evaluator, ...]: ...

    @evaluators.setter
    def evaluators(self, arg: Sequence[Evaluator], /) -> None: ...

    @property
    def preferred(self) -> tuple[Evaluator, ...]: ...

    @preferred.setter
    def preferred(self, arg: Sequence[Evaluator], /) -> None: ...

    @property
    def queues(self) -> list[QueueSpec]: ...

    @queues.setter
    def queues(self, arg: Sequence[QueueSpec], /) -> None: ...

    @property
    def tie_order(self) -> TieOrder: ...

    @tie_order.setter
    def tie_order(self, arg: TieOrder, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def boost(self) -> int: ...

    @boost.setter
    def boost(self, arg: int, /) -> None: ...

    @property
    def reopen(self) -> bool: ...

    @reopen.setter
    def reopen(self, arg: bool, /) -> None: ...

    @property
    def requeue(self) -> bool:
        """
        Whether open states that are reached at lower cost are queued once more.
        """

    @requeue.setter
    def requeue(self, arg: bool, /) -> None: ...

    @property
    def deferred(self) -> bool: ...

    @deferred.setter
    def deferred(self, arg: bool, /) -> None: ...

    @property
    def goal_at_generation(self) -> bool: ...

    @goal_at_generation.setter
    def goal_at_generation(self, arg: bool, /) -> None: ...

    @property
    def batch(self) -> int: ...

    @batch.setter
    def batch(self, arg: int, /) -> None: ...

    @property
    def beam(self) -> bool:
        """
        Whether only the `batch` best states of each layer are expanded; more if that fails.
        """

    @beam.setter
    def beam(self, arg: bool, /) -> None: ...

    @property
    def bound(self) -> int:
        """Plans must cost less."""

    @bound.setter
    def bound(self, arg: int, /) -> None: ...

    @property
    def bound_with_h(self) -> bool:
        """
        Whether g + h of the first evaluator, which is admissible, must be below it.
        """

    @bound_with_h.setter
    def bound_with_h(self, arg: bool, /) -> None: ...

    @property
    def symmetry(self) -> bool:
        """Look at one of all states that differ only in the names of objects."""

    @symmetry.setter
    def symmetry(self, arg: bool, /) -> None: ...

    @property
    def put_off_lookalikes(self) -> bool:
        """
        Whether of operators that look alike to the first evaluator all but one wait.
        """

    @put_off_lookalikes.setter
    def put_off_lookalikes(self, arg: bool, /) -> None: ...

    @property
    def put_off_unpreferred(self) -> bool:
        """Whether operators that are not preferred wait where others are."""

    @put_off_unpreferred.setter
    def put_off_unpreferred(self, arg: bool, /) -> None: ...

    @property
    def rollout(self) -> int:
        """Expansions that follow the best child after each new best value."""

    @rollout.setter
    def rollout(self, arg: int, /) -> None: ...

    @property
    def policy(self) -> PolicyMerit:
        """
        Whether the second evaluator gives logits of a policy that guides the search.
        """

    @policy.setter
    def policy(self, arg: PolicyMerit, /) -> None: ...

    @property
    def log(self) -> int:
        """
        A log is kept of so many evaluated states, and of expansions until then.
        """

    @log.setter
    def log(self, arg: int, /) -> None: ...

    @property
    def keep_first_parent(self) -> bool:
        """Whether a state stays where it was found first, even if dearer."""

    @keep_first_parent.setter
    def keep_first_parent(self, arg: bool, /) -> None: ...

    @property
    def max_evaluations(self) -> int: ...

    @max_evaluations.setter
    def max_evaluations(self, arg: int, /) -> None: ...

    @property
    def max_expansions(self) -> int: ...

    @max_expansions.setter
    def max_expansions(self, arg: int, /) -> None: ...

    @property
    def max_seconds(self) -> float: ...

    @max_seconds.setter
    def max_seconds(self, arg: float, /) -> None: ...

    @property
    def max_bytes(self) -> int: ...

    @max_bytes.setter
    def max_bytes(self, arg: int, /) -> None: ...

class SearchLog:
    """What a search has looked at, in order."""

    @property
    def evaluated(self) -> list[int]: ...

    @property
    def values(self) -> list[float]:
        """Of the first evaluator; none if there is none."""

    @property
    def expanded(self) -> list[int]: ...

    @property
    def clock(self) -> list[int]:
        """States that had been evaluated by each expansion."""

    @property
    def parents(self) -> list[int]:
        """Of evaluated states, when the search is over."""

    @property
    def operators(self) -> list[int]:
        """From the parents; -1 where a search begins."""

    @property
    def costs(self) -> list[int]:
        """Of the paths to evaluated states."""

    @property
    def path(self) -> list[int]:
        """States of the plan."""

class SearchResult:
    @property
    def status(self) -> SearchStatus: ...

    @property
    def plan(self) -> list[int]:
        """Operators, in order."""

    @property
    def cost(self) -> int: ...

    @property
    def counters(self) -> SearchCounters: ...

    @property
    def initial_h(self) -> list[float]:
        """Values of the initial state."""

    @property
    def seconds(self) -> float: ...

    @property
    def states(self) -> int: ...

    @property
    def bytes(self) -> int:
        """States, their hash table and search nodes."""

    @property
    def interrupted(self) -> bool: ...

    @property
    def log(self) -> SearchLog: ...

    @property
    def unproven_dead_ends(self) -> bool:
        """Whether states were given up by evaluators that prove nothing."""

    @property
    def since_progress(self) -> int:
        """Expansions since the last new best value."""

    @property
    def best_h(self) -> float:
        """The lowest value of the first evaluator."""

class Search:
    """A search that takes turns with others."""

    def __init__(self, states: States, initial: int, config: SearchConfig) -> None: ...

    def advance(self, evaluations: int = 9223372036854775807, seconds: float = float('inf'), watch: object | None = None) -> SearchResult:
        """
        Go on for a turn. The status is PAUSED if nothing but the turn has ended; counters
        are sums over all turns.
        """

class PlanImprover:
    """A plan that gets better."""

    def __init__(self, states: States, plan: Sequence[int]) -> None: ...

    def eliminate(self) -> bool:
        """Take out useless steps; whether there were any."""

    def advance(self, generated: int = 9223372036854775807, seconds: float = float('inf'), bytes: int = 18446744073709551615, until_better: bool = False, watch: object | None = None) -> None:
        """
        Go on until about that many states have been generated, or nothing is left to try.
        """

    def offer(self, plan: Sequence[int]) -> bool:
        """Take a plan from elsewhere if it is cheaper."""

    @property
    def plan(self) -> list[int]:
        """Operators, in order."""

    @property
    def cost(self) -> int: ...

    @property
    def generated(self) -> int: ...

    @property
    def finished(self) -> bool:
        """Whether nothing is left to try."""

    @property
    def stopped(self) -> bool:
        """Whether time, memory or the watch function has ended the last turn."""

    @property
    def optimal(self) -> bool:
        """Whether no plan can be cheaper."""

def search(states: States, initial: int, config: SearchConfig, watch: object | None = None) -> SearchResult:
    """
    Best-first search from a registered state. The watch function is called about ten
    times a second; the search stops when it returns False.
    """
