from __future__ import annotations

import datetime
import re
from typing import NamedTuple

__all__ = ["Moment", "WrittenDate", "moment_of", "read_date", "read_iso"]

_MONTHS = {"january": 1, "february": 2, "march": 3, "april": 4, "may": 5, "june": 6, "july": 7}
_MONTHS |= {"august": 8, "september": 9, "october": 10, "november": 11, "december": 12, "sept": 9}
_MONTHS |= {name[:3]: number for name, number in _MONTHS.items()}
_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:(?:,?\s|T)(.+))?")
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?:(?:,?\s|T)(.+))?")
_NAMED = re.compile(
    r"(?:(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?,?\s)?"
    rf"(?:(?P<day>\d{{1,2}})(?:\.\s?|[\s-])(?P<month>{_NAME})\.?,?[\s-]"
    rf"|(?P<month_>{_NAME})\.?\s(?P<day_>\d{{1,2}}),?\s)"
    r"(?P<year>\d{4})(?:(?:,?\s|T)(?P<time>.+))?",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?(?:\s?([ap])\.?m\.?)?"
    r"(?:\s?(?:Z|UTC|GMT|[-+]\d{2}:?\d{2}))?",
    re.IGNORECASE,
)
_EPOCH = datetime.date(1970, 1, 1).toordinal()
# Years of two digits from this one on belong to the last century.
_LAST_CENTURY = 70


class Moment(NamedTuple):
    """A date, a time of day, or both.

    Parameters
    ----------
    day
        Days since 1 January 1970; None for a time of day alone.
    hour
        Hours since midnight, with a fraction; None for a date alone.

    """

    day: int | None
    hour: float | None


class WrittenDate(NamedTuple):
    """A date in a string, read in both ways.

    Parameters
    ----------
    month_first
        The date if the month is the first of two numbers; None if that is not a date.
    day_first
        The date if the day is the first of two numbers; None if that is not a date.

    """

    month_first: Moment | None
    day_first: Moment | None


def moment_of(cell: datetime.date) -> Moment:
    """The moment of a date or a datetime; a time zone is ignored."""
    day = cell.toordinal() - _EPOCH
    return Moment(day, _hours(cell) if isinstance(cell, datetime.datetime) else None)


def read_iso(text: str) -> Moment | None:
    """Read a date in ISO 8601, with or without a time; None if it is not one."""
    if text[4:5] != "-":
        return None
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment_of(moment if len(text) > 10 else moment.date())


def read_date(text: str) -> WrittenDate | None:
    """Read a date, a time of day, or both.

    Parameters
    ----------
    text
        A string without outer white space.

    Returns
    -------
    None if the string is not a date.

    Examples
    --------
    >>> read_date("1970-01-02T06:30")
    WrittenDate(month_first=Moment(day=1, hour=6.5), day_first=Moment(day=1, hour=6.5))

    >>> read_date("02/01/1970")
    WrittenDate(month_first=Moment(day=31, hour=None), day_first=Moment(day=1, hour=None))

    >>> read_date("31/01/1970")
    WrittenDate(month_first=None, day_first=Moment(day=30, hour=None))

    >>> read_date("31 February 1970")

    """
    moment = read_iso(text)
    if moment is not None:
        return WrittenDate(moment, moment)
    if (match := _YEAR_LAST.fullmatch(text)) is not None:
        return _read_year_last(match)
    if (match := _YEAR_FIRST.fullmatch(text)) is not None:
        moment = _moment(int(match[1]), int(match[3]), int(match[4]), match[5])
    elif (match := _TIME.fullmatch(text)) is not None:
        hour = _hour(match)
        moment = None if hour is None else Moment(None, hour)
    elif (match := _NAMED.fullmatch(text)) is not None:
        month = _MONTHS[(match["month"] or match["month_"]).lower()]
        moment = _moment(
            int(match["year"]), month, int(match["day"] or match["day_"]), match["time"]
        )
    return None if moment is None else WrittenDate(moment, moment)


def _read_year_last(match: re.Match[str]) -> WrittenDate | None:
    year, first, second, time = int(match[4]), int(match[1]), int(match[3]), match[5]
    if len(match[4]) == 2:
        year += 1900 if year >= _LAST_CENTURY else 2000
    day_first = _moment(year, second, first, time) if second <= 12 else None
    if match[2] == ".":
        # Nobody writes the month first where points are between the numbers.
        month_first = day_first
    else:
        month_first = _moment(year, first, second, time) if first <= 12 else None
    return WrittenDate(month_first, day_first) if month_first or day_first else None


def _moment(year: int, month: int, day: int, time: str | None) -> Moment | None:
    """The moment of a year, a month, a day and a time; None if there is none."""
    try:
        number = datetime.date(year, month, day).toordinal() - _EPOCH
    except ValueError:
        return None
    if time is None:
        return Moment(number, None)
    match = _TIME.fullmatch(time)
    hour = None if match is None else _hour(match)
    return None if hour is None else Moment(number, hour)


def _hour(match: re.Match[str]) -> float | None:
    """The hour of a time of day; None if there is no such time."""
    hour, half = int(match[1]), match[4]
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half in "pP" else 0)
    try:
        return _hours(datetime.time(hour, int(match[2]), int(match[3] or 0)))
    except ValueError:
        return None


def _hours(time: datetime.datetime | datetime.time) -> float:
    return time.hour + time.minute / 60 + time.second / 3600
