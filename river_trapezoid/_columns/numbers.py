from __future__ import annotations

import math
import re
from typing import NamedTuple

__all__ = ["WrittenNumber", "is_ambiguous", "read_number"]

_CURRENCY = (
    r"(?:(?:US|CA|AU|NZ|HK|R|C|A)?\$|[€£¥₹₩₽₺₴₫₪₱฿]|kr\.?|zł|Kč|Fr\.?"
    r"|USD|EUR|GBP|JPY|CHF|CNY|INR|BRL|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|MXN|ZAR|KRW|TRY)"
)
_WRITTEN = re.compile(
    rf"""
    (?P<open>\()?
    (?P<sign>[-+−])?\s?{_CURRENCY}?\s?(?P<inner>[-+−])?
    (?P<body>
        \d{{1,3}}(?P<group>[ ,.'’\u00a0\u202f])\d{{3}}(?:(?P=group)\d{{3}})*(?:(?!(?P=group))[.,]\d+)?
        | \d+(?:[.,]\d*)?
        | [.,]\d+
    )
    (?P<exponent>[eE][-+]?\d+)?
    \s?(?:{_CURRENCY}|%)?
    (?P<close>\))?
    """,
    re.VERBOSE,
)
# One separator before three digits, as in 1,234 and 1.234; a leading zero has no thousands.
_AMBIGUOUS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")


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


def is_ambiguous(text: str) -> bool:
    """Whether digits that Python reads as a number may be thousands, as in `1.234`."""
    return _AMBIGUOUS.fullmatch(text.strip().lstrip("+-")) is not None


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
    match = _WRITTEN.fullmatch(text)
    if match is None or (match["open"] is None) != (match["close"] is None):
        return None
    body, exponent = match["body"], match["exponent"] or ""
    negative = "(" if match["open"] else ""
    for sign in (match["sign"], match["inner"]):
        if sign:
            if negative:
                return None
            negative = sign
    factor = -1.0 if negative in ("-", "−", "(") else 1.0
    decimal = _decimal_sign(body, match["group"])
    as_point, as_comma = (
        factor * float(_digits(body, decimal or sign) + exponent) for sign in (".", ",")
    )
    if math.isinf(as_point) or math.isinf(as_comma):
        return None
    return WrittenNumber(as_point, as_comma, decimal)


def _decimal_sign(body: str, group: str | None) -> str:
    """The decimal sign that the digits and separators of a number prove; empty if none."""
    if _AMBIGUOUS.fullmatch(body):
        return ""
    if group in (",", ".") and (body.count(group) > 1 or not body.startswith("0")):
        # Groups of thousands; the other sign is the decimal sign.
        return "." if group == "," else ","
    if "," in body:
        return ","
    return "." if "." in body else ""


def _digits(body: str, decimal: str) -> str:
    whole, sign, fraction = body.rpartition(decimal)
    if not sign:
        whole, fraction = fraction, ""
    return "".join(filter(str.isdecimal, whole)) + "." + (fraction or "0")
