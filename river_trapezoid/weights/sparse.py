# cython: language_level=3, infer_types=True, annotation_typing=False, binding=False, cdivision=True
# cython: boundscheck=False, wraparound=False
from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Iterable
from fractions import Fraction
from random import Random
from typing import Any

from river_trapezoid._instance import Features, out_of_range
from river_trapezoid._parameters import check_budget, check_choice
from river_trapezoid.weights.key_order import check_keys, in_order

from ._feature_table import FeatureTable

try:
    import cython
except ImportError:
    from river_trapezoid.weights import _nocython as cython
if not cython.compiled:
    from math import isfinite, sqrt

    from ._exact_sum import nearest, nothing, plus

__all__ = ["SparseWeights"]

# The scale is folded into the weights below this value, long before it could underflow.
SMALLEST_SCALE = 2.0**-200
# The norm is summed anew before its accumulated rounding error can exceed this share of it.
LARGEST_DRIFT = 1e-12
EPSILON = sys.float_info.epsilon
LARGEST = sys.float_info.max
INFINITY = math.inf


def power(v: float, order: int) -> float:
    """The term of a weight in the sum that the norm is made of."""
    return v * v if order == 2 else abs(v)


class SparseWeights(FeatureTable):
    """A sparse weight vector `w = scale * v` that shrinks in O(1) and truncates in O(n log k).

    It does not know labels or learning rules. Every operation takes a whole instance, a dict
    whose values are finite numbers. For an instance with `n` features and `k` weights kept, `dot`
    costs O(n), `scale_by` O(1) and `update` O(n log k), amortised.

    Sums are exactly rounded, so that no result depends on the order of the features in a dict.

    Parameters
    ----------
    budget
        How many weights are kept: an integer is a count, a float a share of the features seen,
        rounded down but at least one. Note that `1` and `1.0` differ. An integer needs no memory
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

    def __init__(self, budget: int | float = 1.0, order: int = 1):
        budget = check_budget("budget", budget)
        check_choice("order", order, (0, 1, 2))
        self.acquire()
        try:
            self.set_budget(budget)
            self.clear()
            self.before: tuple[Any, ...] | None = None
            self.order = order
            self.scale = 1.0
            self.power_sum = self.drift = 0.0
        finally:
            self.users -= 1

    def __reduce__(self) -> tuple[Any, ...]:
        from river_trapezoid.weights import restore

        return restore, ("SparseWeights", self.budget, self.order), self.__getstate__()

    def __getstate__(self) -> tuple[Any, ...]:
        # What the weights are, not how they are kept.
        return self.scale, self.power_sum, self.drift, self.scaled(1.0), self.seen()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        scale, power_sum, drift, v, seen = checked_state(state, self.count == 0)
        weights, names = list(v.items()), [] if seen is None else list(seen)
        self.acquire()
        try:
            self.clear()
            self.reserve(len(names) + len(weights))
            for key in names:
                self.see_slot(self.add(key))
            self.add_values(weights)
            self.scale, self.power_sum, self.drift = scale, power_sum, drift
        finally:
            self.users -= 1

    def __contains__(self, key: Hashable) -> bool:
        """Whether a feature has a weight other than zero."""
        slot = self.slot(key)
        return slot >= 0 and self.entries[slot].v != 0.0

    def __repr__(self) -> str:
        return (
            f"SparseWeights(budget={self.budget!r}, order={self.order!r}) with {len(self)} weights"
        )

    @property
    def n_seen(self) -> int | None:
        """Number of distinct features given to `observe`; None if the budget is a count."""
        return None if self.count else self.n_marked

    @property
    def capacity(self) -> int:
        """Number of weights that are kept."""
        return self._budget if self.count else self.capacity_of(self.n_marked)

    @property
    def norm(self) -> float:
        """The norm of the weights."""
        return self.norm_now()

    def get(self, key: Hashable) -> float:
        """Weight of a feature; zero if it has none."""
        slot = self.slot(key)
        return 0.0 if slot < 0 else self.scale * self.entries[slot].v

    def to_dict(self) -> dict[Hashable, float]:
        """The weights other than zero, as a new dict."""
        return self.scaled(self.scale)

    def sample_sizes(self, x: Features) -> tuple[int, int]:
        """Number of features to draw from once `x` is observed, and how many of them to draw.

        An integer budget does not count the features seen; the draw is then from those of `x`.
        """
        n_features = self.n_marked
        if self.count:
            return len(x), min(self.count, len(x))
        for key in x:
            slot = self.slot(key)
            n_features += slot < 0 or not self.is_seen(slot)
        return n_features, self.capacity_of(n_features)

    def observe(self, x: Features) -> None:
        """Count the features of `x` as seen."""
        if self.count:
            return
        held = self.open(x, False)
        try:
            self.acquire()
            try:
                self.enter(held.x, False)
                self.see_all(held.x)
            finally:
                self.users -= 1
        finally:
            held.close()

    def dot(self, x: Features) -> float:
        """Inner product with `x`; the largest float if it exceeds the range of floats."""
        held = self.open(x, False)
        try:
            if not held.x.all_found:
                self.find(held.x)
            return self.dot_found(held.x)
        finally:
            held.close()

    def update(
        self, x: Features, step: float, radius: float | None = None, rng: Random | None = None
    ) -> None:
        """Add `step * x`, project on the ball, and zero all but `capacity` weights.

        All features of `x` are counted as seen, those with a value of zero included. The largest
        weights are kept. Of two of the same size, the one whose key ranks lower is dropped first.

        Parameters
        ----------
        x
            The features to move the weights of.
        step
            The size of the step.
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
        step = float(step)
        radius = INFINITY if radius is None else float(radius)
        check_ball(radius)
        held = self.open(x, False)
        try:
            self.acquire()
            try:
                self.enter_features(held.x)
                self.move(held.x, step, radius, rng)
            finally:
                self.users -= 1
        finally:
            held.close()

    def scale_by(self, factor: float) -> None:
        """Multiply all weights by `factor`, from zero to one."""
        if not 0.0 <= factor <= 1.0:
            raise ValueError(f"factor must be from zero to one; got {factor!r}")
        self.acquire()
        try:
            self.scale_down(float(factor))
        finally:
            self.users -= 1

    def begin(self, columns: Iterable[Hashable] | None) -> bool:
        """Save the weights until `commit` or `rollback`; return whether they were not saved yet.

        Parameters
        ----------
        columns
            The features that may be learned from meanwhile; None for any.

        """
        if self.before is not None:
            return False
        self.acquire()
        try:
            self.open_journal(columns)
            self.before = (
                *(self._budget, self.count, self.share),
                *(self.scale, self.power_sum, self.drift),
            )
        finally:
            self.users -= 1
        return True

    def commit(self) -> None:
        """Discard the saved state of the weights."""
        self.forget_changes()
        self.before = None

    def rollback(self) -> None:
        """Restore the weights to their state at `begin`."""
        before = self.before
        if before is None:
            return
        self.acquire()
        try:
            self.restore()
            # No memory is needed for anything here, as that may be what is missing.
            self._budget, self.count, self.share = before[0], before[1], before[2]
            self.scale, self.power_sum, self.drift = before[3], before[4], before[5]
            self.commit()
        finally:
            self.users -= 1

    def dot_found(self, x: Any) -> float:
        """Inner product with an instance whose features have been found."""
        total, all_seen = nothing(), True
        entries, slots, values, terms, known = self.entries, x.slots, x.values, x.terms, x.updated
        for i in range(x.n):
            slot = slots[i]
            v = 0.0
            if slot >= 0:
                v = entries[slot].v
                all_seen &= self.is_seen(slot)
            known[i] = v
            terms[i] = v * values[i]
            total = plus(total, terms[i])
        x.all_seen = all_seen
        product = self.scale * nearest(total, terms, x.n)
        if -LARGEST <= product <= LARGEST:
            return product
        return dot_of_huge(self.scale, [(known[i], values[i]) for i in range(x.n)])

    def enter_features(self, x: Any) -> Any:
        """Enter the features that are learned from."""
        # Without a count of the features seen, zeros leave no trace.
        return self.enter(x, self.count != 0)

    def observe_entered(self, x: Any) -> None:
        """Count the features of an instance as seen, which are entered."""
        if not self.count:
            self.see_all(x)

    def move(self, x: Any, step: float, radius: float, rng: Random | None) -> int:
        """Add `step * x`, whose features are entered, project, and truncate."""
        rate, order = step / self.scale, self.order
        overflows, done, dropped = False, False, None
        growth = nothing()
        entries, slots, values, terms, updated = self.entries, x.slots, x.values, x.terms, x.updated
        for i in range(x.n):
            term = 0.0
            if values[i] != 0.0:
                old = entries[slots[i]].v
                new = updated[i] = old + rate * values[i]
                if order == 1:
                    term = abs(new) - abs(old)
                elif order == 2:
                    term = new * new - old * old
                elif not isfinite(new):
                    overflows = True
                growth = plus(growth, term)
            terms[i] = term
        power_sum = self.power_sum + nearest(growth, terms, x.n)
        if overflows or not power_sum < INFINITY:
            raise out_of_range(self.values_of(x))
        most = self.n_kept + x.n - self.capacity_of(self.n_marked)
        if rng is not None:
            dropped = self.draw_dropped(x, rng)
            most = len(dropped)
        lost = terms if most <= x.n else self.room_for(most)

        self.observe_entered(x)
        self.power_sum = power_sum
        for i in range(x.n):
            if values[i] != 0.0:
                self.put(slots[i], updated[i])
        norm = self.norm_now()
        # The scale does not change the order of the weights, so truncation may come before the
        # projection, as long as the latter goes by the norm from before.
        n_lost = 0
        try:
            if dropped is None:
                n_lost = self.drop_to(x, True, self.capacity_of(self.n_marked), lost)
            else:
                # The heap has not heard of the move.
                self.drop_heap()
                for slot in dropped:
                    if self.journaling:
                        self.record(slot)
                    lost[n_lost] = self.entries[slot].v
                    n_lost += 1
                    self.put(slot, 0.0)
            self.subtract(lost, n_lost)
            done = True
        finally:
            # A key has raised: the weights have moved, but not all that should are gone.
            if not done:
                self.sum_anew()
        if norm > radius:
            self.scale_down(radius / norm)
        return 0

    def norm_now(self) -> float:
        """The norm of the weights."""
        # Where weights cancel, the sum may have been rounded to less than zero.
        power_sum = self.power_sum if self.power_sum > 0.0 else 0.0
        return self.scale * (sqrt(power_sum) if self.order == 2 else power_sum)

    def scaled(self, factor: float) -> dict[Hashable, float]:
        """The weights v times a factor."""
        # To hash a key may run code: the table is read before that.
        return dict(self.kept_values(factor))

    def draw_dropped(self, x: Any, rng: Random) -> list[int]:
        """Draw the features that keep their weight; the slots of all others."""
        n_seen, weights = self.n_marked, dict(self.kept())
        for i in range(x.n):
            if x.values[i] != 0.0:
                if x.updated[i] != 0.0:
                    weights[self.key_at(x.slots[i])] = x.slots[i]
                else:
                    weights.pop(self.key_at(x.slots[i]), None)
            if not self.count:
                n_seen += not self.is_seen(x.slots[i])
        if self.count:
            n_seen = len(weights)
        # Before any feature is seen, there is none to draw, but one would be kept.
        if len(weights) < (self._budget if self.count else self.share * n_seen) or not n_seen:
            return []
        # Where the features with a weight come first in a list of all those seen, drawing from
        # its positions is drawing from the features, and the others need no name.
        keys, state = in_order(weights), rng.getstate()
        try:
            drawn = set(rng.sample(range(n_seen), self.capacity_of(n_seen)))
            return [weights[key] for position, key in enumerate(keys) if position not in drawn]
        except BaseException:
            rng.setstate(state)
            raise

    def subtract(self, lost: Any, n_lost: int) -> int:
        """Subtract dropped weights from the sum of powers, and track its rounding error."""
        if self.order == 0:
            return 0
        # No sum so far rounds by more than this, as each is exact but for its terms and result.
        self.drift += 4.0 * EPSILON * self.power_sum
        if n_lost:
            total = nothing()
            for i in range(n_lost):
                lost[i] = power(lost[i], self.order)
                total = plus(total, lost[i])
            self.power_sum -= nearest(total, lost, n_lost)
        if self.drift > LARGEST_DRIFT * self.power_sum:
            self.sum_anew()
        return 0

    def sum_anew(self) -> int:
        """Sum all powers again, without the rounding errors of former steps."""
        if self.order == 0:
            return 0
        total, powers = nothing(), self.room_for(self.used)
        for i in range(self.used):
            powers[i] = power(self.entries[i].v, self.order)
            total = plus(total, powers[i])
        self.power_sum = nearest(total, powers, self.used)
        self.drift = EPSILON * self.power_sum
        return 0

    def scale_down(self, factor: float) -> int:
        """Multiply all weights by a factor from zero to one."""
        self.scale *= factor
        if self.scale < SMALLEST_SCALE:
            for i in range(self.used):
                if self.journaling and self.entries[i].v != 0.0:
                    self.record(i)
                self.put(i, self.scale * self.entries[i].v)
            self.scale = 1.0
            self.drop_heap()
            self.sum_anew()
        return 0


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
        raise ValueError(f"expected a state of SparseWeights: {error}") from error
    if not fine:
        raise ValueError("expected a state of SparseWeights with these settings")
    return scale, power_sum, drift, v, seen


def dot_of_huge(scale: float, pairs: Iterable[tuple[float, float]]) -> float:
    """Inner product of weights `scale * v` and values, brought into the range of a float."""
    product = Fraction(scale) * sum(Fraction(v) * Fraction(value) for v, value in pairs)
    bound = sys.float_info.max
    return float(max(-Fraction(bound), min(Fraction(bound), product)))
