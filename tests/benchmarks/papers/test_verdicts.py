from __future__ import annotations

import pytest

from benchmarks import papers
from benchmarks.papers import verdicts
from benchmarks.papers.results import COLUMNS, empty_row

FIGURE = papers.published("stsd")[0]


def results(**own):
    return [
        empty_row(FIGURE, protocol.replace("_", "-"), verdict) for protocol, verdict in own.items()
    ]


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
    assert sum(count["figures"] for count in verdicts.sums(rows).values()) == 1139


@pytest.mark.parametrize(
    ("own", "outcomes"),
    [
        ({"text": "digit", "as_run": "off"}, ["point", "holds"]),
        ({"text": "point"}, ["point", "holds"]),
        ({"text": "holds"}, ["holds"]),
        ({"text": "off", "as_run": "digit"}, ["off", "elsewhere"]),
        ({"text": "diverged", "after": "holds"}, ["off", "elsewhere"]),
        ({"text": "diverged"}, ["off"]),
        ({"text": "off", "text, first order": "holds"}, ["off"]),
        ({"text": "off", "text, AUC of scores": "holds", "as_run": "off"}, ["off"]),
        ({"text": "by construction"}, ["by construction"]),
        ({"": "no data"}, ["no data"]),
        ({"": "not compared"}, ["not compared"]),
    ],
)
def test_the_outcome_of_a_figure_is_that_by_the_text_before_any_other(own, outcomes):
    assert verdicts.outcomes(results(**own)) == outcomes


def test_the_sums_are_said_over_all_figures():
    rows = verdicts.whole(results(text="off", as_run="holds"), papers.PAPERS)
    assert verdicts.said(rows) == (
        "Of 1,139 published figures, 1 are compared: 0 are within one point, 0 hold, and 1 do not "
        "hold by the paper's words, 1 of which hold under another protocol. Of the others, 1,138 "
        "were not run."
    )


def test_counts_have_the_text_first_and_no_protocol_last():
    rows = [*results(as_run="digit", text="off"), empty_row(FIGURE, "", "no data")]
    names = ("protocol", "within one point", "holds", "does not hold", "no data")
    assert [tuple(count[name] for name in names) for count in verdicts.counts(rows)] == [
        ("text", 0, 0, 1, 0),
        ("as-run", 1, 1, 0, 0),
        ("none", 0, 0, 0, 1),
    ]


def test_proposed_systems_are_counted_one_by_one_and_together_without_shares_of_labels():
    rows = [
        {**results(text="point")[0], "algorithm": "STSD"},
        {**results(text="off")[0], "algorithm": "STSD-I"},
        {**results(as_run="holds")[0], "algorithm": "STSD-I"},
        {**results(text="off")[0], "algorithm": "STSDI-all"},
        {**results(text="by construction")[0], "algorithm": "STSD", "metric": "query_percent"},
    ]
    assert verdicts.by_system(rows, {"stsd": ("STSD", "STSD-I"), "ocds": ("OCDS",)}) == [
        ("STSD", "text", (1, 1, 0)),
        ("STSD-I", "text", (0, 0, 1)),
        ("STSD-I", "as-run", (0, 1, 0)),
        ("STSD, STSD-I", "text", (1, 1, 1)),
        ("STSD, STSD-I", "as-run", (0, 1, 0)),
    ]
