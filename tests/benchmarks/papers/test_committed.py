"""The results of a full run that are part of the project."""

from __future__ import annotations

import csv
import pathlib

import pytest

from benchmarks import papers
from benchmarks.papers.baselines import beside
from benchmarks.papers.data import Data
from benchmarks.papers.results import METRICS

COMMITTED = pathlib.Path(__file__).parents[3] / "benchmarks/results/reproduction.csv"


@pytest.fixture(scope="module")
def rows():
    with COMMITTED.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_published_figure_has_its_rows(rows):
    """Those of its plans, or one with the reason why it cannot be run."""
    expected = []
    for paper in papers.PAPERS.values():
        for figure in paper.published():
            data = paper.data[figure.dataset]
            protocols = [""]
            known = paper.systems is None or figure.algorithm in paper.systems
            if isinstance(data, Data) and figure.metric in METRICS and known:
                plans = paper.plans(figure, data, lambda protocol, data: range(1))
                protocols = [plan.protocol for plan in plans]
            place = paper.name, figure.table, figure.dataset, figure.algorithm, figure.params
            expected += [(*place, protocol) for protocol in protocols]
    fields = ("paper", "table", "dataset", "algorithm", "params", "protocol")
    found = [tuple(row[field] for field in fields) for row in rows if row["published"]]
    assert sorted(found) == sorted(expected)


def test_every_table_has_its_baselines(rows):
    """Beside each figure whose data are there: a learner of River, ours, and the ceiling."""
    expected = set()
    for paper in papers.PAPERS.values():
        for figure in paper.published():
            data = paper.data[figure.dataset]
            if isinstance(data, Data) and figure.metric in set(METRICS) - {"query_percent"}:
                place = paper.beside(figure)
                for own, _ in beside(figure, data, place, lambda protocol, data: range(1)):
                    expected.add((paper.name, own.table, own.dataset, own.algorithm, own.params))
    fields = ("paper", "table", "dataset", "algorithm", "params")
    found = [row for row in rows if not row["published"]]
    assert len(found) == len(expected)
    assert {tuple(row[field] for field in fields) for row in found} == expected
    assert all(row["ours"] and not row["verdict"] for row in found)


def test_none_was_left_out(rows):
    papers = [row for row in rows if row["paper"] != "haphazard" and row["published"]]
    assert {row["verdict"] for row in papers} == {
        *("digit", "within", "off", "not compared", "no data")
    }
    for row in papers:
        assert row["verdict"] != "off" or row["reason"]
        assert row["verdict"] != "no data" or row["reason"].startswith("no data: ")


@pytest.mark.parametrize(
    ("paper", "table", "n_figures"),
    [
        ("stsd", "II", 9),
        ("stsd", "III", 72),
        ("olsf", "3", 33),
        ("olsf", "4", 110),
        ("olsf", "5", 12),
    ],
)
def test_what_was_published_comes_out_as_it_was_run(rows, paper, table, n_figures):
    own = [row for row in rows if (row["paper"], row["table"]) == (paper, table)]
    as_run = [row["verdict"] for row in own if row["protocol"] == "as-run"]
    assert len(as_run) == n_figures
    assert set(as_run) <= {"digit", "within"}


def test_german_comes_out_to_the_digit(rows):
    """But for random selections, and for what must be a misprint."""
    own = [row for row in rows if row["dataset"] == "german" and row["protocol"] == "as-run"]
    others = {
        (row["table"], row["algorithm"], row["params"][:6])
        for row in own
        if row["verdict"] != "digit" and "rand" not in row["algorithm"]
    }
    assert others == {("III", "STSD-I", "B=0.8;"), ("4", "OLSF-I", "B=0.16")}
