from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Iterator
from typing import Any

from river_trapezoid._frame import Zeros
from river_trapezoid._instance import Features, observed, out_of_range
from river_trapezoid._parameters import check_budget, check_number, check_seed
from river_trapezoid.weights import SparseWeights, check_keys, in_order

from .base import SparseLinearClassifier

__all__ = ["OFSClassifier"]

# Of what a large weight of an instance leaves of the weights, as they are divided by it meanwhile.
_SMALLEST_SHRINKAGE = 1e-100


class OFSClassifier(SparseLinearClassifier):
    """Online Feature Selection: gradient steps, an L2 ball, and truncation.

    The peer that the trapezoidal learners are compared with. Every instance shrinks the weights;
    one with a margin of at most one also moves them, after which they are scaled into an L2 ball
    and all but the largest are zeroed.

    With `epsilon` it is OFS_P, which looks at part of each instance only: with probability
    `epsilon` at random features, as many as there are weights to keep, otherwise at the features
    that have a weight. What it sees is divided by the probability of seeing it. Wang et al. print
    OFS_P with a step on mistakes only and without the shrinking; here both variants take the
    same step.

    The weight `w` of `learn_one` multiplies the step, and shrinks the weights as often.

    Parameters
    ----------
    B
        How many weights are kept. A float is a share of the features seen so far; an integer is
        a number of features. Mind the type: `B=1` keeps a single weight, `B=1.0` all of them.
    eta
        Step size, the paper's η.
    lam
        Strength of the shrinking, the paper's λ; the radius of the ball is 1/√λ. `eta * lam`
        must be below 1.
    epsilon
        Share of instances on which OFS_P explores, the paper's ε. None to see all features (OFS).
        With an integer `B` the features to look at are drawn from those of the instance,
        otherwise from all seen so far.
    seed
        Seed of the exploration.

    Attributes
    ----------
    weights
        The weights other than zero, as a dict.
    n_features_seen
        Number of distinct features learned from; None if `B` is an integer.
    sparsity
        Share of the features seen that have no weight; None if `B` is an integer.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import preprocessing

    >>> model = preprocessing.StandardScaler() | linear_model.OFSClassifier(B=4)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 85.28%

    >>> model = preprocessing.StandardScaler() | linear_model.OFSClassifier(B=4, epsilon=0.2, seed=1)
    >>> evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    Accuracy: 80.16%

    References
    ----------
    [^1]: Wang, J., Zhao, P., Hoi, S.C. and Jin, R., 2014. Online feature selection and its applications. IEEE Transactions on Knowledge and Data Engineering, 26(3), pp.698-710.

    """

    def __init__(
        self,
        B: int | float = 0.5,
        eta: float = 0.2,
        lam: float = 0.01,
        epsilon: float | None = None,
        seed: int | None = None,
    ):
        check_budget("B", B)
        check_number("eta", eta, above=0)
        check_number("lam", lam, above=0)
        if not eta * lam < 1:
            raise ValueError(f"eta * lam must be < 1; got {eta!r} * {lam!r}")
        check_number("epsilon", epsilon, above=0, at_most=1, optional=True)
        check_seed("seed", seed)
        super().__init__()
        self._w = SparseWeights(budget=B, order=2)
        self.B = B
        self.eta = eta
        self.lam = lam
        self.epsilon = epsilon
        self.seed = seed
        self._rng = None if epsilon is None else random.Random(seed)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {}
        yield {"B": 3, "epsilon": 0.2}
        yield {"B": 0.4, "epsilon": 0.2}

    @property
    def _weights(self) -> SparseWeights:
        return self._w

    @contextlib.contextmanager
    def _whole_or_nothing(self, columns: list[Any]) -> Iterator[None]:
        state = None if self._rng is None else self._rng.getstate()
        try:
            with super()._whole_or_nothing(columns):
                yield
        except BaseException:
            if self._rng is not None:
                self._rng.setstate(state)  # type: ignore[arg-type]
            raise

    def _zeros(self, learning: bool) -> Zeros:
        # OFS_P may look at features of zero in place of others.
        return "all" if learning and self._rng is not None else super()._zeros(learning)

    def _step(self, x: Features, sign: int, w: float = 1.0) -> None:
        x = observed(x)
        check_keys(x)
        if self._rng is None:
            self._descend(x, x, x, sign, w)
            return
        state = self._rng.getstate()
        try:
            seen, estimate = self._look(x)
            self._descend(x, seen, estimate, sign, w)
        except BaseException:
            self._rng.setstate(state)
            raise

    def _descend(
        self, x: Features, seen: Features, estimate: Features, sign: int, w: float
    ) -> None:
        weights, eta, lam = self._weights, float(self.eta), float(self.lam)
        shrinkage = max(_SMALLEST_SHRINKAGE, (1.0 - lam * eta) ** w)
        if sign * weights.dot(seen) <= 1.0:
            # The shrinking comes last, after everything that may raise.
            radius = 1.0 / math.sqrt(lam) / shrinkage
            if estimate is not x:
                # A feature that was not looked at is seen all the same.
                estimate = {**dict.fromkeys(x, 0.0), **estimate}
                if not all(map(math.isfinite, estimate.values())):
                    raise out_of_range(x)
            weights.update(estimate, sign * eta * w / shrinkage, radius)
        else:
            weights.observe(x)
        weights.scale_by(shrinkage)

    def _look(self, x: Features) -> tuple[Features, Features]:
        """Return the features of `x` that are looked at, and the estimate of `x` they give."""
        weights, rng = self._weights, self._rng
        assert rng is not None
        assert self.epsilon is not None
        epsilon = float(self.epsilon)
        if not x:
            return x, x
        n_features, n_kept = weights.sample_sizes(x)
        if rng.random() < epsilon:
            drawn = set(rng.sample(range(n_features), n_kept))
            seen = {key: x[key] for i, key in enumerate(in_order(x)) if i in drawn}
        else:
            seen = {key: value for key, value in x.items() if key in weights}
        at_random = epsilon * n_kept / n_features
        estimate = {
            key: value / (at_random + (1.0 - epsilon) * (key in weights))
            for key, value in seen.items()
        }
        return seen, estimate
