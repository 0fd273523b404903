from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from river_trapezoid._columns.dates import moment_of, read_date
from river_trapezoid._columns.numbers import is_ambiguous, read_number

DAY = (datetime.date(2024, 3, 2) - datetime.date(1970, 1, 1)).days


@pytest.mark.parametrize(
    ("text", "value", "sign"),
    [
        ("12", 12.0, ""),
        ("-12.5", -12.5, "."),
        ("1,234.5", 1234.5, "."),
        ("1.234,5", 1234.5, ","),
        ("1 234,5", 1234.5, ","),
        ("CHF 1'234.50", 1234.5, "."),
        ("1,234,567", 1234567.0, "."),
        ("1.234.567", 1234567.0, ","),
        ("0,123", 0.123, ","),
        ("1234,567", 1234.567, ","),
        (",5", 0.5, ","),
        ("1,5e3", 1500.0, ","),
        ("$31.17", 31.17, "."),
        ("-$5", -5.0, ""),
        ("($5.00)", -5.0, "."),
        ("31,17 €", 31.17, ","),
        ("R$ 1.234,56", 1234.56, ","),
        ("45 %", 45.0, ""),
        ("−3", -3.0, ""),
    ],
)
def test_numbers_are_read_as_people_write_them(text, value, sign):
    number = read_number(text)
    assert number == (value, value, sign)


@pytest.mark.parametrize(
    ("text", "point", "comma"), [("1,234", 1234, 1.234), ("1.234", 1.234, 1234)]
)
def test_one_separator_before_three_digits_can_be_read_in_two_ways(text, point, comma):
    number = read_number(text)
    assert number == (point, comma, "")
    assert is_ambiguous(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "route 66",
        "ABC 5",
        "1,2,3",
        "12,34,567",
        "1.000.00",
        "(5",
        "5)",
        "--5",
        "-(5)",
        "1" * 400,
        "12a",
        "$",
        "%",
        "5 kg",
        "1-2",
        "192.168.1.1",
    ],
)
def test_other_strings_are_not_numbers(text):
    assert read_number(text) is None


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_what_python_writes_with_thousands_is_read_back(value):
    text = f"{value:,.2f}"
    if "e" not in text:
        assert read_number(text).with_point == float(text.replace(",", ""))


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-02",
        "2024/3/2",
        "2024.03.02",
        "02.03.2024",
        "2.3.24",
        "Mar 2, 2024",
        "2 March 2024",
        "2-Mar-2024",
        "Saturday, 2 Mar 2024",
        "MARCH 2 2024",
    ],
)
def test_dates_are_read_as_people_write_them(text):
    assert read_date(text) == ((DAY, None), (DAY, None))


@pytest.mark.parametrize(
    ("time", "hour"),
    [
        ("06:30", 6.5),
        ("6:30 am", 6.5),
        ("12:00 AM", 0.0),
        ("10:30:36 p.m.", 22.51),
        ("18:00:00.25", 18.0),
        ("18:00Z", 18.0),
        ("18:00 +02:00", 18.0),
    ],
)
def test_times_are_hours_by_themselves_and_after_a_date(time, hour):
    assert read_date(time).day_first == (None, pytest.approx(hour))
    assert read_date(f"02.03.2024 {time}").day_first == (DAY, pytest.approx(hour))


def test_the_order_of_day_and_month_is_left_open_where_both_are_possible():
    date = read_date("02/03/2024")
    assert (date.day_first.day, date.month_first.day) == (DAY, DAY - 28)
    assert read_date("31/03/2024").month_first is None
    assert read_date("03/31/2024").day_first is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2024",
        "31/31/2024",
        "30.02.2024",
        "2024-13-01",
        "0000-00-00",
        "25:00",
        "13:00 pm",
        "1-2",
        "12.5",
        "a 2024-03-02",
        "2024-03-02 late",
        "May",
        "1/2/2024/3",
    ],
)
def test_other_strings_are_not_dates(text):
    assert read_date(text) is None


@given(st.datetimes())
def test_what_python_writes_is_read_as_the_object_is(moment):
    assert read_date(moment.isoformat()).month_first == moment_of(moment)
    date = moment.date()
    assert (
        read_date(date.isoformat()).month_first
        == moment_of(date)
        == (
            date.toordinal() - datetime.date(1970, 1, 1).toordinal(),
            None,
        )
    )
