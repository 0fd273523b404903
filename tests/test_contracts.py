from __future__ import annotations

import gc
import os
import pathlib
import subprocess
import sys

import pytest
from river import checks

from tests import contracts
from tests.estimators import exported, instances, ours, seeded


@pytest.fixture(scope="module", autouse=True)
def _few_objects_to_search():
    """Keep what other modules have imported out of River's collections of garbage."""
    gc.collect()
    gc.freeze()


INSTANCES = dict(instances())
OURS = dict(ours())


def test_every_export_is_of_a_kind_that_has_checks():
    covered = {type(model) for model in OURS.values() if contracts.kinds_of(model)}
    assert set(exported()) <= covered


@pytest.mark.parametrize(
    ("model", "check"),
    [
        pytest.param(model, check, id=f"{name}-{check.__name__}")
        for name, model in OURS.items()
        for check in contracts.checks_for(model)
    ],
)
def test_contract(model, check):
    check(seeded(model))


def test_every_check_applies_to_some_estimator():
    applied = {check for model in OURS.values() for check in contracts.checks_for(model)}
    modules = (contracts.every_kind, *contracts.KINDS.values())
    assert applied == {check for m in modules for check in contracts.declared(m).values()}


@pytest.mark.parametrize("name", INSTANCES)
def test_river_skips_nothing_on_our_behalf(name):
    assert set(INSTANCES[name]._unit_test_skips()) == set()


@pytest.mark.parametrize(
    ("model", "check"),
    [
        pytest.param(model, check, id=f"{name}-{check.__name__}")
        for name, model in INSTANCES.items()
        for check in checks.yield_checks(model)
    ],
)
def test_river_check(model, check):
    check(model.clone())


def test_hash_seed_changes_nothing():
    root = pathlib.Path(__file__).parents[1]
    command = [sys.executable, "-c", "from tests import contracts; contracts.hash_seed_report()"]
    reports = [
        subprocess.run(
            command,
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert reports[0] == reports[1]
    assert reports[0].count("\n") == len(OURS)
