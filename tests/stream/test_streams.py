from __future__ import annotations

import math
import pickle
import random
import tracemalloc
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import datasets

from river_trapezoid.stream import (
    Capricious,
    Decremental,
    Dense,
    Evolvable,
    Haphazard,
    Incremental,
    Obsolete,
    Pyramid,
    Reappearing,
    Redundant,
    Shuffled,
    Sudden,
    Trapezoidal,
    evolvable,
)

TABLE = [({f"f{j}": i + j / 100 for j in range(12)}, i % 2 == 0) for i in range(100)]
WRAPPERS = [
    lambda d: Trapezoidal(d, shuffle=True, seed=1),
    lambda d: Sudden(d, shuffle=True, seed=1),
    lambda d: Obsolete(d, shuffle=True, seed=1),
    lambda d: Reappearing(d, shuffle=True, seed=1),
    lambda d: Decremental(d, shuffle=True, seed=1),
    lambda d: Pyramid(d, selection="suffix", seed=1),
    lambda d: Incremental(d, selection="random", seed=1),
    lambda d: Evolvable(d, kind="map", seed=1),
    lambda d: Evolvable(d, n_spaces=3, shuffle=True, seed=1),
    lambda d: Capricious(d, seed=1),
    lambda d: Haphazard(d, seed=1),
    lambda d: Dense(d),
    lambda d: Redundant(d, share=0.0),
    lambda d: Shuffled(d, seed=1),
]


@given(n_chunks=st.integers(1, 20), d=st.integers(1, 30), n=st.integers(20, 90))
def test_chunk_c_shows_the_first_c_nth_of_the_features(n_chunks, d, n):
    table = [({j: 1.0 for j in range(d)}, True) for _ in range(n)]
    shown = [list(x) for x, _ in Trapezoidal(table, n_chunks=n_chunks, n_features=d)]
    for t, keys in enumerate(shown):
        chunk = t * n_chunks // n + 1
        assert keys == list(range(max(1, chunk * d // n_chunks)))
    assert shown[-1] == list(range(d))


def test_a_share_that_is_a_whole_number_of_features_shows_all_of_them():
    assert Trapezoidal(TABLE, n_features=180).n_visible() == list(range(18, 181, 18))
    counts = [7, 14, 28, 29, 57, 58, 100]
    shares = [count / 100 for count in counts]
    assert Trapezoidal(TABLE, shares=shares, n_features=100).n_visible() == counts


def test_shares_in_place_of_chunks():
    widths = [len(x) for x, _ in Trapezoidal(TABLE, shares=[0.1, 0.4, 0.7, 1.0])]
    assert widths == [1] * 25 + [4] * 25 + [8] * 25 + [12] * 25


def test_features_in_a_given_order():
    order = [f"f{j}" for j in reversed(range(12))]
    first, *_, last = [x for x, _ in Trapezoidal(TABLE, features=order)]
    assert list(first) == ["f11"]
    assert list(last) == [f"f{j}" for j in range(12)]


def test_features_outside_the_given_ones_are_never_shown():
    assert {k for x, _ in Trapezoidal(TABLE, features=["f3", "f1"]) for k in x} == {"f1", "f3"}


def test_words_are_revealed_in_the_order_of_their_first_appearance():
    text = [({f"w{i}": 1, f"w{i // 2}": 1, "the": 1}, True) for i in range(20)]
    vocabulary = []
    for x, _ in text:
        vocabulary += [word for word in x if word not in vocabulary]
    trapezoid = Trapezoidal(text, n_chunks=4)
    for t, (x, _) in enumerate(trapezoid):
        assert set(x) <= set(vocabulary[: (t // 5 + 1) * len(vocabulary) // 4])
    assert trapezoid.n_features == len(vocabulary)


class Sparse:
    """Instances in which features first appear in another order than that of their list."""

    features = ("a", "b", "c", "d")
    n_samples = 8

    def __init__(self):
        self.n_passes = 0

    def __iter__(self):
        self.n_passes += 1
        for i in range(self.n_samples):
            yield ({"c": 1.0, "d": 1.0} if i % 2 == 0 else {"a": 1.0, "d": 1.0, "b": 1.0}), True


def test_features_are_revealed_in_the_order_of_the_list_that_the_dataset_has():
    for source in (Sparse(), Shuffled(Sparse(), seed=1), Capricious(Sparse(), seed=1)):
        for t, (x, _) in enumerate(Trapezoidal(source, n_chunks=4)):
            assert set(x) <= set("abcd"[: t // 2 + 1])
    shown = [set(x) for x, _ in Trapezoidal(Sparse(), n_chunks=4)]
    assert shown == [set(), {"a"}, set(), {"a", "b"}, {"c"}, {"a", "b"}, {"c", "d"}, {*"abd"}]
    shown = [set(x) for x, _ in Evolvable(Sparse(), overlap=0)]
    assert shown == [set(), {"a", "b"}] * 2 + [{"c", "d"}, {"d"}] * 2


def test_given_features_precede_the_list_of_the_dataset():
    trapezoid = Trapezoidal(Sparse(), n_chunks=4, features=["d", "c", "b", "a"])
    assert [set(x) for x, _ in trapezoid][:3] == [{"d"}, {"d"}, {"c", "d"}]
    assert trapezoid.features == ["d", "c", "b", "a"]
    # Evolvable uses the list of the stream that it wraps.
    assert [set(x) for x, _ in Evolvable(trapezoid, overlap=0)][:3] == [{"d"}, {"d"}, {"c", "d"}]
    with pytest.raises(ValueError, match=r"^features must have at least one name, or be None; got"):
        Trapezoidal(Sparse(), features=[])


@pytest.mark.parametrize(
    "wrap",
    [
        lambda d: Trapezoidal(d),
        lambda d: Trapezoidal(d, shuffle=True, seed=1),
        lambda d: Sudden(d),
        lambda d: Obsolete(d),
        lambda d: Reappearing(d),
        lambda d: Incremental(d),
        lambda d: Decremental(d),
        lambda d: Pyramid(d),
        lambda d: Evolvable(d),
        lambda d: Evolvable(d, kind="map", seed=1),
        lambda d: Capricious(d, seed=1),
        lambda d: Dense(d),
        lambda d: Redundant(d),
    ],
)
def test_a_list_of_features_saves_a_pass_and_is_not_read_to_be_shown(wrap):
    source = Sparse()
    wrapped = wrap(source)
    list(wrapped)
    assert source.n_passes == 1

    class Locked(Sparse):
        @property
        def features(self):
            raise OSError("it is on a disk that is not there")

    assert "Of  Locked" in repr(wrap(Locked()))


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_streams_keep_the_list_of_features(wrap):
    stream = wrap(wrap(Sparse()))
    names = stream.features
    assert names[:4] == ["a", "b", "c", "d"]
    assert {name for x, _ in stream for name in x} <= set(names)
    names.clear()
    assert stream.features[:4] == ["a", "b", "c", "d"]
    unlisted = wrap(wrap(TABLE))
    assert not hasattr(unlisted, "features")
    with pytest.raises(
        AttributeError, match=f"has no features, since {type(unlisted).__name__} has no list"
    ):
        unlisted.features  # noqa: B018


def test_the_features_of_maps_are_listed():
    stream = Evolvable(Sparse(), n_spaces=3, kind="map", n_features=2, overlap=0, seed=1)
    assert stream.features == [*"abcd", (1, 0), (1, 1), (2, 0), (2, 1)]
    assert {name for x, _ in stream for name in x} == set(stream.features)


@pytest.mark.parametrize("kwargs", [{}, {"shuffle": True, "seed": 2}, {"features": [*"dcba"]}])
@pytest.mark.parametrize("source", [Sparse(), list(Sparse())], ids=["listed", "unlisted"])
def test_visible_returns_the_features_that_a_chunk_reveals(source, kwargs):
    trapezoid = Trapezoidal(source, n_chunks=4, **kwargs)
    for chunk in range(4):
        visible = trapezoid.visible(chunk)
        assert len(visible) == chunk + 1
        shown = {name for x, _ in list(trapezoid)[2 * chunk : 2 * chunk + 2] for name in x}
        assert shown == set(visible)
    assert trapezoid.visible(-1) == visible
    assert set(visible) == set("abcd")


def test_a_dense_stream_has_zeros_for_absent_features():
    dense = Dense(Sparse())
    even, odd = [x for x, _ in dense.take(2)]
    assert even == {"a": 0.0, "b": 0.0, "c": 1.0, "d": 1.0}
    assert odd == {"a": 1.0, "b": 1.0, "c": 0.0, "d": 1.0}
    assert list(even) == list(odd) == dense.features == ["a", "b", "c", "d"]
    assert not dense.sparse
    # Without a list, in the order of their first appearance.
    assert {tuple(x) for x, _ in Dense(list(Sparse()))} == {("c", "d", "a", "b")}
    assert [x for x, _ in Dense(Sparse(), features=["d", "z"]).take(1)] == [{"d": 1.0, "z": 0.0}]


def test_a_dense_stream_fills_missing_values_and_refuses_values_that_are_not_numbers():
    rows = [({"a": None, "b": 2}, True), ({"a": math.nan}, True), ({"a": 1.5}, False)]
    assert [x for x, _ in Dense(rows)] == [
        {"a": 0.0, "b": 2.0},
        {"a": 0.0, "b": 0.0},
        {"a": 1.5, "b": 0.0},
    ]
    with pytest.raises(TypeError, match="feature 'a' has the value 'red'"):
        list(Dense([({"a": "red"}, True)]))


@pytest.mark.parametrize(
    ("cut", "widths"),
    [
        (lambda d: Trapezoidal(d, n_chunks=4), [1, 1, 2, 2, 3, 3, 4, 4]),
        (lambda d: Evolvable(d, overlap=1), [2, 2, 2, 4, 2, 2, 2, 2]),
    ],
)
def test_around_a_dense_stream_the_keys_are_the_visible_features(cut, widths):
    assert [len(x) for x, _ in cut(Dense(Sparse()))] == widths
    assert [len(x) for x, _ in cut(Sparse())] != widths


@given(percent=st.integers(0, 300), d=st.integers(1, 20), shuffle=st.booleans())
def test_a_share_of_the_features_is_copied(percent, d, shuffle):
    table = [({j: i + j / 100 for j in range(d)}, True) for i in range(3)]
    redundant = Redundant(table, percent / 100, features=range(d), shuffle=shuffle, seed=1)
    n_copies = percent * d // 100
    assert redundant.n_features == len(redundant.features) == d + n_copies
    assert redundant.features[:d] == list(range(d))
    for (x, y), (original, label) in zip(redundant, table, strict=True):
        assert list(x) == redundant.features
        assert original.items() <= x.items()
        assert y is label
        for copy in redundant.features[d:]:
            assert x[copy] == original[copy[0]]
    again = [sum(copy[0] == j for copy in redundant.features[d:]) for j in range(d)]
    assert max(again) - min(again) <= 1


def test_which_features_are_copied():
    assert Redundant(Sparse()).features == [*"abcd", ("a", 1), ("b", 1)]
    assert Redundant(Sparse(), features=[*"dcba"]).features == [*"dcba", ("d", 1), ("c", 1)]
    assert Redundant(Sparse(), 1.25).features[4:] == [*((k, 1) for k in "abcd"), ("a", 2)]
    chosen = {frozenset(Redundant(Sparse(), shuffle=True, seed=i).features) for i in range(20)}
    assert len(chosen) == 6
    unseeded = Redundant(Sparse(), shuffle=True)
    assert {name for x, _ in unseeded for name in x} == set(unseeded.features)


def test_the_copy_of_an_absent_feature_is_absent():
    even, odd = [set(x) for x, _ in Redundant(Sparse()).take(2)]
    assert even == {"c", "d"}
    assert odd == {"a", "b", "d", ("a", 1), ("b", 1)}


def test_copies_are_revealed_after_the_originals():
    trapezoid = Trapezoidal(Redundant(TABLE, share=0.5))
    for chunk, n in enumerate(trapezoid.n_visible()):
        assert n == 18 * (chunk + 1) // 10
        names = trapezoid.visible(chunk)
        assert names == [f"f{j}" for j in range(min(n, 12))] + [(f"f{j}", 1) for j in range(n - 12)]
    mixed = Trapezoidal(Redundant(Sparse()), n_chunks=2, shuffle=True, seed=1)
    assert {type(name) for name in mixed.visible(0)} == {str, tuple}


def test_a_feature_with_the_name_of_a_copy_is_refused():
    with pytest.raises(
        ValueError, match=r"^dataset must not have .* names of copies; got \('a', 1\)"
    ):
        list(Redundant(Redundant(Sparse())))


def test_features_are_searched_only_until_all_are_found():
    class Endless:
        n_features = 3

        def __iter__(self):
            while True:
                yield {"a": 1.0, "b": 2.0, "c": 3.0}, True

    for endless in (Redundant(Endless(), share=1.0), Dense(Endless())):
        assert [len(x) for x, _ in endless.take(2)] == [endless.n_features] * 2


def test_unknown_length_must_be_given():
    class Endless:
        def __iter__(self):
            while True:
                yield {"a": 1.0, "b": 2.0}, True

    with pytest.raises(ValueError, match="n_samples must be given"):
        next(iter(Trapezoidal(Endless(), n_features=2)))
    known = Trapezoidal(Endless(), n_chunks=2, n_samples=4, n_features=2)
    assert [len(x) for x, _ in known.take(6)] == [1, 1, 2, 2, 2, 2]


def test_an_iterator_is_refused():
    with pytest.raises(ValueError, match=r"^dataset must be readable several times; got a "):
        Trapezoidal(iter(TABLE))


def test_evolvable_spaces_are_disjoint_but_for_the_overlap():
    seen = [set(x) for x, _ in Evolvable(TABLE, n_spaces=3, overlap=5)]
    spaces = [{f"f{j}" for j in range(4 * i, 4 * i + 4)} for i in range(3)]
    assert seen[:29] == [spaces[0]] * 29
    assert seen[29:34] == [spaces[0] | spaces[1]] * 5
    assert seen[34:62] == [spaces[1]] * 28
    assert seen[62:67] == [spaces[1] | spaces[2]] * 5
    assert seen[67:] == [spaces[2]] * 33


def test_evolvable_map_is_linear():
    doubled = [({k: 2 * v for k, v in x.items()}, y) for x, y in TABLE]
    one = list(Evolvable(TABLE, kind="map", seed=3))
    two = list(Evolvable(doubled, kind="map", seed=3))
    assert one[0][0] == TABLE[0][0]
    assert len(one[-1][0]) == 12
    assert two[-1][0] == pytest.approx({k: 2 * v for k, v in one[-1][0].items()})


@pytest.mark.parametrize("n_features", [12, 7])
def test_evolvable_map_is_a_function_of_the_names_and_the_seed(n_features):
    (shown, _), *_ = list(Evolvable(TABLE, kind="map", seed=3, n_features=n_features))[-1:]
    seed = random.Random(3).random()
    expected = [0.0] * n_features
    for name, value in TABLE[-1][0].items():
        rng = random.Random(f"{seed} 1 {name!r}")
        expected = [total + rng.gauss(0.0, 1.0) * value for total in expected]
    assert shown == pytest.approx({(1, i): value for i, value in enumerate(expected)})
    turned = [({k: x[k] for k in reversed(x)}, y) for x, y in TABLE]
    (again, _), *_ = list(Evolvable(turned, kind="map", seed=3, n_features=n_features))[-1:]
    assert again == pytest.approx(shown)


def test_coefficients_of_a_map_are_drawn_once_if_there_is_a_seed(monkeypatch):
    calls = []
    draw = evolvable._gaussian
    monkeypatch.setattr(evolvable, "_gaussian", lambda seed, n: calls.append(seed) or draw(seed, n))
    stream = Evolvable(TABLE, n_spaces=3, kind="map", seed=1)
    rows = list(stream)
    assert list(stream) == rows
    assert len(calls) == len(set(calls)) == 2 * 12
    assert len(pickle.dumps(stream)) < len(pickle.dumps(TABLE)) + 2000
    assert list(pickle.loads(pickle.dumps(stream))) == rows

    unseeded = Evolvable(TABLE, kind="map")
    assert list(unseeded) != list(unseeded)
    assert not unseeded._rows


def test_a_map_of_an_empty_instance_is_zero():
    rows = [x for x, _ in Evolvable([({}, True)] * 4, kind="map", n_features=2, overlap=0)]
    assert rows == [{}, {}, {(1, 0): 0.0, (1, 1): 0.0}, {(1, 0): 0.0, (1, 1): 0.0}]


@pytest.mark.parametrize("gap", [None, math.nan, np.float32("nan"), Decimal("nan")])
def test_evolvable_map_treats_missing_values_as_absent(gap):
    gaps = [({**x, "f3": gap}, y) for x, y in TABLE]
    absent = [({k: v for k, v in x.items() if k != "f3"}, y) for x, y in TABLE]
    half = len(TABLE) // 2
    kwargs = {"kind": "map", "seed": 3, "overlap": 0, "n_features": 12}
    assert list(Evolvable(gaps, **kwargs))[half:] == list(Evolvable(absent, **kwargs))[half:]


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("red", TypeError),
        ([1.0], TypeError),
        (math.inf, ValueError),
        (10**400, ValueError),
        (1.7e308, ValueError),
    ],
    ids=["string", "list", "inf", "integer", "huge"],
)
def test_evolvable_map_names_the_feature_that_it_cannot_map(value, error):
    rows = iter(Evolvable([*TABLE[:-1], ({"f0": 1.0, "f3": value}, True)], kind="map", seed=3))
    assert len([next(rows) for _ in TABLE[:-1]]) == 99
    with pytest.raises(error, match="feature 'f3'"):
        next(rows)


@given(st.floats(0, 1), st.integers(0, 100))
def test_capricious_loses_at_most_its_share_and_keeps_one(max_share, seed):
    for (x, y), (full, label) in zip(Capricious(TABLE, max_share, seed), TABLE, strict=True):
        assert max(1, round(12 * (1 - max_share)) - 1) <= len(x) <= 12
        assert x.items() <= full.items()
        assert y == label
    assert [x for x, _ in Capricious([({}, True), ({"a": 1}, True)], 1.0)] == [{}, {"a": 1}]


@given(st.floats(0, 1), st.integers(0, 100))
def test_haphazard_keeps_at_least_one_feature(p, seed):
    for (x, y), (full, label) in zip(Haphazard(TABLE, p, seed), TABLE, strict=True):
        assert x.items() <= full.items()
        assert x
        assert y == label
    assert [x for x, _ in Haphazard([({}, True), ({"a": 1}, True)], p, seed)] == [{}, {"a": 1}]
    assert list(Haphazard(TABLE, 1.0, seed)) == TABLE
    assert {len(x) for x, _ in Haphazard(TABLE, 0.0, seed)} == {1}


@pytest.mark.parametrize("p", [0.25, 0.5, 0.75])
def test_haphazard_values_are_available_independently_of_each_other(p):
    n = 4000
    rows = [(dict.fromkeys(range(12), 1.0), True)] * n
    there = np.array([[j in x for j in range(12)] for x, _ in Haphazard(rows, p, seed=1)])
    # If no feature is available, each is equally likely to remain.
    share = p + (1 - p) ** 12 / 12
    assert abs(there.mean(axis=0) - share).max() < 5 * math.sqrt(share * (1 - share) / n)
    assert abs(np.corrcoef(there.T) - np.eye(12)).max() < 5 / math.sqrt(n)
    assert there.sum(axis=1).var() == pytest.approx(12 * p * (1 - p), rel=0.1)


def test_shuffled_is_a_permutation():
    rows = list(Shuffled(TABLE, seed=4))
    assert rows != TABLE
    assert sorted(x["f0"] for x, _ in rows) == [x["f0"] for x, _ in TABLE]


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_streams_can_be_read_again_know_their_size_and_do_not_modify_their_source(wrap):
    before = repr(TABLE)
    stream = wrap(TABLE)
    rows = list(stream)
    assert rows == list(stream) == list(wrap(TABLE))
    assert rows[:7] == list(stream.take(7))
    rows[0][0].clear()
    assert repr(TABLE) == before or isinstance(stream, Shuffled)
    assert stream.n_samples == len(rows) == 100
    assert "Samples  100" in repr(stream)
    stream = wrap(datasets.Phishing())
    assert stream.task == "Binary classification"
    assert stream.n_features == 9
    assert "Of  Phishing" in repr(stream)


@pytest.mark.parametrize("wrap", WRAPPERS)
def test_only_a_shuffle_holds_the_instances(wrap):
    class Long:
        n_samples, n_features = 5000, 12

        def __iter__(self):
            for _ in range(self.n_samples):
                yield dict.fromkeys(range(12), 1.0), True

    stream = wrap(Long())
    tracemalloc.start()
    assert sum(1 for _ in stream) == 5000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # 5,000 dicts take more than a million bytes.
    assert (peak > 1_000_000) == isinstance(stream, Shuffled)


@pytest.mark.parametrize(
    ("cls", "name", "value"),
    [
        (Trapezoidal, "n_chunks", 0),
        (Trapezoidal, "shares", [0.5, 1.5]),
        (Trapezoidal, "shuffle", 1),
        (Trapezoidal, "seed", "a"),
        (Trapezoidal, "n_samples", -1),
        (Reappearing, "n_chunks", 0),
        (Incremental, "min_features", 0),
        (Incremental, "max_features", 0),
        (Incremental, "selection", "first"),
        (Evolvable, "n_spaces", 0),
        (Evolvable, "kind", "blend"),
        (Evolvable, "overlap", -1),
        (Capricious, "max_share", 2),
        (Haphazard, "p", 1.1),
        (Haphazard, "seed", "a"),
        (Redundant, "share", -0.1),
        (Redundant, "shuffle", 1),
        (Redundant, "seed", "a"),
        (Shuffled, "seed", 0.5),
    ],
)
def test_invalid_parameters_are_named(cls, name, value):
    with pytest.raises(ValueError, match=f"^{name} must be .*got"):
        cls(TABLE, **{name: value})
