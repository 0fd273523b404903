from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from river_trapezoid.semi_supervised import RelationalKMeans
from river_trapezoid.semi_supervised.relational_kmeans import hill_climb, relations


def objective(rows):
    """Eq. 17 to 19 as printed, over all pairs."""
    if not len(rows):
        return 0.0
    similarity = np.mean([[a @ b for b in rows] for a in rows])
    variance = np.mean([(a - rows.mean(axis=0)) @ (a - rows.mean(axis=0)) for a in rows])
    return similarity / (variance + 1e-6)


def climb_as_printed(rows, labels, picks, min_cluster_size):
    labels = labels.copy()
    for pick in picks:
        home = labels[pick]
        if (labels == home).sum() <= min_cluster_size:
            continue
        for new in range(labels.max() + 1):
            if new == home:
                continue
            moved = labels.copy()
            moved[pick] = new
            before = objective(rows[labels == home]) + objective(rows[labels == new])
            after = objective(rows[moved == home]) + objective(rows[moved == new])
            if after > before:
                labels = moved
                break
    return labels


@settings(max_examples=25, derandomize=True)
@given(
    st.integers(6, 15), st.integers(1, 6), st.integers(2, 4), st.integers(1, 3), st.integers(0, 999)
)
def test_moves_are_those_of_the_paper(n, n_anchors, k, min_cluster_size, seed):
    rng = np.random.default_rng(seed)
    rows = relations(rng.normal(size=(n, 3)), rng.normal(size=(n_anchors, 3)))
    labels = np.arange(n) % k
    picks = rng.integers(0, n, size=30).tolist()
    assert (
        hill_climb(rows, labels, picks, min_cluster_size).tolist()
        == climb_as_printed(rows, labels, picks, min_cluster_size).tolist()
    )


@settings(max_examples=60, derandomize=True)
@given(st.integers(1, 60), st.integers(1, 8), st.integers(1, 7), st.integers(0, 999))
def test_clusters_are_numbered_and_large_enough(n, k, min_cluster_size, seed):
    rng = np.random.default_rng(seed)
    points, anchors = rng.normal(size=(n, 2)).round(1), rng.normal(size=(4, 2))
    kmeans = RelationalKMeans(k, min_cluster_size=min_cluster_size, seed=seed)
    labels = kmeans.fit(points, anchors)
    sizes = np.bincount(labels)
    assert len(labels) == n
    assert len(sizes) <= k
    assert len(sizes) == 1 or sizes.min() >= min_cluster_size
    assert labels.tolist() == kmeans.fit(points, anchors).tolist()


def test_moves_raise_the_objective():
    rng = np.random.default_rng(0)
    points, anchors = rng.normal(size=(200, 3)), rng.normal(size=(5, 3))
    rows = relations(points, anchors)
    total = {}
    for n_steps in (0, 400):
        labels = RelationalKMeans(4, n_steps=n_steps, seed=1).fit(points, anchors)
        total[n_steps] = sum(objective(rows[labels == label]) for label in set(labels.tolist()))
    assert total[400] > total[0]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("n_clusters", [0, 1.5, None]),
        ("n_steps", [-1, 0.5]),
        ("min_cluster_size", [0, None]),
        ("seed", ["1", 0.5]),
    ],
)
def test_wrong_parameters_are_named(name, values):
    for value in values:
        with pytest.raises(ValueError, match=f"^{name} must be .*got"):
            RelationalKMeans(**{name: value})
