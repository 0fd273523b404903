from __future__ import annotations

import fractions
import math
from collections.abc import Iterable

__all__ = ["exact_sum"]


def exact_sum(terms: Iterable[float]) -> float:
    """The double nearest to the sum, in whichever order the terms come.

    `math.fsum` gives up where a partial sum overflows, which depends on the order.

    >>> exact_sum([1e308, 1e308, -1e308]), exact_sum([1e308, -1e308, 1e308])
    (1e+308, 1e+308)

    Infinite or NaN if the sum is not finite, or a term is not.

    >>> exact_sum([1e308, 1e308]), exact_sum([math.inf, -math.inf])
    (inf, nan)

    """
    terms = list(terms)
    try:
        return math.fsum(terms)
    except ValueError:
        return math.nan
    except OverflowError:
        if not all(map(math.isfinite, terms)):
            return math.nan
    total = sum(map(fractions.Fraction, terms))
    try:
        return float(total)
    except OverflowError:
        return math.inf if total > 0 else -math.inf
