from __future__ import annotations

import csv
import gzip
import io
import json
import pathlib
import re
import shlex
import subprocess
import sys
import types

import pytest
from river import metrics

from river_trapezoid import evaluate, linear_model
from river_trapezoid.cli import main
from river_trapezoid.cli.systems import SYSTEMS
from river_trapezoid.datasets import TableFile
from river_trapezoid.metrics import ExactROCAUC


def test_without_a_file_each_stream_has_the_learners_made_for_it(capsys):
    assert main(["--repeats", "2"]) == 0
    out = capsys.readouterr().out
    shown = [[line.split()[0] for line in table.splitlines()] for table in out.split("\n\n")[:3]]
    assert shown == [
        [
            "trapezoidal",
            "Evidence",
            "LogisticRegression",
            "OLSF",
            "OLSF-I",
            "OLSF-II",
            "OFS",
            "majority",
        ],
        ["evolvable", "Evidence", "LogisticRegression", "FESL", "FESL-s", "majority"],
        ["capricious", "Evidence", "LogisticRegression", "OCDS", "OCDS-o", "OCDS-r", "majority"],
    ]
    for name in ("Accuracy", "ROCAUC", "seconds", "±", "t-test"):
        assert name in out
    assert max(map(len, out.splitlines())) <= 80


def test_one_repeat_has_neither_a_deviation_nor_a_test(tmp_path, capsys):
    page = tmp_path / "report.html"
    assert main(["--repeats", "1", "--stream", "evolvable", "--html", str(page)]) == 0
    shown = capsys.readouterr()
    for text in (shown.out, shown.err, page.read_text(encoding="utf-8").partition("<script")[0]):
        assert "±" not in text
        assert "t-test" not in text


def test_a_file_is_learned_by_the_recommended_learner_and_the_baseline(table, capsys):
    assert main(["compare", str(table), "--target", "label"]) == 0
    shown = capsys.readouterr()
    head, evidence, baseline, majority, *_ = shown.out.strip().splitlines()
    assert head.split() == ["as-is", "Accuracy", "ROCAUC", "seconds"]
    assert (evidence.split()[0], baseline.split()[0]) == ("Evidence", "LogisticRegression")
    assert majority.split()[0] == "majority"
    assert "majority: the most frequent label so far" in shown.out
    for line in (
        "rows: 300",
        "labels in 'label': yes is positive (",
        "numbers: a, b, constant",
        "categories, one feature for each value: colour",
        "text, one feature for each word: note",
        "left out, as nearly every value is different: id",
        "seed: 0",
    ):
        assert line in shown.err
    assert max(map(len, shown.err.splitlines())) <= 80


def test_printed_results_are_those_of_progressive_validation(table, capsys):
    assert main(["compare", str(table), "--target", "label", "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    expected = evaluate.compare(
        linear_model.EvidenceClassifier(),
        TableFile(table, "label"),
        metrics.Accuracy(),
        progress=False,
    )
    (found,) = (
        row["mean"]
        for row in outcome["results"]
        if (row["model"], row["metric"]) == ("Evidence", "Accuracy")
    )
    assert found == expected.records[-1]["value"]
    assert outcome["data"]["columns"]["note"] == "text"
    assert outcome["data"]["positive"] == "yes"
    assert outcome["learners"]["Evidence"].startswith("EvidenceClassifier(n_bins=10, ")
    assert outcome["interrupted"] is False


def test_a_file_is_scanned_once_and_read_once_by_each_learner(table, monkeypatch):
    open_file = pathlib.Path.open
    opened = []

    def counted(path, *args, **kwargs):
        opened.append(path)
        return open_file(path, *args, **kwargs)

    monkeypatch.setattr(pathlib.Path, "open", counted)
    assert main(["compare", str(table), "--target", "label"]) == 0
    # The kind of the file, its first lines, the scan, two learners and the majority.
    assert opened.count(table) == 3 + 3


def test_every_format_and_the_standard_input_give_the_same_results(table, rows, tmp_path, capsys):
    import pyarrow.parquet

    known = [{k: v for k, v in row.items() if v not in ("", "NA", "?")} for row in rows]
    numbers = {"a", "b", "constant"}
    known = [{k: float(v) if k in numbers else v for k, v in row.items()} for row in known]
    lines, parquet = tmp_path / "table.jsonl", tmp_path / "table.parquet"
    lines.write_text("".join(json.dumps(row) + "\n" for row in known), encoding="utf-8")
    schema = [(k, pyarrow.float64() if k in numbers else pyarrow.string()) for k in rows[0]]
    pyarrow.parquet.write_table(
        pyarrow.Table.from_pylist(known, schema=pyarrow.schema(schema)), parquet
    )
    zipped = tmp_path / "table.gz"
    zipped.write_bytes(gzip.compress(table.read_bytes()))

    def results(path):
        assert main(["compare", str(path), "--target", "label", "--json"]) == 0
        outcome = json.loads(capsys.readouterr().out)["results"]
        return [{k: v for k, v in row.items() if k != "seconds"} for row in outcome]

    expected = results(table)
    assert expected[0]["mean"] > 0.7
    for path in (lines, parquet, zipped):
        assert results(path) == expected
    piped = subprocess.run(
        [sys.executable, "-m", "river_trapezoid", "compare", "-", "--target", "label", "--json"],
        input=table.read_bytes(),
        capture_output=True,
        check=True,
    )
    outcome = json.loads(piped.stdout)
    assert outcome["data"]["name"] == "standard input"
    assert [row["mean"] for row in outcome["results"]] == [row["mean"] for row in expected]


def test_all_runs_every_learner_that_fits_the_task(table, capsys):
    assert main(["compare", str(table), "--target", "label", "--learners", "all"]) == 0
    table_shown = capsys.readouterr().out.strip().partition("\n\n")[0]
    shown = [line.split()[0] for line in table_shown.splitlines()[1:]]
    assert shown == [*(name for name in SYSTEMS if name != "MulticlassOLSF"), "majority"]


def test_more_than_two_labels_make_a_multiclass_task(rows, tmp_path, capsys):
    path = tmp_path / "three.jsonl"
    lines = [json.dumps({"a": row["a"], "b": row["b"], "y": row["colour"]}) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    learners = ["--learners", "Evidence,MulticlassOLSF,FLLS-I,SVM,FESL"]
    assert main(["compare", str(path), "--target", "y", *learners]) == 0
    shown = capsys.readouterr()
    assert shown.out.split()[:3] == ["as-is", "Accuracy", "MacroF1"]
    assert re.search(r"labels in 'y': blue \(\d+\), green \(\d+\), red \(\d+\)", shown.err)
    assert "without a label, which are skipped" in " ".join(shown.err.split())
    assert main(["compare", str(path), "--target", "y", "--metrics", "ROCAUC"]) == 2
    assert "ROCAUC is for two labels" in capsys.readouterr().err


def test_labels_may_be_late_and_limited_by_a_budget(table, capsys):
    options = ["--target", "label", "--learners", "Evidence,RFLLS-I"]
    assert main(["compare", str(table), *options, "--delay", "50", "--budget", "0.2"]) == 0
    shown = capsys.readouterr()
    head, *learners, _ = shown.out.strip().partition("\n\n")[0].splitlines()
    assert head.split()[-2:] == ["labels", "seconds"]
    for line in learners:
        assert 15 < float(line.split()[-2].rstrip("%")) < 30
    assert "labels arrive: 50 rows late" in shown.err
    assert main(["compare", str(table), "--target", "label", "--learners", "PEA"]) == 0
    assert main(["compare", str(table), *options[:3], "PEA", "--budget", "0.2"]) == 2
    assert "PEA queries labels by its own rule" in capsys.readouterr().err


def test_all_with_a_budget_names_the_learners_left_out(table, capsys):
    options = ["--target", "label", "--learners", "all", "--budget", "0.1", "--json"]
    assert main(["compare", str(table), *options]) == 0
    shown = capsys.readouterr()
    said = " ".join(shown.err.split())
    assert (
        "note: without FLLS, FLLS-I, FLLS-II, FLLS-I_SN, PEA: each queries labels by its own"
        in said
    )
    assert "note: without SVM, TrSVM, S3VM, TS3VM, RK-TS3VM: each learns from whole chunks" in said
    assert "Uncertainty-split: the budget holds on average" in said
    outcome = json.loads(shown.out)
    assert not {"PEA", "SVM"} & set(outcome["learners"])
    spent = {row["model"]: row["labels_used"] for row in outcome["results"]}
    assert spent["RFLLS"] == spent["RPEA"] == pytest.approx(0.1)


def test_streams_are_made_of_a_file_with_the_seeds_of_the_repeats(table, tmp_path, capsys):
    records = tmp_path / "records.csv"
    options = ["--stream", "trapezoidal,capricious", "--repeats", "2", "--seed", "5"]
    arguments = ["compare", str(table), "--target", "label", *options, "--csv", str(records)]
    assert main([*arguments, "--jobs", "2"]) == 0
    assert capsys.readouterr().out.endswith(f"records: {records}\n")
    with records.open(newline="", encoding="utf-8") as file:
        parallel = list(csv.DictReader(file))
    assert {(r["stream"], r["seed"]) for r in parallel} == {
        (kind, seed) for kind in ("trapezoidal", "capricious") for seed in ("5", "6")
    }
    assert main(arguments) == 0
    with records.open(newline="", encoding="utf-8") as file:
        alone = list(csv.DictReader(file))
    assert [r["value"] for r in alone] == [r["value"] for r in parallel]


def test_a_comparison_without_randomness_runs_once(table, capsys):
    arguments = ["compare", str(table), "--target", "label", "--repeats", "2", "--json"]
    for more, repeats in ([], 1), (["--shuffle"], 2), (["--stream", "capricious"], 2):
        assert main([*arguments, *more]) == 0
        shown = capsys.readouterr()
        outcome = json.loads(shown.out)
        assert outcome["repeats"] == outcome["results"][0]["repeats"] == repeats
        assert ("nothing is random" in " ".join(shown.err.split())) == (repeats == 1)
        assert f"repeats: {repeats}\n" in shown.err


def test_rocauc_is_exact(table, capsys):
    arguments = ["compare", str(table), "--target", "label", "--learners", "Evidence", "--json"]
    exact = evaluate.compare(
        linear_model.EvidenceClassifier(),
        TableFile(table, "label"),
        ExactROCAUC(),
        progress=False,
    )
    for chosen in [], ["--metrics", "Accuracy,rocauc"]:
        assert main([*arguments, *chosen]) == 0
        results = json.loads(capsys.readouterr().out)["results"]
        (found,) = (
            row for row in results if (row["model"], row["metric"]) == ("Evidence", "ROCAUC")
        )
        assert found["mean"] == exact.records[-1]["value"]


@pytest.mark.parametrize(("n_positive", "are_rare"), [(19, True), (20, False)])
def test_rare_positives_have_metrics_of_their_own(tmp_path, capsys, n_positive, are_rare):
    path = tmp_path / "data.csv"
    rows = [f"{i % 7},{'yes' if i < n_positive else 'no'}" for i in range(200)]
    path.write_text("\n".join(["a,y", *rows]), encoding="utf-8")
    options = ["--target", "y", "--shuffle"]
    assert main(["compare", str(path), *options]) == 0
    shown = capsys.readouterr()
    names = ["ROCAUC", "AveragePrecision", "F1"] if are_rare else ["Accuracy", "ROCAUC"]
    assert shown.out.split()[1:-1][: len(names)] == names
    assert ("9.5% of the labels are positive" in shown.err) is are_rare
    assert "ROCAUC: exact up to fine bins, where River's has ten thresholds" in shown.out
    assert main(["compare", str(path), *options, "--metrics", "Accuracy"]) == 0
    shown = capsys.readouterr()
    assert "labels are positive" not in shown.err
    assert "thresholds" not in shown.out


def test_the_text_option_is_suggested_only_for_columns_of_words(tmp_path, capsys):
    path = tmp_path / "data.csv"
    names = ["one", "two", "three", "four", "five"]
    made = [f"doc{i},{names[i % 5]} {names[i // 5 % 5]}{i},{i % 2}" for i in range(50)]
    path.write_text("\n".join(["id,title,y", *made]), encoding="utf-8")
    assert main(["compare", str(path), "--target", "y"]) == 1
    path.write_text(
        "\n".join(["id,title,a,y", *(f"{row[:-2]},{i},{row[-1]}" for i, row in enumerate(made))])
    )
    assert main(["compare", str(path), "--target", "y"]) == 0
    assert "--text" not in capsys.readouterr().err
    text = path.read_text().replace(" ", " little ")
    path.write_text(text)
    options = ["--target", "y", "--text", "id"]
    assert main(["compare", str(path), *options]) == 0
    assert "--text 'title' takes each word" in capsys.readouterr().err


def test_odd_and_ambiguous_cells_give_notes(tmp_path, capsys):
    path = tmp_path / "data.csv"
    rows = [
        f"{'?' if i % 5 else 'unknown'},{i}.500,0{1 + i % 9}/02/2024,{i % 2}" for i in range(1, 40)
    ]
    path.write_text("\n".join(["age,size,when,y", "7,1.000,01/02/2024,0", *rows]) + "\n")
    path.write_text(path.read_text().replace("?", "38"))
    assert main(["compare", str(path), "--target", "y"]) == 0
    shown = capsys.readouterr().err
    assert "column 'age' has 'unknown' in line 7, which does not fit the column" in shown
    assert "column 'size' has numbers such as 1,234 or 1.234" in shown
    assert "column 'when' has dates such as 02/03/2024" in shown
    assert "dates, with features for the day, the weekday and the hour: when" in shown


def test_rows_sorted_by_label_give_a_note_unless_they_are_shuffled(tmp_path, capsys):
    path = tmp_path / "sorted.csv"
    path.write_text("a,y\n" + "".join(f"{i},{int(i >= 50)}\n" for i in range(100)))
    assert main(["compare", str(path), "--target", "y"]) == 0
    assert "add --shuffle" in capsys.readouterr().err
    assert main(["compare", str(path), "--target", "y", "--shuffle"]) == 0
    shown = capsys.readouterr().err
    assert "add --shuffle" not in shown
    assert "order of the rows: random" in shown


def test_the_quality_of_probabilities_can_be_compared(table, tmp_path, capsys):
    wanted = "LogLoss,BrierScore,ExpectedCalibrationError"
    assert main(["compare", str(table), "--target", "label", "--metrics", wanted]) == 0
    printed = capsys.readouterr().out
    assert all(name in printed for name in wanted.split(","))
    several = tmp_path / "several.csv"
    several.write_text("a,y\n" + "".join(f"{i},{'uvw'[i % 3]}\n" for i in range(30)))
    assert main(["compare", str(several), "--target", "y", "--metrics", "BrierScore"]) == 2
    assert "BrierScore is for two labels" in capsys.readouterr().err


def test_tables_of_many_metrics_are_at_most_80_columns_wide(table, capsys):
    wanted = "Accuracy,ROCAUC,F1,LogLoss,BalancedAccuracy,Precision,Recall"
    assert main(["compare", str(table), "--target", "label", "--metrics", wanted]) == 0
    out = capsys.readouterr().out
    for name in wanted.split(","):
        assert name in out
    assert max(map(len, out.splitlines())) <= 80


MISTAKES = [
    ([], 2, "--target must name the column of the label: a, b, colour"),
    (["--target", "lable"], 2, "did you mean 'label'?"),
    (["--target", "label", "--text", "nte"], 2, "did you mean 'note'?"),
    (["--target", "label", "--learners", "Evidense"], 2, "did you mean 'Evidence'?"),
    (["--target", "label", "--learners", "MulticlassOLSF"], 2, "is for more than two labels"),
    (["--target", "label", "--metrics", "Accurcy"], 2, "did you mean 'Accuracy'?"),
    (["--target", "label", "--metrics", "ConfusionMatrix"], 2, "ConfusionMatrix"),
    (["--target", "label", "--stream", "sideways"], 2, "--stream"),
    (["--target", "label", "--format", "xls"], 2, "--format"),
    (["--target", "label", "--encoding", "utf-9"], 2, "encoding must be one"),
    (["--target", "label", "--positive", "maybe"], 2, "positive must be one of 'no', 'yes'"),
    (["--target", "label", "--jobs", "0"], 2, "--jobs"),
    (["--target", "label", "--jobs", "-3"], 2, "or -1 for all processors; got -3"),
    (["--target", "q"], 2, "got 'q'; the columns are 'a', 'b', 'colour', 'note'"),
    (["--target", "label", "--repeats", "0"], 2, "--repeats"),
    (["--target", "label", "--delay", "0"], 2, "--delay"),
    (["--target", "label", "--delay", "1000"], 2, "for any label to arrive"),
    (["--target", "label", "--budget", "1.5"], 2, "--budget"),
    (["--target", "label", "--html", "no/such/folder/report.html"], 2, "there is no folder"),
    (["--target", "label", "--csv", "."], 2, "is a folder"),
    (["--target", "label", "--csv", "/proc/records.csv"], 2, "cannot be written"),
    (["--target", "id"], 1, "too many for labels"),
    (["--target", "constant"], 1, "has a single label, 7; at least two are needed"),
    (["--target", "label", "--format", "jsonl"], 1, "line 1: is not JSON"),
    (["--target", "label", "--format", "parquet"], 1, "is not a Parquet file"),
]


@pytest.mark.parametrize(("options", "status", "message"), MISTAKES)
def test_mistakes_give_one_line_before_the_comparison_starts(
    options, status, message, table, capsys, tmp_path
):
    before = sorted(tmp_path.iterdir())
    assert main(["compare", str(table), *options]) == status
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.err.startswith("river-trapezoid: error: ")
    assert shown.err.count("\n") == 1
    assert shown.out == ""
    assert sorted(tmp_path.iterdir()) == before


def test_options_of_a_file_need_a_file(capsys, tmp_path):
    assert main(["--target", "label"]) == 2
    assert "needs a FILE" in capsys.readouterr().err
    assert main(["compare", str(tmp_path / "none.csv"), "--target", "y"]) == 2
    assert "there is no such file" in capsys.readouterr().err
    assert main(["compare", str(tmp_path), "--target", "y"]) == 2
    assert "is a folder" in capsys.readouterr().err
    assert main(["--stream", "trapezoidal", "capricious"]) == 2
    assert "separated by commas" in capsys.readouterr().err


def test_a_missing_header_is_suggested_as_the_cause(tmp_path, capsys):
    path = tmp_path / "bare.csv"
    path.write_text("1.5,2,no\n2.5,1,yes\n" * 10)
    assert main(["compare", str(path), "--target", "f3"]) == 2
    assert "add --no-header" in capsys.readouterr().err
    assert main(["compare", str(path), "--target", "f3", "--no-header"]) == 0


MALFORMED = {
    "empty": b"",
    "ragged": b"a,y\n1,0\n2,1\n3\n",
    "encoding": b"a,y\n1,caf\xe9\n",
    "twice": b"a,a,y\n1,2,0\n",
}


@pytest.mark.parametrize("kind", MALFORMED)
def test_malformed_files_give_one_line_and_leave_no_file_behind(kind, tmp_path, capsys):
    path, old = tmp_path / "data.csv", tmp_path / "records.csv"
    path.write_bytes(MALFORMED[kind])
    old.write_text("as it was")
    outputs = ["--csv", str(old), "--html", str(tmp_path / "report.html")]
    assert main(["compare", str(path), "--target", "y", *outputs]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    assert re.fullmatch(r"river-trapezoid: error: data\.csv.*\n", shown.err)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["data.csv", "records.csv"]
    assert old.read_text() == "as it was"


def test_the_exit_status_is_that_of_the_process(tmp_path):
    path = tmp_path / "data.csv"
    path.write_bytes(MALFORMED["ragged"])
    run = subprocess.run(
        [sys.executable, "-m", "river_trapezoid", "compare", str(path), "--target", "y"],
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr == (
        "river-trapezoid: error: data.csv, line 4: has 1 cell, but there are 2 columns\n"
    )


def test_a_learner_that_fails_is_reported_and_the_others_continue(tmp_path, capsys):
    path = tmp_path / "huge.csv"
    path.write_text("a,y\n" + "".join(f"{i}e300,{i % 2}\n" for i in range(30)))
    assert main(["compare", str(path), "--target", "y", "--learners", "Evidence,OLSF,FESL"]) == 0
    shown = capsys.readouterr()
    failed = [line for line in shown.out.splitlines() if "failed" in line]
    assert 0 < len(failed) < 3
    for line in failed:
        assert f"{line.split()[0]} failed on the as-is stream" in shown.err
    assert "Traceback" not in shown.err


def test_an_interrupt_prints_and_writes_the_results_so_far(table, tmp_path, monkeypatch, capsys):
    learn = linear_model.OLSFClassifier.learn_one

    def interrupted(self, x, y, **kwargs):
        if self.n_features_seen and self.n_features_seen > 100:
            raise KeyboardInterrupt
        learn(self, x, y, **kwargs)

    monkeypatch.setattr(linear_model.OLSFClassifier, "learn_one", interrupted)
    records, page = tmp_path / "records.csv", tmp_path / "report.html"
    learners = ["--learners", "Evidence,OLSF-I,FESL"]
    outputs = ["--csv", str(records), "--html", str(page)]
    assert main(["compare", str(table), "--target", "label", *learners, *outputs]) == 130
    shown = capsys.readouterr()
    assert "interrupted; the results so far:" in shown.err
    assert re.search(r"OLSF-I \(as-is\) has seen \d+ of 300 rows", shown.err)
    assert [line.split()[0] for line in shown.out.splitlines()[:3]] == [
        "as-is",
        "Evidence",
        "OLSF-I",
    ]
    with records.open(newline="", encoding="utf-8") as file:
        assert {row["model"] for row in csv.DictReader(file)} == {"Evidence", "OLSF-I"}
    assert "has seen" in page.read_text(encoding="utf-8")


def test_an_interrupt_before_the_first_row_writes_nothing(table, tmp_path, monkeypatch, capsys):
    def interrupted(self, x, y, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(linear_model.EvidenceClassifier, "learn_one", interrupted)
    page = tmp_path / "report.html"
    assert main(["compare", str(table), "--target", "label", "--html", str(page)]) == 130
    shown = capsys.readouterr()
    assert shown.err.endswith("interrupted\n")
    assert shown.out == ""
    assert not page.exists()


@pytest.mark.parametrize(
    ("arguments", "module", "extra"),
    [
        (["--html", "report.html"], "matplotlib", "plot"),
        (["--jobs", "2"], "joblib", "cli"),
    ],
)
def test_missing_extras_are_named_before_anything_runs(
    arguments, module, extra, monkeypatch, capsys, tmp_path
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, module, None)
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert arguments[0] in shown.err
    assert f"needs {module}; in the checkout of river-trapezoid, run: " in shown.err
    assert f'pip install -e ".[{extra}]"' in shown.err
    assert shown.out == ""


def test_a_terminal_as_standard_input_is_refused(monkeypatch, capsys):
    terminal = types.SimpleNamespace(isatty=lambda: True, buffer=io.BytesIO())
    monkeypatch.setattr(sys, "stdin", terminal)
    assert main(["compare", "-", "--target", "y"]) == 2
    assert "which is a terminal" in capsys.readouterr().err


def test_a_pipe_that_closes_early_is_not_an_error(table):
    command = [sys.executable, "-m", "river_trapezoid", "compare", str(table)]
    command += ["--target", "label", "--json"]
    run = subprocess.run(
        f"{shlex.join(command)} | head -n 1",
        shell=True,
        capture_output=True,
        text=True,
    )
    assert run.stdout == "{\n"
    assert "Traceback" not in run.stderr
