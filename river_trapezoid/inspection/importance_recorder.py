from __future__ import annotations

import heapq
import math
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from river import base

from river_trapezoid._parameters import check_choice, check_number

from ._introspect import REPORTS, Term, check_report, features_of, report
from .importance_history import ImportanceHistory, ImportanceWindow, ranked

__all__ = ["ImportanceRecorder"]


class ImportanceRecorder:
    """Record the importance of the features of a model in your own training loop.

    `importance` does the same for a whole stream; see there what is recorded. With a recorder, you
    decide where a window ends, for example at the end of a day, and the model may already be
    trained. The recorder never modifies the model.

    Parameters
    ----------
    model
        The model, which you train in your loop.
    by
        The kind of importance: `"contributions"`, `"weights"`, `"evidence"` or `"pairs"`.
    max_features
        Number of features kept in each window, the most important first.
    max_known
        Number of features remembered as observed. Beyond it, the features that have been absent
        the longest are forgotten; they count as new if they return.
    metric
        The name of the score of a window.

    Attributes
    ----------
    history
        The completed windows, as an `ImportanceHistory`.

    Examples
    --------

    >>> from river import datasets
    >>> from river import metrics
    >>> from river_trapezoid import inspection
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
        check_choice("by", by, list(REPORTS))
        check_number("max_features", max_features, integer=True, at_least=1)
        check_number("max_known", max_known, integer=True, at_least=1)
        check_report(by, model)
        self.model = model
        self.by = by
        self.max_features = max_features
        self.max_known = max_known
        self.metric = metric
        self._windows: list[ImportanceWindow] = []
        # The number of the window in which a feature was last observed.
        self._known: dict[Hashable, int] = {}
        # The features of the previous window, and their importance.
        self._before: dict[Hashable, float] = {}
        self._start_window()

    def _start_window(self) -> None:
        self._n = 0
        self._counts: dict[Hashable, int] = {}
        self._sums: dict[Hashable, float] = {}

    def update(self, x: Any) -> None:
        """Record the features of an instance; call it before the model learns from the instance.

        Parameters
        ----------
        x
            The features of the instance, as passed to the model.

        """
        features: Iterable[Hashable] = features_of(self.model, x)
        sizes = {} if self.by == "weights" else _sizes(report(self.by, self.model, x))
        if self.by == "pairs":
            features = sizes
        self._n += 1
        for feature in features:
            self._counts[feature] = self._counts.get(feature, 0) + 1
        for feature, size in sizes.items():
            self._sums[feature] = self._sums.get(feature, 0.0) + size

    def end_window(self, score: float = math.nan) -> ImportanceWindow:
        """End the current window and return it; call it after the model has learned its last instance.

        Parameters
        ----------
        score
            The value of a metric on the window.

        """
        if not self._n:
            raise ValueError(
                "a window must have at least one instance; got none since the last one"
            )
        if self.by == "weights":
            sizes = _sizes(report(self.by, self.model))
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
        """The completed windows."""
        return ImportanceHistory(self.by, self.metric, list(self._windows))

    def _first(
        self, features: Iterable[Hashable], sizes: Mapping[Hashable, float]
    ) -> list[Hashable]:
        """Return the `max_features` most important of some features, the most important first."""
        candidates = {feature: sizes.get(feature, 0.0) for feature in features}
        return [feature for feature, _ in ranked(candidates, self.max_features)]

    def _forget(self) -> int:
        """Forget features beyond `max_known`, and return their number."""
        excess = len(self._known) - self.max_known
        if excess <= 0:
            return 0
        oldest = heapq.nsmallest(
            excess, self._known.items(), key=lambda item: (item[1], repr(item[0]))
        )
        for feature, _ in oldest:
            del self._known[feature]
        return excess


def _sizes(numbers: Mapping[Term, float]) -> dict[Hashable, float]:
    """Sum the absolute values of the numbers of each feature."""
    sizes: dict[Hashable, float] = {}
    for (feature, _), number in numbers.items():
        sizes[feature] = sizes.get(feature, 0.0) + abs(number)
    return sizes


def _total(sizes: Iterable[float]) -> float:
    # Sorted, so that the order of features does not matter; `math.fsum` raises on overflow.
    return sum(sorted(sizes))
