from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Iterable
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import repeat
from operator import mul, sub
from random import Random
from typing import Any

from river_trapezoid._instance import Features, out_of_range
from river_trapezoid._parameters import check_budget, check_choice, share_of

from .exact_sum import exact_sum
from .key_order import check_keys, in_order, rank

__all__ = ["SparseWeights"]

# The scale is folded into the weights below this value, long before it could underflow.
SMALLEST_SCALE = 2.0**-200
# The norm is summed anew before its accumulated rounding error can exceed this share of it.
LARGEST_DRIFT = 1e-12
_EPSILON = sys.float_info.epsilon


class SparseWeights:
    """A sparse weight vector `w = scale * v` that shrinks in O(1) and truncates in O(n log k).

    It knows nothing of labels or learning rules. Every operation takes a whole instance, a dict
    whose values are finite numbers. For an instance with `n` features and `k` weights kept, `dot`
    costs O(n), `scale_by` O(1) and `update` O(n log k), amortised.

    Sums are exactly rounded, so that no result depends on the order of the features in a dict.

    Parameters
    ----------
    budget
        How many weights are kept: an integer is a count, a float a share of the features seen,
        rounded down but at least one. Mind that `1` and `1.0` differ. An integer needs no memory
        of the features seen.
    order
        The order of the norm: 1 for L1, 2 for L2, 0 for none, which saves the effort of keeping it.

    Examples
    --------

    >>> from river_trapezoid.weights import SparseWeights

    >>> w = SparseWeights(budget=2)
    >>> w.update({"a": 1.0, "b": -3.0, "c": 2.0}, step=0.5, radius=1.5)
    >>> w.to_dict()
    {'b': -0.75, 'c': 0.5}

    >>> w.norm
    1.25

    >>> w.dot({"b": 1.0, "z": 9.0})
    -0.75

    """

    __slots__ = (
        "_before",
        "_budget",
        "_ceiling",
        "_drift",
        "_heap",
        "_power_sum",
        "_scale",
        "_seen",
        "_v",
        "order",
    )

    def __init__(self, budget: int | float = 1.0, order: int = 1):
        self._budget = check_budget("budget", budget)
        check_choice("order", order, (0, 1, 2))
        self.order = order
        self._v: dict[Hashable, float] = {}
        self._scale = 1.0
        # The sum of |v|^order, and a bound on the rounding error it has gathered.
        self._power_sum = 0.0
        self._drift = 0.0
        self._seen: set[Hashable] | None = None if isinstance(self.budget, int) else set()
        # A heap of (|v|, rank, key) over the weights up to `_ceiling`, built when a truncation needs
        # it. Larger weights have no place in it, and an entry whose weight has changed since is
        # stale and passed over. When it has run out or is mostly stale, it is built anew.
        self._heap: list[tuple[float, tuple[Any, ...], Hashable]] | None = None
        self._ceiling = math.inf
        # What they were when a transaction began, None if there is none.
        self._before: tuple[Any, ...] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        from river_trapezoid.weights import restore

        return restore, ("SparseWeights", self.budget, self.order), self.__getstate__()

    def __getstate__(self) -> tuple[Any, ...]:
        # What the weights are, not how they are kept, in which the two kinds differ.
        seen = None if self._seen is None else list(self._seen)
        return self._scale, self._power_sum, self._drift, dict(self._v), seen

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._scale, self._power_sum, self._drift, v, seen = checked_state(
            state, self._seen is not None
        )
        self._v = dict(v)
        self._seen = None if seen is None else set(seen)
        self._heap = self._before = None

    def __len__(self) -> int:
        """Number of weights other than zero."""
        return len(self._v)

    def __contains__(self, key: Hashable) -> bool:
        """Whether a feature has a weight other than zero."""
        return key in self._v

    def __repr__(self) -> str:
        return (
            f"SparseWeights(budget={self.budget!r}, order={self.order!r}) with {len(self)} weights"
        )

    def get(self, key: Hashable) -> float:
        """Weight of a feature; zero if it has none."""
        return self._scale * self._v.get(key, 0.0)

    def to_dict(self) -> dict[Hashable, float]:
        """The weights other than zero, as a new dict."""
        scale = self._scale
        return {key: scale * v for key, v in self._v.items()}

    @property
    def budget(self) -> int | float:
        """How many weights are kept. It may change, but a count stays a count."""
        return self._budget

    @budget.setter
    def budget(self, value: int | float) -> None:
        self._budget = check_budget("budget", value, like=self._budget)

    @property
    def norm(self) -> float:
        """The norm of the weights."""
        # Where weights cancel, the sum may have been rounded to less than zero.
        power_sum = max(0.0, self._power_sum)
        return self._scale * (math.sqrt(power_sum) if self.order == 2 else power_sum)

    @property
    def n_seen(self) -> int | None:
        """Number of distinct features given to `observe`; None if the budget is a count."""
        return None if self._seen is None else len(self._seen)

    @property
    def capacity(self) -> int:
        """Number of weights that are kept."""
        return self._capacity(0 if self._seen is None else len(self._seen))

    def _capacity(self, n_seen: int) -> int:
        return int(self.budget) if self._seen is None else share_of(self.budget, n_seen) or 1

    def sample_sizes(self, x: Features) -> tuple[int, int]:
        """Number of features to draw from once `x` is observed, and how many of them to draw.

        With an integer budget, which leaves the features seen uncounted, they are those of `x`.
        """
        if self._seen is None:
            return len(x), min(self.capacity, len(x))
        n_features = len(self._seen) + sum(key not in self._seen for key in x)
        return n_features, self._capacity(n_features)

    def observe(self, x: Features) -> None:
        """Count the features of `x` as seen."""
        check_keys(x)
        if self._seen is not None:
            self._seen.update(x)

    def dot(self, x: Features) -> float:
        """Inner product with `x`; where it exceeds the range of a float, the largest one."""
        terms = list(map(mul, map(self._v.get, x, repeat(0.0)), x.values()))
        product = self._scale * exact_sum(terms)
        if product - product == 0.0:
            return product
        get = self._v.get
        return dot_of_huge(self._scale, [(get(key, 0.0), float(x[key])) for key in x])

    def update(
        self, x: Features, step: float, radius: float | None = None, rng: Random | None = None
    ) -> None:
        """Add `step * x`, project on the ball, and zero all but `capacity` weights.

        All features of `x` are counted as seen, those with a value of zero included. The largest
        weights are kept. Of two of the same size the one whose key ranks lower goes first.

        Parameters
        ----------
        x
            The features to move the weights of.
        step
            How far to move them.
        radius
            If the norm is larger after the move, all weights are scaled down to it. None for no
            projection.
        rng
            If given, the weights kept are not the largest but those of features drawn from the
            features seen; with an integer budget, from the features that have a weight.

        Raises
        ------
        OverflowError
            If a weight would exceed the range of a float. Nothing has changed then.
        TypeError
            If keys cannot be ranked. Nothing has changed then.

        """
        check_keys(x)
        # Numbers of numpy would be computed with in their own precision.
        step = float(step)
        if radius is not None:
            radius = float(radius)
            check_ball(radius)
        get = self._v.get
        rate = step / self._scale
        changed = {key: get(key, 0.0) + rate * value for key, value in x.items() if value}
        power_sum = self._power_sum + self._growth(changed)
        if not power_sum < math.inf:
            raise out_of_range(x)
        dropped = None if rng is None else self._draw_dropped(x, changed, rng)

        if self._seen is not None:
            self._seen.update(x)
        self._power_sum = power_sum
        norm = 0.0 if radius is None else self.norm
        # The scale does not change the order of the weights, so truncation may come before the
        # projection, as long as the latter goes by the norm from before.
        self._v.update(changed)
        if 0.0 in changed.values():
            for key in [key for key, v in changed.items() if not v]:
                del self._v[key], changed[key]
        lost: list[float] = []
        try:
            if dropped is None:
                self._truncate(changed, lost)
            else:
                # The heap has not heard of the move.
                self._heap = None
                lost.extend(map(self._v.pop, dropped))
            if self.order:
                # No sum above rounds by more than this, as each is exact but for its terms and
                # result.
                self._drift += 4.0 * _EPSILON * self._power_sum
                if lost:
                    self._power_sum -= self._sum_of_powers(lost)
                if self._drift > LARGEST_DRIFT * self._power_sum:
                    self._sum_anew()
        except BaseException:
            # A key has raised: the weights have moved, but not all that should are gone.
            self._heap = None
            self._sum_anew()
            raise
        if radius is not None and norm > radius:
            self.scale_by(radius / norm)

    def begin(self, columns: Iterable[Hashable] | None) -> bool:
        """Remember the weights until `commit` or `rollback`; return whether nobody else does yet.

        Parameters
        ----------
        columns
            The features that may be learned from meanwhile; None for any.

        """
        if self._before is not None:
            return False
        check_keys(columns or ())
        # Copies change from here on, so that what comes back is in its old order.
        before = (
            *(self._budget, self._scale, self._power_sum, self._drift),
            *(self._v, self._seen),
        )
        self._v = dict(self._v)
        self._seen = None if self._seen is None else set(self._seen)
        self._before = before
        return True

    def commit(self) -> None:
        """Forget what the weights were."""
        if self._before is None:
            return
        *_, seen = self._before
        if seen is not None:
            # A copy of a set need not be in its order.
            seen.update(self._seen)
            self._seen = seen
        self._before = None

    def rollback(self) -> None:
        """Bring the weights back to what they were at `begin`."""
        if self._before is None:
            return
        self._budget, self._scale, self._power_sum, self._drift, self._v, self._seen = self._before
        self._before = None
        self._heap = None

    def scale_by(self, factor: float) -> None:
        """Multiply all weights by `factor`, from zero to one."""
        if not 0.0 <= factor <= 1.0:
            raise ValueError(f"factor must be from zero to one; got {factor!r}")
        self._scale *= float(factor)
        if self._scale < SMALLEST_SCALE:
            scale = self._scale
            self._v = {key: v for key, old in self._v.items() if (v := scale * old)}
            self._scale = 1.0
            self._heap = None
            self._sum_anew()

    def _growth(self, changed: dict[Hashable, float]) -> float:
        """By how much the sum of powers grows; infinite or NaN if a weight overflows."""
        new = changed.values()
        old = map(self._v.get, changed, repeat(0.0))
        if self.order == 1:
            return exact_sum(map(sub, map(abs, new), map(abs, old)))
        if self.order == 2:
            return exact_sum([n * n - o * o for n, o in zip(new, old, strict=True)])
        return 0.0 if all(map(math.isfinite, new)) else math.inf

    def _sum_of_powers(self, values: Iterable[float]) -> float:
        if self.order == 2:
            return math.fsum([v * v for v in values])
        return math.fsum(map(abs, values))

    def _sum_anew(self) -> None:
        if self.order:
            self._power_sum = self._sum_of_powers(self._v.values())
            self._drift = _EPSILON * self._power_sum

    def _draw_dropped(
        self, x: Features, changed: dict[Hashable, float], rng: Random
    ) -> list[Hashable]:
        """Draw the features that keep their weight, and name the others."""
        weights = {key for key in self._v if changed.get(key, 1.0)}
        weights.update(key for key, v in changed.items() if v)
        if self._seen is None:
            n_seen, limit = len(weights), self.budget
        else:
            n_seen, _ = self.sample_sizes(x)
            limit = self.budget * n_seen
        # Before any feature is seen, there is none to draw, but one would be kept.
        if len(weights) < limit or not n_seen:
            return []
        # Where the features with a weight come first in a list of all those seen, drawing from
        # its positions is drawing from the features, and the others need no name.
        keys, state = in_order(weights), rng.getstate()
        try:
            drawn = set(rng.sample(range(n_seen), self._capacity(n_seen)))
            return [key for position, key in enumerate(keys) if position not in drawn]
        except BaseException:
            rng.setstate(state)
            raise

    def _truncate(self, changed: dict[Hashable, float], lost: list[float]) -> None:
        """Zero all but the `capacity` largest weights, after those in `changed` have changed."""
        v, heap, ceiling = self._v, self._heap, self._ceiling
        if heap is not None:
            for key, value in changed.items():
                if -ceiling <= value <= ceiling:
                    heappush(heap, (abs(value), rank(key), key))
        excess = len(v) - self.capacity
        while excess > 0:
            if not heap:
                heap = self._rank_small()
            size, _, key = heappop(heap)
            if abs(v.get(key, 0.0)) == size:
                lost.append(v.pop(key))
                excess -= 1
        if heap is not None and len(heap) > 2 * len(v) + 64:
            self._heap = None

    def _rank_small(self) -> list[tuple[float, tuple[Any, ...], Hashable]]:
        """Build the heap anew, from the smaller weights."""
        v = self._v
        self._ceiling = ceiling = sorted(map(abs, v.values()))[len(v) // 4]
        self._heap = heap = [
            (abs(value), rank(key), key) for key, value in v.items() if -ceiling <= value <= ceiling
        ]
        heapify(heap)
        return heap


def check_ball(radius: float) -> None:
    """Raise a `ValueError` unless it is the radius of a ball."""
    if not radius >= 0.0:
        raise ValueError(f"radius must be a number >= 0, or None; got {radius!r}")


def checked_state(state: Any, counts_features: bool) -> tuple[Any, ...]:
    """Raise a `ValueError` unless it is a state of sparse weights."""
    try:
        scale, power_sum, drift, v, seen = state
        check_keys([*v, *(() if seen is None else seen)])
        fine = (
            SMALLEST_SCALE <= scale <= 1.0
            and all(map(math.isfinite, (power_sum, drift, *v.values())))
            and all(v.values())
            and (seen is None) != counts_features
        )
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(f"this is no state of sparse weights: {error}") from error
    if not fine:
        raise ValueError("this is no state of sparse weights of these settings")
    return scale, power_sum, drift, v, seen


def dot_of_huge(scale: float, pairs: Iterable[tuple[float, float]]) -> float:
    """Inner product of weights `scale * v` and values, brought into the range of a float."""
    product = Fraction(scale) * sum(Fraction(v) * Fraction(value) for v, value in pairs)
    bound = sys.float_info.max
    return float(max(-Fraction(bound), min(Fraction(bound), product)))
