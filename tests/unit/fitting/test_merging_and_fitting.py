"""Merged rows mean the same as all rows; fits do what their penalties say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from beeline.fitting.linear import Pairs, Targets, fit_cost_to_go, fit_ranking, ranking
from beeline.models.rows import equal_columns, equal_rows, summed

small_matrices = st.integers(1, 5).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from([-1.0, 0.0, 1.0, 0.5]), min_size=width, max_size=width),
        min_size=1,
        max_size=12,
    )
)


@given(small_matrices)
def test_groups_of_rows_are_those_of_equal_tuples(rows: list[list[float]]) -> None:
    grouping = equal_rows(csr_matrix(np.array(rows)))
    keys = [tuple(row) for row in rows]
    order = list(dict.fromkeys(keys))
    assert grouping.first.tolist() == [keys.index(key) for key in order]
    assert grouping.group.tolist() == [order.index(key) for key in keys]


@given(small_matrices)
def test_groups_of_columns_are_groups_of_rows_of_the_transpose(rows: list[list[float]]) -> None:
    matrix = np.array(rows)
    by_column = equal_columns(csr_matrix(matrix))
    by_row = equal_rows(csr_matrix(matrix.T))
    assert by_column.first.tolist() == by_row.first.tolist()
    assert by_column.group.tolist() == by_row.group.tolist()


@given(small_matrices)
def test_explicit_zeros_make_no_difference(rows: list[list[float]]) -> None:
    dense = np.array(rows)
    full = csr_matrix(np.ones_like(dense))
    full.data[:] = dense.ravel()
    assert equal_rows(full).group.tolist() == equal_rows(csr_matrix(dense)).group.tolist()


def repeated_pairs(seed: int) -> Pairs:
    rng = np.random.default_rng(seed)
    few = rng.integers(-1, 2, size=(12, 6)).astype(np.float64)
    chosen = rng.integers(0, 12, 60)
    offsets = rng.integers(0, 2, 12).astype(np.float64)
    return Pairs(csr_matrix(few[chosen]), offsets[chosen], rng.uniform(0.5, 2.0, 60))


@given(st.integers(0, 1000))
def test_loss_of_merged_pairs_equals_loss_of_all_pairs(seed: int) -> None:
    pairs = repeated_pairs(seed)
    groups = equal_rows(
        csr_matrix(np.hstack([pairs.differences.toarray(), pairs.offsets[:, None]]))
    )
    merged = Pairs(
        pairs.differences[groups.first],
        pairs.offsets[groups.first],
        summed(pairs.weights, groups),
    )
    theta = np.random.default_rng(seed).normal(size=6)
    whole, part = ranking(theta, pairs), ranking(theta, merged)
    assert whole[0] == pytest.approx(part[0])
    np.testing.assert_allclose(whole[1], part[1], atol=1e-9)


def test_a_fit_is_where_the_gradient_of_loss_and_penalty_vanishes() -> None:
    pairs = repeated_pairs(3)
    fit = fit_ranking(pairs, l2=0.1)
    gradient = ranking(fit.weights, pairs)[1] / pairs.weights.sum() + 0.1 * fit.weights
    np.testing.assert_allclose(gradient, 0.0, atol=1e-4)


def test_fits_repeat_to_the_last_bit() -> None:
    first, second = (fit_ranking(repeated_pairs(5), l2=1e-3) for _ in range(2))
    assert first.weights.tobytes() == second.weights.tobytes()


def test_l1_leaves_out_what_does_not_help() -> None:
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(200, 10))
    matrix[:, 0] = -1.0  # the only column that ranks
    pairs = Pairs(csr_matrix(matrix), np.zeros(200), np.ones(200))
    plain, sparse = (fit_ranking(pairs, l2=1e-4, l1=l1).weights for l1 in (0.0, 0.05))
    assert sparse[0] > 0.5
    assert (np.abs(sparse[1:]) < 1e-6).all()
    assert (np.abs(plain[1:]) > 1e-6).any()


def test_the_first_of_equal_columns_has_the_weight_and_empty_ones_none() -> None:
    matrix = csr_matrix([[0.0, -1.0, -1.0, 0.0], [0.0, -2.0, -2.0, 1.0]])
    weights = fit_ranking(Pairs(matrix, np.zeros(2), np.ones(2)), l2=0.01).weights
    assert weights[0] == weights[2] == 0.0
    assert weights[1] > 0.0


def test_scales_undo_the_units_of_a_column() -> None:
    pairs = repeated_pairs(8)
    factor = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1000.0])
    stretched = Pairs(csr_matrix(pairs.differences.toarray() * factor), *_rest(pairs))
    plain = fit_ranking(pairs, l2=0.01).weights
    scaled = fit_ranking(stretched, l2=0.01, scales=factor).weights
    np.testing.assert_allclose(scaled * factor, plain, atol=1e-4)


def test_nothing_to_learn_gives_zero_weights() -> None:
    fit = fit_ranking(Pairs(csr_matrix((3, 4)), np.zeros(3), np.ones(3)), l2=0.1)
    assert fit.weights.tolist() == [0.0] * 4


@pytest.mark.parametrize("truncated", [False, True])
def test_cost_to_go_of_a_linear_task_is_found(truncated: bool) -> None:
    rng = np.random.default_rng(1)
    features = rng.integers(0, 6, size=(300, 3)).astype(np.float64)
    costs = features @ [2.0, 3.0, 0.0] + 4.0
    noisy = costs + rng.normal(scale=0.3, size=300)
    targets = Targets(csr_matrix(features), noisy, noisy - 2.0, np.ones(300))
    fit = fit_cost_to_go(targets, truncated=truncated, l2=1e-6)
    np.testing.assert_allclose(fit.weights, [2.0, 3.0, 0.0], atol=0.1)


def _rest(pairs: Pairs) -> tuple[np.ndarray, np.ndarray]:
    return pairs.offsets, pairs.weights
