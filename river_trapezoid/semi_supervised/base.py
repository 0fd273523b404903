from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from river import base, utils

from river_trapezoid._instance import Features, observed
from river_trapezoid._parameters import check_array, check_bool, check_choice, check_number
from river_trapezoid._probability import probabilities, softmax
from river_trapezoid.weights import in_order

from ._geometry import Array, Mask
from ._kernel import Kernel
from ._multi_task import Chunk
from ._standardiser import Standardiser

__all__ = ["ChunkClassifier"]

Label = base.typing.ClfTarget


# The arguments of a class are its fields and those of its bases, so that one class declares and
# checks each. `chunk_size` may be positional, the others are keywords.
@dataclass(eq=False, repr=False, kw_only=True)
class ChunkClassifier(base.Classifier):
    """Base class of classifiers that are retrained from each chunk of a stream.

    Instances are collected in a chunk. When the chunk is complete, the classifier is retrained from
    it alone, and the call that completes it takes the time for that. Features are standardised within
    the chunk: a feature that an instance lacks is set to the mean of the chunk, and prediction ignores
    a feature that the chunk does not contain. Until the first chunk is complete, the most frequent
    label so far is predicted, or None if there is none. A chunk without labels does not change the
    model; after a chunk with a single label, that label is predicted. More than two labels are
    classified one-vs-rest. If training on a chunk fails, the chunk is dropped with a
    `RuntimeError`, and the model is not changed.

    Parameters
    ----------
    chunk_size
        Number of instances, labelled or not, after which the classifier is retrained.
    C
        Cost of the errors on labelled instances. At 0 the weights are zero: the most frequent label
        of the chunk is predicted everywhere or, if unlabelled instances are used, the label to
        which their mean margin is constrained.
    kernel
        `"linear"`, `"rbf"` or `"poly"`.
    gamma
        Factor of the kernels `rbf` and `poly`. None for one over the number of features.
    degree
        Degree of the kernel `poly`.
    coef0
        Constant term of the kernel `poly`.
    standardise
        Whether to standardise the features within the chunk. If not, a feature that an instance lacks
        is still set to the mean of the chunk.

    References
    ----------
    [^1]: Zhang, P., Zhu, X. and Guo, L., 2009. Mining data streams with labeled and unlabeled training examples. IEEE International Conference on Data Mining, pp.627-636.

    """

    chunk_size: int = field(default=500, kw_only=False)
    C: float = 1.0
    kernel: str = "linear"
    gamma: float | None = None
    degree: int = 3
    coef0: float = 1.0
    standardise: bool = True

    def __post_init__(self) -> None:
        check_number("chunk_size", self.chunk_size, integer=True, at_least=1)
        check_number("C", self.C, at_least=0)
        check_choice("kernel", self.kernel, ("linear", "rbf", "poly"))
        check_number("gamma", self.gamma, above=0, optional=True)
        check_number("degree", self.degree, integer=True, at_least=1, at_most=5)
        check_number("coef0", self.coef0, at_least=0)
        check_bool("standardise", self.standardise)
        self._chunk: list[tuple[Features, Label | None]] = []
        # The number of instances of the chunk that count. Further ones are from an interrupted call.
        self._n_gathered = 0
        self._counts: dict[Any, int] = {}
        self._model: _Model | None = None

    if TYPE_CHECKING:
        # River's takes nothing but a dict.
        def predict_one(self, x: Features, **kwargs: Any) -> Label | None:
            """Predict the label of a set of features `x`."""

    @property
    def _multiclass(self) -> bool:
        return True

    @abc.abstractmethod
    def _train(self, chunk: Chunk, sign: Array, target: float | None) -> tuple[Array, float]:
        """Train on labels of -1 and +1, or 0 for none, given the result of `_target`.

        Return coefficients c of the instances and an intercept, such that the margin of x is the
        sum of c_i <x_i, x> plus the intercept.
        """

    def _target(self, label: Any, labels: list[Any]) -> float | None:
        """The mean margin of unlabelled instances; None for that of the labels."""
        return None

    def _prepare(self, chunk: Chunk, rows: Array, labelled: Mask) -> Chunk:
        """Prepare what all classes of a chunk share."""
        return chunk

    def _check_state(self) -> None:
        """Raise a `ValueError` unless the attributes, which come from a file, fit together."""
        if not isinstance(self._model, _Model | None):
            raise ValueError(f"the model must be that of a chunk; got {self._model!r}")
        check_number("the number of gathered instances", self._n_gathered, integer=True, at_least=0)
        if self._n_gathered > len(self._chunk):
            raise ValueError(f"the chunk must have {self._n_gathered} instances or more")
        for instance in self._chunk:
            if type(instance) is not tuple or len(instance) != 2:
                raise ValueError(f"the chunk must hold pairs; got {instance!r:.100}")

    def learn_one(self, x: Features, y: Label | None = None) -> None:
        """Add a set of features `x` to the chunk, and retrain if the chunk is complete.

        Parameters
        ----------
        x
            A dictionary of features. `None` and NaN mean that the feature was not observed.
        y
            A label, or None for an unlabelled instance.

        """
        x = dict(observed(x))
        counts = self._counts
        if y is not None:
            counts = {**counts, y: counts.get(y, 0) + 1}
        # Keys and labels without an order would fail the whole chunk later.
        in_order(x)
        in_order(counts)
        model, n = self._model, self._n_gathered + 1
        del self._chunk[n - 1 :]
        self._chunk.append((x, y))
        if n == self.chunk_size:
            try:
                model = self._model_of(self._chunk) or model
            except Exception as error:
                self._n_gathered = 0
                self._chunk = []
                raise RuntimeError(
                    f"training on a chunk of {n} instances failed; the chunk is dropped and the "
                    f"model is not changed ({type(error).__name__}: {error})"
                ) from error
            n = 0
        # In one call, so that an interrupt comes before or after the instance is learned.
        vars(self).update(_model=model, _n_gathered=n, _counts=counts)
        if not n:
            self._chunk = []

    def predict_proba_one(self, x: Features, **kwargs: Any) -> dict[Label, float]:
        """Predict the probability of every label seen so far: the logistic function of the margin.

        It is monotone in the margin, but not calibrated. Labels that do not occur in the last chunk
        with labels have probability 0. Before the first chunk is complete, the probabilities are
        the shares of the labels so far.

        Parameters
        ----------
        x
            A dictionary of features.

        """
        x = observed(x)
        labels: list[Any] = in_order(self._counts)
        if self._model is None:
            total = sum(self._counts.values())
            return {label: self._counts[label] / total for label in labels}
        return {**dict.fromkeys(labels, 0.0), **self._model.probabilities(x)}

    def debug_one(self, x: Features, decimals: int = 5) -> str:
        """Explain the margin of the label predicted for `x`, largest contribution first.

        With a linear kernel there is a contribution of each feature, otherwise one of all together.

        Parameters
        ----------
        x
            A dictionary of features.
        decimals
            The number of decimals of each value.

        """
        if self._model is None:
            return f"No chunk is complete yet; labels so far: {self._counts}"
        if len(self._model.labels) == 1:
            return f"The last chunk with labels has a single one: {self._model.labels[0]!r}"
        contributions = self._model.contributions(observed(x), self.predict_one(x))
        rows = sorted(contributions.items(), key=lambda row: (-row[1], row[0]))
        return utils.pretty.print_table(
            headers=["Name", "Contribution"],
            columns=[[name for name, _ in rows], [f"{v: ,.{decimals}f}" for _, v in rows]],
        )

    def _model_of(self, chunk: Sequence[tuple[Features, Label | None]]) -> _Model | None:
        instances = [x for x, _ in chunk]
        ys = [y for _, y in chunk]
        labels = in_order({y for y in ys if y is not None})
        if not labels:
            return None
        standardiser, rows = Standardiser.fit(instances, self.standardise)
        kernel = None
        if self.kernel != "linear":
            gamma = self.gamma or 1.0 / rows.shape[1]
            kernel = Kernel(self.kernel, gamma, self.degree, self.coef0)
        if len(labels) == 1:
            return _Model(labels, standardiser, kernel, rows[:0], np.empty((0, 0)), np.empty(0))

        plain = Chunk(features=rows) if kernel is None else Chunk(gram=kernel(rows, rows))
        labelled = np.array([y is not None for y in ys])
        prepared = self._prepare(plain, rows, labelled)
        coefficients, intercepts = [], []
        for label in labels[1:] if len(labels) == 2 else labels:
            sign = np.array([0.0 if y is None else 1.0 if y == label else -1.0 for y in ys])
            c, b = self._train(prepared, sign, self._target(label, labels))
            coefficients.append(prepared.over_instances(c))
            intercepts.append(b)
        weights = np.array(coefficients)
        if kernel is None:
            return _Model(
                labels, standardiser, None, rows[:0], weights @ rows, np.array(intercepts)
            )
        support = weights.any(axis=0)
        return _Model(
            labels, standardiser, kernel, rows[support], weights[:, support], np.array(intercepts)
        )


@dataclass(frozen=True)
class _Model:
    """The model that is trained on a chunk.

    Attributes
    ----------
    labels
        The labels of the chunk. With two of them there is one margin, that of the second; with one
        there is none.
    standardiser
        Makes a row of an instance.
    kernel
        The kernel, None if it is linear.
    support
        The rows that the kernel compares an instance with.
    weights
        For each margin, the weights of the features, or of the rows in `support`.
    intercepts
        For each margin, the intercept.

    """

    _TAG: ClassVar[str] = "river_trapezoid.semi_supervised.ChunkModel"

    labels: list[Any]
    standardiser: Standardiser
    kernel: Kernel | None
    support: Array
    weights: Array
    intercepts: Array

    def _check_state(self) -> None:
        """Raise a `ValueError` unless the attributes, which come from a file, fit together."""
        n_labels = len(self.labels)
        n_margins = n_labels if n_labels > 2 else n_labels - 1
        n_columns = max(1, len(self.standardiser.columns))
        check_array("intercepts", self.intercepts, n_margins)
        check_array("support", self.support, None, n_columns)
        if not n_margins:
            n_columns = 0
        elif self.kernel is not None:
            n_columns = len(self.support)
        check_array("weights", self.weights, n_margins, n_columns)

    def probabilities(self, x: Features) -> dict[Label, float]:
        if len(self.labels) == 1:
            return {self.labels[0]: 1.0}
        margins = (self.weights @ self._values(x) + self.intercepts).tolist()
        if len(margins) == 1:
            return probabilities(margins[0], (self.labels[0], self.labels[1]))
        return softmax(dict(zip(self.labels, margins, strict=True)))

    def contributions(self, x: Features, label: Any) -> dict[str, float]:
        direction = 1.0
        i = self.labels.index(label)
        if len(self.labels) == 2:
            direction, i = (1.0 if i else -1.0), 0
        parts = {"Intercept": direction * float(self.intercepts[i])}
        products = direction * self.weights[i] * self._values(x)
        if self.kernel is not None:
            return {**parts, "Kernel": float(products.sum())}
        for key, j in self.standardiser.columns.items():
            if key in x:
                parts[str(key)] = float(products[j])
        return parts

    def _values(self, x: Features) -> Array:
        """The values that the weights multiply."""
        row = self.standardiser.row(x)
        return row if self.kernel is None else self.kernel(row[None], self.support)[0]
