"""The benchmarks run; their results are not tested."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import time

import pytest
from river import linear_model

from benchmarks import (
    chunk_svms,
    data,
    evidence,
    micro,
    packages,
    persist,
    pseudo_labels,
    rivals,
    row_encoder,
    runner,
    scalers,
    scarce_labels,
    speed,
    text_settings,
)
from river_trapezoid.linear_model import OLSFClassifier


def test_micro_benchmarks_save_and_compare(tmp_path, capsys):
    saved = tmp_path / "saved.json"
    few = ["--size", "2", "--rounds", "1"]
    assert micro.main([*few, "--save", str(saved)]) == 0
    costs = json.loads(saved.read_text())
    assert len(costs) == 19
    assert all(cost > 0 for cost in costs.values())
    assert micro.main([*few, "--against", str(saved), "--factor", "1e9"]) == 0

    saved.write_text(json.dumps({"learn_one words": 1e-12}))
    assert micro.main([*few, "--against", str(saved)]) == 1
    assert "slower by more than 1.3: learn_one words" in capsys.readouterr().out


def test_mini_batches_are_measured(capsys):
    speed.mini_batches(n_dense=20, n_sparse=20, sizes=(10,), repeats=1)
    assert capsys.readouterr().out.count(" 10 ") == 6


def test_scalers_are_compared():
    records = scalers.measured({"dense": ["Phishing"]}, limit=50)
    assert len(records) == 3 * len(scalers.SCALERS) * len(scalers.LEARNERS)
    assert len(scalers.summary(records)) == len(scalers.LEARNERS)
    by_scaler = {(r["scaler"], r["order"], r["learner"]): r["accuracy"] for r in records}
    for (scaler, *case), accuracy in by_scaler.items():
        if scaler == "River's":
            assert by_scaler["StandardScaler()", *case] == accuracy


def test_row_encoders_are_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(row_encoder, "_ROUNDS", 1)
    path = tmp_path / "rows.csv"
    records = row_encoder.main(["--rows", "400", "--csv", str(path)])
    costs = [record for record in records if record["figure"] == "us a row"]
    assert len(costs) == 8
    assert all(record["value"] > 0 for record in records)
    assert path.read_text().startswith("what,figure,value,ratio")


def test_saving_and_loading_is_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(persist, "KEYS", {"text": persist.KEYS["text"]})
    path = tmp_path / "persist.csv"
    records = persist.main(["--features", "200", "--rounds", "1", "--csv", str(path)])
    assert len(records) == len(persist.LEARNERS)
    assert all(record["size"] > 0 for record in records)
    assert path.read_text().startswith("learner,keys,dumps,loads,save,load,size,memory")


RIVALS = {name: make for group in rivals.installed() for name, make in group.items()}


@pytest.mark.parametrize("name", RIVALS)
def test_rivals_learn(name):
    instances = list(data.table(60))
    model = RIVALS[name]()
    for x, y in instances:
        model.learn_one(x, y)
    right = sum(model.predict_one(x) == y for x, y in instances)
    assert right > 40


@pytest.fixture
def home(shared, monkeypatch):
    monkeypatch.setenv("RIVER_DATA", str(shared / "data"))
    for cached in (data.instances, data.in_full, data.real_stream):
        cached.cache_clear()


def test_tables_in_full(home):
    for name, n_features in {"Vote": 32, "A8a": 123}.items():
        plain, full = data.instances(name), data.in_full(name)
        assert len(plain) == len(full)
        for (x, y), (x_full, y_full) in zip(plain[:500], full, strict=False):
            assert y_full == y
            assert {key: value for key, value in x_full.items() if value} == x
        assert len({key for x, _ in full for key in x}) == n_features
    assert {len(x) for x, _ in data.in_full("A8a")} == {123}
    # A vote that is not known is neither yes nor no.
    for (x, _), (x_full, _) in zip(data.instances("Vote"), data.in_full("Vote"), strict=True):
        assert {key.partition("=")[0] for key in x} == {key.partition("=")[0] for key in x_full}
        assert len(x_full) == 2 * len(x)
    assert data.in_full("PCMAC") == data.instances("PCMAC")


def test_the_folder_of_the_data_sets_is_an_option(monkeypatch):
    monkeypatch.setenv("RIVER_DATA", "elsewhere")
    parser = argparse.ArgumentParser()
    data.add_home(parser)
    parser.parse_args([])
    assert os.environ["RIVER_DATA"] == "elsewhere"
    parser.parse_args(["--data", "here"])
    assert os.environ["RIVER_DATA"] == "here"


def a_row(group="g", stream="s", learner=evidence.EVIDENCE, seed=0, **values):
    measured = dict.fromkeys([*evidence.METRICS, "seconds"], 0.5)
    return {
        **{"group": group, "stream": stream, "learner": learner, "seed": seed, "rows": 100},
        **(measured | values),
    }


def test_runs_are_read_as_they_were_written(tmp_path):
    path = str(tmp_path / "runs.csv")
    assert evidence.read(path) == evidence.read(None) == []
    data.write(path, [a_row(accuracy=0.123456789, auc="")])
    assert evidence.read(path) == [a_row(accuracy=0.12346, auc="")]
    former = {key: v for key, v in a_row().items() if key != "calibration_error"}
    data.write(path, [former])
    assert evidence.read(path) == [{**former, "calibration_error": ""}]


def test_runs_are_kept_but_for_those_that_are_made_anew():
    kept, former = a_row(learner="LR"), a_row(accuracy=0.4)
    new, further = a_row(accuracy=0.6), a_row(seed=1)
    assert evidence.merged([former, kept], [new, further]) == [new, kept, further]
    block = evidence.Block("g", {"s": None}, evidence.named(evidence.EVIDENCE, "LR"), repeats=2)
    assert evidence.missing(block, [kept, new, further]) == ["LR"]


def test_verdicts_are_those_of_paired_tests():
    gains = {
        "above": [0.1, 0.11, 0.12],
        "below": [-0.1, -0.11, -0.12],
        "about": [0.1, -0.1, 0.01],
        "same": [0.0, 0.0],
        "once": [0.2],
    }
    rows = []
    for place, differences in gains.items():
        for seed, difference in enumerate(differences):
            rows.append(a_row(stream=place, seed=seed, accuracy=0.5 + difference))
            rows.append(a_row(stream=place, seed=seed, learner="LR"))
        rows.append(a_row(stream=place, seed=9, accuracy=1.0))
    found, verdicts = evidence.against(rows, "LR")
    assert found == pytest.approx({place: sum(g) / len(g) for place, g in gains.items()})
    assert verdicts == {
        **{"above": "won", "below": "lost", "about": "level", "same": "level"},
        "once": "untested",
    }


def test_the_best_baseline_is_chosen_for_each_stream():
    rows = [
        a_row(stream=place, seed=seed, learner=learner, accuracy=accuracy + 0.01 * seed)
        for place, accuracies in {"s": (0.8, 0.6, 0.7), "t": (0.8, 0.9, 0.7)}.items()
        for learner, accuracy in zip((evidence.EVIDENCE, "LR", "AMF"), accuracies, strict=True)
        for seed in range(2)
    ]
    gains, _ = evidence.against(rows, "LR", "AMF")
    assert gains == pytest.approx({"s": 0.1, "t": -0.1})
    only_one = [row for row in rows if (row["stream"], row["learner"]) != ("t", "LR")]
    assert evidence.against(only_one, "LR", "AMF")[0] == pytest.approx({"s": 0.1, "t": 0.1})


def test_so_many_labels_are_asked_for():
    asked = []
    for seed in (1, 1, 2):
        model = evidence.SomeLabels(linear_model.LogisticRegression(), 5, 60, seed)
        asked.append([model.predict_one(x)[1] for x, _ in data.table(60)])
    assert [sum(places) for places in asked] == [5, 5, 5]
    assert asked[0] == asked[1] != asked[2]


LEARNERS = {
    f"{kind} {name}": make
    for kind, learners in {
        "any": evidence.LEARNERS,
        "ours": evidence.OURS,
        "words": evidence.OF_WORDS,
        "classes": evidence.OF_CLASSES,
    }.items()
    for name, make in learners.items()
}


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_of_the_comparison_learn(name):
    model = LEARNERS[name]()
    for x, y in data.table(100):
        model.learn_one(x, y)
    assert sum(model.predict_one(x) == y for x, y in data.table(100)) > 55


@pytest.mark.parametrize("name", evidence.GENERATORS)
def test_generators_start_anew_with_their_seed(name, monkeypatch):
    monkeypatch.setattr(evidence, "generated", lambda seed, name: evidence.GENERATORS[name](seed))
    (block,) = evidence.drifting(name)
    rows, same, other = (list(block.streams[name](seed=seed)) for seed in (1, 1, 2))
    assert len(rows) == 10_000
    assert rows == same != other


@pytest.mark.parametrize(
    ("part", "place", "n_groups"),
    [
        *(("all", "WPBC", 2), ("ours", "WPBC", 1), ("text", "RCV1Small", 1)),
        *(("few", "Vote", 9), ("drift", "STAGGER", 1), ("drift", "Weather", 1)),
        *(("delay", "Elec2", 4), ("multiclass", "DNA", 1)),
    ],
)
def test_parts_of_the_comparison(part, place, n_groups, home, tmp_path, monkeypatch, capsys):
    def run(block, learners, jobs, run=evidence.run):
        return run(dataclasses.replace(block, repeats=min(block.repeats, 2)), learners, jobs)

    def first(name, real_stream=data.real_stream):
        return real_stream(name)[:1500]

    monkeypatch.setattr(evidence, "run", run)
    monkeypatch.setattr(data, "real_stream", first)
    rival = "OLSF-I" if part == "ours" else evidence.LOGISTIC
    path = str(tmp_path / "runs.csv")
    evidence.main([part, place, "--csv", path, "--learners", evidence.EVIDENCE])
    evidence.main([part, place, "--csv", path, "--learners", rival])
    rows = evidence.read(path)
    assert len({row["group"] for row in rows}) == n_groups
    assert {row["learner"] for row in rows} == {evidence.EVIDENCE, rival}
    assert all(0.3 < row["accuracy"] <= 1.0 and row["seconds"] > 0 for row in rows)
    for name in ("auc", "brier_score", "calibration_error"):
        assert all((row[name] == "") == (part == "multiclass") for row in rows)
    assert all(row["calibration_error"] < 0.5 for row in rows if part != "multiclass")
    printed = capsys.readouterr().out
    assert printed.count(f"{evidence.EVIDENCE} over {rival}") >= n_groups


def test_real_streams(home):
    counts = {"Elec2": (45312, 19237, 6), "Weather": (18159, 5698, 8)}
    for name, expected in counts.items():
        rows = data.real_stream(name)
        assert (len(rows), sum(y for _, y in rows), len(rows[0][0])) == expected


def test_what_is_not_known_is_refused(capsys):
    with pytest.raises(SystemExit):
        evidence.main(["few", "Spambase"])
    assert "few has no data set Spambase; it has Ionosphere" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        evidence.main(["few", "Vote", "--learners", "SVM"])
    assert "invalid choice: 'SVM'" in capsys.readouterr().err


def test_what_pseudo_labels_gain_is_measured(monkeypatch, capsys):
    learners = {"OLSF": (OLSFClassifier(), (None, 0.5))}
    monkeypatch.setattr(pseudo_labels, "LEARNERS", learners)
    records = pseudo_labels.compared("Phishing", "trapezoidal")
    assert [(r["share"], r["threshold"]) for r in records] == [
        *((0.05, "default"), (0.05, 0.5)),
        *((0.1, "default"), (0.1, 0.5)),
    ]
    assert all(0.5 < r["without"] < 0.9 and abs(r["gain"]) < 0.2 for r in records)
    assert any(r["gain"] for r in records)
    pseudo_labels.report(records)
    assert capsys.readouterr().out.count("OLSF") == 4


def test_chunk_svms_are_measured(monkeypatch):
    monkeypatch.setattr(chunk_svms, "SEEDS", range(2))
    records = chunk_svms.measured(n_chunks=2)
    assert len(records) == 2 + 3 * len(chunk_svms.TAILS)
    assert all(0.7 < record["accuracy"] < 1.0 for record in records)


def test_scarce_labels_are_measured():
    records = scarce_labels.measured({"Phishing": 2}, limit=120)
    assert len(records) == len(scarce_labels.SHARES) * len(scarce_labels.LEARNERS)
    assert all(0.0 < record["accuracy"] < 1.0 for record in records)


def test_settings_for_text_are_measured():
    rows = [({f"w{i % 7}": 1, f"w{i % 3}": 1}, i % 7 == 0) for i in range(60)]
    records = text_settings.measured(rows)
    assert len({record["learner"] for record in records}) == 4 * len(text_settings.BUDGETS) + 2


def test_streams_are_the_same_for_all_packages():
    rows = [({"a": 1.0}, True), ({"b": 4.0, "a": 3.0}, False)]
    words, numbers = (
        [json.loads(line) for line in packages.lines(rows, words)] for words in (True, False)
    )
    assert words == [{"x": x, "y": y} for x, y in rows]
    # River's scaler has seen the instance itself: 3 is one deviation above the mean of 1 and 3.
    assert [row["scaled"] for row in numbers] == [{"a": 0.0}, {"b": 0.0, "a": 1.0}]
    assert runner.numbered(words) == {"a": 0, "b": 1}


def test_learners_of_other_packages_are_measured_before_they_learn():
    class Last:
        answer = None

        def predict_one(self, x):
            return self.answer

        def learn_one(self, x, y):
            self.answer = y

    rows = [{"x": {}, "y": y} for y in (True, True, False, False, False)]
    found = runner.measured(runner.one_by_one(Last), rows, limit=10)
    assert found["accuracy"] == 3 / 4


def test_what_fails_or_takes_long_in_another_package_is_said():
    def fails():
        raise ValueError("no such\nthing")

    def dawdles():
        while True:
            time.process_time()

    assert runner.measured(lambda rows: fails, [], 10) == {"failed": "ValueError: no such"}
    assert runner.measured(lambda rows: dawdles, [], 0.1) == {"failed": "over 0.1 seconds"}


def test_packages_are_compared_by_their_best_learners(tmp_path, capsys):
    found = {
        ("openmoa", "FTRL"): [
            {"accuracy": 0.7, "seconds": 0.5},
            {"accuracy": 0.7, "seconds": 0.5},
        ],
        ("river", packages.REFERENCE): [
            {"accuracy": 0.8, "seconds": 2.0},
            {"accuracy": 0.8, "seconds": 4.0},
        ],
        ("river", "PAClassifier"): [{"accuracy": 0.75, "seconds": 1.0}],
        ("openmoa", "Forest"): [{"failed": "ImportError: typing_extensions"}],
    }
    written = [
        dict.fromkeys(packages.FIELDS, "") | {"package": "river", "megabytes": 250.0},
        dict.fromkeys(packages.FIELDS, "") | {"package": "openmoa", "start": 2.5},
        *packages.records(found, "table", 100),
    ]
    assert [r["package"] for r in written] == ["river", "openmoa"] + 2 * ["river"] + 2 * ["openmoa"]
    path = str(tmp_path / "packages.csv")
    data.write(path, written)
    assert packages.read(path) == written
    packages.main(["--report", path])
    printed = capsys.readouterr().out
    assert "| river | 250 |  |  | 80.0 (1) `StandardScaler \\| LogisticRegression` |" in printed
    assert "| openmoa |  |  | 2.5 | 70.0 (6) `FTRL` |" in printed
    assert "| river | `PAClassifier` | 75.0 (2) |" in printed
    assert "| openmoa | `Forest` | ImportError |" in printed
