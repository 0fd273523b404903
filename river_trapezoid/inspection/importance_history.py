from __future__ import annotations

import dataclasses
import functools
import math
import os
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from river import utils

from river_trapezoid._parameters import check_number
from river_trapezoid.evaluate.tables import Record, as_frame, as_html, write_csv

__all__ = ["ImportanceHistory", "ImportanceWindow", "ranked"]

# Characters of a feature's name in a table.
_LONGEST_NAME = 20


@dataclasses.dataclass(frozen=True)
class ImportanceWindow:
    """The importance of features in one window of a stream.

    If a window has more features than `max_features`, it names only the most important ones; the
    counts include all of them.

    Attributes
    ----------
    start
        Number of instances before the window.
    end
        Number of instances up to the end of the window.
    score
        The value of the metric on the window; NaN if there is none.
    importances
        The importance of each feature, in descending order, without zeros.
    shares
        The share of the window's instances in which a feature was observed, for features that have
        an importance, are new or have returned.
    new
        Features observed for the first time.
    vanished
        Features observed in the previous window, but not in this one.
    returned
        Features observed again after they had vanished.
    n_features
        Number of features observed.
    n_new
        Number of new features.
    n_vanished
        Number of vanished features.
    n_returned
        Number of returned features.
    n_left_out
        Number of features whose importance was not kept.
    share_left_out
        Their share of the sum of all importances.
    n_forgotten
        Number of features forgotten at the end of the window. They count as new if they return.

    """

    start: int
    end: int
    score: float
    importances: Mapping[Hashable, float]
    shares: Mapping[Hashable, float]
    new: Sequence[Hashable]
    vanished: Sequence[Hashable]
    returned: Sequence[Hashable]
    n_features: int
    n_new: int
    n_vanished: int
    n_returned: int
    n_left_out: int
    share_left_out: float
    n_forgotten: int

    def importance(self, feature: Hashable) -> float:
        """Return the importance of a feature; NaN if it may be among those left out.

        Parameters
        ----------
        feature
            A feature or, in a history of pairs, a pair of features.

        """
        return self.importances.get(feature, math.nan if self.n_left_out else 0.0)

    def event(self, feature: Hashable) -> str:
        """Return `"new"`, `"vanished"` or `"returned"` for a feature, or an empty string.

        Parameters
        ----------
        feature
            A feature or, in a history of pairs, a pair of features.

        """
        return self._events.get(feature, "")

    def _leaves_out(self, *events: str) -> bool:
        """Whether features with one of these events are counted, but not named."""
        return any(getattr(self, f"n_{event}") > len(getattr(self, event)) for event in events)

    @functools.cached_property
    def _events(self) -> dict[Hashable, str]:
        names = "new", "vanished", "returned"
        return {feature: event for event in names for feature in getattr(self, event)}


@dataclasses.dataclass(frozen=True)
class ImportanceHistory:
    """The importance of features, window by window, as returned by `importance`.

    It is displayed as a table, in the terminal and in notebooks.

    Attributes
    ----------
    by
        The kind of importance: `"contributions"`, `"weights"`, `"evidence"` or `"pairs"`.
    metric
        The name of the metric.
    windows
        The windows, in order.

    """

    by: str
    metric: str
    windows: Sequence[ImportanceWindow]

    @property
    def features(self) -> list[Any]:
        """The features with an importance in any window, by descending mean, as a new list."""
        return list(self.top(None))

    def values(self, feature: Hashable) -> list[float]:
        """Return the importance of a feature in each window; NaN if it may be among those left out.

        Parameters
        ----------
        feature
            A feature or, in a history of pairs, a pair of features.

        """
        if not any(feature in w.importances or w.event(feature) for w in self.windows):
            raise ValueError(f"feature must be a feature of the history; got {feature!r}")
        return [window.importance(feature) for window in self.windows]

    def observed(self, feature: Hashable) -> list[bool | None]:
        """Return whether a feature was observed in each window; None if this is not known.

        Parameters
        ----------
        feature
            A feature or, in a history of pairs, a pair of features.

        """
        present: bool | None = False
        course = []
        for window in self.windows:
            if window.event(feature) == "vanished":
                present = False
            elif feature in window.shares:
                present = window.shares[feature] > 0.0
            elif window._leaves_out(*(("vanished",) if present else ("new", "returned"))):
                present = None
            course.append(present)
        return course

    def top(self, k: int | None = 10, window: int | None = None) -> dict[Any, float]:
        """Return the most important features and their importance, in descending order.

        Parameters
        ----------
        k
            Number of features; None for all.
        window
            Index of a window; negative indices count from the end. By default, the importance is
            the mean over all windows, weighted by their lengths; in a window that left a feature
            out, it counts as zero.

        """
        check_number("k", k, integer=True, at_least=0, optional=True)
        if window is not None:
            return dict(ranked(self._window(window).importances, k))
        n_instances = sum(w.end - w.start for w in self.windows)
        means: dict[Any, float] = {}
        for w in self.windows:
            share = (w.end - w.start) / n_instances
            for feature, value in w.importances.items():
                means[feature] = means.get(feature, 0.0) + share * value
        return dict(ranked(means, k))

    def new(self, window: int) -> list[Any]:
        """Return the features observed for the first time, the most important first.

        Parameters
        ----------
        window
            Index of a window; negative indices count from the end.

        """
        return list(self._window(window).new)

    def vanished(self, window: int) -> list[Any]:
        """Return the features observed in the previous window, but not in this one.

        Parameters
        ----------
        window
            Index of a window; negative indices count from the end.

        """
        return list(self._window(window).vanished)

    def returned(self, window: int) -> list[Any]:
        """Return the features observed again after they had vanished.

        Parameters
        ----------
        window
            Index of a window; negative indices count from the end.

        """
        return list(self._window(window).returned)

    def _window(self, window: int) -> ImportanceWindow:
        n = len(self.windows)
        return self.windows[
            check_number("window", window, integer=True, at_least=-n, at_most=n - 1)
        ]

    def title(self, feature: Any, longest: int | None = None) -> str:
        """Return the name of a feature, or of a pair, as shown in tables and figures.

        Parameters
        ----------
        feature
            A feature or, in a history of pairs, a pair of features.
        longest
            The maximum number of characters; longer names are cut in the middle. Each name of a
            pair may have half of it. None for no limit.

        """
        if self.by != "pairs":
            return _cut(str(feature), longest)
        half = None if longest is None else longest // 2
        return " × ".join(_cut(str(name), half) for name in feature)

    def table(self, k: int = 3) -> str:
        """Return a table for the terminal, with a row for each window.

        Parameters
        ----------
        k
            Number of features to name in each window.

        """
        headers, *rows = self._cells(k)
        columns = [list(column) for column in zip(*rows, strict=True)]
        table = utils.pretty.print_table(headers=headers, columns=columns)
        return "\n\n".join([table, *self._losses()])

    def to_html(self, k: int = 3) -> str:
        """Return the same table as HTML.

        Parameters
        ----------
        k
            Number of features to name in each window.

        """
        headers, *rows = self._cells(k)
        return as_html([headers, *rows]) + "".join(f"<p>{loss}</p>" for loss in self._losses())

    def _cells(self, k: int) -> list[list[str]]:
        """Return the cells of the table by row, the header first."""
        what = "Pairs" if self.by == "pairs" else "Features"
        rows = [["Instances", self.metric, what, "New", "Gone", "Back", self.by]]
        for w in self.windows:
            first = ranked(w.importances, k)
            counts = (w.n_features, w.n_new, w.n_vanished, w.n_returned)
            rows.append(
                [
                    f"{w.start:,} to {w.end:,}",
                    f"{w.score:.4f}",
                    *(f"{count:,}" for count in counts),
                    ", ".join(
                        f"{self.title(key, _LONGEST_NAME)} {value:.2g}" for key, value in first
                    ),
                ]
            )
        return rows

    def _losses(self) -> list[str]:
        """Return sentences on what the history leaves out."""
        losses = []
        most = max((w.n_left_out for w in self.windows), default=0)
        if most:
            share = max(w.share_left_out for w in self.windows)
            losses.append(
                f"Left out: up to {most:,} per window, with up to {share:.1%} of its importance."
            )
        forgotten = sum(w.n_forgotten for w in self.windows)
        if forgotten:
            losses.append(f"Forgotten: {forgotten:,}. They count as new if they return.")
        return losses

    @property
    def records(self) -> list[Record]:
        """One dict for each window and each feature that it names, as a new list.

        The keys are `window`, `start`, `end`, `score`, `feature`, `importance`, `share` (of the
        instances in which the feature was observed) and `event` (`"new"`, `"vanished"`,
        `"returned"` or an empty string).
        """
        return [
            {
                "window": number,
                "start": w.start,
                "end": w.end,
                "score": w.score,
                "feature": feature,
                "importance": w.importance(feature),
                "share": w.shares.get(feature, 0.0),
                "event": w.event(feature),
            }
            for number, w in enumerate(self.windows)
            for feature in dict.fromkeys([*w.importances, *w.new, *w.returned, *w.vanished])
        ]

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the records as CSV, with the titles of the features.

        Parameters
        ----------
        path
            The file to write.

        """
        records = [{**record, "feature": self.title(record["feature"])} for record in self.records]
        write_csv(records, path)

    def to_pandas(self) -> Any:
        """Return the records as a pandas data frame; pandas must be installed."""
        return as_frame(self.records)

    def __repr__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        return self.to_html()


def ranked(sizes: Mapping[Hashable, float], k: int | None = None) -> list[tuple[Any, float]]:
    """Return the k largest in descending order: ties by name, in any order of keys, and NaN last."""
    items = list(sizes.items())
    if k is not None and len(items) > k:
        # Compare names only of candidates for the first k places.
        least = sorted(map(_size, sizes.values()), reverse=True)[k]
        items = [(key, value) for key, value in items if _size(value) >= least]
    items.sort(key=lambda item: (-_size(item[1]), repr(item[0])))
    return items[:k]


def _size(value: float) -> float:
    """Return the sort key of a size: NaN comes after all sizes, which are not negative."""
    return -1.0 if math.isnan(value) else value


def _cut(name: str, longest: int | None) -> str:
    if longest is None or len(name) <= longest:
        return name
    end = (longest - 1) // 2
    return f"{name[: longest - 1 - end]}…{name[-end:]}"
