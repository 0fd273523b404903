"""The pairs of `compiled/_pair_table.pyx`, interpreted: a dict of numbers, and lists by number."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["PairTable"]

PRIOR_VARIANCE = 0.1
# Numbers of a pair beside its counts: its weight, the variance of that, and the unit of the counts.
PAIR_WIDTH = 3


class PairTable:
    """The known pairs of features; the one learned from longest ago is dropped first.

    Features are named by numbers, of a pair the one whose key ranks lower first.

    Parameters
    ----------
    most
        How many are kept.
    n_bins
        Number of bins of a feature.

    """

    def __init__(self, most: int = 1000, n_bins: int = 10):
        self.most, self.n_bins = most, n_bins
        self.cells = 2 * n_bins * n_bins
        # What was known when a transaction began, None if there is none, and counts noted since.
        self.before: tuple[dict[tuple[int, int], int], list[int], list[float]] | None
        self.old_counts: dict[int, list[float]]
        self.clear()

    def clear(self) -> None:
        """Forget all pairs."""
        # The number of each pair, the one learned from longest ago first.
        self.known: dict[tuple[int, int], int] = {}
        self.vacant: list[int] = []
        # `PAIR_WIDTH` numbers for each pair, and the counts of its cells: negative and positive by
        # turns, row by row, in units of `unit`, which grows instead of the counts decaying.
        self.numbers: list[float] = []
        self.counts: list[float] = []
        self.commit()

    def __len__(self) -> int:
        return len(self.known)

    @property
    def n_known(self) -> int:
        return len(self.known)

    def order(self) -> list[int]:
        """The numbers of the pairs, the one learned from longest ago first."""
        return list(self.known.values())

    def features_of(self, number: int) -> tuple[int, int]:
        """The features of a pair, by their numbers."""
        return next(ab for ab, other in self.known.items() if other == number)

    def reserve(self, more: int) -> None:
        pass

    def prefetch(self, number: int, place: int) -> None:
        pass

    def find(self, a: int, b: int) -> int:
        """The number of a pair; -1 if it is not known."""
        return self.known.get((a, b), -1)

    def touch(self, a: int, b: int) -> int:
        """The number of a pair that is learned from, which is added if need be."""
        number = self.known.pop((a, b), -1)
        if number >= 0:
            self.note(number)
        else:
            if self.vacant:
                number = self.vacant.pop()
                self.note(number)
            else:
                number = len(self.numbers) // PAIR_WIDTH
                self.numbers += [0.0] * PAIR_WIDTH
                self.counts += [0.0] * self.cells
            at = PAIR_WIDTH * number
            self.numbers[at : at + PAIR_WIDTH] = [0.0, PRIOR_VARIANCE, 1.0]
            at = self.cells * number
            self.counts[at : at + self.cells] = [0.0] * self.cells
        self.known[a, b] = number
        return number

    def drop(self, features: Iterable[int], n: int) -> None:
        """Free the pairs of features."""
        dropped = set(list(features)[:n])
        if dropped:
            for ab in [ab for ab in self.known if not dropped.isdisjoint(ab)]:
                self.vacant.append(self.known.pop(ab))

    def truncate(self) -> None:
        """Free the pairs beyond the number kept, the one learned from longest ago first."""
        while len(self.known) > self.most:
            self.vacant.append(self.known.pop(next(iter(self.known))))

    def begin(self) -> None:
        """Save the pairs until `commit` or `rollback`."""
        self.before = dict(self.known), list(self.vacant), list(self.numbers)
        self.old_counts = {}

    def note(self, number: int) -> None:
        """Note the counts of a pair before they change."""
        if self.before is not None and number not in self.old_counts:
            at = self.cells * number
            self.old_counts[number] = self.counts[at : at + self.cells]

    def commit(self) -> None:
        """Discard the saved state of the pairs."""
        self.before, self.old_counts = None, {}

    def rollback(self) -> None:
        """Restore the pairs to their state at `begin`."""
        if self.before is not None:
            self.known, self.vacant, self.numbers = self.before
            for number, counts in self.old_counts.items():
                at = self.cells * number
                self.counts[at : at + self.cells] = counts
            del self.counts[self.cells * (len(self.numbers) // PAIR_WIDTH) :]
            self.commit()
