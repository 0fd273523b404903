"""Synthetic streams, for experiments and benchmarks without files."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator

import numpy as np
from river import datasets

from river_trapezoid._parameters import check_number, check_seed

from ._formats import numbered
from .base import Instance

__all__ = ["DriftingHyperplane", "GrowingVocabulary"]

# An instance within the margin is drawn again, a bounded number of times, as the boundary may leave
# little room beyond the margin.
_MAX_DRAWS = 100
_BLOCK = 256


class DriftingHyperplane(datasets.base.SyntheticDataset):
    """A hyperplane through the centre of the unit cube that rotates from chunk to chunk.

    Features are uniform in [0, 1]. The label is whether a₁x₁ + ... + a_dx_d ≥ (a₁ + ... + a_d)/2,
    flipped at random in a share of the instances. No instance is closer to the boundary than the
    margin. At the end of a chunk each weight moves with probability `drift` by 0.1, in its
    own direction, which reverses before one move in ten.

    The paper[^1] leaves open how the weights start, here uniform in [0, 1], and when they move.

    Parameters
    ----------
    n_features
        Number of features d, with the names f1, f2, and so on.
    drift
        Probability that a weight moves; c in the paper.
    chunk_size
        Number of instances between two moves.
    margin
        Smallest distance of an instance from the boundary.
    noise
        Share of the labels that are flipped.
    n_samples
        Number of instances; None for an endless stream.
    seed
        Random seed. With a seed, every iteration yields the same stream.

    Examples
    --------

    >>> from river_trapezoid.datasets import synth

    >>> stream = synth.DriftingHyperplane(n_features=2, seed=1)
    >>> for x, y in stream.take(2):
    ...     print(x, y)
    {'f1': 0.763774618976614, 'f2': 0.2550690257394217} False
    {'f1': 0.4494910647887381, 'f2': 0.651592972722763} True

    References
    ----------
    [^1]: Zhang, P., Zhu, X. and Guo, L., 2009. Mining data streams with labeled and unlabeled training examples. IEEE International Conference on Data Mining, pp.627-636.

    """

    def __init__(
        self,
        n_features: int = 4,
        drift: float = 0.1,
        chunk_size: int = 500,
        margin: float = 0.05,
        noise: float = 0.03,
        n_samples: int | None = None,
        seed: int | None = None,
    ):
        check_number("n_features", n_features, integer=True, at_least=1)
        check_number("drift", drift, at_least=0, at_most=1)
        check_number("chunk_size", chunk_size, integer=True, at_least=1)
        check_number("margin", margin, at_least=0)
        check_number("noise", noise, at_least=0, at_most=1)
        check_number("n_samples", n_samples, integer=True, at_least=1, optional=True)
        check_seed("seed", seed)
        super().__init__(
            task=datasets.base.BINARY_CLF, n_features=n_features, n_samples=n_samples, n_classes=2
        )
        self.drift = drift
        self.chunk_size = chunk_size
        self.margin = margin
        self.noise = noise
        self.seed = seed

    @property
    def features(self) -> list[str]:
        """Names of all features."""
        return numbered(self.n_features)

    def __iter__(self) -> Iterator[Instance]:
        """Iterate over the instances."""
        rng = random.Random(self.seed)
        names = self.features
        weights = [rng.random() for _ in names]
        directions = [0.1] * self.n_features
        for t in itertools.count() if self.n_samples is None else range(self.n_samples):
            if t and t % self.chunk_size == 0:
                self._move(weights, directions, rng)
            # Eq. 21, with the boundary through the centre of the cube.
            for _ in range(_MAX_DRAWS):
                x = [rng.random() for _ in names]
                side = math.fsum(a * (v - 0.5) for a, v in zip(weights, x, strict=True))
                if abs(side) >= self.margin:
                    break
            flipped = rng.random() < self.noise
            yield dict(zip(names, x, strict=True)), (side >= 0.0) != flipped

    def _move(self, weights: list[float], directions: list[float], rng: random.Random) -> None:
        for i in range(self.n_features):
            if rng.random() < self.drift:
                if rng.random() < 0.1:
                    directions[i] = -directions[i]
                weights[i] += directions[i]


class GrowingVocabulary(datasets.base.SyntheticDataset):
    """Documents whose words follow Zipf's law, with a vocabulary that grows by Heaps' law.

    After a share s of the documents, `vocabulary_size` · s^`growth` words have occurred, and all of
    them at the end (as far as the documents have room). A document has the words that are due to
    occur for the first time; its other words are drawn from the known words, the r-th with a
    probability proportional to 1/r. The number of distinct words in a document has a Poisson
    distribution with the mean `words_per_document`, and is smaller while few words are known.

    The concept is linear: each word has a fixed weight, drawn from a normal distribution, and the
    label is whether the weights of the document's words have a positive sum, flipped at random in
    a share of the documents. The words 2i - 1 and 2i, which are about equally frequent, have
    opposite weights, so that the classes are balanced without an intercept. A document has a tone,
    good or bad: a share of the words against the tone is replaced by their opposites.

    The features are the words w1, w2, and so on, in the order of their first occurrence, with the
    value 1. All documents share the same key objects.

    Parameters
    ----------
    n_samples
        Number of documents.
    vocabulary_size
        Number of words in all documents together.
    words_per_document
        Mean number of distinct words in a document.
    growth
        Exponent of Heaps' law.
    tone
        Share of the words against the tone of a document that are replaced. With 0, the words of a
        document are independent, and the concept is slow to learn.
    noise
        Share of the labels that are flipped.
    seed
        Random seed. With a seed, every iteration yields the same stream.

    Examples
    --------

    >>> from river_trapezoid.datasets import synth

    >>> stream = synth.GrowingVocabulary(n_samples=2000, seed=1)
    >>> words = set()
    >>> for i, (x, y) in enumerate(stream, start=1):
    ...     words.update(x)
    ...     if i in (1, 10, 100, 1000, 2000):
    ...         print(i, len(words))
    1 80
    10 736
    100 7486
    1000 31009
    2000 47000

    References
    ----------
    [^1]: Heaps, H.S., 1978. Information retrieval: computational and theoretical aspects. Academic Press.

    """

    def __init__(
        self,
        n_samples: int = 20_000,
        vocabulary_size: int = 47_000,
        words_per_document: int = 74,
        growth: float = 0.6,
        tone: float = 0.3,
        noise: float = 0.05,
        seed: int | None = None,
    ):
        check_number("n_samples", n_samples, integer=True, at_least=1)
        check_number("vocabulary_size", vocabulary_size, integer=True, at_least=1)
        check_number("words_per_document", words_per_document, integer=True, at_least=1)
        check_number("growth", growth, above=0, at_most=1)
        check_number("tone", tone, at_least=0, at_most=1)
        check_number("noise", noise, at_least=0, at_most=1)
        check_seed("seed", seed)
        super().__init__(
            task=datasets.base.BINARY_CLF,
            n_features=vocabulary_size,
            n_samples=n_samples,
            n_classes=2,
            sparse=True,
        )
        self.vocabulary_size = vocabulary_size
        self.words_per_document = words_per_document
        self.growth = growth
        self.tone = tone
        self.noise = noise
        self.seed = seed

    @property
    def features(self) -> list[str]:
        """The words of the vocabulary, in the order of their first occurrence."""
        return [f"w{r}" for r in range(1, self.vocabulary_size + 1)]

    def __iter__(self) -> Iterator[Instance]:
        """Iterate over the documents."""
        rng = np.random.default_rng(self.seed)
        n_words = self.vocabulary_size
        names = self.features
        pairs = rng.standard_normal((n_words + 1) // 2)
        weights = np.column_stack([pairs, -pairs]).ravel()[:n_words]
        weight_of = weights.tolist()
        cumulative = np.cumsum(1.0 / np.arange(1, n_words + 1))

        # Words repeat, so that more than the wanted number must be drawn.
        n_draws = 2 * self.words_per_document + 20
        n_known = 0
        for start in range(0, self.n_samples, _BLOCK):
            t = np.arange(start + 1, min(start + _BLOCK, self.n_samples) + 1)
            due = np.ceil(n_words * (t / self.n_samples) ** self.growth).astype(int).tolist()
            sizes = np.maximum(1, rng.poisson(self.words_per_document, len(t))).tolist()
            flipped = (rng.random(len(t)) < self.noise).tolist()
            known = []
            for wanted, size in zip(due, sizes, strict=True):
                known.append(n_known)
                n_known = min(max(wanted, n_known), n_known + size)
            known.append(n_known)
            # A uniform number up to the sum over the known words draws one of them.
            tops = cumulative[np.maximum(known[:-1], 1) - 1]
            drawn = np.searchsorted(cumulative, rng.random((len(t), n_draws)) * tops[:, None])
            # Words come in pairs of opposites, of which the second may not be known yet.
            good = rng.random((len(t), 1)) < 0.5
            replaced = rng.random(drawn.shape) < self.tone
            replaced &= ((weights[drawn] > 0.0) != good) & (
                (drawn ^ 1) < np.array(known[:-1])[:, None]
            )
            drawn ^= replaced
            for i, (size, ranks) in enumerate(zip(sizes, drawn.tolist(), strict=True)):
                words = list(range(known[i], known[i + 1]))
                if known[i]:
                    words += list(dict.fromkeys(ranks))[: size - len(words)]
                score = math.fsum([weight_of[r] for r in words])
                yield {names[r]: 1.0 for r in words}, (score > 0.0) != flipped[i]
