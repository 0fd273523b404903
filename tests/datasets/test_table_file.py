from __future__ import annotations

import bz2
import csv
import datetime
import gzip
import io
import json
import lzma
import pickle
import re
import sys
import tracemalloc
import zipfile

import pyarrow.parquet
import pytest

from river_trapezoid import datasets
from river_trapezoid.datasets.tables import FileError

ROWS = [
    {"size": 1.5, "colour": "red", "new": True, "label": "yes"},
    {"size": None, "colour": "blue", "new": False, "label": "no"},
    {"size": 2.0, "colour": None, "new": True, "label": "yes"},
    {"size": -3.0, "colour": "red", "new": None, "label": "no"},
]
INSTANCES = [
    ({"size": 1.5, "colour=red": 1.0, "new": 1.0}, True),
    ({"colour=blue": 1.0, "new": 0.0}, False),
    ({"size": 2.0, "new": 1.0}, True),
    ({"size": -3.0, "colour=red": 1.0}, False),
]


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def in_csv(delimiter=",", missing=""):
    def cell(value):
        return missing if value is None else str(int(value) if isinstance(value, bool) else value)

    lines = [delimiter.join(ROWS[0])]
    lines += [delimiter.join(map(cell, row.values())) for row in ROWS]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("missing", ["", "?", "NA", "NaN", "null", " ? "])
def test_csv_with_any_delimiter_and_mark_of_missing_values(write, delimiter, missing):
    assert list(datasets.TableFile(write(in_csv(delimiter, missing)), "label")) == INSTANCES


def test_json_lines(write):
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    assert list(datasets.TableFile(write(lines, "data.jsonl"), "label")) == INSTANCES
    absent = [{k: v for k, v in row.items() if v is not None} for row in ROWS]
    lines = "\n\n".join(map(json.dumps, absent))
    assert list(datasets.TableFile(write(lines, "data.ndjson"), "label")) == INSTANCES


def test_parquet(tmp_path):
    path = tmp_path / "data.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), path)
    assert list(datasets.TableFile(path, "label")) == INSTANCES


def test_libsvm_needs_no_target(write):
    path = write("+1 1:0.5 7:2 # a remark\n-1 2:1\n\n+1 7:1\n", "data.libsvm")
    table = datasets.TableFile(path)
    assert list(table) == [
        ({"f1": 0.5, "f7": 2.0}, True),
        ({"f2": 1.0}, False),
        ({"f7": 1.0}, True),
    ]
    assert (table.labels, table.n_features, table.sparse) == ({-1: 1, 1: 2}, 3, True)


@pytest.mark.parametrize("name", ["data.csv.gz", "data"])
def test_compressed_files_are_known_by_their_content(write, name):
    path = write(gzip.compress(in_csv().encode()), name)
    assert list(datasets.TableFile(path, "label")) == INSTANCES


def test_a_file_without_a_suffix_is_known_by_its_content(write):
    assert (
        datasets.TableFile(write('{"a": 1, "y": 0}\n{"a": 2, "y": 1}', "one"), "y").n_samples == 2
    )
    assert datasets.TableFile(write("1 3:1\n0 4:1\n", "two")).labels == {0: 1, 1: 1}
    assert datasets.TableFile(write("a,y\n1,0\n2,1\n", "three"), "y").n_samples == 2
    assert datasets.TableFile(write("1 3:1\n0 4:1\n"), format="libsvm").n_samples == 2


def test_without_a_header_the_columns_are_numbered(write):
    table = datasets.TableFile(write("1,a,0\n2,b,1\n"), "f3", header=False)
    assert list(table) == [({"f1": 1.0, "f2=a": 1.0}, False), ({"f1": 2.0, "f2=b": 1.0}, True)]


def test_decimal_commas_between_semicolons(write):
    table = datasets.TableFile(write("a;b;y\n1,5;x, y;0\n-2,25;z;1\n"), "y")
    assert list(table) == [({"a": 1.5, "b=x, y": 1.0}, False), ({"a": -2.25, "b=z": 1.0}, True)]


def test_quoted_cells_may_hold_commas_quotes_and_ends_of_lines(write):
    table = datasets.TableFile(write('a,b,y\n"1","x,\n""y""",no\n2,z,yes\n'), "y")
    assert next(iter(table)) == ({"a": 1.0, 'b=x,\n"y"': 1.0}, False)


def test_quotes_between_tabs_are_ordinary_characters(write):
    path = write('ham\t"Hello, said he\nspam\tfree " money\nham\tyes\n')
    table = datasets.TableFile(path, "f1", header=False, text=["f2"])
    assert [set(x) for x, _ in table] == [
        {"f2:hello", "f2:said", "f2:he"},
        {"f2:free", "f2:money"},
        {"f2:yes"},
    ]


def test_each_iteration_reads_the_file_also_in_another_process(write):
    table = datasets.TableFile(write(in_csv()), "label")
    first, second = iter(table), iter(table)
    assert next(first) == next(second) == INSTANCES[0]
    copy = pickle.loads(pickle.dumps(table))
    assert list(copy) == list(table) == INSTANCES
    assert [table.features_of(row) for row in table.rows()] == [x for x, _ in INSTANCES]
    assert list(table.rows())[1] == {"size": "", "colour": "blue", "new": "0", "label": "no"}


def test_memory_does_not_grow_with_the_number_of_rows(write):
    peaks = []
    for n in (2_000, 20_000):
        rows = "".join(f"{i % 7},{'abc'[i % 3]},,{i % 2}\n" for i in range(n))
        path = write(f"a,b,c,y\n{rows}", f"{n}.csv")
        tracemalloc.start()
        assert sum(1 for _ in datasets.TableFile(path, "y")) == n
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def test_the_kind_of_a_column_depends_on_all_of_its_rows(write):
    cells = ["1"] * 500 + ["unknown"] + ["2"] * 499
    table = datasets.TableFile(
        write("a,y\n" + "".join(f"{cell},{i % 2}\n" for i, cell in enumerate(cells))), "y"
    )
    assert table.columns == {"a": "number"}
    assert table.odd_cells == {"a": (502, "unknown")}
    assert [x for x, _ in table][499:502] == [{"a": 1.0}, {"a=unknown": 1.0}, {"a": 2.0}]
    assert not hasattr(table, "features")
    few = datasets.TableFile(write("a,y\n1,0\nS,1\nM,0\n2,1\nL,0\n"), "y")
    assert (few.columns, few.odd_cells) == ({"a": "category"}, {})
    assert next(iter(few))[0] == {"a=1": 1.0}


def test_money_dates_and_truth_words_are_read_as_what_they_are(write):
    table = datasets.TableFile(
        write(
            "price;day;new;seen;y\n"
            "1.234;02/01/1970;yes;1970-01-03 06:30;0\n"
            "1.234,50 €;31/01/1970;No;;1\n"
        ),
        "y",
    )
    assert table.columns == {
        "price": "number:comma",
        "day": "date:day-first",
        "new": "truth",
        "seen": "date",
    }
    assert [x for x, _ in table] == [
        {
            "price": 1234.0,
            "day.day": 1.0,
            "day.weekday=Fri": 1.0,
            "new": 1.0,
            "seen.day": 2.0,
            "seen.weekday=Sat": 1.0,
            "seen.hour": 6.5,
        },
        {"price": 1234.5, "day.day": 30.0, "day.weekday=Sat": 1.0, "new": 0.0},
    ]


def test_columns_that_can_be_read_in_two_ways_are_named(write):
    rows = "\n".join(f"{i}.500,0{i}/02/2024,{i / 8},{i}/13/2024,{i % 2}" for i in range(1, 9))
    table = datasets.TableFile(write(f"a,b,c,d,y\n{rows}\n"), "y")
    assert table.ambiguous == ["a", "b"]


def test_dates_of_parquet_files_are_dates(tmp_path):
    path = tmp_path / "dates.parquet"
    rows = [{"day": datetime.date(1970, 1, 1 + i), "y": i % 2} for i in range(4)]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    table = datasets.TableFile(path, "y")
    assert table.columns == {"day": "date"}
    assert next(iter(table))[0] == {"day.day": 0.0, "day.weekday=Thu": 1.0}


def test_columns_without_values_or_left_out_may_hold_anything(write):
    lines = '{"a": 1, "b": [1], "c": null, "y": 0}\n{"a": 2, "b": {}, "c": "?", "y": 1}\n'
    table = datasets.TableFile(write(lines, "data.jsonl"), "y", ignore=["b"])
    assert table.columns == {"a": "number", "b": "ignored", "c": "number"}
    assert [x for x, _ in table] == [{"a": 1.0}, {"a": 2.0}]


def test_text_categories_and_identifiers_are_detected(write):
    rows = "".join(
        f"doc{i},{'red' if i % 3 else 'dark blue'},this is text number w{i},{i % 2}\n"
        for i in range(60)
    )
    path = write("id,colour,message,y\n" + rows)
    table = datasets.TableFile(path, "y")
    assert table.columns == {"id": "identifier", "colour": "category", "message": "text"}
    assert next(iter(table))[0] == {
        "colour=dark blue": 1.0,
        **{f"message:{word}": 1.0 for word in ("this", "is", "text", "number", "w0")},
    }
    table = datasets.TableFile(path, "y", text=["colour"], ignore=["id"])
    assert table.columns == {"id": "ignored", "colour": "text", "message": "identifier"}
    assert next(iter(table))[0] == {"colour:dark": 1.0, "colour:blue": 1.0}


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        (["0", "1"], 1),
        (["1", "-1"], 1),
        (["+1", "-1.0"], 1),
        (["yes", "no"], "yes"),
        (["-", "+"], "+"),
        (["Ham", "spam"], "spam"),
        (["0.5", "0.25"], 0.5),
    ],
)
def test_which_of_two_labels_is_positive(write, labels, positive):
    path = write("a,y\n" + "".join(f"1,{label}\n" for label in labels))
    table = datasets.TableFile(path, "y")
    assert table.positive == positive
    (_, first), (_, second) = table
    assert first is not second
    other = next(label for label in table.labels if label != positive)
    turned = datasets.TableFile(path, "y", positive=str(other))
    assert [y for _, y in turned] == [second, first]


@pytest.mark.parametrize("labels", [["9" * 20 + "1", "9" * 20 + "2"], ["inf", "-inf"]])
def test_labels_that_are_not_exact_as_numbers_remain_strings(write, labels):
    path = write("a,y\n" + "".join(f"1,{label}\n" for label in labels))
    assert set(datasets.TableFile(path, "y").labels) == set(labels)


def test_truth_words_are_one_label_in_any_case(write):
    path = write('a,y\n1,Yes\n2,yes\n3,"No "\n4,NO\n5,YES\n')
    table = datasets.TableFile(path, "y")
    assert (table.labels, table.positive) == ({"no": 2, "yes": 3}, "yes")
    assert [y for _, y in table] == [True, True, False, False, True]
    assert datasets.TableFile(path, "y", positive="No").positive == "no"
    table = datasets.TableFile(write("a,y\n1,Red \n2,red\n"), "y")
    assert table.labels == {"Red": 1, "red": 1}


def test_more_labels_are_given_as_they_are(write):
    table = datasets.TableFile(write("a,y\n1,b\n2,a\n3,c\n4,b\n"), "y")
    assert table.positive is None
    assert table.n_classes == 3
    assert [y for _, y in table] == ["b", "a", "c", "b"]
    with pytest.raises(ValueError, match="3 labels rather than two"):
        datasets.TableFile(table.path, "y", positive="a")


def test_rows_without_a_label_are_skipped(write):
    table = datasets.TableFile(write("a,y\n1,\n2,0\n3,?\n4,1\n"), "y")
    assert [x["a"] for x, _ in table] == [2.0, 4.0]
    assert (table.n_samples, table.n_unlabelled) == (2, 2)


def test_without_a_target_there_are_no_labels(write):
    table = datasets.TableFile(write("a,b\n1,x\n2,y\n"))
    assert list(table) == [({"a": 1.0, "b=x": 1.0}, None), ({"a": 2.0, "b=y": 1.0}, None)]


def test_features_are_listed_where_all_columns_are_numbers(write):
    assert datasets.TableFile(write("b,a,y\n1,2,0\n3,4,1\n"), "y").features == ["b", "a"]
    table = datasets.TableFile(write("1 10:1\n0 9:1 2:1\n", "data.libsvm"))
    assert table.features == ["f2", "f9", "f10"]
    assert not hasattr(datasets.TableFile(write(in_csv()), "label"), "features")


def test_rows_sorted_by_label_are_detected(write):
    def is_sorted(labels):
        return datasets.TableFile(
            write("a,y\n" + "".join(f"1,{label}\n" for label in labels)), "y"
        ).is_sorted

    assert is_sorted("000111")
    assert is_sorted("22200000111")
    assert not is_sorted("0001110")


def test_cells_that_are_absent_from_most_rows_make_a_sparse_table(write):
    rows = [json.dumps({f"word{i}": 1, "y": i % 2}) for i in range(10)]
    assert datasets.TableFile(write("\n".join(rows), "data.jsonl"), "y").sparse
    assert not datasets.TableFile(write(in_csv()), "label").sparse


MALFORMED = {
    "": "data.csv: is empty",
    "\n\n": "data.csv: is empty",
    "a,y\n": "data.csv: has no rows",
    "a,b,y\n1,2,0\n1,2\n": "data.csv, line 3: has 2 cells, but there are 3 columns",
    "a,b,y\n1,2,0\n\n1,2,3,4\n": "data.csv, line 4: has 4 cells, but there are 3 columns",
    'a,b,y\n1,2,0\n"1,2,0\n3,4,1\n': (
        "data.csv, line 3: has 1 cell, but there are 3 columns; the row ends in line 4; is a quote "
        "not closed?"
    ),
    "a,b,a,y\n1,2,3,0\n": "data.csv: column names must be distinct; 2 columns are called 'a'",
    "a,y\n1,x\n2,x\n": "data.csv: column 'y' has a single label, 'x'; at least two are needed",
    "a,y\n1,\n2,?\n": "data.csv: column 'y' has no label; at least two are needed",
    "y\n0\n1\n": "data.csv: has no column to learn from",
    "a,y\n1,0\ninf,1\n": (
        "data.csv, line 3: column 'a' is infinite or too large for a float; leave the cell empty if "
        "its value is not known"
    ),
    b"a,y\n1,caf\xe9\n": (
        "data.csv, line 2: is not UTF-8 text; try another encoding, such as latin-1"
    ),
    "a,y\n1,0\n".encode("utf-16"): (
        "data.csv: is not UTF-8 text; try another encoding, such as utf-16"
    ),
    "a,y\n" + "".join(f"1,{i / 8}\n" for i in range(100)): (
        "data.csv: column 'y' has 100 different values in 100 rows, too many for labels; target must "
        "be the column with the class of each row"
    ),
    gzip.compress(b"a,y\n1,0\n2,1\n" * 100, mtime=0)[:-12]: "data.csv: cannot be decompressed",
}


@pytest.mark.parametrize(("content", "message"), MALFORMED.items())
def test_malformed_csv_is_an_error_with_its_place(write, content, message):
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        datasets.TableFile(write(content), "y")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", '{"a": 1, "y": 0}\n{"a": 1,\n', "a.jsonl, line 2: is not JSON"),
        ("a.jsonl", '[{"a": 1, "y": 0}]\n', "a.jsonl, line 1: is not an object"),
        ("a.jsonl", '{"a": 1, "a": 2, "y": 0}\n', "a.jsonl, line 1: has the name 'a' twice"),
        (
            "a.jsonl",
            '{"a": [1], "y": 0}\n',
            "a.jsonl, line 1: column 'a' must hold numbers, strings, booleans or dates; got list "
            "[1]",
        ),
        (
            "a.jsonl",
            '{"a": "b", "y": 0}\n{"a": {}, "y": 1}',
            "a.jsonl, line 2: column 'a' must hold",
        ),
        ("a.libsvm", "1 1:2\n0 1;2\n", "a.libsvm, line 2: has cells that are not index:value"),
        ("a.libsvm", "1 1:2 1:3\n", "a.libsvm, line 1: has the same index twice"),
        ("a.parquet", "no parquet", "a.parquet: is not a Parquet file"),
    ],
)
def test_malformed_files_of_other_formats_are_errors_with_their_place(
    write, name, content, message
):
    target = None if name.endswith("libsvm") else "y"
    with pytest.raises(FileError, match=re.escape(message)) as caught:
        datasets.TableFile(write(content, name), target)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_row_of_thousands_of_columns_is_read(write, delimiter):
    names = [f"column{i}" for i in range(16_000)]
    rows = [[str(i % 7)] * 16_000 for i in range(2)]
    lines = [delimiter.join([*names, "y"])]
    lines += [delimiter.join([*row, str(i)]) for i, row in enumerate(rows)]
    assert min(map(len, lines[:1])) > 131_072
    table = datasets.TableFile(write("\n".join(lines)), "y")
    assert table.features == names
    assert [len(x) for x, _ in table] == [16_000, 16_000]


def test_a_cell_of_a_long_text_is_read_and_the_limit_of_csv_stays(write):
    text = "word " * 60_000
    limit = csv.field_size_limit()
    table = datasets.TableFile(write(f'a,y\n"{text}",0\n"an\nother {text}",1\n'), "y", text=["a"])
    assert [x["a:word"] for x, _ in table] == [60_000.0, 60_000.0]
    assert csv.field_size_limit() == limit


LONG = "a" * (1 << 24)
LONG_ROWS = {
    "data.csv": (f"a,y\n1,0\n{LONG},1\n", "line 3: has more than 16,777,216 characters"),
    "names.csv": (f"a,{LONG},y\n1,0\n", "line 1: has more than 16,777,216 characters"),
    "cells.csv": (
        "a,y\n1,0\n" + '"1\n",' * (1 << 22),
        "line 3: has more than 16,777,216 characters up to line 3,355,446; is a quote not closed?",
    ),
    "data.jsonl": (
        f'{{"a": 1, "y": 0}}\n{{"a": "{LONG}", "y": 1}}\n',
        "line 2: has more than 16,777,216 characters",
    ),
    "data.libsvm": (f"1 1:2\n0 1:{LONG}\n", "line 2: has more than 16,777,216 characters"),
}


@pytest.mark.parametrize("name", LONG_ROWS)
@pytest.mark.parametrize("pack", [str.encode, lambda text: gzip.compress(text.encode())])
def test_a_row_that_is_too_long_is_an_error_with_its_line(write, name, pack):
    content, message = LONG_ROWS[name]
    with pytest.raises(FileError, match=re.escape(f"{name}, {message}")):
        datasets.TableFile(write(pack(content), name), None if "libsvm" in name else "y")


@pytest.mark.parametrize("end", [b"", b"\xff"])
def test_a_gzip_bomb_takes_bounded_memory(tmp_path, end):
    path = tmp_path / "bomb.csv"
    with gzip.open(path, "wb") as file:
        file.write(b"a,y\n1,0\n")
        for _ in range(200):
            file.write(b"x" * 1_000_000 + end)
    assert path.stat().st_size < 1_000_000
    tracemalloc.start()
    with pytest.raises(FileError, match=r"has more than|is not UTF-8"):
        datasets.TableFile(path, "y")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000_000


@pytest.mark.parametrize("digits", [400, 6000])
@pytest.mark.parametrize("name", ["data.csv", "data.jsonl"])
def test_a_number_of_too_many_digits_is_an_error_with_its_line(write, digits, name):
    number = "9" * digits
    content = {
        "data.csv": f"a,y\n1,0\n{number},1\n",
        "data.jsonl": f'{{"a": 1, "y": 0}}\n\n{{"a": {number}, "y": 1}}\n',
    }[name]
    with pytest.raises(FileError, match=re.escape(f"{name}, line 3: ")) as caught:
        datasets.TableFile(write(content, name), "y")
    assert "too " in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_number_that_becomes_too_large_is_a_category(write):
    path = write('{"a": 1, "y": 0}\n{"a": 2, "y": 1}\n', "data.jsonl")
    table = datasets.TableFile(path, "y")
    path.write_text('{"a": 1, "y": 0}\n{"a": 1' + "0" * 400 + ', "y": 1}\n')
    assert [x for x, _ in table] == [{"a": 1.0}, {"a=inf": 1.0}]


def in_zip(*members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for member in members:
            archive.writestr(member, "content")
    return file.getvalue()


OTHER_KINDS = {
    "an Excel workbook: save it as CSV": in_zip("[Content_Types].xml", "xl/workbook.xml"),
    "an OpenDocument file: save it as CSV": in_zip("mimetype", "content.xml"),
    "a zip archive: extract the table from it": in_zip("table.csv"),
    "a zip archive": in_zip("table.csv")[:30],
    "an Excel workbook of the old format": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500),
    "compressed by bzip2": bz2.compress(b"a,y\n1,0\n2,1\n"),
    "compressed by xz": lzma.compress(b"a,y\n1,0\n2,1\n"),
}


@pytest.mark.parametrize("kind", OTHER_KINDS)
@pytest.mark.parametrize("name", ["data", "data.csv", "data.jsonl", "data.xlsx"])
def test_spreadsheets_and_archives_are_named_for_what_they_are(write, kind, name):
    with pytest.raises(FileError, match=re.escape(f"{name}: is {kind}")):
        datasets.TableFile(write(OTHER_KINDS[kind], name), "y")


def test_errors_are_short_whatever_they_quote(write):
    path = write('{"a": 1, "y": 0}\n{"a": [' + "1, " * 100_000 + '1], "y": 1}\n', "data.jsonl")
    with pytest.raises(FileError, match="line 2: column 'a' must hold") as caught:
        datasets.TableFile(path, "y")
    assert len(str(caught.value)) < 300


def test_an_unknown_column_gives_the_nearest_name(write):
    path = write("alpha,beta,gamma\n1,2,0\n")
    for options in ({"target": "gama"}, {"target": "gamma", "text": ["bata"]}):
        with pytest.raises(ValueError, match=r"did you mean '(gamma|beta)'\?"):
            datasets.TableFile(path, **options)
    with pytest.raises(ValueError, match="got 'y'; the columns are 'alpha', 'beta', 'gamma'"):
        datasets.TableFile(path, "y")
    lines = write('{"alpha": 1, "label": 0}\n{"alpha": 1, "label": 1}\n', "data.jsonl")
    with pytest.raises(ValueError, match="did you mean 'label'"):
        datasets.TableFile(lines, "labels")


def test_parameters_are_checked(write, tmp_path):
    path = write("a,y\n1,0\n2,1\n")
    with pytest.raises(ValueError, match="encoding must be"):
        datasets.TableFile(path, "y", encoding="utf-9")
    with pytest.raises(
        ValueError, match="format must be one of 'csv', 'jsonl', 'libsvm', 'parquet'"
    ):
        datasets.TableFile(path, "y", format="xls")
    with pytest.raises(ValueError, match="positive must be one of '0', '1'; got 2"):
        datasets.TableFile(path, "y", positive=2)
    with pytest.raises(FileError, match=re.escape("none.csv: there is no such file")):
        datasets.TableFile(tmp_path / "none.csv", "y")


def test_other_encodings_can_be_read(write):
    path = write("a,y\n1,café\n2,thé\n".encode("latin-1"))
    assert list(datasets.TableFile(path, "y", encoding="latin-1").labels) == ["café", "thé"]
    path = write("a,y\n1,0\n2,1\n".encode("utf-8-sig"))
    assert list(datasets.TableFile(path, "y").columns) == ["a"]


def test_parquet_without_pyarrow_gives_the_command_that_installs_it(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        datasets.TableFile(write("PAR1", "a.parquet"), "y")


def test_a_new_label_between_two_iterations_is_an_error_and_an_odd_cell_a_category(write):
    path = write("a,y\n1,0\n2,1\n")
    table = datasets.TableFile(path, "y")
    path.write_text("a,y\n1,0\n2,7\n")
    with pytest.raises(FileError, match="unknown label '7'; has the file changed"):
        list(table)
    path.write_text("a,y\n1,0\nx,1\n")
    assert [x for x, _ in table] == [{"a": 1.0}, {"a=x": 1.0}]


def test_describes_itself(write):
    table = datasets.TableFile(write(in_csv()), "label")
    text = repr(table)
    for line in (r"Samples  4 ", r"Classes  2 ", r"Positive  'yes'", r"Number  size, new"):
        assert re.search(line, text)
