from __future__ import annotations

import datetime
import math
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from river import feature_extraction

from river_trapezoid._columns import Column, plain_cells
from river_trapezoid._columns.dates import WrittenDate
from river_trapezoid._columns.kinds import StringSample
from river_trapezoid._columns.numbers import WrittenNumber
from river_trapezoid._columns.reading import read
from river_trapezoid._columns.values import Values, as_value
from river_trapezoid._columns.words import words_of

MONTHS = [
    "January",
    "feb",
    "MARCH",
    "Apr",
    "May",
    "june",
    "Jul",
    "August",
    "Sept",
    "Oct",
    "november",
    "Dec",
]


def learned(cells, **settings):
    column = Column("c", **settings)
    for row, cell in enumerate(cells, start=1):
        column.learn(cell, row)
    return column


def features(column, cell, one_hot=False):
    x = {}
    column.write(cell, x, one_hot)
    return x


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["38", "1e3", "-2"], "number"),
        ([38, 2.5, "7"], "number"),
        (["$31.17", "$1,200.00"], "number"),
        (["yes", "No", "TRUE", " false"], "truth"),
        ([True, False], "truth"),
        (["2024-01-31", "2024-02-01"], "date"),
        (["31/01/2024 10:30", "01/02/2024 11:00"], "date"),
        ([datetime.date(2024, 1, 31)], "date"),
        (["red", "blue", "red"], "category"),
        ([f"C{i:05}" for i in range(40)], "identifier"),
        ([f"this is complaint number {i}" for i in range(40)], "text"),
        (["we will call you back"] * 40, "category"),
        (["", None, math.nan, "?"], "empty"),
        (["unknown", "38", "39"], "number"),
        (["S", "M", "L", "40"], "category"),
    ],
)
def test_kinds_of_columns(cells, kind):
    assert learned(cells).kind == kind


def test_odd_cells_are_categories_and_reported():
    column = learned(["38", "unknown", "41", "", "yes", "2024-01-31"] + ["40"] * 10)
    assert features(column, "unknown") == {"c": "unknown"}
    assert features(column, " unknown ", one_hot=True) == {"c=unknown": 1.0}
    assert features(column, "41") == {"c": 41.0}
    report = column.report()
    assert (report.kind, report.n_known, report.n_missing, report.n_odd) == ("number", 15, 1, 3)
    assert report.odd_cells == ((2, "unknown"), (5, "yes"), (6, "2024-01-31"))


def test_odd_cells_of_which_nearly_all_are_new_are_left_out():
    column = learned([cell for i in range(64) for cell in (str(i), f"ticket {i}")])
    assert column.kind == "number"
    assert features(column, "ticket 7") == {}


def test_a_cell_of_a_column_that_was_never_learned_follows_the_rules_of_a_first_cell():
    column = Column("c")
    assert features(column, "38") == {"c": 38.0}
    assert features(column, "premium") == {"c": "premium"}
    assert features(column, "Yes") == {"c": 1.0}
    assert features(column, "") == {}
    assert features(column, "the line was dead again") == {
        f"c:{word}": 1.0 for word in ("the", "line", "was", "dead", "again")
    }
    assert vars(column) == vars(Column("c"))


def test_the_decimal_sign_is_decided_by_the_cells_that_prove_one():
    column = learned(["1.234", "2.500"])
    assert features(column, "1.234") == {"c": 1.234}
    assert column.report().ambiguous
    column.learn("3.456,78")
    assert features(column, "1.234") == {"c": 1234.0}
    assert features(column, "-1.234 €") == {"c": -1234.0}
    assert features(column, "0.5") == {"c": 0.5}
    assert not column.report().ambiguous
    column.learn("0.5")
    column.learn("0.25")
    assert features(column, "1.234") == {"c": 1.234}


def test_the_order_of_day_and_month_is_decided_by_the_cells_that_prove_one():
    column = learned(["02/03/2024"])
    assert column.report().ambiguous
    month_first = features(column, "02/03/2024")["c.day"]
    column.learn("31/03/2024")
    assert features(column, "02/03/2024")["c.day"] == month_first + 28
    assert not column.report().ambiguous


def test_dates_become_a_day_a_weekday_and_an_hour():
    column = learned(["2024-01-31"])
    assert features(column, "2024-01-31") == {"c.day": 19753.0, "c.weekday": "Wed"}
    moment = datetime.datetime(2024, 1, 31, 6, 30)
    assert features(column, moment, one_hot=True) == {
        "c.day": 19753.0,
        "c.weekday=Wed": 1.0,
        "c.hour": 6.5,
    }
    assert features(column, str(moment)) == features(column, moment)
    assert features(column, "06:30") == {"c.hour": 6.5}


@pytest.mark.parametrize(
    ("given", "cell", "expected"),
    [
        ("category", "12", {"c": "12"}),
        ("category", 12.0, {"c": "12"}),
        ("text", "red car", {"c:red": 1.0, "c:car": 1.0}),
        ("ignored", "12", {}),
        ("identifier", "12", {}),
        ("number", "yes", {"c": "yes"}),
        ("truth", "yes", {"c": 1.0}),
        ("number:comma", "1.234", {"c": 1234.0}),
        ("number:point", "1.234", {"c": 1.234}),
        ("date:day-first", "02/01/1970", {"c.day": 1.0, "c.weekday": "Fri"}),
        ("date:month-first", "02/01/1970", {"c.day": 31.0, "c.weekday": "Sun"}),
    ],
)
def test_a_kind_that_is_given_stays(given, cell, expected):
    column = Column("c", given)
    assert features(column, cell) == expected
    for i in range(40):
        column.learn(f"x{i}")
        column.learn("1,5")
        column.learn("31/01/2024")
        column.learn("01/31/2024")
    column.keeps_odd = True
    assert features(column, cell) == expected


@pytest.mark.parametrize(
    "cell", ["inf", "-1e999", math.inf, -math.inf, 10**400], ids=lambda cell: str(cell)[:9]
)
@pytest.mark.parametrize("cells", [[], ["1"], ["red"], ["2024-01-31"], ["no"]])
def test_infinite_numbers_are_categories(cell, cells):
    column = learned(cells)
    (value,) = features(column, cell).values()
    assert isinstance(value, str)
    column.learn(cell)
    assert column.n == len(cells) + 1


def test_rare_values_share_a_feature_in_one_hot_form():
    cells = [f"rare{i}" if i % 5 == 0 else f"v{i % 3}" for i in range(300)]
    column = learned(cells, given="category", max_categories=3)
    assert features(column, "v1", one_hot=True) == {"c=v1": 1.0}
    assert features(column, "rare45", one_hot=True) == {"c=(other)": 1.0}
    assert features(column, "rare45") == {"c": "rare45"}
    assert len(column.values.counts) <= 6
    assert len(column.values.named) == 3


def test_a_value_that_becomes_frequent_takes_the_place_of_one_that_vanished():
    values = Values("", 2)
    for value in ["a", "a", "b", "c"]:
        values.add(value)
    assert list(values.named) == ["a", "b"]
    for _ in range(60):
        values.add("c")
    values.rank()
    assert list(values.named) == ["c", "a"]
    for i in range(100):
        values.add(f"new{i}")
        values.add("d")
    values.rank()
    assert "d" in values.named


def test_long_categories_are_cut_and_numbers_are_written_alike():
    assert as_value("a" * 5000) == "a" * 100
    assert {as_value(1), as_value(1.0), as_value("1 ")} == {"1"}


def test_the_sample_of_strings_is_bounded():
    sample = StringSample()
    for i in range(20_000):
        sample.add(f"s{i}")
        sample.add_again()
    assert (sample.n, sample.n_distinct) == (sample.most, sample.most // 2)
    assert not sample._met


def test_what_is_learned_is_the_same_in_every_process():
    program = (
        "from river_trapezoid._columns import Column\n"
        "column = Column('c', max_categories=5)\n"
        "for i in range(3000):\n"
        "    column.learn(f'v{i * i % 37}')\n"
        "print(list(column.values.counts.items()), list(column.values.named))\n"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1


NUMBERS = [
    "12",
    "-1.5",
    "$5",
    "US$ 5",
    "C$5",
    "kr 5",
    "CHF 5",
    "Fr. 5",
    "zł 5",
    "Kč 5",
    "5 kr",
    "%5",
]
DATES = [
    "Jan 3, 2024",
    "3 Jan 2024",
    "wed, 3 Jan 2024",
    "Sun 3 Jan 2024",
    "Fri, 3 Jan 2024",
    "7:30",
]


@pytest.mark.parametrize("text", [*NUMBERS, f"0.{'3' * 60}"])
def test_every_way_of_writing_a_number_is_tried(text):
    assert type(read(text)) is WrittenNumber


@pytest.mark.parametrize("text", [*DATES, *(f"{month} 3, 2024" for month in MONTHS)])
def test_every_way_of_writing_a_date_is_tried(text):
    assert type(read(text)) is WrittenDate


@pytest.mark.parametrize("text", ["C0000123", "Kreuz 5", "May I", "inf", "a" * 50, "f 1", "x1"])
def test_other_strings_are_neither(text):
    assert read(text) is None


@given(st.text(max_size=60) | st.text("ab-é_ 1A\u0301", max_size=20))
@example("a" * 3 + " aaa ŉ ﬁnd ǅ İ")
def test_words_are_those_of_rivers_bag_of_words(text):
    assert words_of(text) == feature_extraction.BagOfWords().transform_one(text)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (np.float32(1.5), 1.5),
        (np.int64(7), 7.0),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        (pd.NA, None),
        (pd.NaT, None),
        (pd.Timestamp("2024-01-31 06:30"), datetime.datetime(2024, 1, 31, 6, 30)),
        (np.datetime64("2024-01-31"), datetime.datetime(2024, 1, 31)),
        (np.datetime64("NaT"), None),
    ],
)
def test_cells_of_other_libraries_become_plain(cell, expected):
    plain = plain_cells({"a": cell})["a"]
    assert plain == expected
    assert type(plain) is type(expected)


@pytest.mark.parametrize(
    "cell", [[1], {}, b"12", 1j, object(), datetime.timedelta(1), np.timedelta64(1, "D"), (1,)]
)
def test_other_cells_are_refused_by_name(cell):
    with pytest.raises(TypeError, match="column 'tags' must hold numbers"):
        plain_cells({"age": 1, "tags": cell})


def test_what_is_not_a_mapping_is_refused():
    with pytest.raises(TypeError, match="x must be a mapping from columns to cells"):
        plain_cells("text")
