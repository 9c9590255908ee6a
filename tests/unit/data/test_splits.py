from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beeline.core.errors import BeelineError
from beeline.data.task_sets import assign_splits, parse_splits


@given(st.integers(0, 200), st.integers(0, 9))
def test_every_split_gets_its_share_to_within_one(count: int, seed: int) -> None:
    names = [f"p{number}" for number in range(count)]
    shares = (("train", 0.5), ("val", 0.25), ("test", 0.25))
    sizes = Counter(assign_splits(names, shares, seed))
    assert sum(sizes.values()) == count
    assert all(abs(sizes[name] - share * count) < 1 for name, share in shares)


def test_splits_follow_names_and_seed_not_order() -> None:
    names = [f"p{number}" for number in range(40)]
    shares = (("train", 0.7), ("val", 0.3))
    forward = dict(zip(names, assign_splits(names, shares, 1), strict=True))
    backward = dict(zip(names[::-1], assign_splits(names[::-1], shares, 1), strict=True))
    other = dict(zip(names, assign_splits(names, shares, 2), strict=True))
    assert forward == backward != other


@pytest.mark.parametrize("words", ["", "train", "train=", "train=-1", "train=1,train=2", "=1", "0"])
def test_nonsense_is_refused(words: str) -> None:
    with pytest.raises(BeelineError, match="not understood"):
        parse_splits(words)


def test_shares_of_nothing_are_refused() -> None:
    with pytest.raises(BeelineError, match="is empty"):
        parse_splits("train=0,val=0")
