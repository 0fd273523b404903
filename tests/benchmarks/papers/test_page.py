from __future__ import annotations

import collections
import csv
import importlib.util
import pathlib
import re

import pytest

from benchmarks import papers
from benchmarks.papers.page import to_markdown
from benchmarks.papers.page.agreement import agreement_records
from benchmarks.papers.page.content import MEANINGS, PROTOCOL_MEANINGS
from benchmarks.papers.page.sheet import sheets
from benchmarks.papers.results import COLUMNS, VERDICTS
from benchmarks.papers.verdicts import whole

COMMITTED = pathlib.Path(__file__).parents[3] / "benchmarks/results"


@pytest.fixture(scope="module")
def committed():
    with (COMMITTED / "reproduction.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def folder(committed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    papers.write_page(committed, folder, papers.PAPERS)
    return folder


def test_there_is_a_line_for_every_published_figure(committed, folder):
    rows = whole(committed, papers.PAPERS)
    figures = {tuple(own[name] for name in COLUMNS[:6]) for own in rows}
    expected = collections.Counter(figure[2:4] for figure in figures)
    text = (folder / "page.md").read_text(encoding="utf-8")
    found = collections.Counter()
    for sheet in re.findall(r"<details>.*?</details>", text, flags=re.DOTALL):
        lines = [line for line in sheet.splitlines() if line.startswith("| ")][2:]
        found.update(tuple(line[2:].split(" | ")[:2]) for line in lines)
    assert found == expected


def test_the_sums_add_up_to_all_published_figures(folder):
    text = (folder / "page.md").read_text(encoding="utf-8")
    lines = {
        cells[0]: [int(cell.replace(",", "") or 0) for cell in cells[1:]]
        for cells in (
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in text.partition("## By paper")[2].partition("## How to read")[0].splitlines()
            if line.startswith("| ") and "---" not in line
        )
        if cells[0] != "paper"
    }
    total = lines.pop("total")
    assert total[-1] == 1139
    assert [sum(column) for column in zip(*lines.values(), strict=True)] == total
    for close, holds, off, elsewhere, *others, whole_line in [*lines.values(), total]:
        assert close <= holds
        assert elsewhere <= off
        assert holds + off + sum(others) == whole_line


def test_the_same_results_give_the_same_bytes(committed, folder, tmp_path):
    for _ in range(2):
        papers.write_page(committed, tmp_path, papers.PAPERS)
        for name in ("page.md", "figures/agreement.png"):
            assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_without_matplotlib_there_is_a_page_without_pictures(committed, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    papers.write_page(committed, tmp_path, papers.PAPERS)
    assert not (tmp_path / "figures").exists()
    assert "](figures/" not in (tmp_path / "page.md").read_text(encoding="utf-8")


def test_a_run_writes_the_page(tmp_path):
    reproduction = papers.reproduce(["olsf"], table="6", store=tmp_path, progress=False)
    assert "8 have no data, 1,131 were not run." in str(reproduction)
    assert "8 have no data, 1,131 were not run." in (tmp_path / "page.md").read_text(
        encoding="utf-8"
    )
    before = (tmp_path / "page.md").read_bytes()
    papers.reproduce(["olsf"], table="6", store=tmp_path, progress=False)
    assert (tmp_path / "page.md").read_bytes() == before


def result(**changes):
    return {
        **dict.fromkeys(COLUMNS, ""),
        **{"paper": "olsf", "table": "3", "dataset": "german", "algorithm": "OLSF-I"},
        **{"params": "B=0.5;lam=30", "metric": "errors", "published": "366.9"},
        **{"published_std": "8.8", "protocol": "text", "ours": "350.15", "ours_std": "8.31"},
        **{"repeats": "20", "n_samples": "1000", "verdict": "holds"},
        **changes,
    }


def test_markup_in_names_and_reasons_is_text(tmp_path):
    odd = result(
        dataset="a|b",
        algorithm="<i>&x",
        metric="AUC",
        reason='*"quoted"* <script>alert(1)</script>',
    )
    papers.write_page([odd], tmp_path, papers.PAPERS)
    written = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert r"| a\|b | \<i\>\&x |" in written
    assert r'\*"quoted"\* \<script\>' in written


def test_an_entry_has_ours_difference_verdict_what_it_was_run_with_and_a_note():
    reason = "C=0.1, chosen on the compared runs; other chunks; see as-run"
    text = to_markdown([result(reason=reason)], papers.PAPERS)
    assert "| 366.9 ± 8.8 | 350.15 ± 8.31<br>-16.75 ≃ <sup>C=0.1 b</sup> |" in text
    assert "- b: chosen on the compared runs; other chunks; see as-run" in text


def test_what_many_figures_have_in_common_is_said_once():
    (sheet,) = sheets(
        [
            result(reason="C=1, chosen"),
            result(algorithm="OLSF-II", reason="C=10, chosen"),
            result(algorithm="OLSF", params="B=0.8;lam=30", repeats="3"),
        ]
    )
    assert sheet.notes == {"a": "chosen"}
    assert (sheet.fixed, sheet.varied) == ("lam=30", "B")
    assert [line.params for line in sheet.lines] == ["0.5", "0.5", "0.8"]
    marks = [line.entries["text"].marks for line in sheet.lines]
    assert marks == [("C=1", "a"), ("C=10", "a"), ("n=3",)]
    assert sheet.about() == "Parameters: lam=30. Runs: 20 (text)."


def test_lines_of_a_data_set_stand_together_with_baselines_last():
    rows = [
        result(),
        result(dataset="wbc"),
        result(algorithm="OLSF-II"),
        result(algorithm="LogisticRegression", params="", published="", verdict=""),
    ]
    (sheet,) = sheets(rows)
    assert [(line.dataset, line.system) for line in sheet.lines] == [
        ("german", "OLSF-I"),
        ("german", "OLSF-II"),
        ("german", "LogisticRegression"),
        ("wbc", "OLSF-I"),
    ]
    assert sheet.lines[2].entries["text"].difference == ""
    assert sheet.summary() == "text: 0 of 3 within one point, 3 hold, 0 do not"


def test_the_picture_is_in_points_and_better_is_more():
    auc = {"paper": "flls", "dataset": "vote", "metric": "AUC", "published": "0.9"}
    records = agreement_records(
        [
            result(published="366.9", ours="350.9"),
            result(protocol="as-run", published="366.9", ours="376.9", verdict="off"),
            result(protocol="text, first order"),
            result(**auc, ours="0.88", verdict="off"),
            result(**{**auc, "metric": "query_percent"}, verdict="by construction"),
            result(protocol="", ours="", verdict="no data"),
            result(paper="ocds", table="2", metric="accuracy", ours="", verdict="diverged"),
            result(paper="other"),
        ],
        papers.PAPERS,
    )
    assert [(own["group"], own["series"], own["holds"]) for own in records] == [
        ("OLSF Table 3", "by the paper's words", True),
        ("FLLS Table 3", "by the paper's words", False),
        ("OCDS Table 2", "by the paper's words", False),
        ("OLSF Table 3", "as the published runs were", False),
    ]
    # German has a thousand rows.
    assert [own["difference"] for own in records] == pytest.approx([1.6, -2.0, None, -1.0])


def test_every_verdict_and_protocol_is_explained(committed):
    assert set(VERDICTS) <= set(MEANINGS)
    assert {own["protocol"] for own in committed} - {""} <= set(PROTOCOL_MEANINGS)


def test_every_table_that_was_run_has_a_paragraph():
    for name in ("stsd", "olsf", "flls"):
        paper = papers.PAPERS[name]
        assert set(paper.explanations) == {figure.table for figure in paper.published()}


def test_the_committed_page_is_that_of_the_committed_results(committed):
    """After a change, `reproduce` writes both anew, as results.csv and page.md."""
    text = (COMMITTED / "reproduction.md").read_text(encoding="utf-8")
    assert text == to_markdown(committed, papers.PAPERS, with_picture=True)
