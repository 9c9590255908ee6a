"""A task as an environment of Gymnasium: states are observations, operators are actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import gymnasium
import numpy as np

from beeline.core.errors import BeelineError
from beeline.task.plan_file import Plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from beeline.task.ground_task import GroundTask
    from beeline.task.states import State

    Observation = NDArray[np.int8]
    Info = dict[str, Any]


class PlanningEnv(gymnasium.Env):
    """A walk through the states of one task, which ends in the goal, or where nothing can be done.

    An observation is int8[facts], 1 for facts that are true. Action `k` is operator `k` of the
    task; which of them can be done is in `info["action_mask"]`, int8[operators], as
    `env.action_space.sample(mask)` takes it, and in `action_masks()`, bool[operators]. An action
    that cannot be done changes nothing and costs as much as if it were done; `info["legal"]` is
    False then.

    The reward is minus the cost of the operator, and `goal_reward` more for the step that reaches
    the goal: with the default, 0, the best return is minus the cost of a cheapest plan. An episode
    is truncated after `max_steps`. `reset(options={"walk": n})` begins after n random steps from
    the initial state, for more starts than one; `plan` has the steps that were done since then.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"]}

    def __init__(
        self,
        task: GroundTask,
        *,
        max_steps: int = 1000,
        goal_reward: float = 0.0,
        render_mode: str | None = None,
    ) -> None:
        if not task.num_operators or not task.num_facts:
            hint = task.unsolvable_reason or "the goal holds in the beginning"
            raise BeelineError(f"the task '{task.problem.name}' has nothing to do", hint=hint)
        task.require_operators("an environment")
        if max_steps < 1:
            raise BeelineError(f"max_steps {max_steps} is not a number from 1 up")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise BeelineError(f"unknown render mode '{render_mode}'", hint="there is 'ansi'")
        self.task = task
        self.max_steps = max_steps
        self.goal_reward = goal_reward
        self.render_mode = render_mode
        self.observation_space = gymnasium.spaces.MultiBinary(task.num_facts)
        self.action_space = gymnasium.spaces.Discrete(task.num_operators)
        self.state: State = task.initial_state  # where the walk is
        self._children: dict[int, State] = {}  # by operator, of the state
        self._steps: list[str] = []
        self._count = 0
        self._arrive(self.state)

    @property
    def plan(self) -> Plan:
        """The steps since the last reset, without those that could not be done."""
        return Plan(self._steps)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions can be done now: bool[operators]."""
        mask = np.zeros(self.task.num_operators, dtype=np.bool_)
        mask[list(self._children)] = True
        return mask

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Go back to the initial state, or to one at the end of a random walk."""
        super().reset(seed=seed)
        walk = (options or {}).get("walk", 0)
        unknown = {*(options or {})} - {"walk"}
        if unknown or not isinstance(walk, int) or walk < 0:
            raise BeelineError(f"options {dict(options or {})}", hint="such as {'walk': 20}")
        self._arrive(self.task.initial_state)
        for _ in range(walk):
            if not self._children or self.state.is_goal:
                break
            operators = list(self._children)
            self._arrive(self._children[operators[int(self.np_random.integers(len(operators)))]])
        self._steps, self._count = [], 0
        return self._observation(), self._info(legal=True)

    def step(self, action: int) -> tuple[Observation, float, bool, bool, Info]:
        """Do an operator: observation, reward, whether it ended, was cut short, and more."""
        operator = int(action)
        if not 0 <= operator < self.task.num_operators:
            count = self.task.num_operators
            raise BeelineError(f"action {operator} of {count}", hint=f"from 0 to {count - 1}")
        child = self._children.get(operator)
        self._count += 1
        reward = -float(self.task.costs[operator])
        if child is not None:
            self._steps.append(self.task.operator_name(operator))
            self._arrive(child)
        done = self.state.is_goal
        reward += self.goal_reward if done and child is not None else 0.0
        info = self._info(legal=child is not None)
        terminated = done or not self._children
        return self._observation(), reward, terminated, self._count >= self.max_steps, info

    def render(self) -> str | None:
        """The true facts as text, with the render mode `ansi`."""
        return " ".join(self.state.fact_names) if self.render_mode == "ansi" else None

    def _arrive(self, state: State) -> None:
        self.state = state
        self._children = dict(state.successors())

    def _observation(self) -> Observation:
        return self.state.facts.astype(np.int8)

    def _info(self, *, legal: bool) -> Info:
        mask = self.action_masks().astype(np.int8)
        return {"action_mask": mask, "legal": legal, "is_goal": self.state.is_goal}
