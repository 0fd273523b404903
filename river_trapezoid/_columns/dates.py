from __future__ import annotations

import datetime
import re
from typing import NamedTuple

__all__ = ["Moment", "WrittenDate", "moment_of", "read_date"]

_MONTHS = {
    name: number
    for number, full in enumerate(
        [
            "january",
            "february",
            "march",
            "april",
            "may",
            "june",
            "july",
            "august",
            "september",
            "october",
            "november",
            "december",
        ],
        start=1,
    )
    for name in (full, full[:3])
}
_MONTHS["sept"] = 9
_NAME = "|".join(sorted(_MONTHS, key=len, reverse=True))
_TIME = r"""
    (?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?
    (?:\s?(?P<half>[ap])\.?m\.?)?
    (?:\s?(?:Z|UTC|GMT|[-+]\d{2}:?\d{2}))?
"""
_DATE = re.compile(
    rf"""
    (?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?,?\s)?
    (?:
        (?P<year>\d{{4}})(?P<y>[-/.])(?P<month>\d{{1,2}})(?P=y)(?P<day>\d{{1,2}})
        | (?P<first>\d{{1,2}})(?P<l>[-/.])(?P<second_>\d{{1,2}})(?P=l)(?P<local>\d{{4}}|\d{{2}})
        | (?P<nday>\d{{1,2}})(?:\.\s?|[\s-])(?P<name>{_NAME})\.?,?[\s-](?P<nyear>\d{{4}})
        | (?P<uname>{_NAME})\.?\s(?P<uday>\d{{1,2}}),?\s(?P<uyear>\d{{4}})
    )
    (?:(?:,?\s|T){_TIME})?
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TIME_ALONE = re.compile(_TIME, re.VERBOSE | re.IGNORECASE)
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
        The date if the month is the first of two numbers; None if there is no such date.
    day_first
        The date if the day is the first of two numbers; None if there is no such date.

    """

    month_first: Moment | None
    day_first: Moment | None


def moment_of(cell: datetime.date) -> Moment:
    """The moment of a date or a datetime; a time zone is left aside."""
    day = cell.toordinal() - _EPOCH
    return Moment(day, _hours(cell) if isinstance(cell, datetime.datetime) else None)


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
    if text[4:5] == "-":
        try:
            moment = datetime.datetime.fromisoformat(text)
        except ValueError:
            pass
        else:
            return _unambiguous(moment_of(moment if len(text) > 10 else moment.date()))
    match = _DATE.fullmatch(text)
    if match is None:
        match = _TIME_ALONE.fullmatch(text)
        return None if match is None else _unambiguous(_moment(None, match))
    part = match.groupdict()
    if part["first"] is None:
        if part["year"]:
            numbers = int(part["year"]), int(part["month"]), int(part["day"])
        else:
            name = part["name"] or part["uname"]
            numbers = (
                int(part["nyear"] or part["uyear"]),
                _MONTHS[name.lower()],
                int(part["nday"] or part["uday"]),
            )
        return _unambiguous(_moment(numbers, match))
    year, first, second = int(part["local"]), int(part["first"]), int(part["second_"])
    if len(part["local"]) == 2:
        year += 1900 if year >= _LAST_CENTURY else 2000
    day_first = _moment((year, second, first), match)
    # Nobody writes the month first where points are between the numbers.
    month_first = day_first if part["l"] == "." else _moment((year, first, second), match)
    return WrittenDate(month_first, day_first) if month_first or day_first else None


def _unambiguous(moment: Moment | None) -> WrittenDate | None:
    return None if moment is None else WrittenDate(moment, moment)


def _moment(numbers: tuple[int, int, int] | None, match: re.Match[str]) -> Moment | None:
    """The moment of year, month and day, and of the time in a match; None if there is none."""
    hour: float | None = None
    try:
        day = None if numbers is None else datetime.date(*numbers).toordinal() - _EPOCH
        if match["hour"]:
            hours = int(match["hour"])
            if match["half"]:
                if not 1 <= hours <= 12:
                    return None
                hours = hours % 12 + (12 if match["half"] in "pP" else 0)
            hour = _hours(datetime.time(hours, int(match["minute"]), int(match["second"] or 0)))
    except ValueError:
        return None
    return Moment(day, hour)


def _hours(time: datetime.datetime | datetime.time) -> float:
    return time.hour + time.minute / 60 + time.second / 3600
