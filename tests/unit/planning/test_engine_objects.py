"""Native objects outlive the names by which Python knows them."""

from __future__ import annotations

import gc

from search_tasks import ground_texts, random_strips

from beeline import _native


def test_a_configuration_keeps_its_evaluators_alive() -> None:
    task = ground_texts(*random_strips(1))
    states = _native.States(task.native)
    config = _native.SearchConfig()
    config.evaluators = [_native.make_heuristic("goalcount", task.native)]
    config.preferred = [_native.make_heuristic("ff", task.native)]
    keys = [_native.KeySpec()]
    config.queues = [_native.QueueSpec(keys), _native.QueueSpec(keys, preferred_only=True)]
    gc.collect()
    result = _native.search(states, states.initial, config)
    assert result.counters.evaluated > 0
    assert len(config.evaluators) == len(config.preferred) == 1
