from __future__ import annotations

import heapq
import math
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from river import base

from river_trapezoid._parameters import check_choice, check_number

from ._introspect import TELLS, Part, check_tells, features_of, told
from .importance_history import ImportanceHistory, ImportanceWindow, ranked

__all__ = ["ImportanceRecorder"]


class ImportanceRecorder:
    """Records the importance of the features of a model, in a loop of one's own.

    `importance` does the same for a whole stream, and says what is recorded. Here a window is what
    one makes it, such as a day, and the model may be one that has learned before. It is only looked
    at, never taught.

    Parameters
    ----------
    model
        The model, which is learned elsewhere.
    by
        What importance is: `"contributions"`, `"weights"`, `"evidence"` or `"pairs"`.
    max_features
        How many features of a window are kept, the most important.
    max_known
        How many features are remembered as observed before. Of more, those that have been away
        longest are forgotten.
    metric
        The name of the metric, if windows are given a score.

    Attributes
    ----------
    history
        The windows that have ended, as an `ImportanceHistory`.

    Examples
    --------

    >>> from river import datasets
    >>> from river import metrics
    >>> from river_trapezoid import inspection
    >>> from river_trapezoid import evaluate
    >>> from river_trapezoid import linear_model

    >>> model = linear_model.EvidenceClassifier()
    >>> recorder, accuracy = inspection.ImportanceRecorder(model), metrics.Accuracy()
    >>> for t, (x, y) in enumerate(datasets.Phishing(), start=1):
    ...     accuracy.update(y, model.predict_one(x))
    ...     recorder.update(x)  # before the label is learned
    ...     model.learn_one(x, y)
    ...     if t % 500 == 0:
    ...         window = recorder.end_window(accuracy.get())
    ...         print(t, list(recorder.history.top(2, window=-1)))
    500 ['empty_server_form_handler', 'popup_window']
    1000 ['empty_server_form_handler', 'https']

    """

    def __init__(
        self,
        model: base.Estimator,
        by: str = "contributions",
        max_features: int = 1_000,
        max_known: int = 100_000,
        metric: str = "score",
    ):
        check_choice("by", by, list(TELLS))
        check_number("max_features", max_features, integer=True, at_least=1)
        check_number("max_known", max_known, integer=True, at_least=1)
        check_tells(by, model)
        self.model = model
        self.by = by
        self.max_features = max_features
        self.max_known = max_known
        self.metric = metric
        self._windows: list[ImportanceWindow] = []
        # When a feature was observed last, by the number of the window.
        self._known: dict[Hashable, int] = {}
        # The features of the window before, and their importance.
        self._before: dict[Hashable, float] = {}
        self._start_window()

    def _start_window(self) -> None:
        self._n = 0
        self._counts: dict[Hashable, int] = {}
        self._sums: dict[Hashable, float] = {}

    def update(self, x: Any) -> None:
        """Look at an instance, after the model has predicted it and before it learns it.

        Parameters
        ----------
        x
            An instance, as the model gets it.

        """
        features: Iterable[Hashable] = features_of(self.model, x)
        sizes = {} if self.by == "weights" else _sizes(told(self.by, self.model, x))
        if self.by == "pairs":
            features = sizes
        self._n += 1
        for feature in features:
            self._counts[feature] = self._counts.get(feature, 0) + 1
        for feature, size in sizes.items():
            self._sums[feature] = self._sums.get(feature, 0.0) + size

    def end_window(self, score: float = math.nan) -> ImportanceWindow:
        """End a window, after the model has learned its last instance, and return it.

        Parameters
        ----------
        score
            A metric of the window.

        """
        if not self._n:
            raise ValueError("a window must have instances; none has come since the last one ended")
        if self.by == "weights":
            sizes = _sizes(told(self.by, self.model))
        else:
            sizes = {feature: total / self._n for feature, total in self._sums.items()}
        sizes = {feature: size for feature, size in sizes.items() if size}
        kept = dict(ranked(sizes, self.max_features))
        left_out = _total(size for feature, size in sizes.items() if feature not in kept)

        new = [feature for feature in self._counts if feature not in self._known]
        returned = self._counts.keys() - self._before.keys() - set(new)
        vanished = self._before.keys() - self._counts.keys()
        named_new, named_returned = self._first(new, sizes), self._first(returned, sizes)
        start = self._windows[-1].end if self._windows else 0
        number = len(self._windows)
        self._known |= dict.fromkeys(self._counts, number)
        window = ImportanceWindow(
            start=start,
            end=start + self._n,
            score=score,
            importances=kept,
            shares={
                feature: self._counts.get(feature, 0) / self._n
                for feature in (*kept, *named_new, *named_returned)
            },
            new=named_new,
            vanished=self._first(vanished, self._before),
            returned=named_returned,
            n_features=len(self._counts),
            n_new=len(new),
            n_vanished=len(vanished),
            n_returned=len(returned),
            n_left_out=len(sizes) - len(kept),
            share_left_out=left_out / _total(sizes.values()) if left_out else 0.0,
            n_forgotten=self._forget(),
        )
        self._windows.append(window)
        self._before = {feature: sizes.get(feature, 0.0) for feature in self._counts}
        self._start_window()
        return window

    @property
    def history(self) -> ImportanceHistory:
        """The windows that have ended."""
        return ImportanceHistory(self.by, self.metric, list(self._windows))

    def _first(
        self, features: Iterable[Hashable], sizes: Mapping[Hashable, float]
    ) -> list[Hashable]:
        """As many features as are kept, the most important first."""
        own = {feature: sizes.get(feature, 0.0) for feature in features}
        return [feature for feature, _ in ranked(own, self.max_features)]

    def _forget(self) -> int:
        """Forget features beyond those that are to be known, and return their number."""
        excess = len(self._known) - self.max_known
        if excess <= 0:
            return 0
        oldest = heapq.nsmallest(
            excess, self._known.items(), key=lambda item: (item[1], repr(item[0]))
        )
        for feature, _ in oldest:
            del self._known[feature]
        return excess


def _sizes(numbers: Mapping[Part, float]) -> dict[Hashable, float]:
    """The sum of the sizes of all numbers of a feature."""
    sizes: dict[Hashable, float] = {}
    for (feature, _), number in numbers.items():
        sizes[feature] = sizes.get(feature, 0.0) + abs(number)
    return sizes


def _total(sizes: Iterable[float]) -> float:
    # In their order, so that features may come in any, and without an error where it overflows.
    return sum(sorted(sizes))
