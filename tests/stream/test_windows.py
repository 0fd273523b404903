"""Streams in which each chunk shows some of the features, by their ranks."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_trapezoid.stream import (
    Decremental,
    Incremental,
    Obsolete,
    Pyramid,
    Reappearing,
    Sudden,
    Trapezoidal,
)


def table(n, d):
    return [({j: i + j / 100 for j in range(d)}, i % 3) for i in range(n)]


def shown(stream):
    return [list(x) for x, _ in stream]


CHUNKED = [Obsolete, Reappearing, Sudden, Trapezoidal]
GRADUAL = [Decremental, Incremental, Pyramid]
WINDOWED = CHUNKED + GRADUAL


@pytest.mark.parametrize("cls", WINDOWED)
@given(n=st.integers(1, 60), d=st.integers(2, 20), seed=st.integers(0, 99), shuffle=st.booleans())
def test_an_instance_has_the_values_of_its_visible_features_and_its_label(cls, n, d, seed, shuffle):
    rows = table(n, d)
    stream = cls(rows, shuffle=shuffle, seed=seed)
    assert list(stream) == list(stream) == list(cls(rows, shuffle=shuffle, seed=seed))
    for (x, y), (full, label) in zip(stream, rows, strict=True):
        assert x
        assert list(x.items()) == [(k, v) for k, v in full.items() if k in x]
        assert y is label


@pytest.mark.parametrize("cls", CHUNKED)
@given(
    n=st.integers(1, 60), d=st.integers(2, 20), n_chunks=st.integers(1, 8), seed=st.integers(0, 9)
)
def test_a_chunk_never_shows_a_feature_that_it_does_not_list(cls, n, d, n_chunks, seed):
    rows = table(n, d)
    stream = cls(rows, n_chunks=n_chunks, shuffle=True, seed=seed)
    for t, names in enumerate(shown(stream)):
        assert set(names) == set(stream.visible(t * n_chunks // n))


@pytest.mark.parametrize("cls", WINDOWED)
def test_the_features_of_the_dataset_are_read_once_before_the_first_instance(cls):
    class Counted:
        n_samples = 12

        def __init__(self):
            self.read = []

        def __iter__(self):
            self.read.append(0)
            for row in table(self.n_samples, 6):
                self.read[-1] += 1
                yield row

    for kwargs, before in (({}, [12]), ({"n_features": 6}, []), ({"features": range(6)}, [])):
        source = Counted()
        rows = iter(cls(source, **kwargs))
        assert source.read == []
        next(rows)
        assert source.read == [*before, 1]
        list(rows)
        assert source.read == [*before, 12]


@pytest.mark.parametrize("cls", WINDOWED)
def test_an_empty_dataset_is_an_empty_stream(cls):
    assert list(cls([])) == []


@pytest.mark.parametrize("cls", WINDOWED)
def test_instances_beyond_the_known_number_belong_to_the_last_chunk(cls):
    rows = shown(cls(table(30, 6), n_samples=20))
    assert rows[20:] == [rows[19]] * 10


@pytest.mark.parametrize(
    ("kwargs", "d", "widths"),
    [
        ({}, 21, [4, 8, 12, 16, 21]),
        ({}, 8, [1, 3, 4, 6, 8]),
        ({"shares": [0.25, 0.375, 0.625, 0.75, 1.0]}, 8, [2, 3, 5, 6, 8]),
    ],
    ids=["HIGGS", "SUSY", "SUSY-rounded"],
)
def test_sudden_features_appear_as_in_packet_lstm_and_haphazard(kwargs, d, widths):
    expected = [list(range(width)) for width in widths for _ in range(4)]
    assert shown(Sudden(table(20, d), **kwargs)) == expected


@given(n=st.integers(5, 60), d=st.integers(1, 20), seed=st.integers(0, 9))
def test_a_sudden_feature_stays_after_it_has_appeared(n, d, seed):
    rows = shown(Sudden(table(n, d), shuffle=True, seed=seed))
    assert all(set(before) <= set(after) for before, after in itertools.pairwise(rows))
    assert len(rows[-1]) == d


@pytest.mark.parametrize(
    ("kwargs", "d", "windows"),
    [
        ({}, 21, [(0, 21), (0, 16), (0, 12), (0, 8), (0, 4)]),
        ({}, 8, [(0, 8), (0, 6), (0, 4), (0, 3), (0, 1)]),
        (
            {"features": range(20, -1, -1), "shares": [1.0, 17 / 21, 13 / 21, 9 / 21, 5 / 21]},
            21,
            [(0, 21), (4, 21), (8, 21), (12, 21), (16, 21)],
        ),
        (
            {"shares": [1.0, 0.75, 0.625, 0.375, 0.25]},
            8,
            [(0, 8), (0, 6), (0, 5), (0, 3), (0, 2)],
        ),
    ],
    ids=["haphazard-HIGGS", "haphazard-SUSY", "packetLSTM-HIGGS", "packetLSTM-SUSY"],
)
def test_obsolete_features_vanish_as_in_packet_lstm_and_haphazard(kwargs, d, windows):
    expected = [list(range(*window)) for window in windows for _ in range(4)]
    assert shown(Obsolete(table(20, d), **kwargs)) == expected


@given(n=st.integers(5, 60), d=st.integers(1, 20), seed=st.integers(0, 9))
def test_an_obsolete_feature_never_returns(n, d, seed):
    rows = shown(Obsolete(table(n, d), shuffle=True, seed=seed))
    assert all(set(before) >= set(after) for before, after in itertools.pairwise(rows))
    assert len(rows[0]) == d


@pytest.mark.parametrize("d", [21, 8])
def test_two_sets_of_features_reappear_as_in_packet_lstm_and_haphazard(d):
    first, second = list(range(d // 2)), list(range(d // 2, d))
    expected = [names for names in (first, second, first, second, first) for _ in range(4)]
    assert shown(Reappearing(table(20, d))) == expected


@given(
    n=st.integers(1, 60), d=st.integers(2, 20), n_chunks=st.integers(1, 8), seed=st.integers(0, 9)
)
def test_the_sets_that_reappear_are_disjoint_halves(n, d, n_chunks, seed):
    stream = Reappearing(table(n, d), n_chunks=n_chunks, shuffle=True, seed=seed)
    for names in shown(stream):
        assert len(names) in (d // 2, d - d // 2)
    for chunk in range(n_chunks - 1):
        here, there = set(stream.visible(chunk)), set(stream.visible(chunk + 1))
        assert not here & there
        assert here | there == set(range(d))


def test_a_single_feature_cannot_take_turns():
    with pytest.raises(ValueError, match=r"^dataset must have at least two features; got 1$"):
        list(Reappearing(table(5, 1)))


# The integer parts of `numpy.linspace(2, 6, 10)` and so on, as in OpenMOA.
UP = [2, 2, 2, 3, 3, 4, 4, 5, 5, 6]
DOWN = [6, 5, 5, 4, 4, 3, 3, 2, 2, 2]


def test_incremental_widths_are_those_of_openmoa():
    assert [len(x) for x in shown(Incremental(table(10, 6)))] == UP
    assert [len(x) for x in shown(Incremental(table(1, 6)))] == [2]


def test_decremental_widths_are_those_of_openmoa():
    assert [len(x) for x in shown(Decremental(table(10, 6)))] == DOWN
    assert [len(x) for x in shown(Decremental(table(1, 6)))] == [6]


@pytest.mark.parametrize(
    ("n", "widths"),
    [(20, UP + DOWN), (5, [2, 6, 6, 4, 2]), (2, [2, 6]), (1, [6])],
)
def test_pyramid_widths_are_those_of_openmoa(n, widths):
    assert [len(x) for x in shown(Pyramid(table(n, 6)))] == widths


@pytest.mark.parametrize("cls", GRADUAL)
@given(data=st.data(), n=st.integers(2, 60), d=st.integers(1, 20), seed=st.integers(0, 9))
def test_the_number_of_features_stays_within_its_limits_and_reaches_both(cls, data, n, d, seed):
    high = data.draw(st.integers(1, d))
    low = data.draw(st.integers(1, high))
    selection = data.draw(st.sampled_from(["prefix", "suffix", "random"]))
    stream = cls(table(n, d), low, high, selection, seed=seed)
    rows = shown(stream)
    widths = [len(names) for names in rows]
    assert max(widths) == high
    assert min(widths) == low or n < 4
    assert {name for names in rows for name in names} <= set(range(high))
    assert [stream.visible(t) for t in range(n)] == rows
    assert stream.visible(-1) == rows[-1]
    for names, width in zip(rows, widths, strict=True):
        if selection == "prefix":
            assert names == list(range(width))
        elif selection == "suffix":
            assert names == list(range(high - width, high))


@pytest.mark.parametrize("cls", GRADUAL)
def test_a_random_selection_is_drawn_evenly_for_each_instance(cls):
    n = 4000
    rows = shown(cls(table(n, 6), 2, selection="random", seed=1))
    counts = [sum(j in names for names in rows) for j in range(6)]
    share = sum(map(len, rows)) / (6 * n)
    assert all(abs(count / n - share) < 5 * (0.25 / n) ** 0.5 for count in counts)
    assert rows != shown(cls(table(n, 6), 2, selection="random", seed=2))
    assert len({tuple(names) for names in rows if len(names) == 2}) == 15


@pytest.mark.parametrize("cls", GRADUAL)
def test_limits_beyond_the_number_of_features_are_refused(cls):
    message = r"^max_features must be at most the number of features, 3; got 4$"
    with pytest.raises(ValueError, match=message):
        cls(table(5, 3), max_features=4, n_features=3)
    with pytest.raises(ValueError, match=message):
        list(cls(table(5, 3), max_features=4))
    message = r"^min_features must be at most the largest number .* instance, 1; got 2$"
    with pytest.raises(ValueError, match=message):
        cls(table(5, 3), max_features=1, n_features=3)
    with pytest.raises(ValueError, match=message):
        list(cls(table(5, 1)))
