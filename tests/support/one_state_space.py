"""Tasks of one state space that begin in different states, and models of it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import torch

from beeline.models.resnet.encoding import vocabulary
from beeline.models.resnet.model import TaskModel
from beeline.models.resnet.network import ResNet
from beeline.pddl import parse_domain, parse_problem
from beeline.pddl.model import domain_signature
from beeline.task.grounding import ground

if TYPE_CHECKING:
    from beeline.task.ground_task import GroundTask

# A walker sees rooms; what was seen once stays so. Corridors may be one-way.
WALK = """(define (domain walk)
  (:predicates (at ?r) (seen ?r) (way ?r ?s))
  (:action go :parameters (?r ?s) :precondition (and (at ?r) (way ?r ?s))
    :effect (and (not (at ?r)) (at ?s) (seen ?s))))"""
ROOMS = ("a", "b", "c", "d", "e")


def walk_text(at: str = "a", seen: str = "", goal: str = "bcde", one_way: bool = False) -> str:
    """A task in a row of rooms that begins at a room, with some rooms seen."""
    ways = list(pairwise(ROOMS))
    ways += [] if one_way else [(s, r) for r, s in ways]
    return f"""(define (problem row) (:domain walk) (:objects {" ".join(ROOMS)})
      (:init (at {at}) {" ".join(f"(seen {each})" for each in sorted({*seen, at}))}
        {" ".join(f"(way {r} {s})" for r, s in ways)})
      (:goal (and {" ".join(f"(seen {each})" for each in goal)})))"""


def walk(at: str = "a", seen: str = "", goal: str = "bcde", one_way: bool = False) -> GroundTask:
    """The same as a ground task."""
    return ground(parse_problem(parse_domain(WALK), walk_text(at, seen, goal, one_way)))


def random_task_model(
    task: GroundTask, *, hidden: int = 6, heuristic: bool = True, operators: bool = True
) -> TaskModel:
    """A model with the first weights of training."""
    generator = torch.Generator().manual_seed(1)

    def weights(heads: int) -> ResNet:
        return ResNet(task.num_facts, heads, generator=generator, hidden=hidden)

    return TaskModel(
        signature=domain_signature(task.problem.domain),
        vocabulary=vocabulary(task),
        hidden=hidden,
        heuristic=weights(1).named_weights() if heuristic else None,
        operators=weights(task.num_operators).named_weights() if operators else None,
        summary={"unit_costs": False},
        seed=1,
        package_version="0.1.0",
    )
