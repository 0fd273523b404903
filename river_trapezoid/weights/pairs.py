from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Hashable, Iterable
from typing import Any

__all__ = ["Pair", "PairTable"]

PRIOR_VARIANCE = 0.1
# Units that have grown beyond are brought back to one.
LARGEST_UNIT = 2.0**300


class Pair:
    """What is known of two features together: counts in a grid of cells, and a weight.

    Counts are in units of `unit`, which grows instead of the counts decaying.
    """

    __slots__ = ("counts", "unit", "variance", "w")

    def __init__(
        self,
        n_bins: int,
        w: float = 0.0,
        variance: float = PRIOR_VARIANCE,
        unit: float = 1.0,
        counts: Iterable[float] = (),
    ):
        self.w = w
        self.variance = variance
        self.unit = unit
        # Of each cell, negative and positive by turns, row by row.
        self.counts = list(counts) or [0.0] * (2 * n_bins * n_bins)

    def to_list(self) -> list[float]:
        """All numbers of the pair."""
        return [self.w, self.variance, self.unit, *self.counts]

    def evidence(
        self,
        place: int,
        row: int,
        shares: tuple[float, float],
        apart: float,
        odds: float,
        smoothing: float,
    ) -> float:
        """By how much the two move the log-odds beyond what they say apart.

        Parameters
        ----------
        place
            Where the counts of the first of the four cells are.
        row
            Number of counts in a row of cells.
        shares
            Share of the cells in the next row, and of those on the right.
        apart, odds
            The log-odds and the odds of the positive label, by what the two say apart.
        smoothing
            How many instances these are worth, as the prior of a cell.

        """
        prior = smoothing * self.unit / (1.0 + odds)
        positive = self._between(place + 1, row, *shares) + prior * odds
        negative = self._between(place, row, *shares) + prior
        return math.log(positive / negative) - apart

    def _between(self, place: int, row: int, below: float, right: float) -> float:
        counts = self.counts
        above = counts[place] + right * (counts[place + 2] - counts[place])
        place += row
        under = counts[place] + right * (counts[place + 2] - counts[place])
        return above + below * (under - above)

    def count(
        self, place: int, row: int, shares: tuple[float, float], decay: float, weight: float
    ) -> None:
        """Let all counts decay, then count a label, `place` being that of its own counts."""
        below, right = shares
        self.unit /= decay
        if self.unit > LARGEST_UNIT:
            self.counts = [count / self.unit for count in self.counts]
            self.unit = 1.0
        counts, weight = self.counts, weight * self.unit
        above = weight * (1.0 - below)
        under = weight * below
        counts[place] += above * (1.0 - right)
        counts[place + 2] += above * right
        counts[place + row] += under * (1.0 - right)
        counts[place + row + 2] += under * right


class PairTable:
    """The pairs of features that are known, of which the one learned from longest ago goes first.

    Parameters
    ----------
    most
        How many are kept.
    n_bins
        Number of bins of a feature.

    """

    __slots__ = ("_pairs", "most", "n_bins")

    def __init__(self, most: int, n_bins: int):
        self.most = most
        self.n_bins = n_bins
        self._pairs: OrderedDict[tuple[Hashable, Hashable], Pair] = OrderedDict()

    def __len__(self) -> int:
        return len(self._pairs)

    def to_list(self) -> list[tuple[Hashable, Hashable, list[float]]]:
        """Both keys and all numbers of each pair, the one learned from longest ago first."""
        return [(a, b, pair.to_list()) for (a, b), pair in self._pairs.items()]

    def fill(self, pairs: Iterable[tuple[Any, Any, list[float]]]) -> None:
        """Take the place of the pairs that `to_list` has given."""
        self._pairs = OrderedDict(
            ((a, b), Pair(self.n_bins, numbers[0], numbers[1], numbers[2], numbers[3:]))
            for a, b, numbers in pairs
        )

    def known(self) -> dict[tuple[Hashable, Hashable], Pair]:
        """The pairs, in a new dict."""
        return dict(self._pairs)

    def restore(
        self,
        pairs: dict[tuple[Hashable, Hashable], Pair],
        changed: dict[tuple[Hashable, Hashable], list[float]],
    ) -> None:
        """Bring back the pairs of a former `known`, some of which have changed since."""
        self._pairs = OrderedDict(pairs)
        for ab, numbers in changed.items():
            if ab in pairs:
                w, variance, unit, *counts = numbers
                self._pairs[ab] = Pair(self.n_bins, w, variance, unit, counts)

    def get(self, a: Hashable, b: Hashable) -> Pair | None:
        """What is known of a pair, if anything."""
        return self._pairs.get((a, b))

    def touch(self, a: Hashable, b: Hashable) -> Pair:
        """What is known of a pair that is learned from; a new one if nothing."""
        pair = self._pairs.get((a, b))
        if pair is None:
            pair = self._pairs[a, b] = Pair(self.n_bins)
        self._pairs.move_to_end((a, b))
        return pair

    def truncate(self, dropped: set[Hashable]) -> None:
        """Free the pairs of features that were dropped, and those beyond the number kept."""
        if dropped:
            for a, b in [ab for ab in self._pairs if not dropped.isdisjoint(ab)]:
                del self._pairs[a, b]
        while len(self._pairs) > self.most:
            self._pairs.popitem(last=False)
