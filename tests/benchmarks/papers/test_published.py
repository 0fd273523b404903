from __future__ import annotations

import csv

from benchmarks import papers

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
    own = [tuple(vars(figure).values()) for figure in papers.published()]
    assert own == expected
    assert len(own) == 1139


def test_the_figures_under_haphazard_inputs_are_all_there(shared):
    def rows(name):
        with (shared / f"published/{name}.csv").open(newline="") as file:
            return list(csv.DictReader(file))

    def figure(table, dataset, system, p, mean, std):
        params = f"p={p}" if p else ""
        own = (table, dataset.lower(), system, params, "balanced_accuracy")
        return ("haphazard", *own, float(mean), float(std) if std else None)

    names = {"AuxNet": "Aux-Net", "AuxDrop": "Aux-Drop"}
    expected = [
        figure(
            "review",
            row["dataset"],
            names.get(row["system"], row["system"]),
            row["p"],
            row["balanced_accuracy"],
            row["std"],
        )
        for row in rows("haphazard")
    ]
    assert len(expected) == 450
    for name, table in (("hi2", "HI2 {}"), ("packetlstm", "packetLSTM")):
        expected += [
            figure(
                table.format(row["table"].split()[1]),
                row["data"],
                row["learner"],
                row["p"],
                row["value"],
                row["std"],
            )
            for row in rows(name)
            if row["metric"] == "balanced_accuracy"
        ]
    assert [tuple(vars(own).values()) for own in papers.published("haphazard")] == expected


def test_parameters_are_read_as_numbers():
    figure = papers.published("stsd")[0]
    assert figure.param("B") == 0.5
    assert figure.param("lam") == 30


def test_every_published_figure_that_can_be_run_has_a_data_set_or_a_reason():
    for paper in papers.PAPERS.values():
        assert {figure.dataset for figure in paper.published()} <= set(paper.data)
        for data in paper.data.values():
            assert data
