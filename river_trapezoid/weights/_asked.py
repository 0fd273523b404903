"""What an instance asks of evidence weights, interpreted: as `compiled/_asked.pyx`."""

from __future__ import annotations

from typing import Any

__all__ = ["Asked", "open_asked"]


class Input:
    """The contribution of a feature: where it is in the table, and what follows from its value."""

    __slots__ = (
        *("at", "category", "evidence", "left", "number", "odds"),
        *("right", "score", "shift", "slot", "value"),
    )


class PairInput:
    """The contribution of a pair: two inputs by their places, and the number of the pair."""

    __slots__ = ("a", "b", "evidence", "pair")


class Asked:
    """Buffers for the contributions of features and pairs, and for the sums of heads."""

    def __init__(self, n: int, n_paired: int, n_heads: int):
        most_pairs = n_paired * (n_paired - 1) // 2
        # The inputs of numbers come first, then those of categories.
        self.n = self.n_numbers = self.n_pairs = 0
        self.categories: Any = None
        self.inputs = [Input() for _ in range(n)]
        self.pairs = [PairInput() for _ in range(most_pairs)]
        self.terms = [0.0] * (1 + 2 * n + most_pairs)
        self.variance_terms = list(self.terms)
        self.totals, self.variances = [0.0] * n_heads, [0.0] * n_heads
        self.mixed = [0.0] * (n_heads + 3)
        self.strongest, self.strengths = [0] * (n_paired + 1), [0.0] * (n_paired + 1)

    def close(self) -> None:
        pass


def open_asked(n: int, n_paired: int, n_heads: int) -> Asked:
    return Asked(n, n_paired, n_heads)


def whole(position: float) -> int:
    return int(position)
