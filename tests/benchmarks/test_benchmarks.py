"""That the benchmarks run; what they measure is no matter of tests."""

from __future__ import annotations

import json

import pytest

from tests.benchmarks import micro, rivals, speed


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
    speed.mini_batches(n_rows=20, n_columns=30, n_values=3, sizes=(10,), repeats=1)
    assert capsys.readouterr().out.count("learn_many") == 2


@pytest.mark.parametrize("speed_class", [0, 1])
def test_rivals_learn(speed_class):
    instances = list(micro.table(60))
    for make in rivals.installed()[speed_class].values():
        model = make()
        for x, y in instances:
            model.learn_one(x, y)
        right = sum(model.predict_one(x) == y for x, y in instances)
        assert right > 40
