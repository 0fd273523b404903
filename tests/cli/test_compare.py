from __future__ import annotations

import re
import sys

import pytest

from river_trapezoid.cli import main


def test_the_main_job_prints_a_table(capsys):
    assert main(["--repeats", "2", "--stream", "trapezoidal,capricious"]) == 0
    out = capsys.readouterr().out
    for name in ("OLSF-I", "OLSF-II", "LogisticRegression", "capricious", "ROCAUC"):
        assert name in out
    assert out.split()[:2] == ["Accuracy", "Evidence"]
    assert "seconds" in out


def test_one_repeat_speaks_of_no_spread(tmp_path, capsys):
    page = tmp_path / "report.html"
    assert main(["--repeats", "1", "--html", str(page)]) == 0
    shown = capsys.readouterr()
    assert "one random order" in shown.err
    for text in (shown.out, shown.err, page.read_text(encoding="utf-8")):
        assert "±" not in text
        assert "t-test" not in text


def test_report_and_records_are_written(tmp_path, capsys):
    html, csv = tmp_path / "report.html", tmp_path / "records.csv"
    assert main(["--repeats", "2", "--html", str(html), "--csv", str(csv)]) == 0
    page = html.read_text(encoding="utf-8")
    assert page.count("<img") == 4
    assert not re.search(r'(src|href)="(?!data:)', page)
    assert csv.read_text(encoding="utf-8").count("\n") == 1 + 6 * 2 * 2 * 50


@pytest.mark.parametrize(
    ("arguments", "module", "extra"),
    [
        (["--html", "report.html"], "matplotlib", "plot"),
        (["--jobs", "2"], "joblib", "cli"),
    ],
)
def test_missing_extras_are_named_before_anything_runs(
    arguments, module, extra, monkeypatch, capsys
):
    monkeypatch.setitem(sys.modules, module, None)
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert arguments[0] in shown.err
    assert f'needs {module}: pip install "river-trapezoid[{extra}]"' in shown.err
    assert shown.out == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["--repeats", "0"],
        ["--jobs", "0"],
        ["--stream", "sideways"],
        ["--html", "no/such/folder/report.html"],
    ],
)
def test_mistakes_end_with_status_2_and_one_line_that_names_the_option(arguments, capsys):
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert arguments[0] in shown.err
    assert shown.err.count("\n") == 1
    assert shown.out == ""
