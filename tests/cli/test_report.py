from __future__ import annotations

import json
import re

import matplotlib.pyplot as plt
import pytest

from river_trapezoid.cli import main
from river_trapezoid.cli.report import _in_rows


def charts(page):
    return [
        json.loads(data)["series"]
        for data in re.findall(r'<script type="application/json">(.*?)</script>', page)
    ]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A report of the data that come with River."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    assert main(["--repeats", "2", "--seed", "7", "--html", str(path)]) == 0
    return path.read_text(encoding="utf-8")


def test_it_names_data_seed_streams_and_parameters(page):
    for text in (
        "River&#x27;s Phishing data",
        "<dt>seed</dt><dd>7 to 8</dd>",
        "<dt>repeats</dt><dd>2</dd>",
        "ten parts, each with more features than the one before",
        "a random half of the features",
        "up to half of the features are absent from each row",
        "EvidenceClassifier(n_bins=10, smoothing=2.0",
        "OLSFClassifier(mode=1, C=0.1, B=0.5, radius=30.0",
    ):
        assert text in page


def test_it_needs_no_network(page):
    assert not re.search(r'(src|href|srcset)="(?!data:)', page)
    assert "import(" not in page
    assert "fetch(" not in page
    assert set(re.findall(r"https?://[^\"' ]*", page)) <= {"http://www.w3.org/2000/svg"}


def test_it_has_a_chart_for_each_stream_and_metric(page):
    found = charts(page)
    assert len(found) == page.count('class="chart"') == 3 * 2
    for series in found:
        for line in series:
            assert len(line["x"]) == len(line["y"]) == len(line["spread"]) == 50
            assert line["x"][-1] == 1250
    # The curves end at the values in the tables.
    evidence = found[0][0]
    assert evidence["name"] == "Evidence"
    assert f"{evidence['y'][-1]:.4f} ± {evidence['spread'][-1]:.4f}" in page


def test_a_chart_shows_few_lines_at_first_with_the_baseline(table, tmp_path):
    path = tmp_path / "report.html"
    options = ["--target", "label", "--learners", "all", "--stream", "evolvable"]
    assert main(["compare", str(table), *options, "--html", str(path)]) == 0
    page = path.read_text(encoding="utf-8")
    for series in charts(page):
        shown = [line["name"] for line in series if line["shown"]]
        assert len(shown) == 6
        assert "LogisticRegression" in shown
        assert len(series) > 30
        assert len({(line["colour"], line["dash"]) for line in series}) == len(series)
    assert page.count("<picture>") == 2


def test_names_in_the_data_are_not_markup(tmp_path):
    name = "</script><b>&"
    path = tmp_path / "data.csv"
    rows = "".join(f"{i % 3},{'<i>' if i % 2 else name}\n" for i in range(40))
    path.write_text(f"{name},y\n{rows}")
    report = tmp_path / "report.html"
    assert main(["compare", str(path), "--target", "y", "--html", str(report)]) == 0
    page = report.read_text(encoding="utf-8")
    assert "<b>" not in page
    assert "<i>" not in page


def test_names_in_the_data_are_not_formulas_and_need_no_glyph(tmp_path, recwarn):
    path = tmp_path / "data.csv"
    rows = "".join(f"{i % 3},{i % 5},{i % 2}\n" for i in range(40))
    path.write_text(f"$\\frac$,\U00012000,y\n{rows}", encoding="utf-8")
    report = tmp_path / "report.html"
    options = ["--learners", "OLSF-I", "--html", str(report)]
    assert main(["compare", str(path), "--target", "y", *options]) == 0
    assert "What a learner sees and keeps" in report.read_text(encoding="utf-8")
    assert not [warning for warning in recwarn if "Glyph" in str(warning.message)]


@pytest.mark.parametrize("every", [1, 2, 501])
def test_figures_of_some_rows_have_the_numbers_of_all_rows(every):
    figure, ax = plt.subplots()
    ax.set_xlim(0, 1500)
    ticks = dict(
        zip(
            (text.get_text() for text in _in_rows(ax, every).get_xticklabels()),
            ax.get_xticks(),
            strict=True,
        )
    )
    plt.close(figure)
    assert len(ticks) >= 3
    for text, place in ticks.items():
        assert int(text.replace(",", "")) == pytest.approx(every * place)
    assert ax.get_xlim() == (0, 1500)
