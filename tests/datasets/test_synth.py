from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from river import evaluate, linear_model, metrics, optim

from river_trapezoid.datasets.synth import DriftingHyperplane, GrowingVocabulary


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: DriftingHyperplane(chunk_size=20, drift=0.5, n_samples=300, seed=seed),
        lambda seed: GrowingVocabulary(n_samples=300, vocabulary_size=900, seed=seed),
    ],
)
def test_streams_are_seeded_and_restart_in_each_iteration(make):
    stream = make(3)
    rows = list(stream)
    assert rows == list(stream) == list(make(3)) == list(pickle.loads(pickle.dumps(stream)))
    assert rows != list(make(4))
    assert rows[:7] == list(stream.take(7))
    assert len(rows) == stream.n_samples == 300
    assert "Samples  300" in repr(stream)
    assert {type(y) for _, y in rows} == {bool}
    assert list(dict.fromkeys(name for x, _ in rows for name in x)) == stream.features
    unseeded = make(None)
    assert list(unseeded) != list(unseeded)


def side(x, normal):
    return np.array(list(x.values())) @ normal - normal.sum() / 2


def fitted(rows):
    """The normal of the hyperplane through the middle that separates most of the rows."""
    X = np.array([list(x.values()) for x, _ in rows]) - 0.5
    y = np.array([1.0 if y else -1.0 for _, y in rows])
    normal = np.linalg.lstsq(X, y, rcond=None)[0]
    return normal / np.linalg.norm(normal)


def test_hyperplane_without_noise_is_separable_with_a_margin():
    stream = DriftingHyperplane(n_features=2, drift=0.0, noise=0.0, margin=0.1, seed=1)
    rows = list(stream.take(2000))
    # All instances of one class are on one side, for some direction among many.
    angles = np.linspace(0, 2 * np.pi, 2000)
    normals = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    X = np.array([list(x.values()) for x, _ in rows]) - 0.5
    y = np.array([1 if y else -1 for _, y in rows])
    gaps = (y * (normals @ X.T)).min(axis=1)
    assert gaps.max() > 0.1 / np.sqrt(2)
    assert 0.45 < np.mean(y > 0) < 0.55
    assert X.min() >= -0.5
    assert X.max() <= 0.5


@pytest.mark.parametrize("noise", [0.0, 0.03, 0.2])
def test_noise_of_the_hyperplane_is_the_share_of_flipped_labels(noise):
    clean = DriftingHyperplane(noise=0.0, seed=5, n_samples=5000)
    noisy = DriftingHyperplane(noise=noise, seed=5, n_samples=5000)
    pairs = list(zip(clean, noisy, strict=True))
    assert all(a[0] == b[0] for a, b in pairs)
    assert np.mean([a[1] != b[1] for a, b in pairs]) == pytest.approx(noise, abs=0.02)


def test_hyperplane_moves_between_chunks_only():
    stream = DriftingHyperplane(drift=1.0, chunk_size=2000, noise=0.0, seed=2)
    rows = list(stream.take(20_000))
    chunks = [rows[i : i + 2000] for i in range(0, len(rows), 2000)]

    def right(chunk, normal):
        return np.mean([(side(x, normal) > 0) == y for x, y in chunk])

    for chunk in chunks:
        assert right(chunk[1000:], fitted(chunk[:1000])) > 0.93
    assert right(chunks[-1], fitted(chunks[0])) < right(chunks[-1], fitted(chunks[-1])) - 0.02
    still = list(DriftingHyperplane(drift=0.0, noise=0.0, seed=2).take(20_000))
    assert fitted(still[:5000]) @ fitted(still[-5000:]) > 0.999


def test_a_boundary_without_room_for_its_margin_still_yields():
    stream = DriftingHyperplane(n_features=1, margin=5.0, seed=1)
    assert len(list(stream.take(10))) == 10


def test_the_hyperplane_is_endless_by_default():
    stream = DriftingHyperplane(seed=1)
    assert stream.n_samples is None
    assert len(list(itertools.islice(stream, 1234))) == 1234


@pytest.fixture(scope="module")
def documents():
    return list(GrowingVocabulary(seed=7))


def test_documents_have_about_74_words(documents):
    lengths = [len(x) for x, _ in documents]
    assert len(documents) == 20_000
    assert np.mean(lengths) == pytest.approx(74, abs=0.5)
    assert np.std(lengths) == pytest.approx(np.sqrt(74), rel=0.05)


def test_vocabulary_grows_by_heaps_law(documents):
    seen, sizes = set(), []
    for x, _ in documents:
        seen.update(x)
        sizes.append(len(seen))
    assert sizes[-1] == 47_000
    t = np.array([10, 100, 1000, 5000, 10_000, 20_000])
    assert np.array(sizes)[t - 1] == pytest.approx(47_000 * (t / 20_000) ** 0.6, abs=1)


def test_words_appear_in_the_order_of_their_names(documents):
    order = list(dict.fromkeys(word for x, _ in documents for word in x))
    assert order == [f"w{i}" for i in range(1, 47_001)]


def test_words_follow_zipfs_law(documents):
    counts: dict[str, int] = {}
    for x, _ in documents:
        for word in x:
            counts[word] = counts.get(word, 0) + 1
    frequencies = np.sort(list(counts.values()))[::-1]
    ranks = np.arange(100, 5000)
    slope, _ = np.polyfit(np.log(ranks), np.log(frequencies[ranks - 1]), 1)
    assert slope == pytest.approx(-1.0, abs=0.05)


def test_keys_are_shared_strings_and_values_are_one(documents):
    first: dict[str, str] = {}
    for x, _ in documents:
        for word, value in x.items():
            assert first.setdefault(word, word) is word
            assert value == 1.0


def test_classes_are_balanced_and_noise_is_the_share_of_flipped_labels(documents):
    assert np.mean([y for _, y in documents]) == pytest.approx(0.5, abs=0.03)
    clean = GrowingVocabulary(seed=7, noise=0.0)
    flips = [a[1] != b[1] for a, b in zip(documents, clean, strict=True)]
    assert np.mean(flips) == pytest.approx(0.05, abs=0.01)


def test_the_concept_can_be_learned_and_more_easily_with_a_tone():
    accuracies = []
    for tone in (0.0, 0.3):
        stream = GrowingVocabulary(
            n_samples=5000, vocabulary_size=10_000, tone=tone, noise=0.0, seed=1
        )
        model = linear_model.LogisticRegression(optim.AdaGrad(0.1))
        evaluate.progressive_val_score(stream.take(4000), model, metrics.Accuracy())
        rest = itertools.islice(stream, 4000, None)
        accuracies.append(evaluate.progressive_val_score(rest, model, metrics.Accuracy()).get())
    without, with_tone = accuracies
    assert 0.55 < without < 0.8
    assert with_tone > 0.9


def test_vocabulary_that_the_documents_have_no_room_for():
    stream = GrowingVocabulary(n_samples=5, vocabulary_size=1000, words_per_document=10, seed=1)
    rows = list(stream)
    assert all(rows[i][0].keys().isdisjoint(rows[j][0]) for i in range(5) for j in range(i))
    tiny = GrowingVocabulary(n_samples=50, vocabulary_size=3, words_per_document=10, seed=1)
    assert {word for x, _ in tiny for word in x} == {"w1", "w2", "w3"}


@pytest.mark.parametrize(
    ("cls", "name", "value"),
    [
        (DriftingHyperplane, "n_features", 0),
        (DriftingHyperplane, "drift", 1.5),
        (DriftingHyperplane, "chunk_size", 0),
        (DriftingHyperplane, "margin", -1),
        (DriftingHyperplane, "noise", 2),
        (DriftingHyperplane, "n_samples", 0),
        (DriftingHyperplane, "seed", "a"),
        (GrowingVocabulary, "n_samples", 0),
        (GrowingVocabulary, "vocabulary_size", 0),
        (GrowingVocabulary, "words_per_document", 0),
        (GrowingVocabulary, "growth", 0.0),
        (GrowingVocabulary, "tone", 1.5),
        (GrowingVocabulary, "noise", -0.1),
        (GrowingVocabulary, "seed", 0.5),
    ],
)
def test_wrong_parameters_are_named(cls, name, value):
    with pytest.raises(ValueError, match=f"^{name} must be .*got"):
        cls(**{name: value})
