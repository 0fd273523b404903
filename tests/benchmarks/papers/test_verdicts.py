from __future__ import annotations

import pytest

from benchmarks import papers
from benchmarks.papers import verdicts
from benchmarks.papers.results import COLUMNS, row

FIGURE = papers.published("stsd")[0]


def results(**own):
    return [row(FIGURE, protocol.replace("_", "-"), verdict) for protocol, verdict in own.items()]


def test_every_published_figure_has_a_row_and_the_reason_why_it_was_not_run():
    rows = verdicts.whole(results(text="off", as_run="digit"), papers.PAPERS)
    assert len(rows) == len(papers.published()) + 1
    assert all(list(own) == COLUMNS for own in rows)
    reasons = {own["paper"]: own["reason"] for own in rows if own["verdict"] == "not run"}
    for paper in {figure.paper for figure in papers.published()}:
        can_be_run = paper in papers.PAPERS
        assert reasons[paper] == ("this table was not run" if can_be_run else "cannot be run yet")


def test_what_has_no_published_figure_comes_after_those_of_its_table_and_is_not_counted():
    beside = {**results(text="")[0], "algorithm": "LogisticRegression", "published": None}
    rows = verdicts.whole([beside], papers.PAPERS)
    (place,) = (i for i, own in enumerate(rows) if own["algorithm"] == "LogisticRegression")
    assert {own["table"] for own in rows[:place]} == {"II"}
    assert rows[place + 1]["table"] == "III"
    assert rows[place]["published"] == ""
    assert sum(count.total() for count in verdicts.sums(rows).values()) == 1139


@pytest.mark.parametrize(
    ("own", "outcome"),
    [
        ({"text": "within"}, "text"),
        ({"text": "digit", "as_run": "off"}, "text"),
        ({"text": "off", "as_run": "digit"}, "otherwise"),
        ({"text": "off", "text, first order": "within"}, "off"),
        ({"text": "off", "text, AUC of scores": "within", "as_run": "off"}, "off"),
        ({"": "no data"}, "no data"),
        ({"": "not compared"}, "not compared"),
    ],
)
def test_the_outcome_of_a_figure_is_that_by_the_text_before_any_other(own, outcome):
    assert verdicts.outcome(results(**own)) == outcome


def test_the_sums_are_said_over_all_figures():
    rows = verdicts.whole(results(text="off", as_run="within"), papers.PAPERS)
    assert verdicts.said(rows) == (
        "Of 1,139 published figures: 1 hold under another protocol only, 1,138 not run."
    )


def test_counts_have_the_text_first_and_no_protocol_last():
    rows = [*results(as_run="digit", text="off"), row(FIGURE, "", "no data")]
    assert [(c["protocol"], c["digit"], c["off"], c["no data"]) for c in verdicts.counts(rows)] == [
        ("text", 0, 1, 0),
        ("as-run", 1, 0, 0),
        ("none", 0, 0, 1),
    ]
