from __future__ import annotations

import functools
import re

from .cells import TRUTH
from .dates import WrittenDate, read_date, read_iso
from .numbers import WrittenNumber, read_number

__all__ = ["SYMBOLS", "TRUTH_WORDS", "read"]

#: What may be around a number that is otherwise written as Python does.
SYMBOLS = "$€£¥%"
#: The values of boolean words, in the usual cases.
TRUTH_WORDS = {
    case: value for word, value in TRUTH.items() for case in (word, word.title(), word.upper())
}
# Longer strings are numbers only if Python reads them as such.
_LONGEST = 40
# A cell is read when it is learned from and when it becomes features; many cells are alike.
_N_READ = 4096
_DIGIT = re.compile(r"\d")
# The first characters of numbers and dates, beside digits.
_SIGNS = frozenset("-+−(.,%$€£¥₹₩₽₺₴₫₪₱฿")
# The first letters of currencies, boolean words, months and weekdays, and what follows them.
_LETTERS = frozenset(
    case for letter in "urahnckzfegjibdpmtyswo" for case in (letter, letter.upper())
)
_START = re.compile(
    r"[a-z]{1,2}\$|kr|zł|kč|fr"
    r"|usd|eur|gbp|jpy|chf|cny|inr|brl|cad|aud|nzd|sek|nok|dkk|pln|czk|mxn|zar|krw|try"
    r"|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|sat|sun",
    re.IGNORECASE,
)
_LONGEST_TRUTH = max(map(len, TRUTH))


def read(text: str) -> WrittenNumber | WrittenDate | float | None:
    """Read a string as a number, a date, or a boolean; return None if it is another string.

    Parameters
    ----------
    text
        A string without outer white space.

    Examples
    --------
    >>> read("$31.17")
    WrittenNumber(with_point=31.17, with_comma=31.17, sign='.')

    >>> read("Yes")
    1.0

    >>> read("premium")

    """
    first = text[0]
    if first in _LETTERS:
        if len(text) > _LONGEST_TRUTH and (len(text) > _LONGEST or _START.match(text) is None):
            return None
    elif first not in _SIGNS and not first.isdecimal():
        return None
    elif len(text) > _LONGEST:
        return _read_float(text.strip(SYMBOLS))
    return _read_short(text)


@functools.lru_cache(maxsize=_N_READ)
def _read_short(text: str) -> WrittenNumber | WrittenDate | float | None:
    truth = TRUTH.get(text.lower())
    if truth is not None:
        return truth
    if _DIGIT.search(text) is None:
        return None
    if text[4:5] == "-" and (moment := read_iso(text)) is not None:
        return WrittenDate(moment, moment)
    return read_number(text) or _read_float(text.strip(SYMBOLS)) or read_date(text)


def _read_float(text: str) -> WrittenNumber | None:
    """A number as Python writes it, such as `1E-5`."""
    try:
        number = float(text)
    except ValueError:
        return None
    return WrittenNumber(number, number, "") if number - number == 0.0 else None
