"""Paired tests agree with SciPy and with brute force."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from beeline.evaluate.measures import MOST_EXACT, holm, sign_test, wilcoxon_test


@pytest.mark.parametrize(("up", "down"), [(0, 0), (3, 0), (10, 2), (7, 7), (40, 61)])
def test_sign_test_is_the_binomial_test(up: int, down: int) -> None:
    differences = [1.0] * up + [-2.0] * down + [0.0] * 3
    expected = stats.binomtest(up, up + down).pvalue if up + down else 1.0
    assert sign_test(differences) == pytest.approx(expected)


def test_sign_test_of_thousands_of_tasks() -> None:
    assert sign_test([1.0] * 2000) < 1e-300
    assert sign_test([1.0, -1.0] * 2000) == 1.0


def test_wilcoxon_agrees_with_scipy_without_ties() -> None:
    differences = [0.3, -1.2, 2.5, 3.1, -0.7, 4.4, 5.2, 6.6, -2.2, 8.1]
    assert wilcoxon_test(differences) == pytest.approx(stats.wilcoxon(differences).pvalue)


def test_wilcoxon_of_many_agrees_with_the_normal_approximation() -> None:
    differences = [(-1) ** (k % 3 == 0) * (k + 1.0) for k in range(MOST_EXACT + 10)]
    expected = stats.wilcoxon(differences, correction=False, method="approx").pvalue
    assert wilcoxon_test(differences) == pytest.approx(expected)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(-3, 3), max_size=9))
def test_wilcoxon_is_exact_with_ties(differences: list[int]) -> None:
    sizes = [abs(each) for each in differences if each]
    ranks = stats.rankdata(sizes).tolist() if sizes else []
    total = sum(ranks)

    def extreme(signs: tuple[int, ...]) -> float:
        positive = sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign > 0)
        return min(positive, total - positive)

    seen = extreme(tuple(1 if each > 0 else -1 for each in differences if each))
    outcomes = [extreme(signs) for signs in product((1, -1), repeat=len(ranks))]
    expected = sum(each <= seen for each in outcomes) / len(outcomes)
    assert wilcoxon_test(differences) == pytest.approx(expected)


def test_holm_never_lowers_and_keeps_the_order() -> None:
    corrected = holm([0.2, 0.001, 0.04])
    assert corrected == pytest.approx([0.2, 0.003, 0.08])
    assert holm([]) == []
