from __future__ import annotations

import copy
import csv
import datetime
import io
import pickle
import random
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import checks, compose
from river import linear_model as river_linear_model

from river_trapezoid import active, datasets, keyed, linear_model, persist
from river_trapezoid.persist._arrays import ArrayReader
from river_trapezoid.persist._values import Decoder
from river_trapezoid.preprocessing import RowEncoder
from tests.interrupts import interrupted

FILE = """age,plan,bill,signup,active,note,id
38,premium,"$1,031.17",31/01/2024,yes,the line is dead again,C0001
41,basic,$28.00,02/02/2024,no,,C0002
unknown,basic,$31.50,05/02/2024,YES,wants a much cheaper plan,C0003
"""
MODULES = tuple(
    f"river_trapezoid._columns.{name}" for name in ("column", "kinds", "rows", "values")
)
SETTINGS = list(RowEncoder._unit_test_params())


def rows():
    return list(csv.DictReader(io.StringIO(FILE)))


def churn(n=300, seed=0):
    """Rows of all kinds of columns, with labels; the column `roaming` appears late."""
    rng = random.Random(seed)
    words = ["line", "dead", "bill", "again", "cheap", "plan", "thanks", "slow", "fast"]
    for i in range(n):
        leaves = rng.random() < 0.3
        row = {
            "age": rng.choice([str(rng.randint(18, 80))] * 5 + ["unknown", ""]),
            "plan": rng.choice(["basic", "premium", "gold"]),
            "bill": f"${rng.gauss(40 + 20 * leaves, 5):,.2f}",
            "signup": f"{rng.randint(1, 28):02}/{rng.randint(1, 12):02}/2024",
            "active": rng.choice(["yes", "No", None]),
            "note": " ".join(rng.choices(words, k=rng.randint(0, 8))),
            "last": datetime.date(2024, 1, 1) + datetime.timedelta(rng.randint(0, 300)),
            "id": f"C{i:06}",
        }
        if i > n / 2:
            row["roaming"] = rng.random() * (1 + leaves)
        yield row, leaves


def learned(**settings):
    encoder = RowEncoder(**settings)
    for row, _ in churn():
        encoder.learn_one(row)
    return encoder


def outputs(encoder, n=100):
    answers = []
    for row, _ in churn(n, seed=1):
        answers.append(encoder.transform_one(row))
        encoder.learn_one(row)
    return [answers, encoder.columns]


def pipeline():
    return RowEncoder(one_hot=True) | linear_model.EvidenceClassifier()


def test_rows_of_a_file_become_features():
    encoder = RowEncoder()
    for row in rows():
        encoder.learn_one(row)
    assert [encoder.transform_one(row) for row in rows()][1:] == [
        {
            "age": 41.0,
            "plan": "basic",
            "bill": 28.0,
            "signup.day": 19755.0,
            "signup.weekday": "Fri",
            "active": 0.0,
            "id": "C0002",
        },
        {
            "age": "unknown",
            "plan": "basic",
            "bill": 31.5,
            "signup.day": 19758.0,
            "signup.weekday": "Mon",
            "active": 1.0,
            "id": "C0003",
            **dict.fromkeys(("note:wants", "note:much", "note:cheaper", "note:plan"), 1.0),
        },
    ]


def test_one_hot_form_has_numbers_only():
    encoder = learned(one_hot=True)
    for row, _ in churn(seed=2):
        x = encoder.transform_one(row)
        assert {type(value) for value in x.values()} == {float}
        assert f"plan={row['plan']}" in x
    assert encoder.transform_one({"age": "unknown", "plan": "new"}) == {
        "age=unknown": 1.0,
        "plan=new": 1.0,
    }


def test_the_report_has_kinds_counts_and_odd_cells():
    columns = learned().columns
    assert {name: report.kind for name, report in columns.items()} == {
        "age": "number",
        "plan": "category",
        "bill": "number",
        "signup": "date",
        "active": "truth",
        "note": "text",
        "last": "date",
        "id": "identifier",
        "roaming": "number",
    }
    age = columns["age"]
    assert age.n_known + age.n_missing == 300
    assert age.n_odd == sum(row["age"] == "unknown" for row, _ in churn())
    assert age.odd_cells[0][1] == "unknown"
    assert columns["roaming"].n_known == 149


def test_kinds_can_be_given():
    encoder = RowEncoder(columns={"age": "category", "note": "ignored", "id": "text"})
    for row in rows():
        encoder.learn_one(row)
    x = encoder.transform_one({"age": "38", "note": "some words", "id": "Big Co"})
    assert x == {"age": "38", "id:big": 1.0, "id:co": 1.0}


def test_a_column_that_is_ignored_may_hold_anything():
    encoder = RowEncoder(columns={"tags": "ignored"})
    encoder.learn_one({"age": "38", "tags": ["new"]})
    assert encoder.transform_one({"age": "38", "tags": {"new"}}) == {"age": 38.0}
    X = pd.DataFrame({"age": ["38"], "tags": [["new"]]})
    encoder.learn_many(X)
    assert encoder.transform_many(X).to_dict("records") == [{"age": 38.0}]
    assert set(encoder.columns) == {"age"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"columns": ["age"]}, "columns must be a dict"),
        ({"columns": {"age": "numbr"}}, r"columns\['age'\] must be one of .*did you mean 'number'"),
        ({"one_hot": 1}, "one_hot must be one of True, False; got 1"),
        ({"max_categories": 0}, "max_categories must be an integer >= 1; got 0"),
    ],
)
def test_parameters_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        RowEncoder(**settings)


@pytest.mark.parametrize("settings", SETTINGS)
def test_transforming_changes_nothing(settings):
    encoder = learned(**settings)
    before = pickle.dumps(encoder)
    for row, _ in churn(seed=3):
        original = copy.deepcopy(row)
        encoder.transform_one({**row, "new": "column", "newer": "1.5"})
        assert row == original
    assert pickle.dumps(encoder) == before


def test_a_row_that_is_refused_changes_nothing():
    encoder = learned()
    before = pickle.dumps(encoder)
    for method in (encoder.learn_one, encoder.transform_one):
        with pytest.raises(TypeError, match=r"column 'tags' must hold numbers, .* got \['a'\]"):
            method({"age": "12", "fresh": 1, "tags": ["a"]})
    X = pd.DataFrame({"age": ["1", "2"], "tags": [None, {1}]})
    for method in (encoder.learn_many, encoder.transform_many):
        with pytest.raises(TypeError, match="row 1: column 'tags' must hold numbers"):
            method(X)
    assert pickle.dumps(encoder) == before


def test_an_interrupted_encoder_can_be_saved_and_learns_again():
    table = [row for row, _ in churn(40)]
    encoder = RowEncoder(one_hot=True)
    for row in table[:31]:
        encoder.learn_one(row)
    n_points = 0
    for twin in interrupted(encoder, lambda twin: twin.learn_one(table[31]), MODULES):
        again = persist.loads(persist.dumps(twin))
        for row in table[32:]:
            again.learn_one(row)
        assert again.columns["plan"].kind == "category"
        assert again.columns["id"].kind == "identifier"
        n_points += 1
    assert n_points > 50


@pytest.mark.parametrize("settings", [*SETTINGS, {"one_hot": True}])
@pytest.mark.parametrize(
    "copied",
    [
        lambda encoder: pickle.loads(pickle.dumps(encoder)),
        lambda encoder: persist.loads(persist.dumps(encoder)),
        lambda encoder: encoder.clone(include_attributes=True),
        copy.deepcopy,
    ],
    ids=["pickle", "persist", "clone", "deepcopy"],
)
def test_a_copy_continues_as_the_original_does(settings, copied):
    encoder = learned(**settings)
    twin = copied(encoder)
    assert twin._get_params() == encoder._get_params()
    assert outputs(twin) == outputs(encoder)


def test_a_clone_has_the_parameters_and_nothing_learned():
    encoder = learned(columns={"age": "text"}, max_categories=7)
    clone = encoder.clone()
    assert clone._get_params() == {
        "columns": {"age": "text"},
        "one_hot": False,
        "max_categories": 7,
    }
    assert clone.columns == {}
    assert (
        repr(clone)
        == repr(encoder)
        == ("RowEncoder (\n  columns={'age': 'text'}\n  one_hot=False\n  max_categories=7\n)")
    )
    assert RowEncoder(columns={"age": "text"}).clone({"columns": None})._given is None


@pytest.mark.parametrize("settings", SETTINGS)
def test_the_order_of_columns_changes_nothing(settings):
    encoder, twin = RowEncoder(**settings), RowEncoder(**settings)
    for row, _ in churn():
        encoder.learn_one(row)
        twin.learn_one(dict(reversed(row.items())))
        assert encoder.transform_one(row) == twin.transform_one(dict(reversed(row.items())))
    assert encoder.columns == twin.columns


def test_the_features_are_the_same_in_every_process():
    program = (
        "from tests.preprocessing.test_row_encoder import learned, outputs\n"
        "print(outputs(learned(one_hot=True, max_categories=2)))"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join([".", *sys.path])},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(answers) == 1


FRAMES = {
    "pandas": lambda X: X,
    "nullable": lambda X: X.convert_dtypes(),
    "categorical": lambda X: X.assign(plan=X["plan"].astype("category")),
    "polars": pl.from_pandas,
    "pyarrow": pa.Table.from_pandas,
}


def observed(x):
    return {name: value for name, value in x.items() if value is not None and value == value}


def with_odd_columns(x, kind):
    """The features of a row as a frame has them whose columns have one type."""
    if kind not in ("polars", "pyarrow") or x.get("age") != "unknown":
        return x
    return {name: value for name, value in x.items() if name != "age"} | {"age=unknown": 1.0}


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("one_hot", [False, True])
def test_a_mini_batch_is_its_rows_one_by_one(kind, one_hot):
    table = pd.DataFrame([row for row, _ in churn(200)])
    table["last"] = pd.to_datetime(table["last"])
    table["size"] = [None if i % 7 == 0 else i / 2 for i in range(200)]
    one, many = RowEncoder(one_hot=one_hot), RowEncoder(one_hot=one_hot)
    for part in (table[:80], table[80:81], table[81:]):
        frame = FRAMES[kind](part)
        for row in part.to_dict("records"):
            one.learn_one(row)
        many.learn_many(frame)
        assert many.columns == one.columns
        answer = many.transform_many(frame)
        assert type(answer) is type(frame)
        if kind in ("polars", "pyarrow"):
            answer = pl.DataFrame(answer).to_dicts()
        else:
            assert list(answer.index) == list(part.index)
            answer = answer.to_dict("records")
        expected = [
            with_odd_columns(one.transform_one(row), kind) for row in part.to_dict("records")
        ]
        assert [observed(x) for x in answer] == expected


@pytest.mark.parametrize("kind", FRAMES)
def test_a_frame_without_values_has_no_columns(kind):
    frame = FRAMES[kind](pd.DataFrame({"plan": ["", "?"]}))
    encoder = RowEncoder()
    encoder.learn_many(frame)
    assert encoder.transform_many(frame).shape[1] == 0
    assert encoder.columns["plan"].n_missing == 2


def test_it_works_in_pipelines_and_unions():
    numbers = compose.Select("bill", "age") | RowEncoder(one_hot=True)
    union = numbers + (compose.Select("note") | RowEncoder(columns={"note": "text"}))
    model = union | river_linear_model.LogisticRegression()
    for row, y in churn():
        model.learn_one(row, y)
    x = model.transform_one({"bill": "$60.00", "age": "20", "note": "line"})
    assert x == {"bill": 60.0, "age": 20.0, "note:line": 1.0}
    assert sum(
        model.predict_proba_one({"bill": "$60.00", "age": "", "note": None}).values()
    ) == pytest.approx(1.0)


def test_a_model_learns_from_rows_and_new_columns_and_continues_from_its_file(tmp_path):
    model = pipeline()
    for row, y in churn():
        model.predict_proba_one(row)
        model.learn_one(row, y)
    path = tmp_path / "churn.model"
    persist.save(model, path)
    again = persist.load(path)
    for row, y in churn(100, seed=4):
        row["complaints"] = "3"
        assert again.predict_proba_one(row) == model.predict_proba_one(row)
        for one in (again, model):
            one.learn_one(row, y)
    assert again["RowEncoder"].columns["complaints"].kind == "number"


def test_a_saved_model_learns_a_new_column_in_another_process(tmp_path):
    model = pipeline()
    for row, y in churn():
        model.learn_one(row, y)
    path = tmp_path / "churn.model"
    persist.save(model, path)
    program = (
        "import sys\n"
        "from river_trapezoid import persist\n"
        "from tests.preprocessing.test_row_encoder import churn\n"
        "model = persist.load(sys.argv[1])\n"
        "for row, y in churn(100, seed=5):\n"
        "    model.learn_one({**row, 'complaints': str(3 * y)}, y)\n"
        "for complaints in '30':\n"
        "    print(model.predict_proba_one({'complaints': complaints})[True].hex())\n"
        "print(model['RowEncoder'].columns['complaints'].kind)\n"
    )
    shown = subprocess.run(
        [sys.executable, "-c", program, path],
        env={"PYTHONHASHSEED": "3", "PYTHONPATH": ":".join([".", *sys.path])},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    for row, y in churn(100, seed=5):
        model.learn_one({**row, "complaints": str(3 * y)}, y)
    many, none = (model.predict_proba_one({"complaints": cell})[True] for cell in "30")
    assert shown == [many.hex(), none.hex(), "number"]
    assert many > 0.5 > none


@pytest.mark.parametrize("kind", FRAMES)
def test_a_model_learns_from_frames_as_from_rows(kind):
    table = pd.DataFrame([row for row, _ in churn(200)]).drop(columns="last")
    labels = [y for _, y in churn(200)]
    model, twin = pipeline(), pipeline()
    for start in (0, 100):
        part = table[start : start + 100]
        model.learn_many(FRAMES[kind](part), pd.Series(labels[start : start + 100]))
        encoder, learner = twin["RowEncoder"], twin["EvidenceClassifier"]
        for row in part.to_dict("records"):
            encoder.learn_one(row)
        for row, y in zip(part.to_dict("records"), labels[start:], strict=False):
            learner.learn_one(encoder.transform_one(row), y)
    answers = model.predict_proba_many(FRAMES[kind](table[:20]))
    expected = [twin.predict_proba_one(row)[True] for row in table[:20].to_dict("records")]
    column = "True" if kind in ("polars", "pyarrow") else True
    assert np.asarray(answers[column]).tolist() == expected


@pytest.mark.parametrize(
    "wrap",
    [
        lambda model: active.BudgetSampler(model, seed=1),
        lambda model: active.MarginSampler(model, seed=1),
        lambda model: active.RandomSampler(model, seed=1),
        lambda model: active.UncertaintySampler(model, seed=1),
    ],
)
def test_samplers_take_rows(wrap):
    sampler = wrap(pipeline())
    for row, y in churn(50):
        _, ask = sampler.predict_one(row)
        if ask:
            sampler.learn_one(row, y)
    assert sampler.predict_proba_one(next(churn())[0])[0].keys() == {False, True}


def test_a_queue_is_saved_with_the_rows_that_wait():
    queue = active.LabelQueue(pipeline())
    for number, (row, _) in enumerate(churn(20)):
        seen = {"seen": datetime.datetime(2024, 1, 31, 6, 30), "paid": pd.Timestamp("2024-02-01")}
        queue.predict_one(number, {**row, **seen})
    again = persist.loads(persist.dumps(queue))
    assert again._waiting == queue._waiting
    for number, (_, y) in enumerate(churn(20)):
        for one in (queue, again):
            one.learn_one(number, y)
    row = next(churn())[0]
    assert again.model.predict_proba_one(row) == queue.model.predict_proba_one(row)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (datetime.date(1, 1, 1), datetime.date(1, 1, 1)),
        (datetime.datetime.max, datetime.datetime.max),
        (pd.Timestamp("2024-01-31 06:30"), datetime.datetime(2024, 1, 31, 6, 30)),
        (datetime.datetime(2024, 1, 31, tzinfo=datetime.UTC),) * 2,
        (pd.NaT, None),
    ],
)
def test_a_waiting_date_is_saved_as_a_plain_one(cell, expected):
    queue = active.LabelQueue(pipeline())
    queue.predict_one(1, {"day": cell})
    again = persist.loads(persist.dumps(queue))
    ((_, row),) = again._waiting.values()
    assert row == {"day": expected}
    assert type(row["day"]) is type(expected)


@pytest.mark.parametrize("text", ["2024-13-01", 7, None, "today", "2024-01-31T00:00:00"])
def test_a_forged_date_is_an_error(text):
    arrays = ArrayReader([], memoryview(b""), 10_000)
    assert Decoder(lambda tag: None, arrays).decode({"date": "2024-01-31"}) == (
        datetime.date(2024, 1, 31)
    )
    with pytest.raises(persist.ModelFileError, match="'date' must be in the format of ISO 8601"):
        Decoder(lambda tag: None, arrays).decode({"date": text})


def test_a_model_per_key_takes_rows():
    models = keyed.ModelPerKey(pipeline())
    batch = [keyed.Row(order, row, label=y) for order, (row, y) in enumerate(churn(60))]
    state, answers = models.run(None, batch[:30])
    _, more = models.run(state, batch[30:])
    assert [answer.error for answer in answers + more] == [None] * 60
    _, whole = models.run(None, batch)
    assert answers + more == whole


def test_a_model_of_a_file_continues_on_rows_from_elsewhere(tmp_path):
    path = tmp_path / "churn.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*dict(list(churn())[-1][0]), "y"])
        writer.writeheader()
        writer.writerows({**row, "y": "Yes" if y else "no"} for row, y in churn())
    table = datasets.TableFile(path, "y")
    assert table.columns["signup"] == "date:day-first"
    model = linear_model.EvidenceClassifier()
    for x, y in table:
        model.learn_one(x, y)
    encoder = RowEncoder(columns=table.columns, one_hot=True)
    for row, (x, _) in zip(table.rows(), table, strict=True):
        del row["y"]
        encoder.learn_one(row)
        assert encoder.transform_one(row) == x == table.features_of(row)
    x = encoder.transform_one({"plan": "gold", "colour": "red"})
    assert x == {"plan=gold": 1.0, "colour=red": 1.0}
    assert model.predict_one(x) in (True, False)


CELLS = [
    *("", " ", "?", "NA", "unknown", "yes", "No", "TRUE", "1", "-2.5", "1e400", "inf", "nan", "NAN"),
    *("1,234", "1.234", "1.234,5", "1,234.5", "$31.17", "45 %", "(5)", "€ 5", "5 €", "1_000", "٣"),
    *("$1_0", "$$5", "%", "$", "+", "-", ".", ",", "1e5", "0x10", "--1", "1 2 3", "1 234", "5e", "e5"),
    *("2024-01-31", "31/01/2024", "01/31/2024", "02/03/2024", "31.12.99", "2024-02-30", "24:00"),
    *("12:30 pm", "Jan 3, 2024", "3 Mar 2024 10:00", "0000-00-00", "2024-W05-1", "9999-12-31"),
    *("\ud800", "\x00", "a" * 5000, "one two three four five", "=", "a=b", "(other)", "naïve café"),
    *(None, True, False, 0, 1, -1, 10**400, 0.0, -0.0, 1e308, float("nan"), float("inf")),
    *(datetime.date(2024, 1, 31), datetime.datetime(1, 1, 1), datetime.datetime.max),
    *(np.float32(1.5), np.int64(3), np.bool_(True), np.str_("x"), np.datetime64("2024-01-31")),
    *(np.datetime64("NaT"), pd.NA, pd.NaT, pd.Timestamp("2024-01-31", tz="UTC")),
]  # fmt: skip
NAMES = ["a", "b", "c", "d", 1, ("e", 2), None, 2.5]
TEXTS = st.text("0123456789.,-+$€%()/: eEinfyYsntrue_JanT", max_size=12)


def random_cell(rng):
    if rng.random() < 0.7:
        return rng.choice(CELLS)
    return "".join(rng.choices("0123456789.,-/: aeé$%", k=rng.randint(0, 12)))


@pytest.mark.parametrize("settings", [{}, {"one_hot": True, "max_categories": 5}])
def test_random_rows_never_raise(settings):
    rng = random.Random(7)
    encoder = RowEncoder(columns={"d": "date", 1: "number:comma", "c": "text"}, **settings)
    kinds = (float,) if "one_hot" in settings else (float, str)
    for _ in range(10_000):
        row = {name: random_cell(rng) for name in rng.sample(NAMES, rng.randint(0, len(NAMES)))}
        x = encoder.transform_one(row)
        encoder.learn_one(row)
        for features in (x, encoder.transform_one(row)):
            assert all(type(value) in kinds for value in features.values())
            assert not any(value in (np.inf, -np.inf) for value in features.values())
    for name, column in encoder._columns.items():
        report = encoder.columns[name]
        assert report.n_known == column.n >= report.n_odd
        if column.values is not None:
            assert len(column.values.counts) <= 2 * settings.get("max_categories", 1000)


@given(cells=st.lists(st.one_of(TEXTS, st.sampled_from(CELLS[:60])), max_size=40), again=TEXTS)
def test_the_short_way_of_reading_rows_has_the_result_of_the_long_one(cells, again):
    encoder, column = RowEncoder(), RowEncoder()._new_column("a")
    for row, cell in enumerate(cells, start=1):
        encoder.learn_one({"a": cell})
        column.learn(cell, row)
        assert encoder._columns["a"].report() == column.report()
        for one_hot in (False, True):
            encoder.one_hot = one_hot
            for tested in (cell, again):
                x = {}
                column.write(tested, x, one_hot)
                assert encoder.transform_one({"a": tested}) == x
    encoder.one_hot = False


@given(
    st.lists(st.dictionaries(st.sampled_from("abc"), st.one_of(TEXTS, st.sampled_from(CELLS)))),
    st.integers(0, 20),
)
def test_learning_is_deterministic_also_across_a_saved_file(stream, cut):
    encoder, twin = RowEncoder(), RowEncoder()
    for number, row in enumerate(stream):
        encoder.learn_one(row)
        twin.learn_one(dict(reversed(row.items())))
        if number == cut:
            twin = persist.loads(persist.dumps(twin))
        assert encoder.transform_one(row) == twin.transform_one(row)
    assert encoder.columns == twin.columns


@pytest.mark.parametrize("settings", SETTINGS)
def test_rivers_checks_pass(settings):
    for check in checks.yield_checks(RowEncoder(**settings)):
        check(RowEncoder(**settings))
