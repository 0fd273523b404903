from __future__ import annotations

import csv

from river_trapezoid import experiments

PAPERS = {
    "STSD-2015": "stsd",
    "OLSF-2016": "olsf",
    "FLLS-2021": "flls",
    "RKTS3VM-2009": "rkts3vm",
    "OCDS-2019": "ocds",
}


def test_the_published_figures_are_all_there(shared):
    with (shared / "published/tables.csv").open(newline="") as file:
        expected = [
            (
                PAPERS[row["paper"]],
                row["table"].split()[0],
                row["dataset"],
                row["algorithm"].replace("OL SF -", "OLSF-").replace("OFS P", "OFS_P"),
                row["params"],
                row["metric"],
                float(row["mean"]),
                float(row["std"]) if row["std"] else None,
            )
            for row in csv.DictReader(file)
        ]
    own = [tuple(vars(figure).values()) for figure in experiments.published()]
    assert own == expected
    assert len(own) == 1139


def test_parameters_are_read_from_what_the_paper_says():
    figure = experiments.published("stsd")[0]
    assert figure.param("B") == 0.5
    assert figure.param("lam") == 30


def test_every_published_figure_that_can_be_run_has_a_data_set_or_a_reason():
    for paper in experiments.PAPERS.values():
        assert {figure.dataset for figure in paper.published()} <= set(paper.data)
        for data in paper.data.values():
            assert data
