from __future__ import annotations

import functools
import math
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from river import base

from river_trapezoid._instance import Features, observed, out_of_range
from river_trapezoid._parameters import (
    check_array,
    check_bool,
    check_choice,
    check_number,
    check_slots,
)
from river_trapezoid._probability import logistic, logistic_loss
from river_trapezoid.weights import in_order

from .base import LinearClassifier

__all__ = ["FESLClassifier"]

Array = npt.NDArray[np.float64]
# Weights and sums of products stay below this, so that no product of them with an instance whose
# values are at most one can overflow.
_LARGEST = 1e150
_LARGEST_MARGIN = 1e300
# Directions of the new space that vary less than this share of the first are taken as not seen in
# the overlap.
_RCOND = 1e-6
# Number of instances of an overlap that are kept, beyond twice the number of joining features.
_SPARE_ROWS = 32


class FESLClassifier(LinearClassifier):
    r"""Feature Evolvable Streaming Learning: what was learned on old features helps on new ones.

    For streams where one set of features replaces another, after a short overlap in which instances
    carry both, such as when sensors are exchanged. While the old features are there, an expert
    learns on them. In the overlap, least squares fit a linear map $M$ from the new features to the
    old. Once the old features are gone, the old expert continues on the mapped features, with score
    $f_1 = w_1 \cdot M^\top x$; a second expert starts on the new features, $f_2 = w_2 \cdot x$; and
    the two are combined, or the better one is selected, by their losses $L_1$ and $L_2$[^1]. FESL-c
    predicts

    $$a f_1 + (1 - a) f_2, \qquad a = \frac{1}{1 + e^{\eta (L_1 - L_2)}}, \qquad \eta = \sqrt{\frac{8 \ln 2}{T_2}}$$

    The feature spaces are found from the keys of the instances:

    - The features of the first instance are the first space.
    - Further features that appear together with those of the space are the overlap. Until the space
      evolves they are used for the map only, not for prediction.
    - An instance with none of the features of the space starts the next period, whose space is the
      features that joined in the overlap, and its own. Both experts become one, with the combined
      score, which is the old expert of the new period. Without an overlap both start from zero, but
      for the intercept.
    - After `max_overlap` instances the old features are assumed to remain: old and new ones
      together are then the next space, in which the old expert needs no map.

    Single features may be missing at any time. Where absent keys mean zeros, as in a sparse dataset,
    the keys do not reveal the spaces: wrap such a dataset in `stream.Dense`.

    With n features in the space and m joining, memory is of order k(n + m), where k is the number of
    instances in the overlap, or 2m + 32 if that is less, as further ones are condensed. Fitting the
    map takes time of order km·min(k, m), once when the space evolves, and when an instance is
    predicted that would be the first of the next period.

    A step takes effect completely or not at all, whatever error or interrupt occurs.

    The experts are online gradient descent (OCO) with logistic loss in bits and steps of
    `learning_rate`/√t, with t counted from the start of the period. On its own and without
    intercept, OCO is River's
    `LogisticRegression(optim.SGD(optim.schedulers.InverseScaling(1 / math.log(2))), intercept_lr=0)`.

    Features should be of similar scale, for instance behind `preprocessing.StandardScaler`.

    Parameters
    ----------
    mode
        `"combine"` for FESL-c, a mixture of both scores with shares that decay exponentially in the
        losses; `"select"` for FESL-s, the score of one expert, which is the old one if both have
        the same share.
    learning_rate
        Size of the first step; the paper's is 1.
    horizon
        Number of instances in a period, the paper's $T_2$, if known. It determines how fast the
        shares adapt. None for the number in the period so far.
    max_overlap
        Number of instances of an overlap after which old features are no longer expected to vanish.
        The papers' overlaps last up to 50. None for no limit, as in the paper; note that new
        features are not used for prediction while old ones last.
    learn_intercept
        Whether each expert learns an intercept, with the steps of its weights. The paper has none.
        It is the weight of a feature that is always 1, which old and new spaces share: when the
        space evolves, both experts continue from the intercept of the period before. It raises
        accuracy on evolvable streams by about three points on average.

    Attributes
    ----------
    weights
        The weights of the features of the current space, both experts together, as a dict.
    intercept
        The intercept of both experts together; 0 if it is not learned.
    old_share
        Share of the old expert in the score; 1 where there is no other.
    n_evolutions
        Number of times the feature space has been replaced, the first one included.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import preprocessing
    >>> from river_trapezoid import stream

    >>> evolvable = stream.Evolvable(datasets.Phishing(), overlap=10)
    >>> model = preprocessing.StandardScaler() | linear_model.FESLClassifier()
    >>> evaluate.progressive_val_score(evolvable, model, metrics.Accuracy())
    Accuracy: 74.64%

    >>> model["FESLClassifier"].n_evolutions
    2

    A model that has learned in one unit predicts in the other, without a further label:

    >>> model = linear_model.FESLClassifier()
    >>> for celsius in [-3.0, 2.0, 1.0, -1.0]:
    ...     model.learn_one({"celsius": celsius}, celsius > 0)
    >>> for celsius in [2.0, -1.0]:
    ...     model.learn_one({"celsius": celsius, "fahrenheit": 1.8 * celsius}, celsius > 0)
    >>> model.predict_one({"fahrenheit": 1.8}), model.predict_one({"fahrenheit": -1.8})
    (True, False)

    References
    ----------
    [^1]: Hou, B.J., Zhang, L. and Zhou, Z.H., 2017. Learning with feature evolvable streams. Advances in Neural Information Processing Systems, 30.

    """

    _TAG = "river_trapezoid.linear_model.FESLClassifier"

    def __init__(
        self,
        mode: str = "combine",
        learning_rate: float = 1.0,
        horizon: int | None = None,
        max_overlap: int | None = 100,
        learn_intercept: bool = True,
    ):
        check_choice("mode", mode, ("combine", "select"))
        check_number("learning_rate", learning_rate, above=0)
        check_number("horizon", horizon, integer=True, at_least=2, optional=True)
        check_number("max_overlap", max_overlap, integer=True, at_least=1, optional=True)
        check_bool("learn_intercept", learn_intercept)
        super().__init__()
        self.mode = mode
        self.learning_rate = learning_rate
        self.horizon = horizon
        self.max_overlap = max_overlap
        self.learn_intercept = learn_intercept
        self.n_evolutions = 0
        self._space = _Space({})

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {}
        yield {"mode": "select"}
        yield {"max_overlap": 1, "horizon": 100, "learn_intercept": False}
        yield {"max_overlap": None, "learning_rate": 0.5}

    @property
    def weights(self) -> dict[base.typing.FeatureName, float]:
        """The weights of the features of the current space, as a new dict."""
        weights = self._weights_of(self._space)
        return {key: float(weights[slot]) for key, slot in self._space.slots.items()}

    @property
    def old_share(self) -> float:
        """Share of the old expert in the score; 1 where there is no other."""
        return float(self._shares(self._space)[0])

    def margin_one(self, x: Features) -> float:
        """Combined, or selected, score of the two experts, and the intercept.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        x = observed(x)
        space = self._space_for(x)
        weights = self._weights_of(space)
        with np.errstate(all="ignore"):
            margin = float(weights @ space.values(x))
            if not -_LARGEST_MARGIN < margin < _LARGEST_MARGIN:
                largest = max(map(abs, x.values()))
                scaled = {key: value / largest for key, value in x.items()}
                margin = largest * float(weights @ space.values(scaled))
        return min(_LARGEST_MARGIN, max(-_LARGEST_MARGIN, margin)) + self.intercept

    def _terms(self, x: Features) -> Iterable[tuple[Hashable, float, float]]:
        space = self._space_for(x)
        weights = self._weights_of(space)
        return [
            (key, value, float(weights[space.slots[key]]))
            for key, value in x.items()
            if key in space.slots
        ]

    def _space_for(self, x: Features) -> _Space:
        """The present space or, where an instance has none of its features, the next one."""
        space = self._space
        if not x or not space.slots.keys().isdisjoint(x):
            return space
        return space.evolved(x, self._weights_of(space), self.intercept)

    def _weights_of(self, space: _Space) -> Array:
        """Weights of the experts together; their scores are linear, so a mixture is as well."""
        return self._shares(space) @ space.experts

    def _shares(self, space: _Space) -> Array:
        """Share of each expert in the score."""
        if len(space.experts) == 1:
            return np.ones(1)
        if self.mode == "combine":
            eta = math.sqrt(8.0 * math.log(2.0) / (self.horizon or space.n_steps + 1))
            share = logistic(eta * (space.losses[1] - space.losses[0]))
        else:
            # A period begins with a tie, and the second expert with weights of zero.
            share = float(space.trust >= 0.5)
        return np.array([share, 1.0 - share])

    def _step(self, x: Features, sign: int) -> None:
        x = observed(x)
        if not x:
            return
        space = self._space_for(x)
        n_evolutions = self.n_evolutions + (space is not self._space)
        with np.errstate(all="ignore"):
            values = space.values(x)
            scores = (space.experts @ values + space.intercepts).tolist()
            rate = self.learning_rate / math.sqrt(space.n_steps + 1) / math.log(2.0)
            steps = np.array([rate * sign * logistic(-sign * score) for score in scores])
            directions = np.array([space.mapped(values), values][: len(scores)])
            experts = space.experts + steps[:, np.newaxis] * directions
            intercepts = space.intercepts + steps if self.learn_intercept else space.intercepts
            overlap = space.overlap.extended(space, x, values)
            fine = _fits(experts) and _fits(intercepts)
            if overlap is not space.overlap:
                fine = fine and _fits(np.fromiter(x.values(), np.float64, len(x)))
        if not (fine and all(map(math.isfinite, scores))):
            raise out_of_range(x)

        space = space.moved(experts, intercepts, overlap)
        if len(scores) == 2:
            space.judge([logistic_loss(sign * score) for score in scores], self.horizon)
        intercept = float(self._shares(space) @ intercepts)
        if overlap.n_instances == self.max_overlap:
            space = space.merged(self._weights_of(space), intercept)
            n_evolutions += 1
        # In one call, which an interrupt cannot split.
        self.__dict__.update(_space=space, intercept=intercept, n_evolutions=n_evolutions)


class _Space:
    """The features of one period, the experts on them, and their overlap with the next period.

    Arrays and dicts are replaced rather than changed, so that spaces may share them.

    The first expert comes from the period before. Its weights are kept as they act on the features
    of this one: with `M` the map to the old features and `w` the weights on those, as `Mw`. What
    is a step along `M'x` for `w` is one along `MM'x` for them, so that neither the old features
    nor the map need to be remembered.

    """

    _TAG = "river_trapezoid.linear_model.FESLSpace"

    def __init__(self, slots: dict[Hashable, int], n_experts: int = 1, intercept: float = 0.0):
        self.slots = slots
        self.experts: Array = np.zeros((n_experts, len(slots)))
        self.intercepts: Array = np.full(n_experts, intercept)
        # MM' of the first expert: by a factor L with LL' = MM', for the first features only; as its
        # diagonal; or None for the identity.
        self.metric: Array | None = None
        self.overlap = _Overlap()
        self.n_steps = 0
        self.losses = (0.0, 0.0)
        self.trust = 0.5

    def _check_state(self) -> None:
        """Raise a `ValueError` unless the attributes, which come from a file, fit together."""
        n = len(self.slots)
        check_slots("slots", self.slots)
        check_array("experts", self.experts, None, n)
        check_array("intercepts", self.intercepts, len(self.experts))
        if self.metric is not None and self.metric.ndim == 1:
            check_array("metric", self.metric, n)
        elif self.metric is not None:
            check_array("metric", self.metric, min(n, len(self.metric)), None)
        for _, present in self.overlap.rows:
            check_array("a row of the overlap", present, n)

    def values(self, x: Features) -> Array:
        """The features of `x` that belong to the space; slot by slot, so their order is lost."""
        return _dense(x, self.slots)

    def mapped(self, values: Array) -> Array:
        """The direction in which the first expert learns."""
        if self.metric is None:
            return values
        if self.metric.ndim == 1:
            return self.metric * values
        n = len(self.metric)
        direction = np.zeros(len(values))
        direction[:n] = self.metric @ (values[:n] @ self.metric)
        return direction

    def moved(self, experts: Array, intercepts: Array, overlap: _Overlap) -> _Space:
        """The same space one step later."""
        space = _Space.__new__(_Space)
        space.__dict__.update(
            self.__dict__,
            experts=experts,
            intercepts=intercepts,
            overlap=overlap,
            n_steps=self.n_steps + 1,
        )
        return space

    def judge(self, losses: list[float], horizon: int | None) -> None:
        """Add the losses of the experts, for the combination and for the selection."""
        self.losses = (self.losses[0] + losses[0], self.losses[1] + losses[1])
        total = horizon or max(2, self.n_steps)
        delta = 1.0 / (total - 1)
        entropy = -delta * math.log(delta)
        if delta < 1.0:
            entropy -= (1.0 - delta) * math.log1p(-delta)
        eta = math.sqrt(8.0 / total * (2.0 * math.log(2.0) + (total - 1) * entropy))
        first, second = (min(50.0, loss) for loss in losses)
        odds = math.log(self.trust / (1.0 - self.trust)) + eta * (second - first)
        self.trust = delta / 2.0 + (1.0 - delta) * logistic(odds)

    def evolved(self, x: Features, weights: Array, intercept: float) -> _Space:
        """The space of the next period, which `x` is the first instance of.

        Where there was no overlap, no weight can be carried over; the intercept always can.
        """
        joined = self.overlap.slots
        if joined:
            with np.errstate(all="ignore"):
                directions, targets, metric = self.overlap.map
                expert = directions @ (targets @ weights)
                fine = _fits(expert) and bool(np.vdot(metric, metric) <= _LARGEST)
            if fine:
                others = in_order(x.keys() - joined.keys())
                space = _Space(_with(joined, others), n_experts=2, intercept=intercept)
                space.experts[0, : len(joined)] = expert
                space.metric = metric
                return space
        return _Space(_with({}, in_order(x)), intercept=intercept)

    def merged(self, weights: Array, intercept: float) -> _Space:
        """The space of old and new features together; the old need no map, as they are there."""
        n = len(self.slots)
        slots = _with(self.slots, self.overlap.slots)
        space = _Space(slots, n_experts=2, intercept=intercept)
        space.experts[0, :n] = weights
        space.metric = np.zeros(len(slots))
        space.metric[:n] = 1.0
        return space


class _Overlap:
    """The least squares map from joining features to those of a space.

    A row holds the values of an instance, those of the joining features and those of the space; or,
    where there are many, of a combination of instances that leaves the map as it is.

    """

    _TAG = "river_trapezoid.linear_model.FESLOverlap"

    def __init__(self) -> None:
        self.slots: dict[Hashable, int] = {}
        # Of features that joined later there is no value.
        self.rows: tuple[tuple[Array, Array], ...] = ()
        self.n_instances = 0

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "map"}

    def _check_state(self) -> None:
        """Raise a `ValueError` unless the attributes, which come from a file, fit together."""
        check_slots("slots", self.slots)
        for joined, _ in self.rows:
            check_array("a row of the overlap", joined, min(len(joined), len(self.slots)))

    def extended(self, space: _Space, x: Features, values: Array) -> _Overlap:
        """The same with one instance more, if that has joining features."""
        new = x.keys() - space.slots.keys()
        if not new:
            return self
        overlap = _Overlap()
        overlap.slots = _with(self.slots, in_order(new - self.slots.keys()))
        overlap.rows = (*self.rows, (_dense(x, overlap.slots), values))
        overlap.n_instances = self.n_instances + 1
        if len(overlap.rows) > 2 * len(overlap.slots) + _SPARE_ROWS:
            # A'A and A'B, which are all that counts, are R'R and R'Q'B.
            joining, present = overlap._matrices()
            rotation, triangle = np.linalg.qr(joining)
            overlap.rows = tuple(zip(triangle, rotation.T @ present, strict=True))
        return overlap

    def _matrices(self) -> tuple[Array, Array]:
        joining = np.zeros((len(self.rows), len(self.slots)))
        for row, (joined, _) in zip(joining, self.rows, strict=True):
            row[: len(joined)] = joined
        return joining, np.array([present for _, present in self.rows])

    @functools.cached_property
    def map(self) -> tuple[Array, Array, Array]:
        """Of all maps that fit the overlap best, the one of least norm.

        As M = VC, of as many columns and rows as the overlap has directions, and a factor L with
        LL' = MM'.
        """
        joining, present = self._matrices()
        left, sizes, right = np.linalg.svd(joining, full_matrices=False)
        seen = sizes > _RCOND * sizes.max(initial=0.0)
        directions = right[seen].T
        targets = (left[:, seen].T @ present) / sizes[seen, np.newaxis]
        triangle: Any = np.linalg.qr(targets.T, mode="r")
        return directions, targets, directions @ triangle.T


def _with(slots: dict[Hashable, int], keys: Iterable[Hashable]) -> dict[Hashable, int]:
    """Slots with those of further features behind them."""
    return {**slots, **{key: slot for slot, key in enumerate(keys, len(slots))}}


def _fits(array: Array) -> bool:
    """Whether all numbers are within their range."""
    return bool(np.vdot(array, array) <= _LARGEST**2)


def _dense(x: Features, slots: dict[Hashable, int]) -> Array:
    known = {key: value for key, value in x.items() if key in slots}
    values = np.zeros(len(slots))
    places = np.fromiter(map(slots.__getitem__, known), np.intp, len(known))
    values[places] = np.fromiter(known.values(), np.float64, len(known))
    return values
