from __future__ import annotations

import functools
import re
from typing import NamedTuple

__all__ = ["WrittenNumber", "is_ambiguous", "read_number"]

_CURRENCY = re.compile(
    r"(?:(?:US|CA|AU|NZ|HK|R|C|A)?\$|[€£¥₹₩₽₺₴₫₪₱฿]|kr\.?|zł|Kč|Fr\.?"
    r"|USD|EUR|GBP|JPY|CHF|CNY|INR|BRL|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|MXN|ZAR|KRW|TRY)"
)
# What is before the digits, the digits with all that is between them, an exponent, and the rest.
_PARTS = re.compile(r"(\D{0,8}?)([.,]?\d(?:[\d.,'’ \u00a0\u202f]*\d)?)(?:[eE]([-+]?\d+))?(\D{0,6})")
_THOUSANDS = re.compile(
    r"\d{1,3}([ ,.'’\u00a0\u202f])\d{3}(?:\1\d{3})*(?:(?!\1)(?P<sign>[.,])(?P<fraction>\d+))?"
)


class WrittenNumber(NamedTuple):
    """A number in a string, read in both ways.

    Parameters
    ----------
    with_point
        The number if a point is the decimal sign.
    with_comma
        The number if a comma is the decimal sign.
    sign
        The decimal sign that the string proves, `"."` or `","`; empty if it proves none.

    """

    with_point: float
    with_comma: float
    sign: str


def is_ambiguous(body: str) -> bool:
    """Whether digits with one separator may be thousands, as in `1.234`; `0.123` has no thousands."""
    return body[-4:-3] in (".", ",") and 5 <= len(body) <= 7 and body[0] != "0"


def read_number(text: str) -> WrittenNumber | None:
    """Read a number with thousands, a decimal sign, a currency or a percent sign.

    Parameters
    ----------
    text
        A string without outer white space.

    Returns
    -------
    None if the string is not a number, or a number too large for a float.

    Examples
    --------
    >>> read_number("$1,234.50")
    WrittenNumber(with_point=1234.5, with_comma=1234.5, sign='.')

    >>> read_number("45 %")
    WrittenNumber(with_point=45.0, with_comma=45.0, sign='')

    >>> read_number("1.234")
    WrittenNumber(with_point=1.234, with_comma=1234.0, sign='')

    >>> read_number("route 66")

    """
    match = _PARTS.fullmatch(text)
    if match is None:
        return None
    before, body, exponent, after = match.groups()
    factor = _factor(before, after)
    if factor is None:
        return None
    n_points, n_commas = body.count("."), body.count(",")
    digits = body
    if n_points + n_commas <= 1:
        sign = "." if n_points else "," if n_commas else ""
        digits = body.replace(sign, "") if sign else body
    if digits.isdecimal():
        with_point = with_comma = body.replace(",", ".")
        if exponent is None and is_ambiguous(body):
            with_point, with_comma = (body, digits) if sign == "." else (digits, with_comma)
            sign = ""
    else:
        grouped = _THOUSANDS.fullmatch(body)
        if grouped is None:
            return None
        group, sign, fraction = grouped[1], grouped["sign"] or "", grouped["fraction"] or ""
        whole = body[: -len(fraction) - 1] if fraction else body
        with_point = with_comma = f"{whole.replace(group, '')}.{fraction}"
        if not sign and group in (".", ","):
            # Groups of thousands; the other sign is the decimal sign.
            sign = "," if group == "." else "."
    if exponent is not None:
        with_point, with_comma = f"{with_point}e{exponent}", f"{with_comma}e{exponent}"
    first = factor * float(with_point)
    second = first if with_comma is with_point else factor * float(with_comma)
    return None if first - first or second - second else WrittenNumber(first, second, sign)


@functools.lru_cache(maxsize=256)
def _factor(before: str, after: str) -> float | None:
    """The sign that is around the digits of a number, as a factor; None if they are not a number's.

    >>> _factor("-$", ""), _factor("", " %"), _factor("($", ")"), _factor("No. ", "")
    (-1.0, 1.0, -1.0, None)

    """
    bracketed = before.startswith("(") and after.endswith(")")
    if bracketed:
        before, after = before[1:], after[:-1]
    rests = [
        _CURRENCY.sub("", before, count=1).strip(),
        "" if after in ("%", " %") else _CURRENCY.sub("", after, count=1).strip(),
    ]
    if rests == ["", ""]:
        return -1.0 if bracketed else 1.0
    if rests[1] or bracketed or rests[0] not in ("-", "+", "−"):
        return None
    return 1.0 if rests[0] == "+" else -1.0
