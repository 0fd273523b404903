from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from river_trapezoid._parameters import share_of


def test_shares_in_hundredths_are_exact():
    for k in range(101):
        share = Fraction(str(k / 100))
        counts = [share_of(k / 100, n) for n in range(5000)]
        assert counts == [share.numerator * n // share.denominator for n in range(5000)]


@given(st.integers(1, 200), st.integers(1, 200), st.integers(0, 10**9))
def test_quotients_are_exact(numerator, denominator, n):
    numerator = min(numerator, denominator)
    assert share_of(numerator / denominator, n) == numerator * n // denominator


@given(st.floats(0, 1), st.integers(0, 2**49 - 1))
def test_a_share_is_rounded_down_but_for_a_few_ulps(share, n):
    exact = Fraction(share) * n
    assert exact - 1 < share_of(share, n) <= min(n, exact * (1 + Fraction(5, 2**52)))
    assert share_of(share, n) >= math.floor(exact)
