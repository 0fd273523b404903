from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import partial
from numbers import Integral
from typing import Any

from river import base

from river_trapezoid._frame import Array, Rows, Zeros, in_row
from river_trapezoid._instance import Features, observed, out_of_range
from river_trapezoid._parameters import check_budget, check_choice, check_number, share_of
from river_trapezoid._probability import softmax
from river_trapezoid._uninterrupted import at_once
from river_trapezoid.weights import SparseWeights, check_keys, in_order, transaction
from river_trapezoid.weights.passive_aggressive import squared_norm, step_size

from .base import contribution_table, missing_label
from .mini_batch import RowwiseClassifier

__all__ = ["MulticlassOLSFClassifier"]

# A step that moves a weight further than this is refused.
_LARGEST_MOVE = 2.0**600


class MulticlassOLSFClassifier(RowwiseClassifier):
    r"""OLSF with a matrix of weights: one row per class, learned together.

    The extension of OLSF to several classes that its authors suggest[^1], with the
    passive-aggressive step of Crammer et al.[^2]: the score of a class is the product of its row and
    $x$, and the loss is the amount by which the score of the true class $y$ fails to exceed that of
    its strongest rival $r$ by one:

    $$l = \max(0, 1 - w_y \cdot x + w_r \cdot x), \qquad w_y \leftarrow w_y + \tau x, \quad w_r \leftarrow w_r - \tau x$$

    Then each of the two rows is scaled into an L1 ball of its own, and all but its largest weights
    are set to zero. A new class starts with a row of zeros.

    An instance moves two rows, whatever the number of classes, while
    `multiclass.OneVsRestClassifier` trains the binary model of every class on it. The examples
    compare the two on real data. With two classes the predictions are those of `OLSFClassifier` with
    twice the `C` and twice the `radius`.

    Parameters
    ----------
    mode
        The step size: 0 for $\tau = \frac{l}{2 \lVert x \rVert^2}$, 1 for
        $\tau = \min\left(C, \frac{l}{2 \lVert x \rVert^2}\right)$, 2 for
        $\tau = \frac{l}{2 \lVert x \rVert^2 + \frac{1}{2C}}$.
    C
        Aggressiveness of modes 1 and 2.
    B
        The weight budget: the number of weights that each row keeps. A float is a share of the
        features seen so far; an integer is a number of features, and needs no memory of the
        features seen. Note the type: `B=1` keeps a single weight, `B=1.0` all of them.
    radius
        Radius of the L1 ball of each row. None for no ball.

    Attributes
    ----------
    weights
        The weights other than zero: a dict for each label.
    n_features_seen
        Number of distinct features learned from; None if `B` is an integer.

    Examples
    --------

    >>> from river import datasets
    >>> from river import evaluate
    >>> from river import metrics
    >>> from river import multiclass
    >>> from river_trapezoid import linear_model
    >>> from river_trapezoid import preprocessing

    >>> def accuracy(classifier):
    ...     model = preprocessing.StandardScaler() | classifier
    ...     return evaluate.progressive_val_score(
    ...         datasets.ImageSegments(), model, metrics.Accuracy()
    ...     )

    >>> accuracy(linear_model.MulticlassOLSFClassifier())
    Accuracy: 85.88%

    >>> accuracy(multiclass.OneVsRestClassifier(linear_model.OLSFClassifier()))
    Accuracy: 76.14%

    References
    ----------
    [^1]: Zhang, Q., Zhang, P., Long, G., Ding, W., Zhang, C. and Wu, X., 2016. Online learning from trapezoidal data streams. IEEE Transactions on Knowledge and Data Engineering, 28(10), pp.2709-2723.
    [^2]: Crammer, K., Dekel, O., Keshet, J., Shalev-Shwartz, S. and Singer, Y., 2006. Online passive-aggressive algorithms. Journal of Machine Learning Research, 7, pp.551-585.

    """

    _TAG = "river_trapezoid.linear_model.MulticlassOLSFClassifier"

    def __init__(
        self,
        mode: int = 1,
        C: float = 0.1,
        B: int | float = 0.5,
        radius: float | None = 30.0,
    ):
        super().__init__()
        check_choice("mode", mode, (0, 1, 2))
        check_number("C", C, above=0)
        check_budget("B", B)
        check_number("radius", radius, above=0, optional=True)
        self.mode = mode
        self.C = C
        self.B = B
        self.radius = radius
        self._rows: dict[Any, SparseWeights] = {}
        self._seen: set[Hashable] | None = None if isinstance(B, Integral) else set()

    def _check_state(self) -> None:
        """Raise a `ValueError` unless the attributes, which come from a file, fit together."""
        for label, row in self._rows.items():
            if type(row) is not SparseWeights:
                raise ValueError(f"label {label!r} must have SparseWeights; got {row!r:.100}")

    @property
    def _multiclass(self) -> bool:
        return True

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {}
        yield {"mode": 0, "radius": None}
        yield {"mode": 2, "B": 3}

    def learn_one(self, x: Features, y: base.typing.ClfTarget, w: float = 1.0) -> None:
        """Update the model with a set of features `x` and a label `y`.

        Parameters
        ----------
        x
            A dictionary of features. `None` and NaN mean that the feature was not observed.
        y
            A label.
        w
            The sample weight, which multiplies `C`. 0 changes nothing.

        """
        if w != 1.0:
            w = check_number("w", w, at_least=0)
        x = observed(x)
        check_keys(x)
        if y is None:
            raise missing_label()
        _check_label(y)
        if not w:
            return
        row = self._rows.get(y)
        if row is None:
            row = SparseWeights(budget=1, order=0 if self.radius is None else 1)
        rivals = {label: score for label, score in self._scores(x).items() if label != y}
        tau = 0.0
        if rivals:
            rival = max(rivals, key=lambda label: rivals[label])
            tau = self._step_size(1.0 - row.dot(x) + rivals[rival], x, w)
        moved = [(row, tau), (self._rows[rival], -tau)] if tau else []
        new = [] if self._seen is None else [key for key in x if key not in self._seen]
        changed = None if y in self._rows else vars(self)
        with transaction(None, *(one for one, _ in moved), attributes=changed) as whole:
            if changed is not None:
                self._rows = {**self._rows, y: row}
            for one, step in moved:
                one.budget = self._capacity(len(new))
                one.update(x, step, self.radius)
            # A set is too large to be copied: it grows as the rest becomes final.
            seen = set() if self._seen is None else self._seen
            at_once(partial(seen.update, new), whole.commit)

    def _check_labels(self, labels: list[Any]) -> None:
        for row, y in enumerate(labels):
            try:
                hash(y)
                _check_label(y)
            except (TypeError, ValueError) as error:
                raise in_row(row, error) from None

    def _zeros(self, learning: bool) -> Zeros:
        # The only effect of a zero is that its feature counts as seen.
        return "first" if learning else "none"

    def _parts(self) -> Sequence[Any]:
        return tuple(self._rows.values())

    def _learn_rows(self, rows: Rows, labels: list[Any], w: Array | None) -> None:
        seen = self._seen
        with self._transaction(rows.columns) as whole:
            # A copy changes, as a set does not return to its old order.
            self._seen = None if seen is None else set(seen)
            super()._learn_rows(rows, labels, w)
            whole.commit()
        if seen is not None and self._seen is not None:
            seen.update(key for key in self._seen if key not in seen)
            self._seen = seen

    def _capacity(self, n_new: int) -> int:
        """The number of weights that a row keeps, with that many new features."""
        if self._seen is None:
            return int(self.B)
        return share_of(self.B, len(self._seen) + n_new) or 1

    def _step_size(self, loss: float, x: Features, w: float) -> float:
        if not loss > 0.0:
            return 0.0
        tau = step_size(loss, 2.0 * squared_norm(x), self.mode, float(self.C) * w)
        if tau and not tau * max(map(abs, x.values())) <= _LARGEST_MOVE:
            raise out_of_range(x)
        return tau

    def _scores(self, x: Features) -> dict[Any, float]:
        """The score of each label, in their order."""
        return {label: self._rows[label].dot(x) for label in in_order(self._rows)}

    def predict_proba_one(self, x: Features, **kwargs: Any) -> dict[base.typing.ClfTarget, float]:
        """Predict the probability of each label seen so far: the softmax of the scores.

        It is monotone in the scores, but not calibrated.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        return softmax(self._scores(observed(x)))

    @property
    def weights(self) -> dict[Any, dict[base.typing.FeatureName, float]]:
        """The weights other than zero: a new dict for each label."""
        return {label: self._rows[label].to_dict() for label in in_order(self._rows)}

    @property
    def n_features_seen(self) -> int | None:
        """Number of distinct features learned from; None if `B` is an integer."""
        return None if self._seen is None else len(self._seen)

    def contributions_one(self, x: Features) -> dict[Any, dict[base.typing.FeatureName, float]]:
        """Return the contributions of the features to the score of each label, which is their sum.

        Parameters
        ----------
        x
            A dictionary of features.

        Returns
        -------
        A dict of contributions for each label.

        """
        x = observed(x)
        return {
            label: {key: value * self._rows[label].get(key) for key, value in x.items()}
            for label in in_order(self._rows)
        }

    def debug_one(self, x: Features, decimals: int = 5) -> str:
        """Explain the score of the label predicted for `x`, largest contribution first.

        Parameters
        ----------
        x
            A dictionary of features.
        decimals
            The number of decimals of each value.

        Returns
        -------
        A table of values, weights and contributions.

        """
        x = observed(x)
        label = self.predict_one(x)
        if label is None:
            return "No label has been learned yet"
        row = self._rows[label]
        table = contribution_table([(key, x[key], row.get(key)) for key in x], decimals)
        return f"Score of {label!r}\n{table}"


def _check_label(y: Any) -> None:
    """Raise a `ValueError` unless a label can be sorted."""
    try:
        check_keys([y])
    except TypeError as error:
        raise ValueError(f"y must be a label that can be sorted; got {y!r}") from error
